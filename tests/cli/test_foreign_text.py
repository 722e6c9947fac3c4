"""Text from others' files, folders and bots reaches the terminal as one line, without a character that steers it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from german_whist.agents.policy.checkpoint import FORMAT_VERSION
from german_whist.agents.policy.tensor_file import file_metadata, tensor_bytes
from german_whist.cli.terminal import printed_command
from german_whist.training.run import RunDirectory
from tests.agents.networks import some_network
from tests.cli.commands import Run
from tests.cli.conftest import Typist

# Clears the screen, rings, goes back to the start of the line, turns the direction, is an 8-bit escape, adds a line.
HOSTILE = "evil\x1b[2J\x1b]0;title\x07\r\u202e\u2066\u200f\x9b2J\x7f\u2028\nforged"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="names of files may have such characters on POSIX")


def check(text: str) -> None:
    """Require text that cannot steer a terminal, in which the hostile name can still be recognised."""
    lines = text.splitlines()
    assert [line for line in lines if not line.isprintable()] == []
    assert not any(line.startswith("forged") for line in lines)
    assert "evil" in text
    assert "\\x1b" in text


def test_a_file_in_a_folder(run: Run, here: Path) -> None:
    folder = here / HOSTILE
    for words in (("draw", f"{folder}/none.jsonl"), ("train", f"{folder}.yaml"), ("curve", str(folder))):
        refused = run(*words)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
        check(refused.err)


def test_a_run_by_its_folder(run: Run, here: Path, type_lines: Typist, recwarn: pytest.WarningsRecorder) -> None:
    path = here / HOSTILE / "final.safetensors"
    path.parent.mkdir()
    some_network(game="tiny").save(path)
    agent = f"checkpoint:{path}"
    measured = run("evaluate", agent, "random", "--deals", "2", "--rules", "tiny")
    many = run("evaluate", agent, "random", "greedy", "--deals", "2", "--rules", "tiny")
    picture = str(here / f"{HOSTILE}.png")
    ranked = run("arena", agent, "random", "greedy", "--deals", "2", "--rules", "tiny", "--out", picture)
    gained = run("exploit", agent, "--rules", "tiny")
    game = ("evaluate", agent, "random", "--rules", "tiny", "--deals", "16")
    tested = run(*game, "--sprt", "0,500")
    assert not list(recwarn)
    type_lines(["q"])
    played = run("play", agent, "--rules", "tiny", "--seed", "1")
    for done in (measured, many, ranked, gained, tested, played):
        assert (done.code, done.err) == (0, "")
        check(done.out)
    resume = printed_command("train", "--resume", RunDirectory(path.parent).path)
    assert resume.isprintable()
    assert "evil" in resume


def test_a_version_on_a_model_card(run: Run, here: Path) -> None:
    network = some_network(game="tiny")
    card = {**network.model_card(), "version": HOSTILE}
    assert network.model_card()["version"] == FORMAT_VERSION
    (here / "net.safetensors").write_bytes(tensor_bytes({}, file_metadata(card, {})))
    refused = run("evaluate", "checkpoint:net.safetensors", "random")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    check(refused.err)


def test_names_in_a_recording(run: Run, here: Path) -> None:
    run("evaluate", "greedy", "random", "--deals", "1", "--rules", "tiny", "--record", "games.jsonl")
    lines = Path("games.jsonl").read_text().splitlines()
    Path("games.jsonl").write_text("\n".join(lines).replace('"greedy"', json.dumps(HOSTILE)))
    for words in ((), ("--line", "2")):
        refused = run("draw", "games.jsonl", *words)
        assert refused.code == 2
        check(refused.err)

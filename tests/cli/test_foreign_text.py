"""Text from others' files, folders and bots reaches the terminal as one line, without a character that steers it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.policy.checkpoint import FORMAT_VERSION
from german_whist.agents.policy.tensor_file import file_metadata, tensor_bytes
from german_whist.arena.game_file import Header, match_config, write_games
from german_whist.arena.games import Forfeit, GameBlock, LostGame
from german_whist.cli.terminal import printed_command
from german_whist.training.run.directory import RunDirectory
from tests.agents.networks import some_network
from tests.agents.process.bots import bot
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


def shard(path: Path, count: int = 2) -> Path:
    config = match_config("greedy", "random", "tiny", 7)
    lost = [LostGame(0, 0, Forfeit(HOSTILE, 0, 0, HOSTILE))]
    played = GameBlock.of_deals(np.full((2, 2), 2), lost=lost)
    write_games(path, Header(config._replace(first=HOSTILE), range(count)), played)
    return path


def test_agents_and_reasons_of_a_shard(run: Run, here: Path) -> None:
    merged = run("merge", str(shard(here / "games.jsonl")))
    assert (merged.code, merged.err) == (0, "")
    check(merged.out)
    assert merged.out.count("evil") == 3  # in the table, and who lost a game for what reason
    lost = json.loads(run("merge", str(here / "games.jsonl"), "--json").out)["matches"][0]
    assert (lost["first"], lost["forfeits"][0]["reason"]) == (HOSTILE, HOSTILE)


def test_a_shard_that_is_refused(run: Run, here: Path) -> None:
    refused = run("merge", str(shard(here / "games.jsonl", count=3)))
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "missing deals 2" in refused.err
    check(refused.err)


def test_a_file_in_a_folder(run: Run, here: Path) -> None:
    folder = here / HOSTILE
    for words in (("replay", f"{folder}/none.jsonl"), ("train", f"{folder}.yaml"), ("curve", str(folder))):
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
    ranked = run("arena", agent, "random", "greedy", "--deals", "2", "--rules", "tiny", "--out", str(here / HOSTILE))
    explained = run("explain", agent, "--worlds", "0")
    gained = run("exploit", agent, "--rules", "tiny", "--local", "--deals", "1", "--worlds", "1")
    game = ("evaluate", agent, "random", "--rules", "tiny", "--deals", "16")
    sharded = run(*game, "--shard", "1/1", "--out", str(path.parent / "s.jsonl"))
    tested = run(*game, "--sprt", "0,5000")
    assert not list(recwarn)
    type_lines(["q"])
    played = run("play", agent, "--rules", "tiny", "--seed", "1")
    for done in (measured, many, ranked, explained, gained, sharded, tested, played):
        assert (done.code, done.err) == (0, "")
        check(done.out)
    check(printed_command("train", "--resume", RunDirectory(path.parent).path))


def test_a_version_on_a_model_card(run: Run, here: Path) -> None:
    network = some_network(game="tiny")
    card = {**network.model_card(), "version": HOSTILE}
    assert network.model_card()["version"] == FORMAT_VERSION
    (here / "net.safetensors").write_bytes(tensor_bytes({}, file_metadata(card, {})))
    refused = run("evaluate", "checkpoint:net.safetensors", "random")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    check(refused.err)


def test_a_reply_of_a_bot(run: Run, here: Path) -> None:
    lost = run("evaluate", bot(here, f"say({HOSTILE!r})"), "random", "--deals", "1", "--rules", "tiny")
    assert lost.code == 0
    check(lost.out)


def test_names_in_a_recording(run: Run, here: Path) -> None:
    run("evaluate", "greedy", "random", "--deals", "1", "--rules", "tiny", "--record", "games.jsonl")
    lines = Path("games.jsonl").read_text().splitlines()
    Path("games.jsonl").write_text("\n".join(lines).replace('"greedy"', json.dumps(HOSTILE)))
    for words in (("replay", "games.jsonl"), ("review", "games.jsonl"), ("replay", "games.jsonl", "--line", "2")):
        refused = run(*words)
        assert refused.code == 2
        check(refused.err)

"""``german-whist train`` from a file of settings to an agent."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from pathlib import Path

import pytest
import yaml

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.cli import build_parser
from german_whist.training.run.records import RunRecords
from tests.cli.commands import Run
from tests.cli.conftest import Typist
from tests.training.policy_iteration_runs import SMALL_SETTINGS
from tests.training.sb3_runs import SETTINGS


@pytest.fixture
def tiny(here: Path) -> str:
    """Settings for a run of a second; the name of their file."""
    (here / "tiny.yaml").write_text(yaml.safe_dump(SETTINGS))
    return "tiny.yaml"


def test_train_prints_table_and_paths(run: Run, tiny: str) -> None:
    completed = run("train", tiny, "--evaluate_against", "[random, greedy]")
    assert completed.code == 0
    where, *_, rates = completed.err.splitlines()
    assert where == "training in runs/tiny"
    assert re.search(r"1,024 .* \d+ % against random, \d+ % against greedy", rates)
    title, *_ = completed.out.splitlines()
    assert title.strip() == "German Whist, tiny, after 1,024 decisions of training"
    for opponent in ("random", "greedy"):
        numbers = r"[\d.]+ % ± [\d.]+ +[+-][\d.]+ ± [\d.]+ +\d+ / \d+ / \d+"
        assert re.search(rf"tiny +{opponent} +{numbers}", completed.out)
    assert "learning curve:  runs/tiny/curve.png\n" in completed.out
    assert "checkpoint:      runs/tiny/final.safetensors\n" in completed.out
    for path in ("runs/tiny/curve.png", "runs/tiny/final.safetensors"):
        assert Path(path).stat().st_size > 0


def test_suggested_commands_work(run: Run, tiny: str) -> None:
    measure, watch, serve = suggested_commands(run("train", tiny, "--quiet", "--out", "my runs/it's $HOME").out)
    assert "German Whist, tiny" in run(*measure, "--deals", "3").out
    assert run(*watch).code == 0
    assert Path("deal.gif").stat().st_size > 0
    served = build_parser().parse_args(serve)
    assert (serve[0], served.rules, served.agent) == ("serve", "tiny", ["my runs/it's $HOME"])


def test_without_the_page_the_terminal_is_suggested(
    run: Run, tiny: str, type_lines: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)  # the extra `web` has it
    *_, play = suggested_commands(run("train", tiny, "--quiet").out)
    type_lines("q")
    assert play[0] == "play"
    assert run(*play).code == 0


def suggested_commands(out: str) -> list[list[str]]:
    """The words of the commands that a report ends with, without the program."""
    found = [shlex.split(line)[1:] for line in re.findall(r"^[\w ]+: +(german-whist .+)$", out, re.MULTILINE)]
    assert [words[0] for words in found[:-1]] == ["evaluate", "draw"]
    assert all(words[-2:] == ["--rules", "tiny"] for words in found)
    return found


def test_suggested_game_of_several(run: Run, here: Path) -> None:
    settings = SMALL_SETTINGS | {"rules": "classic", "games": {"tiny": 1, "six_cards": 3}, "inputs": "universal"}
    (here / "games.yaml").write_text(yaml.safe_dump(settings))
    out = run("train", "games.yaml", "--quiet").out
    assert re.findall(r"--rules (\w+)", out) == ["six_cards"] * 3


def test_train_prints_json(run: Run, tiny: str) -> None:
    completed = run("train", tiny, "--json")
    assert completed.code == 0
    report = json.loads(completed.out)
    assert report["run"] == "runs/tiny"
    (result,) = report["results"]
    assert (result["first"], result["second"], result["deals"]) == ("tiny", "random", 20)
    assert load_checkpoint("runs/tiny/final.safetensors").results == {"random": result}


def interrupt_at(monkeypatch: pytest.MonkeyPatch, decisions: int) -> None:
    write = RunRecords.write_update

    def watched(self: RunRecords, done: int, played: int, numbers: dict[str, float]) -> None:
        write(self, done, played, numbers)
        if done == decisions:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunRecords, "write_update", watched)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_interrupt_saves_and_hints(
    run: Run, tiny: str, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    with monkeypatch.context() as patch:
        interrupt_at(patch, 640)
        completed = run("train", tiny, "--quiet", "--out=a run", *options)
    assert completed.code == 130
    assert completed.err == "stopped after 640 decisions; to resume: german-whist train --resume 'a run'\n"
    assert completed.out == ""
    done = run(*shlex.split(completed.err)[-3:], *options)
    assert done.code == 0
    assert "1,024 decisions" in done.out or json.loads(done.out)["run"] == "a run"
    assert Path("a run/final.safetensors").exists()

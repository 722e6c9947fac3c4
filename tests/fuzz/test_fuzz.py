"""Mutated input is refused in one line, or does no harm. ``make fuzz`` tries more of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.cli import main
from german_whist.table import server
from tests.agents.networks import some_network
from tests.fuzz import contract
from tests.fuzz.contract import BrokenError, command, refused_or
from tests.fuzz.hostile import examples, mutated_json, mutated_words

COMMANDS = [
    "evaluate random greedy --deals 1 --rules tiny",
    "evaluate random greedy heuristic --deals 1 --rules tiny --json",
    "rules classic",
    "agents --json",
    "solve A... 2... --trump S",
    "curve absent --out absent/x.png",
    "arena random greedy --deals 1 --rules tiny --json",
    "exploit greedy --rules tiny --json",
    "draw random greedy --rules tiny --deal 7:0 --still table.png --size 96x64",
    "train absent.yaml --decisions -1 --ranks x --seed -1 --rules humbug",
    "draw absent.jsonl --seat 0",
    "play random --rules tiny --seat 1 --seed 7",
    "serve --rules tiny --agent greedy --port 0 --seed 7 --no-browser",
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def network(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """A checkpoint, and the command that measures it: it has compiled, which no case may have to pay for."""
    some_network(game="tiny").save("network.safetensors")
    words = ["evaluate", "checkpoint:network.safetensors", "random", "--deals", "1", "--rules", "tiny"]
    assert main(words) == 0
    return words


@examples(60)
@given(data=st.data())
def test_values_of_a_model_card(data: st.DataObject, network: list[str]) -> None:
    some_network(game="tiny").save("network.safetensors")
    tensors, card = load_file("network.safetensors"), load_checkpoint("network.safetensors").model_card()
    save_file(tensors, "network.safetensors", {"card": json.dumps(data.draw(mutated_json(card)))})
    command(network)


@examples(40)
@given(st.sampled_from(COMMANDS).flatmap(lambda line: mutated_words(line.split())))
def test_command_lines(words: list[str]) -> None:
    with mock.patch.object(server, "serve"), mock.patch("builtins.input", side_effect=EOFError):  # they would wait
        command(words)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the test forks on purpose
def test_the_contract_can_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo("pipe")

    def crash() -> None:
        raise KeyError("x")

    def two_lines() -> None:
        raise ValueError("one\ntwo")

    def fork() -> None:
        if not os.fork():
            os._exit(0)
        os.wait()

    for broken in (crash, two_lines, fork):
        with pytest.raises(BrokenError):
            refused_or(broken)
    # For this one alone: an alarm in the middle of a slow fork leaves the lock of `logging` taken for ever.
    monkeypatch.setattr(contract, "WAIT", 0.3)
    with pytest.raises(BrokenError, match=r"more than 0\.3 s"):
        refused_or(Path("pipe").read_bytes)
    assert refused_or(lambda: 7) == 7
    assert command(["rules", "absent"]) is None

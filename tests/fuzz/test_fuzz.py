"""Mutated command lines and model cards: exit code 0, or 2 and one line. ``make fuzz`` tries more of them."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.cli import main
from german_whist.table import server
from tests.agents.networks import some_network

pytestmark = pytest.mark.nightly
COMMANDS = [
    "evaluate random greedy --deals 1 --rules tiny",
    "arena random greedy --deals 1 --rules tiny --json",
    "rules classic",
    "solve A... 2... --trump S",
    "exploit greedy --rules tiny --json",
    "draw random greedy --rules tiny --deal 7:0 --still table.png --size 96x64",
    "train absent.yaml --decisions -1 --ranks x --seed -1 --rules humbug",
    "play random --rules tiny --seat 1 --seed 7",
    "serve --rules tiny --agent greedy --port 0 --seed 7 --no-browser",
]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.sampled_from([10**400, 2**63, 1e308, "\0", "9" * 5000, [[]], [0] * 1000]) | st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner), max_leaves=5
)
WORDS = st.sampled_from([
    "", "-", "--", "x", "\0", "🂡", "0", "-1", "1e400", "nan", " ", "\n", "a=b", ":", ",", "random+exact+exact",
    "champion:temperature=x", "checkpoint:", "checkpoint:.", "mc:worlds=0", "classic:hand=[[[", "tiny", "humbug", "..",
    "{a: 1}", "SA", "A.K.Q.J", "first_to:0", "--json", "--help", "--rules", "--seed",
])  # fmt: skip
# Always the same examples, or others and as many as FUZZ_EXAMPLES says.
MANY = os.environ.get("FUZZ_EXAMPLES")
examples = settings(
    max_examples=int(MANY or 60),
    derandomize=MANY is None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(words: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    assert code == 0 or (code, err.getvalue().count("\n")) == (2, 1), err.getvalue()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@examples
@given(st.data())
def test_values_of_a_model_card(data: st.DataObject) -> None:
    some_network(game="tiny").save("network.safetensors")
    tensors, card = load_file("network.safetensors"), copy.deepcopy(load_checkpoint("network.safetensors").model_card())
    part, key = data.draw(st.sampled_from(list(places(card))))
    if data.draw(st.booleans()):
        part[key] = data.draw(VALUES)
    else:
        del part[key]
    save_file(tensors, "network.safetensors", {"card": json.dumps(card)})
    run(["evaluate", "checkpoint:network.safetensors", "random", "--deals", "1", "--rules", "tiny"])


@examples
@given(st.sampled_from(COMMANDS), st.data())
def test_command_lines_end_without_traceback(line: str, data: st.DataObject) -> None:
    words = line.split()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(1, len(words)))
        words[at : at + data.draw(st.integers(0, 1))] = data.draw(st.lists(WORDS, max_size=1))
    with mock.patch.object(server, "serve"), mock.patch("builtins.input", side_effect=EOFError):  # they would wait
        run(words)

"""Whatever a bot replies is a legal action or an error of one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from german_whist.agents.process.messages import action_of, check_id, decode, view_words
from german_whist.envs.simulator.batch import DealBatch

VIEW = DealBatch("tiny", 1, seed=3).views()[0]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)
LEGAL = st.sampled_from(view_words(VIEW)["legal"])


def reason(work: Callable[[], object]) -> str:
    """Return the message of the ``ValueError`` that something raises; empty if it raises none."""
    try:
        work()
    except ValueError as error:
        return str(error) or "\n"
    return ""


@given(st.fixed_dictionaries({"id": st.just(1) | VALUES, "action": LEGAL | VALUES}) | VALUES)
def test_a_reply_is_a_legal_action_or_an_error_of_one_line(reply: Any) -> None:
    chosen: list[int] = []
    line = json.dumps(reply).encode() + b"\n"
    message = reason(lambda: chosen.append(action_of(check_id(decode(line), 1), VIEW)))
    assert "\n" not in message
    assert bool(chosen) != bool(message)
    assert all(int(VIEW["legal"]) >> action & 1 for action in chosen)


@given(st.binary(max_size=200))
def test_a_line_is_a_message_or_an_error_of_one_line(line: bytes) -> None:
    assert "\n" not in reason(lambda: decode(line))

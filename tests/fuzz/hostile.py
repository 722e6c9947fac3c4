"""Hypothesis strategies: what users write, mutated."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.sampled_from(
    [10**400, 2**63, 1e308, "\0", "\x1b[2J", "../../etc/passwd", "9" * 5000, "é" * 300, [[]], [0] * 1000, "[" * 3000]
) | st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner), max_leaves=5)
WORDS = st.sampled_from([
    "", "-", "--", "x", "\0", "é", "🂡", "0", "-1", "1e400", "nan", "1_0", "0x10", " ", "\n", "a=b", ":", ",", "+exact",
    "random+exact+exact", "champion:temperature=x", "checkpoint:", "checkpoint:/dev/null", "checkpoint:.",
    "mc:worlds=0", "classic:hand=[[[", "classic:hand=!!bool x", "classic:&a [*a]", "classic:hand=1,hand=2", "tiny",
    "humbug", "..", "/", "/dev/null", "{a: 1}", "[1", "*",
    "SA", "A.K.Q.J", "AA...", "first_to:0", "--json", "--help", "--rules", "--seed",
])  # fmt: skip


def examples(number: int) -> settings:
    """The settings of a fuzz test: so many examples, always the same, or others and as many as FUZZ_EXAMPLES says."""
    many = os.environ.get("FUZZ_EXAMPLES")
    return settings(
        max_examples=int(many or number),
        derandomize=many is None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


@st.composite
def mutated_json(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value in which something is removed, called otherwise or replaced."""
    value = copy.deepcopy(value)
    part, key = draw(st.sampled_from(list(_places(value))))
    how = draw(st.sampled_from(["remove", "rename", "replace", "replace"]))
    if how == "remove":
        del part[key]
    elif how == "rename" and isinstance(part, dict):
        part[f"{key}x"] = part.pop(key)
    else:
        part[key] = draw(VALUES)
    return value


@st.composite
def mutated_words(draw: st.DrawFn, words: list[str]) -> list[str]:
    """A command line in which words are replaced, added, removed or cut; never its first word."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(1, len(words)))
        kept = words[at : at + 1] if draw(st.booleans()) else []
        cut = [word[: draw(st.integers(0, len(word)))] + draw(WORDS)[:3] for word in kept]
        words = [*words[:at], *(cut or draw(st.lists(WORDS, max_size=1))), *words[at + draw(st.integers(0, 1)) :]]
    return words

"""Random numbers of agents: a row's numbers depend on its deal, not on the rest of the batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.game.agent_rng import AgentRng, agent_key
from german_whist.game.dealing_kernels import AGENT_STREAM, DECK_STREAM, philox
from tests.strategies import seeds

addresses = st.lists(st.tuples(seeds, seeds, st.integers(0, 2**16 - 1)), min_size=1, max_size=8)


def draws(generator: AgentRng, rows: int) -> list[np.ndarray]:
    """Several calls of every kind in a row."""
    return [
        generator.random(),
        generator.random((rows, 3)),
        generator.integers(2, 9, size=(rows, 2, 2)),
        generator.random(rows),
        generator.integers(1000),
    ]


@settings(max_examples=50)
@given(addresses, st.integers(0, 5))
def test_rows_independent_of_batch(rows: list[tuple[int, int, int]], stream: int) -> None:
    numbers, deals = (np.array(column, np.uint64) for column in list(zip(*rows, strict=True))[:2])
    together = draws(AgentRng(numbers, deals, stream, np.array([step for _, _, step in rows])), len(rows))
    for row, (seed, deal, step) in enumerate(rows):
        alone = draws(AgentRng(seed, [deal], stream, step), 1)
        for some, every in zip(alone, together, strict=True):
            np.testing.assert_array_equal(some, every[[row]])


@pytest.mark.parametrize("changed", [{"seed": 1}, {"indices": [4]}, {"stream": 1}, {"step": 1}])
def test_address_changes_numbers(changed: dict[str, object]) -> None:
    address = {"seed": 0, "indices": [3], "stream": 0, "step": 0}
    some = AgentRng(**address).random((1, 50))  # type: ignore[arg-type]
    others = AgentRng(**{**address, **changed}).random((1, 50))  # type: ignore[arg-type]
    assert not np.isin(some, others).any()


def test_agent_stream_is_not_that_of_decks() -> None:
    key = np.uint64(agent_key(7, 4))
    high, low, *_ = philox(key, np.uint64(3), np.uint64(2 * 2**16), np.uint64(AGENT_STREAM))
    expected = ((int(high) << 32 | int(low)) >> 11) / 2**53
    assert AgentRng(7, [3], stream=4, step=2).random().tolist() == [expected]
    assert AGENT_STREAM != DECK_STREAM


@pytest.mark.parametrize(("low", "high"), [(6, None), (-3, 3), (0, 1), (10, 16)])
def test_integers_are_uniform(low: int, high: int | None) -> None:
    numbers = AgentRng(0, np.arange(1000)).integers(low, high, size=(1000, 12))
    start, stop = (0, low) if high is None else (low, high)
    values, counts = np.unique(numbers, return_counts=True)
    assert numbers.dtype == np.int64
    assert values.tolist() == list(range(start, stop))
    expected = 12_000 / (stop - start)
    freedom = stop - start - 1
    assert abs(((counts - expected) ** 2 / expected).sum() - freedom) <= 4 * (2 * freedom) ** 0.5


def test_wrong_stream_or_range() -> None:
    with pytest.raises(ValueError, match=r"stream .*, got -1"):
        AgentRng(0, [3], stream=-1)
    for low, high in [(0, None), (-2, None), (3, 3), (4, 3)]:
        with pytest.raises(ValueError, match="is an empty range"):
            AgentRng(0, [3]).integers(low, high)

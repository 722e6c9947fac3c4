"""Random numbers of agents: a row's numbers depend on its deal, not on the rest of the batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.envs.engine.agent_rng import AgentRng, agent_key
from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, DECK_STREAM, philox
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


def test_later_calls_differ() -> None:
    generator = AgentRng(0, [3, 4])
    numbers = np.concatenate([generator.random((2, 5)), generator.random((2, 1)), generator.random()[:, None]], axis=1)
    assert len(np.unique(numbers)) == 14


def test_agent_stream() -> None:
    key = np.uint64(agent_key(7, 4))
    high, low, *_ = philox(key, np.uint64(3), np.uint64(2 * 2**16), np.uint64(AGENT_STREAM))
    expected = ((int(high) << 32 | int(low)) >> 11) / 2**53
    assert AgentRng(7, [3], stream=4, step=2).random().tolist() == [expected]
    assert AGENT_STREAM != DECK_STREAM


def test_random_is_uniform() -> None:
    numbers = AgentRng(0, np.arange(1000)).random((1000, 100))
    assert numbers.dtype == np.float64
    assert (numbers >= 0).all()
    assert (numbers < 1).all()
    counts, _ = np.histogram(numbers, bins=20, range=(0, 1))
    statistic = ((counts - 5000) ** 2 / 5000).sum()
    assert abs(statistic - 19) < 4 * (2 * 19) ** 0.5
    assert abs(np.corrcoef(numbers[:, 0], numbers[:, 1])[0, 1]) < 0.15
    assert abs(np.corrcoef(numbers[0], numbers[1])[0, 1]) < 0.45


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


def test_seed_is_not_in_state() -> None:
    generator = AgentRng(20, [0, 1, 2])
    numbers = {
        int(number) for value in vars(generator).values() if not isinstance(value, slice) for number in np.ravel(value)
    }
    assert 20 not in numbers
    assert agent_key(20, 0) in numbers
    assert not numbers & {agent_key(20, 1), agent_key(20, 2)}


def test_wrong_stream_or_range() -> None:
    with pytest.raises(ValueError, match=r"stream .*, got -1"):
        AgentRng(0, [3], stream=-1)
    for low, high in [(0, None), (-2, None), (3, 3), (4, 3)]:
        with pytest.raises(ValueError, match="is an empty range"):
            AgentRng(0, [3]).integers(low, high)

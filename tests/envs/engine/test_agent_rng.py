"""Random numbers of agents: a row's numbers depend on its deal, not on the rest of the batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.envs.engine.agent_rng import AgentRng, agent_key
from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from tests.strategies import seeds

indices = st.lists(seeds, min_size=1, max_size=8).map(lambda numbers: np.array(numbers, np.uint64))


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
@given(seeds, indices, st.integers(0, 5), st.integers(0, 2**16 - 1), st.data())
def test_a_rows_numbers_are_the_same_in_any_batch(
    seed: int, deals: np.ndarray, stream: int, step: int, data: st.DataObject
) -> None:
    rows = np.array(data.draw(st.lists(st.integers(0, len(deals) - 1), min_size=1)))
    whole = draws(AgentRng(seed, deals, stream, step), len(deals))
    part = draws(AgentRng(seed, deals[rows], stream, step), len(rows))
    for some, every in zip(part, whole, strict=True):
        np.testing.assert_array_equal(some, every[rows])


def test_each_row_may_be_at_a_step_of_its_own() -> None:
    deals, steps = np.array([5, 5, 9], np.uint64), np.array([0, 7, 3])
    together = draws(AgentRng(1, deals, step=steps), 3)
    for row in range(3):
        alone = draws(AgentRng(1, deals[[row]], step=int(steps[row])), 1)
        for some, every in zip(alone, together, strict=True):
            np.testing.assert_array_equal(some, every[[row]])


@pytest.mark.parametrize("changed", [{"seed": 1}, {"indices": [4]}, {"stream": 1}, {"step": 1}])
def test_seed_deal_stream_and_step_each_give_other_numbers(changed: dict[str, object]) -> None:
    address = {"seed": 0, "indices": [3], "stream": 0, "step": 0}
    some = AgentRng(**address).random((1, 50))  # type: ignore[arg-type]
    others = AgentRng(**{**address, **changed}).random((1, 50))  # type: ignore[arg-type]
    assert not np.isin(some, others).any()


def test_later_calls_give_other_numbers() -> None:
    generator = AgentRng(0, [3, 4])
    numbers = np.concatenate([generator.random((2, 5)), generator.random((2, 1)), generator.random()[:, None]], axis=1)
    assert len(np.unique(numbers)) == 14


def test_numbers_come_from_the_agents_stream_of_the_generator() -> None:
    key = np.uint64(agent_key(7, 4))
    high, low, *_ = philox(key, np.uint64(3), np.uint64(2 * 2**16), np.uint64(AGENT_STREAM))
    expected = ((int(high) << 32 | int(low)) >> 11) / 2**53
    assert AgentRng(7, [3], stream=4, step=2).random().tolist() == [expected]


def test_no_stream_of_agents_is_that_of_the_decks() -> None:
    with pytest.raises(ValueError, match=r"stream must be an integer from 0 to 2\*\*63 - 1, got -1"):
        AgentRng(0, [3], stream=-1)


def test_random_numbers_are_uniform() -> None:
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
def test_whole_numbers_are_uniform_over_their_range(low: int, high: int | None) -> None:
    numbers = AgentRng(0, np.arange(1000)).integers(low, high, size=(1000, 12))
    start, stop = (0, low) if high is None else (low, high)
    values, counts = np.unique(numbers, return_counts=True)
    assert numbers.dtype == np.int64
    assert values.tolist() == list(range(start, stop))
    expected = 12_000 / (stop - start)
    freedom = stop - start - 1
    assert abs(((counts - expected) ** 2 / expected).sum() - freedom) <= 4 * (2 * freedom) ** 0.5


def test_whole_numbers_stay_below_the_top_of_a_huge_range() -> None:
    numbers = AgentRng(0, np.arange(1000)).integers(0, 2**53 - 1, size=(1000, 10))
    assert (numbers >= 0).all()
    assert (numbers < 2**53 - 1).all()


@pytest.mark.parametrize(("low", "high"), [(0, None), (-2, None), (3, 3), (4, 3)])
def test_empty_ranges_are_refused(low: int, high: int | None) -> None:
    with pytest.raises(ValueError, match="is an empty range"):
        AgentRng(0, [3]).integers(low, high)


@pytest.mark.parametrize(("size", "shape"), [(None, (2,)), (2, (2,)), ((2,), (2,)), ((2, 3, 4), (2, 3, 4))])
def test_sizes_are_the_shapes_of_what_is_given(size: object, shape: tuple[int, ...]) -> None:
    assert AgentRng(0, [3, 4]).random(size).shape == shape  # type: ignore[arg-type]
    assert AgentRng(0, [3, 4]).integers(5, size=size).shape == shape  # type: ignore[arg-type]


def test_neither_the_seed_nor_another_stream_is_in_the_state() -> None:
    generator = AgentRng(20, [0, 1, 2])
    numbers = {int(number) for value in vars(generator).values() for number in np.ravel(value)}
    assert 20 not in numbers
    assert agent_key(20, 0) in numbers
    assert not numbers & {agent_key(20, 1), agent_key(20, 2)}


def test_rows_of_several_seeds_have_the_numbers_of_their_own() -> None:
    seeds_of_rows = np.array([9, 5, 9, 2**64 - 1], np.uint64)
    together = AgentRng(seeds_of_rows, [0, 1, 2, 3], stream=2, step=3).random((4, 3))
    for row, seed in enumerate(seeds_of_rows.tolist()):
        np.testing.assert_array_equal(together[row], AgentRng(seed, [row], stream=2, step=3).random((1, 3))[0])
    assert AgentRng(seeds_of_rows[:0], []).random().shape == (0,)

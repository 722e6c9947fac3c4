"""The belief: better than uniform where the opponent plays as modelled, hardly worse where it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.inference.belief import (
    BeliefSettings,
    Candidates,
    posterior,
    sample_candidate_deals,
)
from german_whist.agents.inference.likelihood_kernels import effective_sample_size, resample, temper, write_posterior
from german_whist.agents.search.agent import Scratch
from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly

MODEL_PRIOR = (0.7, 0.2, 0.1)


def card_probabilities(weights: npt.NDArray[np.float64], hands: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """How likely each card is to be in a hand, float64[52]; the weights of the hands add up to 1."""
    held = (hands[:, None] >> np.arange(52, dtype=np.uint64)) & np.uint64(1)
    return weights @ held.astype(np.float64)


def test_posterior_is_bayes_rule() -> None:
    log_likelihoods = np.log(np.array([[0.5, 0.1, 0.25], [0.1, 0.4, 0.25]]))
    joint = np.empty((2, 3))
    write_posterior(log_likelihoods, np.array([0.5, 0.3, 0.2]), joint)
    expected = np.array([[0.25, 0.03, 0.05], [0.05, 0.12, 0.05]])
    assert joint == pytest.approx(expected / expected.sum())


def test_tempering() -> None:
    weights = np.array([0.9, 0.05, 0.04, 0.01, 0.0])
    assert effective_sample_size(weights) < 1.3
    tempered = weights.copy()
    temper(tempered, 3.0)
    assert effective_sample_size(tempered) == pytest.approx(3, abs=0.01)
    assert tempered.sum() == pytest.approx(1)
    assert (np.diff(tempered) < 0).all()
    alike = np.full(4, 2.0)
    temper(alike, 3.0)
    assert alike.tolist() == [0.25] * 4


def test_resampling_shares() -> None:
    joint = np.array([[0.3, 0.0], [0.0, 0.45], [0.2, 0.05]])
    chosen, models = np.empty(40, np.int64), np.empty(40, np.int64)
    resample(joint.sum(axis=1), joint, np.uint64(7), chosen, models)
    counts = np.bincount(chosen, minlength=3)
    assert (np.abs(counts - 40 * joint.sum(axis=1)) < 1).all()
    assert (models[chosen == 0] == 0).all()
    assert (models[chosen == 1] == 1).all()


def candidates(
    batch: DealBatch, settings: BeliefSettings, key: int, network: Any = None, part: int = 10**6
) -> Candidates:
    """Candidate deals of the seat to act, replayed so many at a time."""
    tokens, lengths = batch.history()
    scratch = Scratch.of(network, batch.rules)

    def run(replay: Callable[[int, int, Any], Any], worlds: int) -> list[Any]:
        return [replay(first, min(first + part, worlds), scratch) for first in range(0, worlds, part)]

    history = (tokens[0], int(lengths[0]))
    return sample_candidate_deals(batch.rules, batch.views(), history, np.uint64(key), settings, run)


def test_late_hands_are_stratified() -> None:
    batch, rng = DealBatch("classic", 1, seed=4, history=True), np.random.default_rng(4)
    while batch.views()["stock"][0] > 2:
        play_randomly(batch, rng, 1)

    def found(size: int, key: int) -> tuple[Counter[int], npt.NDArray[np.float64]]:
        settings = BeliefSettings(size, 0.0, MODEL_PRIOR)
        deals = candidates(batch, settings, key)
        return Counter(deals.hands.tolist()), card_probabilities(posterior(deals, settings)[1], deals.hands)

    counts, probabilities = found(800, 1)
    assert len(set(counts.values())) == 1
    assert min(counts.values()) >= 8
    _, many = found(80_000, 2)
    assert np.abs(probabilities - many).max() < 0.05


@pytest.mark.parametrize(("least_size", "deals"), [(0.0, 16), (64.0, 64)])
def test_more_deals_for_small_sample_size(least_size: float, deals: int) -> None:
    batch = DealBatch("small", 1, seed=4, history=True)
    play_randomly(batch, np.random.default_rng(4), 9)
    found = candidates(batch, BeliefSettings(16, least_size, MODEL_PRIOR), 7)
    assert len(found.hands) == len(found.log_likelihoods) == deals

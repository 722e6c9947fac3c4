"""The belief: hands, their priors, and the likelihood of what the opponent has played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.inference import belief
from german_whist.agents.inference.belief import (
    BeliefSettings,
    Candidates,
    posterior,
    sample_candidate_deals,
)
from german_whist.agents.inference.deck_sampling_kernels import sample_deal
from german_whist.agents.inference.likelihood_kernels import effective_sample_size, resample, temper, write_posterior
from german_whist.agents.inference.sampling import DealSampler
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import load_pretrained
from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import Scratch
from german_whist.simulator.batch import DealBatch
from tests.players import play_randomly

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


def test_tempering_reaches_the_effective_sample_size() -> None:
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


def test_resampling_keeps_shares() -> None:
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
    scratch = Scratch.for_rules(network, batch.rules)

    def run(replay: Callable[[int, int, Any], Any], worlds: int) -> list[Any]:
        return [replay(first, min(first + part, worlds), scratch) for first in range(0, worlds, part)]

    history = (tokens[0], int(lengths[0]))
    return sample_candidate_deals(batch.rules, batch.views(), history, np.uint64(key), settings, run)


def no_list(*_: object) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """Instead of the list of all hands: none, so that deals are sampled."""
    return np.empty(0, np.uint64), np.empty(0)


def test_late_hands_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, rng = DealBatch("classic", 1, seed=8, history=True), np.random.default_rng(8)
    while batch.views()["stock"][0] > 4:
        play_randomly(batch, rng, 1)

    def found(size: int) -> tuple[Counter[int], npt.NDArray[np.float64]]:
        settings = BeliefSettings(size, 0.0, MODEL_PRIOR)
        deals = candidates(batch, settings, 1)
        return Counter(deals.hands.tolist()), card_probabilities(posterior(deals, settings)[1], deals.hands)

    counts, probabilities = found(800)
    assert len(counts) == 64
    assert len(set(counts.values())) == 1
    monkeypatch.setattr(belief, "_listed_hands", no_list)
    _, sampled = found(80_000)
    assert np.abs(probabilities - sampled).max() < 0.02


@pytest.mark.parametrize("game", ["small", "draft", "open_stock"])
def test_likelihoods_are_those_of_the_models(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(belief, "_listed_hands", no_list)
    batch, key, count = DealBatch(game, 1, seed=5, history=True), 7, 16
    play_randomly(batch, np.random.default_rng(5), 9)
    found = candidates(batch, BeliefSettings(count, 0.0, MODEL_PRIOR), key, load_pretrained("small"))
    tokens, lengths = batch.history()
    sampler, decks = DealSampler(tokens[0][: lengths[0]], batch.rules), np.zeros((count, 52), np.int8)
    for number, deck in enumerate(decks):
        hand = sample_deal(sampler.hidden[0], sampler.deals, np.uint64(key), number, count, deck)
        assert hand == found.hands[number]
    deals = DealBatch(batch.rules, count)
    deals.deal_decks(decks[:, : len(batch.rules.cards)].tolist(), np.full(count, batch.states["dealer"][0]))
    network, heuristic = PolicyAgent(load_pretrained("small"), rules=batch.rules), make_agent("heuristic")
    expected = np.zeros((count, 3))
    assert batch.log is not None
    for action in batch.log.actions[0, : batch.log.counts[0]].tolist():
        decisions = deals.decisions()
        choices = decisions.action_masks.sum(axis=1)
        if deals.turn[0] != batch.turn[0]:
            found_values = network.evaluate(decisions, "action_values").action_values
            assert found_values is not None
            weights = np.exp(np.nan_to_num(found_values.margin_gains, nan=-np.inf) / 0.1)
            by_network = weights[:, action] / weights.sum(axis=1)
            by_bot = heuristic.act(decisions) == action
            models = (0.9 * by_network + 0.1 / choices, 0.7 * by_bot + 0.3 / choices, 1 / choices)
            expected += np.where(choices > 1, np.log(models), 0.0).T
        deals.step(np.full(count, action))
    assert found.log_likelihoods == pytest.approx(expected, abs=1e-5)
    assert (expected.std(axis=0) > 0).all()


@pytest.mark.parametrize(("least_size", "deals"), [(0.0, 16), (64.0, 64)])
def test_more_deals_for_small_sample_size(least_size: float, deals: int) -> None:
    batch = DealBatch("small", 1, seed=4, history=True)
    play_randomly(batch, np.random.default_rng(4), 9)
    found = candidates(batch, BeliefSettings(16, least_size, MODEL_PRIOR), 7)
    assert len(found.hands) == len(found.log_likelihoods) == deals

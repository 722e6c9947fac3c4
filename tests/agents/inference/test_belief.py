"""The belief: better than uniform where the opponent plays as modelled, hardly worse where it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.inference.belief import (
    BeliefSettings,
    Candidates,
    RunWorlds,
    posterior,
    sample_candidate_deals,
)
from german_whist.agents.inference.likelihood_kernels import effective_sample_size, resample, temper, write_posterior
from german_whist.agents.pretrained import load_pretrained
from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import Scratch
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly

MODEL_PRIOR = (0.7, 0.2, 0.1)


class Beliefs(NamedTuple):
    """Beliefs about single cards: the trick, whether the opponent held the card, and how likely that was said to be."""

    tricks: npt.NDArray[np.int64]
    held: npt.NDArray[np.bool_]
    belief: npt.NDArray[np.float64]
    uniform: npt.NDArray[np.float64]  # with deals that are all equally likely

    def log_losses(self, first: int = 1) -> tuple[float, float]:
        """The mean log-loss a card of the belief and of uniform deals, from a trick on."""
        rows = self.tricks >= first
        likely = np.clip([self.belief[rows], self.uniform[rows]], 0.005, 0.995)
        belief, uniform = -np.log(np.where(self.held[rows], likely, 1 - likely)).mean(axis=1)
        return float(belief), float(uniform)


def card_probabilities(weights: npt.NDArray[np.float64], hands: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """How likely each card is to be in a hand, float64[52]; the weights of the hands add up to 1."""
    held = (hands[:, None] >> np.arange(52, dtype=np.uint64)) & np.uint64(1)
    return weights @ held.astype(np.float64)


def in_one_part(scratch: Scratch) -> RunWorlds:
    return lambda part, worlds: [part(0, worlds, scratch)]


def beliefs_about(opponent: str, deals: int) -> Beliefs:
    """What a search of 40 worlds believes at a quarter of its policy's decisions against an opponent."""
    policy, other = make_agent("small"), make_agent(opponent)
    settings = BeliefSettings.of(40, has_network=True)
    scratch = Scratch.of(load_pretrained("small"), rules("classic"))
    batch = DealBatch("classic", deals, seed=91, history=True, endgame="exact")
    mine, rng, cards = np.arange(deals) // 2 % 2, np.random.default_rng(91), np.arange(52, dtype=np.uint64)
    parts, step = [], 0
    while not batch.done.all():
        actions = np.zeros(deals, np.int64)
        theirs, own = (np.flatnonzero(~batch.done & ((batch.turn == mine) == is_mine)) for is_mine in (False, True))
        actions[theirs] = other.act(batch.views(theirs), AgentRng(91, theirs, 0, step))
        actions[own] = policy.act(batch.views(own), AgentRng(91, own, 1, step))
        rows = own[rng.random(len(own)) < 0.25]
        if len(rows):
            views = batch.views(rows)
            keys = AgentRng(91, rows, 2, step).integers(0, 2**53, len(rows)).astype(np.uint64)
            found = np.zeros((2, len(rows), 52))
            for row, (tokens, length, key) in enumerate(zip(*batch.history(rows=rows), keys, strict=True)):
                sampled = sample_candidate_deals(
                    batch.rules, views[row : row + 1], (tokens, int(length)), key, settings, in_one_part(scratch)
                )
                found[0, row] = card_probabilities(posterior(sampled, settings)[1], sampled.hands)
                found[1, row] = card_probabilities(sampled.prior / sampled.prior.sum(), sampled.hands)
            unseen = (views["unseen"][:, None] >> cards) & np.uint64(1) == 1
            held = (batch.states["hands"][rows, 1 - batch.turn[rows]][:, None] >> cards) & np.uint64(1) == 1
            tricks = 1 + views["tricks_self"].sum(axis=1) + views["tricks_opponent"].sum(axis=1)
            each = np.broadcast_to(tricks[:, None], unseen.shape).astype(np.int64)
            parts.append([each[unseen], held[unseen], *(one[unseen] for one in found)])
        batch.step(actions)
        step += 1
    return Beliefs(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@pytest.mark.parametrize("opponent", ["champion", "heuristic"])
def test_belief_beats_uniform(opponent: str) -> None:
    beliefs = beliefs_about(opponent, deals=24)
    belief, uniform = beliefs.log_losses()
    assert belief < uniform
    late, late_uniform = beliefs.log_losses(first=10)
    assert late < 0.98 * late_uniform


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


@pytest.mark.parametrize("steps", [13, 40])  # with deals that are all different, and with listed hands
def test_likelihood_independent_of_batch(steps: int) -> None:
    batch = DealBatch("classic", 1, seed=6, history=True)
    play_randomly(batch, np.random.default_rng(6), steps)
    settings, network = BeliefSettings(200, 0.0, MODEL_PRIOR), load_pretrained("small")
    together = candidates(batch, settings, 7, network)
    assert len(np.unique(together.log_likelihoods, axis=0)) > 1
    for part in (1, 60):
        apart = candidates(batch, settings, 7, network, part)
        assert apart.hands.tobytes() == together.hands.tobytes()
        assert apart.log_likelihoods.tobytes() == together.log_likelihoods.tobytes()


@pytest.mark.parametrize(("least_size", "deals"), [(0.0, 16), (64.0, 64)])
def test_more_deals_for_small_sample_size(least_size: float, deals: int) -> None:
    batch = DealBatch("small", 1, seed=4, history=True)
    play_randomly(batch, np.random.default_rng(4), 9)
    found = candidates(batch, BeliefSettings(16, least_size, MODEL_PRIOR), 7)
    assert len(found.hands) == len(found.log_likelihoods) == deals

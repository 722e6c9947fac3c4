"""Sampling worlds for one decision from the belief about the opponent's hidden cards.

With an event history, the belief is a posterior: deals that agree with the history are sampled uniformly and weighted
by the likelihood of the opponent's plays (importance sampling, then resampling). With a view alone, all hands that it
allows are equally likely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.deck_sampling_kernels import list_hands
from german_whist.agents.inference.likelihood_kernels import (
    MODELS,
    effective_sample_size,
    resample,
    sample_candidates,
    temper,
    write_posterior,
)
from german_whist.agents.inference.sampling import DealSampler
from german_whist.agents.inference.world_sampling_kernels import sample_hands
from german_whist.game.rules import Rules
from german_whist.game.state import STATE
from german_whist.simulator.observation.views import Views

_DOUBLINGS = 2  # how often the number of candidates may be doubled
# The least number of deals sampled per hand, where all hands that the opponent can hold are listed. Deals of the same
# hand differ in when the opponent drew each card, and so in the likelihood of its plays.
_DEALS_PER_HAND = 8
_STREAMS = 2**54  # added to the key for further candidates: keys of views are below 2**53

# Deals sampled before weighting: six per world, because most turn out to weigh little. To save time at most 768, but
# never fewer than two per world.
_CANDIDATES_PER_WORLD, _MAX_CANDIDATES, _FEWEST_PER_WORLD = 6, 768, 2
# The weights are tempered to an effective sample size of at least a twelfth of the deals. Without this bound, 13 of 768
# deals carry the weight against the heuristic bot, and a wrong model does more harm.
_LEAST_SHARE = 1 / 12
# Prior of the opponent models network, heuristic bot and uniform. With the network alone, the belief about other
# opponents is worse than a uniform one; with the mixture, the right model has 95 % of the posterior by the tenth trick.
_MODEL_PRIOR = (0.7, 0.2, 0.1)
# How often the modelled network and the modelled bot play a uniformly random legal card instead, so that one odd card
# does not rule out the true deal. Lower rates are as good where a model is right, and worse where none is.
_MISTAKES, _HEURISTIC_MISTAKES = 0.1, 0.3
_TEMPERATURE = 0.1  # temperature of the modelled network's softmax, in tricks: 0.06 is as good, 0.2 is worse

Result = TypeVar("Result")
History = tuple[npt.NDArray[np.int8], int]  # tokens int8[events, 4], and how many of the events happened


class ReplayScratch(NamedTuple):
    """Scratch memory for deals that are replayed side by side.

    Attributes:
        states: ``STATE`` array (deals,).
        choices: number of the opponent's distinct decision in each deal, int64[deals]; −1 where it is forced.
        firsts: the first deal with each distinct decision, int64[deals].
        logs: log-likelihoods of each distinct decision under each model, float64[deals, 3].
        table: a hash table from hands to distinct decisions, int64[2 × deals].
    """

    states: npt.NDArray[Any]
    choices: npt.NDArray[np.int64]
    firsts: npt.NDArray[np.int64]
    logs: npt.NDArray[np.float64]
    table: npt.NDArray[np.int64]

    @classmethod
    def create(cls, deals: int = 1024) -> ReplayScratch:
        """Return scratch memory for a number of deals; the default holds all candidates of most decisions."""
        numbers = np.zeros(deals, np.int64), np.zeros(deals, np.int64)
        return cls(np.zeros(deals, STATE), *numbers, np.zeros((deals, MODELS)), np.zeros(2 * deals, np.int64))


class BeliefSettings(NamedTuple):
    """How deals are sampled and weighted.

    Attributes:
        candidates: deals sampled at first; up to 4 times as many while the effective sample size is low.
        least_size: the effective sample size that tempering keeps.
        model_prior: prior probabilities of the opponent models network, heuristic bot and uniform.
    """

    candidates: int
    least_size: float
    model_prior: tuple[float, float, float]

    @classmethod
    def create(cls, worlds: int, *, has_network: bool) -> BeliefSettings:
        """Return the settings for a number of worlds; without a network, the heuristic bot gets its prior."""
        deals = max(min(_CANDIDATES_PER_WORLD * worlds, _MAX_CANDIDATES), _FEWEST_PER_WORLD * worlds)
        network, heuristic, uniform = _MODEL_PRIOR
        return cls(deals, _LEAST_SHARE * deals, _MODEL_PRIOR if has_network else (0.0, network + heuristic, uniform))


class RunWorlds(Protocol):
    """Runs a task over a number of worlds, split into parts that run in one or several threads."""

    def __call__(self, part: Callable[[int, int, Any], Result], worlds: int) -> list[Result]:
        """Call ``part(first, end, scratch)`` for ranges that cover all worlds, and return the results in order."""
        ...


class Candidates(NamedTuple):
    """Sampled deals.

    Attributes:
        hands: the opponent's present hidden cards, masks, uint64[n].
        log_likelihoods: log-likelihood of the opponent's plays under each opponent model, float64[n, 3].
        prior: relative prior probability of each deal, before the opponent's plays, float64[n] with mean 1.
    """

    hands: npt.NDArray[np.uint64]
    log_likelihoods: npt.NDArray[np.float64]
    prior: npt.NDArray[np.float64]


class Worlds(NamedTuple):
    """Equally weighted worlds for rollouts.

    Attributes:
        hands: the opponent's hidden cards, masks, uint64[n].
        models: the opponent model of each world, int64[n].
        size: effective sample size of the deals that the worlds were drawn from; infinite for worlds of a view.
    """

    hands: npt.NDArray[np.uint64]
    models: npt.NDArray[np.int64]
    size: float


def sample_worlds(
    rules: Rules,
    views: Views,
    history: History | None,
    key: np.uint64,
    count: int,
    settings: BeliefSettings,
    run: RunWorlds,
) -> Worlds:
    """Return ``count`` worlds for one decision.

    Args:
        rules: the rules of the deal.
        views: a consistent view, ``VIEW`` array (1,).
        history: the event history of the same seat; without one, all hands that the view allows are equally likely.
        key: random key.
        count: number of worlds.
        settings: how deals are sampled and weighted.
        run: runs the sampling of deals.

    Raises:
        ValueError: when no deal agrees with the history, or it does not belong to the view.
    """
    if history is None:
        hands = np.empty(count, np.uint64)
        sample_hands(rules.record, views, key, hands)
        return Worlds(hands, np.zeros(count, np.int64), np.inf)
    candidates = sample_candidate_deals(rules, views, history, key, settings, run)
    joint, weights = posterior(candidates, settings)
    chosen, models = np.empty(count, np.int64), np.empty(count, np.int64)
    resample(weights, joint, key, chosen, models)
    return Worlds(candidates.hands[chosen], models, effective_sample_size(weights))


def posterior(
    candidates: Candidates, settings: BeliefSettings
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the joint posterior of deal and opponent model, float64[n, 3], and tempered deal weights, float64[n]."""
    joint, weights = _posterior(candidates, settings)
    temper(weights, settings.least_size)
    return joint, weights


def _posterior(
    candidates: Candidates, settings: BeliefSettings
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return what :func:`posterior` does, with the weights before tempering."""
    joint = np.empty_like(candidates.log_likelihoods)
    log_weights = candidates.log_likelihoods + np.log(candidates.prior)[:, None]
    write_posterior(log_weights, np.array(settings.model_prior), joint)
    return joint, joint.sum(axis=1)


def sample_candidate_deals(
    rules: Rules, views: Views, history: History, key: np.uint64, settings: BeliefSettings, run: RunWorlds
) -> Candidates:
    """Return deals that agree with a history.

    If the opponent can hold only few hands, all are listed and each is used equally often, with its probability as the
    prior; else deals are sampled uniformly. If the opponent's plays leave most of the weight on few deals, more are
    sampled. Arguments as for :func:`sample_worlds`.

    Raises:
        ValueError: when no deal agrees with the history, or it does not belong to the view.
    """
    tokens, length = history
    events = np.ascontiguousarray(tokens[:length])
    sampler = DealSampler(events, rules)
    hidden, deals = sampler.hidden, sampler.deals
    if hidden["unseen"][0] != views["unseen"][0]:
        raise ValueError("history: it does not belong to the view")
    listed, priors = _listed_hands(sampler, settings.candidates // _DEALS_PER_HAND)
    deals_per_hand = -(-settings.candidates // max(len(listed), 1))
    count = deals_per_hand * len(listed) or settings.candidates

    def sample(count: int, stream: np.uint64) -> Candidates:
        hands, log_likelihoods = np.empty(count, np.uint64), np.empty((count, MODELS))
        noise = np.array([_TEMPERATURE, _MISTAKES, _HEURISTIC_MISTAKES])

        def sample_part(first: int, last: int, scratch: Any) -> bool:
            rest = (first, last, scratch.network, noise, scratch.replays, hands, log_likelihoods)
            return bool(sample_candidates(rules.record, events, hidden, deals, listed, stream, *rest))

        if not all(run(sample_part, count)):
            raise ValueError("history: it does not belong to the view")
        prior = np.tile(priors, count // len(listed)) if len(listed) else np.ones(count)
        return Candidates(hands, log_likelihoods, prior)

    candidates = sample(count, key)
    for growth in range(1, _DOUBLINGS + 1):
        _, weights = _posterior(candidates, settings)
        if effective_sample_size(weights) >= 2 * settings.least_size:
            break
        more = sample(len(candidates.hands), key + np.uint64(growth * _STREAMS))
        candidates = Candidates(
            np.concatenate([candidates.hands, more.hands]),
            np.concatenate([candidates.log_likelihoods, more.log_likelihoods]),
            np.concatenate([candidates.prior, more.prior]),
        )
    return candidates


def _listed_hands(sampler: DealSampler, limit: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """Return all hands that the opponent can hold, and their probabilities times their number.

    Both are empty if there are more than ``limit`` hands.
    """
    hands, weights = np.empty(limit, np.uint64), np.empty(limit)
    count = list_hands(sampler.hidden[0], sampler.deals[0], hands, weights)
    return hands[:count], weights[:count] * count / weights[:count].sum()

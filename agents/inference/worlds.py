"""Worlds for one decision: what the opponent may hold, as likely as what is known makes it.

With an event history, deals that agree with it are sampled, uniformly, and weighted by how likely they make the
opponent's play. With a view alone, all hands that it allows are equally likely.
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
from german_whist.envs.agent import Views
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import STATE

_DOUBLINGS = 2  # of the candidates, at most
# Deals sampled for each hand, at least, where all hands that the opponent can hold are listed. They differ in the order
# in which it came to its cards, and so in how likely its play was.
_DEALS_PER_HAND = 8
_STREAMS = 2**54  # keys of further candidates lie beyond those of views

# Deals sampled before weighting: several for each world, because most turn out to weigh little; at most 768, because
# they cost time, but never fewer than two for each world.
_CANDIDATES_PER_WORLD, _MAX_CANDIDATES, _FEWEST_PER_WORLD = 6, 768, 2
# Weights keep an effective sample size of a twelfth of the deals. Without a bound, 13 of 768 deals carry the weight
# against the heuristic bot, and a wrong model costs more.
_LEAST_SHARE = 1 / 12
# Opponent models: network, heuristic bot, uniform. With the network alone, the belief about other opponents is worse
# than equally likely hands; with the mixture, 95 % of the posterior is on the right model by the tenth trick.
_MODEL_PRIOR = (0.7, 0.2, 0.1)
# How often the modelled network and the modelled bot play any legal card instead, so that one odd card does not rule
# out the true deal. Less is as good where a model is right, and worse where none is.
_MISTAKES, _HEURISTIC_MISTAKES = 0.1, 0.3
_TEMPERATURE = 0.1  # of the modelled network's softmax, in tricks: 0.06 is as good, 0.2 worse

Result = TypeVar("Result")
History = tuple[npt.NDArray[np.int8], int]  # tokens and their number


class ReplayScratch(NamedTuple):
    """Scratch memory for deals that are replayed side by side.

    Attributes:
        states: ``STATE`` array (deals,).
        choices: number of each deal's choice, −1 for none, int64[deals].
        firsts: the first deal with each choice, int64[deals].
        logs: log-likelihoods of each choice, float64[deals, 3].
        slots: a hash table of choices, int64[2 × deals].
    """

    states: npt.NDArray[Any]
    choices: npt.NDArray[np.int64]
    firsts: npt.NDArray[np.int64]
    logs: npt.NDArray[np.float64]
    slots: npt.NDArray[np.int64]

    @classmethod
    def of(cls, deals: int = 1024) -> ReplayScratch:
        """Return scratch memory for some deals; by default, all candidates of a decision."""
        numbers = np.zeros(deals, np.int64), np.zeros(deals, np.int64)
        return cls(np.zeros(deals, STATE), *numbers, np.zeros((deals, MODELS)), np.zeros(2 * deals, np.int64))


class BeliefSettings(NamedTuple):
    """How deals are sampled and weighted.

    Attributes:
        candidates: deals sampled at first; up to 4 times as many while the effective sample size is low.
        least_size: weights are tempered to keep this effective sample size.
        model_prior: probabilities of the opponent models network, heuristic bot, uniform.
    """

    candidates: int
    least_size: float
    model_prior: tuple[float, float, float]

    @classmethod
    def of(cls, worlds: int, *, has_network: bool) -> BeliefSettings:
        """Return those for a number of worlds; without a network, the heuristic bot takes its place."""
        most = max(min(_CANDIDATES_PER_WORLD * worlds, _MAX_CANDIDATES), _FEWEST_PER_WORLD * worlds)
        network, heuristic, uniform = _MODEL_PRIOR
        return cls(most, _LEAST_SHARE * most, _MODEL_PRIOR if has_network else (0.0, network + heuristic, uniform))


class RunWorlds(Protocol):
    """Evaluates a number of worlds in parts, in one thread or several."""

    def __call__(self, part: Callable[[int, int, Any], Result], worlds: int) -> list[Result]:
        """Call ``part(first, last, scratch)`` for ranges that cover all worlds, and return the results in order."""
        ...


class Candidates(NamedTuple):
    """Sampled deals.

    Attributes:
        hands: the opponent's hidden cards now, uint64[n].
        log_likelihoods: log-likelihood of the opponent's plays under each opponent model, float64[n, 3].
        prior: how likely each deal is before the opponent's play is considered, float64[n], mean 1.
    """

    hands: npt.NDArray[np.uint64]
    log_likelihoods: npt.NDArray[np.float64]
    prior: npt.NDArray[np.float64]


class Worlds(NamedTuple):
    """Worlds for rollouts, equally weighted.

    Attributes:
        hands: the opponent's hidden cards, uint64[n].
        models: opponent models, int64[n].
        size: effective sample size of the deals that they were drawn from.
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
    """Return ``count`` worlds for a consistent view, ``VIEW`` array (1,).

    Raises:
        ValueError: when no deal agrees with the history.
    """
    if history is None:
        hands = np.empty(count, np.uint64)
        sample_hands(rules.game, views, key, hands)
        return Worlds(hands, np.zeros(count, np.int64), np.inf)
    candidates = sample_candidate_deals(rules, views, history, key, settings, run)
    joint, weights = posterior(candidates, settings)
    chosen, models = np.empty(count, np.int64), np.empty(count, np.int64)
    resample(weights, joint, key, chosen, models)
    return Worlds(candidates.hands[chosen], models, effective_sample_size(weights))


def posterior(
    candidates: Candidates, settings: BeliefSettings
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the posterior of each deal and opponent model, float64[n, 3], and the tempered weights, float64[n]."""
    joint, weights = _posterior(candidates, settings)
    temper(weights, settings.least_size)
    return joint, weights


def _posterior(
    candidates: Candidates, settings: BeliefSettings
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the same as :func:`posterior`, with weights that are not tempered."""
    joint = np.empty_like(candidates.log_likelihoods)
    log_weights = candidates.log_likelihoods + np.log(candidates.prior)[:, None]
    write_posterior(log_weights, np.array(settings.model_prior), joint)
    return joint, joint.sum(axis=1)


def sample_candidate_deals(
    rules: Rules, views: Views, history: History, key: np.uint64, settings: BeliefSettings, run: RunWorlds
) -> Candidates:
    """Return deals that agree with a history.

    Where the opponent can hold few hands, all are listed and each is used equally often; else deals are sampled
    uniformly. If the opponent's play leaves most of the weight on few deals, more are sampled.

    Raises:
        ValueError: when no deal agrees, or the history does not belong to the view.
    """
    tokens, length = history
    sampler = DealSampler(tokens[:length], rules)
    hidden, deals = sampler.hidden, sampler.deals
    if hidden["unseen"][0] != views["unseen"][0]:
        raise ValueError("history: it does not belong to the view")
    listed, priors = _listed_hands(sampler, settings.candidates // _DEALS_PER_HAND)
    deals_per_hand = -(-settings.candidates // max(len(listed), 1))
    count = deals_per_hand * len(listed) or settings.candidates

    def sample(count: int, stream: np.uint64) -> Candidates:
        hands, log_likelihoods = np.empty(count, np.uint64), np.empty((count, MODELS))
        mistakes = np.array([_TEMPERATURE, _MISTAKES, _HEURISTIC_MISTAKES])

        def sample_part(first: int, last: int, scratch: Any) -> bool:
            rest = (first, last, scratch.network, mistakes, scratch.replays, hands, log_likelihoods)
            return bool(sample_candidates(rules.game, hidden, deals, listed, stream, *rest))

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


def _listed_hands(sampler: DealSampler, most: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """Return all hands that the opponent can hold, and the probability of each times their number.

    Empty where there are more than ``most``.
    """
    hands, weights = np.empty(most, np.uint64), np.empty(most)
    count = list_hands(sampler.hidden[0], sampler.deals[0], hands, weights)
    return hands[:count], weights[:count] * count / weights[:count].sum()

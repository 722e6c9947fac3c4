"""The posterior over sampled deals: weights, effective sample size, resampling."""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.hidden_deal_kernels import uniform
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)
_BISECTIONS = 30
_RESAMPLING = 2**40  # number of the random stream that picks worlds, apart from the sampled deals


@kernel
def write_posterior(log_likelihoods, prior, joint):
    """Write the posterior of each pair of a deal and an opponent model, float64[deals, models].

    All deals are equally likely before, and ``prior`` holds the probabilities of the models, which are those of a
    mixture: one opponent is of one model for the whole deal.
    """
    best = -np.inf
    for number in range(log_likelihoods.shape[0]):
        for model in range(log_likelihoods.shape[1]):
            joint[number, model] = log_likelihoods[number, model] + np.log(prior[model])
            best = max(best, joint[number, model])
    total = 0.0
    for number in range(log_likelihoods.shape[0]):
        for model in range(log_likelihoods.shape[1]):
            joint[number, model] = np.exp(joint[number, model] - best)
            total += joint[number, model]
    for number in range(log_likelihoods.shape[0]):
        for model in range(log_likelihoods.shape[1]):
            joint[number, model] /= total


@kernel
def _size_at(weights, exponent):
    total = squares = 0.0
    for i in range(weights.shape[0]):
        weight = weights[i] ** exponent
        total += weight
        squares += weight * weight
    return total * total / squares


@kernel
def effective_sample_size(weights):
    """Return (Σw)² / Σw² (Kish, "Survey Sampling", 1965)."""
    return _size_at(weights, 1.0)


@kernel
def temper(weights, at_least):
    """Raise weights to the largest power, at most 1, that keeps their effective sample size, and normalise them.

    Args:
        weights: float64[n], not negative; changed.
        at_least: the effective sample size to keep.
    """
    exponent = 1.0
    if _size_at(weights, 1.0) < at_least:
        low, high = 0.0, 1.0
        for _ in range(_BISECTIONS):
            exponent = (low + high) / 2
            if _size_at(weights, exponent) < at_least:
                high = exponent
            else:
                low = exponent
        exponent = low
    total = 0.0
    for i in range(weights.shape[0]):
        weights[i] = weights[i] ** exponent
        total += weights[i]
    for i in range(weights.shape[0]):
        weights[i] /= total


@kernel
def _stride(worlds):
    """Return a stride through all worlds whose first steps are spread evenly: about the golden section of them."""
    stride = max(1, np.int64(0.618 * worlds))
    while True:
        a, b = stride, np.int64(worlds)
        while b:
            a, b = b, a % b
        if a == 1:
            return stride
        stride += 1


@kernel
def resample(weights, joint, key, chosen, models):
    """Draw worlds by systematic resampling (Kitagawa, 1996), and an opponent model for each.

    Neighbours in the order of the candidates are placed far apart, so that any first worlds are spread over all.

    Args:
        weights: float64[candidates], normalised.
        joint: float64[candidates, models], from :func:`write_posterior`.
        key: random key.
        chosen: int64[worlds], written: the candidate of each world.
        models: int64[worlds], written.
    """
    worlds = chosen.shape[0]
    stride = _stride(worlds)
    start = uniform(key, _RESAMPLING, 0)
    candidate = 0
    total = weights[0]
    for world in range(worlds):
        threshold = (world + start) / worlds
        while total < threshold and candidate + 1 < weights.shape[0]:
            candidate += 1
            total += weights[candidate]
        place = world * stride % worlds
        chosen[place] = candidate
        share = 0.0
        for model in range(joint.shape[1]):
            share += joint[candidate, model]
        number = uniform(key, _RESAMPLING, world + 1) * share
        model = np.int64(0)
        while model + 1 < joint.shape[1] and number >= joint[candidate, model]:
            number -= joint[candidate, model]
            model += 1
        models[place] = model


@kernel
def write_card_probabilities(weights, hands, probabilities):
    """Write how likely each card is to be in a hand, float64[52], from weighted hands; the weights add up to 1."""
    probabilities[:] = 0.0
    for number in range(weights.shape[0]):
        hand = hands[number]
        while hand:
            probabilities[lowest(hand)] += weights[number]
            hand &= hand - _ONE

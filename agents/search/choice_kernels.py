"""The choice: what the policy thinks of each action and what the worlds say, weighed by their precision."""

from __future__ import annotations

import numpy as np

from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)
_PRIOR_WORLDS = 16.0  # the usual variance counts as much as that many worlds


@kernel
def squashed_margin(margin, scale):
    """Return ``scale * tanh(margin / scale)``, so that tricks count less the less they decide the deal.

    Args:
        margin: in tricks.
        scale: in tricks; 0 returns the margin itself.
    """
    return scale * np.tanh(margin / scale) if scale > 0 else np.float64(margin)


@kernel
def utility(margin, tanh_scale, win_weight):
    """Return what a margin is worth, in tricks: the squashed margin, plus a win's own weight."""
    return squashed_margin(margin, tanh_scale) + win_weight * np.sign(np.float64(margin))


@kernel
def combine(margins, worlds, size, tried, preferred, advantages, scales, gains, sds):
    """Write the posterior of each action's gain over the preferred one, and return the best action.

    The policy's advantage of an action over the preferred one is taken as the mean of a normal prior with standard
    deviation ``prior_sd``; an infinite one leaves the choice to the worlds, and the preferred action wins ties. The
    worlds give a mean difference with a standard error. Their posterior mean weighs both by
    their precision (Gelman et al., "Bayesian data analysis", 2.5), so few or noisy worlds follow the policy and many
    follow the search. The differences are paired: both actions in the same worlds (common random numbers). A variance
    estimated from few worlds is itself noisy, so it is shrunk towards ``usual_sd``².

    Args:
        margins: float32[worlds, 54], of tried actions.
        worlds: number of worlds to use, the first ones.
        size: effective sample size of the worlds.
        tried: the actions tried, as a mask.
        preferred: the policy's action, one of them.
        advantages: float64[54], of the actions over the policy's best, in tricks.
        scales: float64[4], in tricks: ``prior_sd``; ``usual_sd``, the usual standard deviation of a difference in one
            world; ``tanh_scale`` and ``win_weight`` of :func:`utility`.
        gains: float64[54], written for tried actions: the mean.
        sds: float64[54], likewise: the standard deviation.
    """
    prior_sd, usual_sd, tanh_scale, win_weight = scales[0], scales[1], scales[2], scales[3]
    best = np.int64(preferred)
    gains[preferred] = sds[preferred] = 0.0
    prior = 1.0 / (prior_sd * prior_sd)
    while tried:
        action = lowest(tried)
        tried &= tried - _ONE
        if action == preferred:
            continue
        total = squares = 0.0
        for world in range(worlds):
            difference = utility(margins[world, action], tanh_scale, win_weight)
            difference -= utility(margins[world, preferred], tanh_scale, win_weight)
            total += difference
            squares += difference * difference
        mean = total / worlds
        spread = squares - worlds * mean * mean + _PRIOR_WORLDS * usual_sd * usual_sd
        variance = spread / (worlds + _PRIOR_WORLDS)
        precision = size / variance
        advantage = advantages[action] - advantages[preferred]
        # Without a prior the mean is left as it is, because rounding could break a tie.
        gains[action] = (prior * advantage + precision * mean) / (prior + precision) if prior > 0 else mean
        sds[action] = 1.0 / np.sqrt(prior + precision)
        if gains[action] > gains[best]:
            best = action
    return best


@kernel
def contenders(tried, preferred, best, gains, sds, deviations):
    """Return the preferred action and those whose gain may still turn out to be the best one's, of tried actions.

    An action is out once its gain is lower by ``deviations`` standard deviations. (Racing: Maron and Moore, "Hoeffding
    races", 1993.)
    """
    kept = np.uint64(0)
    while tried:
        action = lowest(tried)
        tried &= tried - _ONE
        if action in (preferred, best) or gains[action] + deviations * sds[action] >= gains[best]:
            kept |= _ONE << np.uint64(action)
    return kept


@kernel
def worth_trying(distinct, preferred, advantages, least):
    """Return the preferred action and those whose advantage over it is at least ``least``, of distinct actions."""
    tried = _ONE << np.uint64(preferred)
    while distinct:
        action = lowest(distinct)
        distinct &= distinct - _ONE
        if advantages[action] - advantages[preferred] >= least:
            tried |= _ONE << np.uint64(action)
    return tried


@kernel
def representative(distinct, action):
    """Return the distinct action that stands for an action: the highest one up to it."""
    chosen = np.int64(-1)
    while distinct:
        other = lowest(distinct)
        distinct &= distinct - _ONE
        if other <= action:
            chosen = other
    return chosen

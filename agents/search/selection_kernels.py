"""The choice of a search: the policy's advantages combined with the results in the worlds, weighted by precision."""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import lowest
from german_whist.game.utils.jit import kernel

_ONE = np.uint64(1)
_PRIOR_WORLDS = 16.0  # the prior variance counts as much as that many worlds


@kernel
def squashed_margin(margin, scale):
    """Return ``scale * tanh(margin / scale)``: further tricks count less, the clearer the deal is won or lost.

    Args:
        margin: margin in tricks.
        scale: scale in tricks; 0 returns the margin itself.
    """
    return scale * np.tanh(margin / scale) if scale > 0 else np.float64(margin)


@kernel
def utility(margin, tanh_scale, win_weight):
    """Return the utility of a margin, in tricks: the squashed margin plus (win) or minus (loss) ``win_weight``."""
    return squashed_margin(margin, tanh_scale) + win_weight * np.sign(np.float64(margin))


@kernel
def combine(margins, worlds, size, tried, preferred, advantages, scales, gains, sds):
    """Write the posterior of each action's gain over the preferred one, and return the best action.

    The prior of an action's gain is normal: its mean is the policy's advantage over the preferred action, its standard
    deviation ``prior_sd``. With an infinite ``prior_sd`` the worlds alone decide, and the preferred action wins ties.
    The worlds give a mean difference with a standard error. The posterior mean weights both by their precision (Gelman
    et al., "Bayesian data analysis", 2.5), so that few or noisy worlds follow the policy and many follow the search.

    Differences are paired: both actions are tried in the same worlds (common random numbers). A variance estimated from
    few worlds is itself noisy, so it is shrunk towards ``usual_sd``².

    Args:
        margins: margins of the tried actions, float32[at least worlds, 54].
        worlds: number of worlds to use, from the first on.
        size: effective sample size of these worlds.
        tried: mask of the tried actions.
        preferred: the policy's action, one of the tried ones.
        advantages: advantages over the policy's best action, float64[54].
        scales: float64[4]: ``prior_sd``; ``usual_sd``, the typical standard deviation of a difference in one world;
            ``tanh_scale`` and ``win_weight`` of :func:`utility`. In tricks, like ``advantages``, or in other units of
            utility.
        gains: posterior means, float64[54], written for tried actions.
        sds: posterior standard deviations, float64[54], written for tried actions.
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
        # Without a prior this would be the mean but for rounding, which could break a tie.
        gains[action] = (prior * advantage + precision * mean) / (prior + precision) if prior > 0 else mean
        sds[action] = 1.0 / np.sqrt(prior + precision)
        if gains[action] > gains[best]:
            best = action
    return best


@kernel
def contenders(tried, preferred, best, gains, sds, deviations):
    """Return a mask of the tried actions that may still turn out to be the best; the preferred one is always kept.

    An action is dropped once its gain is ``deviations`` standard deviations below the best one's (racing: Maron and
    Moore, "Hoeffding races", 1993).
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
    """Return a mask of the preferred action and the distinct ones whose advantage over it is at least ``least``."""
    tried = _ONE << np.uint64(preferred)
    while distinct:
        action = lowest(distinct)
        distinct &= distinct - _ONE
        if advantages[action] - advantages[preferred] >= least:
            tried |= _ONE << np.uint64(action)
    return tried


@kernel
def representative(distinct, action):
    """Return the distinct action that an action is equivalent to: the highest one that is not above it."""
    chosen = np.int64(-1)
    while distinct:
        other = lowest(distinct)
        distinct &= distinct - _ONE
        if other <= action:
            chosen = other
    return chosen

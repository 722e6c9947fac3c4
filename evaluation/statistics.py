"""Statistics of mirrored pairs of games: means, confidence intervals, and their form as text."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.simulator.text.words import percent_text

# Two-sided 95 % point of the normal distribution; with hundreds of deals, Student's t hardly differs.
Z95 = 1.959963984540054


def mean_interval(samples: npt.NDArray[Any]) -> tuple[float, tuple[float, float]]:
    """Return the mean of independent samples and its 95 % confidence interval (normal approximation).

    Args:
        samples: float[n], one sample per deal: the mean over its two mirrored games.

    Returns:
        The mean and (low, high); the interval of a single sample is unbounded.
    """
    mean = float(np.mean(samples))
    if len(samples) < 2:
        return mean, (-math.inf, math.inf)
    half = Z95 * float(np.std(samples, ddof=1)) / math.sqrt(len(samples))
    return mean, (mean - half, mean + half)


def bounded_interval(samples: npt.NDArray[Any], lowest: float, highest: float) -> tuple[float, tuple[float, float]]:
    """Return the mean of independent, bounded samples and its 95 % confidence interval.

    The interval is that of :func:`mean_interval` with two exceptions:

    - If it leaves the bounds, it is the Wilson interval (E. B. Wilson, "Probable inference, the law of succession, and
      statistical inference", Journal of the American Statistical Association 22, 1927) of as many samples at the
      bounds as have the same standard error.
    - Equal samples show no variance although their distribution may have some, so each end assumes that the largest
      share that may have gone unseen (:func:`largest_unseen_share`) lies at the bound. For samples that are all at a
      bound this is the Wilson interval, too.

    Args:
        samples: float[n], one sample per deal.
        lowest: smallest possible sample; may be −∞.
        highest: largest possible sample; may be ∞.
    """
    mean, (low, high) = mean_interval(samples)
    differ = bool(np.ptp(samples))
    if len(samples) < 2 or (differ and lowest <= low and high <= highest):
        return mean, (low, high)
    if not differ:
        share = largest_unseen_share(len(samples))
        return mean, (mean - share * (mean - lowest), mean + share * (highest - mean))
    span = highest - lowest
    share = (mean - lowest) / span
    variance = share * (1 - share)  # variance of samples at the bounds
    ratio = ((high - low) / (2 * span)) ** 2 / variance  # z² / n in Wilson's formula
    centre, half = share + ratio / 2, math.sqrt(ratio * (variance + ratio / 4))
    return mean, (lowest + span * (centre - half) / (1 + ratio), lowest + span * (centre + half) / (1 + ratio))


class PairedIntervals(NamedTuple):
    """Means over mirrored pairs of games, and their 95 % intervals.

    Attributes:
        win_rate: share of the games that the first agent won, draws counted half.
        interval: interval of ``win_rate``.
        margin: the first agent's margin, mean over games.
        margin_interval: interval of ``margin``.
    """

    win_rate: float
    interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]


def paired_intervals(outcomes: npt.NDArray[Any], margins: npt.NDArray[Any], largest: float) -> PairedIntervals:
    """Return the means over mirrored pairs with their 95 % intervals (:func:`bounded_interval`).

    Args:
        outcomes: 1, 0 or −1 for the first agent's wins, draws and losses, [n, 2].
        margins: the first agent's margins, [n, 2].
        largest: the largest possible margin.
    """
    won, scored = ((outcomes + 1) / 2).mean(axis=1), margins.mean(axis=1, dtype=np.float64)
    return PairedIntervals(*bounded_interval(won, 0, 1), *bounded_interval(scored, -largest, largest))


def largest_unseen_share(samples: int) -> float:
    """Return the upper 95 % bound for the share of something that occurred in none of n samples: z² / (n + z²).

    That is the upper end of the Wilson interval at 0.
    """
    return Z95**2 / (samples + Z95**2)


def finite_ends(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    """Return the ends of an interval with ``None`` for infinite ones, because JSON has no infinity."""
    low, high = interval
    return low if math.isfinite(low) else None, high if math.isfinite(high) else None


def format_percent(rate: float, interval: tuple[float, float]) -> str:
    """Return a rate in per cent with its interval as text, such as ``67.4 % ± 0.6``; see :func:`interval_text`."""
    return f"{percent_text(rate, 1)} {interval_text(100 * rate, (100 * interval[0], 100 * interval[1]), 1)}"


def format_tricks(margin: float, interval: tuple[float, float]) -> str:
    """Return a margin in tricks with its interval as text, such as ``+2.21 ± 0.05``; see :func:`interval_text`."""
    return f"{margin:+z.2f} {interval_text(margin, interval, 2, '+')}"


def interval_text(mean: float, interval: tuple[float, float], digits: int, sign: str = "") -> str:
    """Return an interval as text to follow its mean: ``± 0.6``, or ``(91.2 to 100.0)`` if the mean is not its centre.

    Args:
        mean: the mean.
        interval: the interval.
        digits: number of decimal places.
        sign: ``"+"`` to show the sign of positive ends.
    """
    low, high = interval
    if math.isclose(high - mean, mean - low, abs_tol=1e-9):
        return f"± {(high - low) / 2:.{digits}f}"
    return f"({low:{sign}z.{digits}f} to {high:{sign}z.{digits}f})"

"""Statistics of paired samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

# Two-sided 95 % point of the normal distribution; with hundreds of deals Student's t is the same.
Z95 = 1.959963984540054


def mean_interval(samples: npt.NDArray[Any]) -> tuple[float, tuple[float, float]]:
    """Return the mean of independent samples and its 95 % confidence interval (normal approximation).

    Args:
        samples: float[n], one per deal: the mean over its two mirrored games.

    Returns:
        The mean and (low, high); with one sample the interval is unbounded.
    """
    mean = float(np.mean(samples))
    if len(samples) < 2:
        return mean, (-math.inf, math.inf)
    half = Z95 * float(np.std(samples, ddof=1)) / math.sqrt(len(samples))
    return mean, (mean - half, mean + half)


def largest_unseen_share(samples: int) -> float:
    """Return the upper 95 % bound of the share of something that was in none of n samples: z² / (n + z²).

    That is the Wilson interval (E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22, 1927) at 0.
    """
    return Z95**2 / (samples + Z95**2)


def finite_ends(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    """Return the ends of an interval for JSON, which has no infinity: unbounded ones are ``None``."""
    low, high = interval
    return low if math.isfinite(low) else None, high if math.isfinite(high) else None

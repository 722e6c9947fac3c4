"""Results of sequential tests in the terminal, and the text of their bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from german_whist.envs.utils.specs import shown

if TYPE_CHECKING:
    from german_whist.arena.sprt import SPRTResult


def parse_sprt_bounds(text: str) -> tuple[float, float]:
    """Return the bounds of ``--sprt ELO0,ELO1``.

    Raises:
        ValueError: if the text has another form.
    """
    low, _, high = text.partition(",")
    try:
        return float(low), float(high)
    except ValueError:
        raise ValueError(f"--sprt {shown(text)} is not ELO0,ELO1, such as 0,5") from None


def print_sprt(result: SPRTResult, title: str) -> None:
    """Print what was decided, and the figures behind it."""
    bounds, (low, high) = result.bounds, result.bounds.log_ratios
    verdict = {
        "elo1": f"accepted: {result.first} is stronger than {result.second} by {bounds.elo1:g} or more",
        "elo0": f"rejected: {result.first} is stronger than {result.second} by {bounds.elo0:g} at most",
        "undecided": "undecided: more deals are needed",
    }[result.accepted]
    print(title)
    print(f"{verdict} (normalised Elo, error rates {bounds.alpha:g} and {bounds.beta:g})")
    print(f"log-likelihood ratio {result.log_ratio:.2f} (bounds {low:.2f} and {high:.2f}) after {result.deals} deals")
    print(f"normalised Elo {_nelo(result)}, as if the number of deals had been fixed")
    print(f"deals that scored 0, ½, 1, 1½, 2: {', '.join(map(str, result.counts))}")


def _nelo(result: SPRTResult) -> str:
    low, high = result.interval
    if math.isinf(high):
        return f"above {low:+z.2f} (every deal had the same score)"
    if math.isinf(low):
        return f"below {high:+z.2f} (every deal had the same score)"
    return f"{result.nelo:+z.2f} ± {(high - low) / 2:.2f}"

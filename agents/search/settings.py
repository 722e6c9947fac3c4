"""The settings of a search: those that a user chooses, and tuned constants with their reasons."""

from __future__ import annotations

import dataclasses

from german_whist.envs.utils.checks import MAX_THREADS, whole_number

MAX_WORLDS = 100_000

BOT_SD = 0.5  # as ``NETWORK_SD`` for the heuristic bot, which is trusted less
# A margin m counts TANH_SCALE * tanh(m / TANH_SCALE) tricks, and a win WIN_WEIGHT more. With 512 worlds, this gains
# 0.16 percentage points of chance to win per decision. Win weights of 2 and 8 gain as much.
TANH_SCALE = WIN_WEIGHT = 4.0
CERTAIN = 0.8  # tricks: actions that the policy values this much below its best are not tried, which saves time
# Actions whose gain is this many standard deviations below the best are dropped. That takes a third of the time, and
# changes 3 % of the choices.
DEVIATIONS = 1.5


@dataclasses.dataclass(frozen=True)
class SearchSettings:
    """The settings of a search.

    Attributes:
        worlds: number of worlds in which actions are tried.
        threads: number of threads; 0 for all CPU cores. Choices do not depend on it.
        flat: whether the search is flat Monte Carlo: worlds are drawn uniformly from all that the view allows, every
            action is tried in all of them, and the best mean margin is played; the policy breaks ties.
    """

    worlds: int = 64
    threads: int = 0
    flat: bool = False

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            ValueError: when a number is out of range.
        """
        whole_number("worlds" if self.flat else "search", self.worlds, 1, MAX_WORLDS)
        whole_number("threads", self.threads, 0, MAX_THREADS)

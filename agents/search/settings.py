"""How a search evaluates actions: what a user sets, and constants with the reason for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from german_whist.envs.utils.checks import MAX_THREADS, whole_number
from german_whist.envs.utils.specs import must_be

MAX_WORLDS = 100_000
SETTINGS = ("search", "threads")

# Standard deviation of the error of the policy's advantages, in tricks. The less a network is trusted, the more the
# search gains against the heuristic bot, and the less against the network itself. A bot is trusted less.
NETWORK_SD, BOT_SD = 0.3, 0.5
# A margin m counts TANH_SCALE * tanh(m / TANH_SCALE) tricks, and a win WIN_WEIGHT more: with 512 worlds, that gains
# 0.16 points of winning chance a decision. Weights of 2 and 8 gain as much.
TANH_SCALE = WIN_WEIGHT = 4.0
CERTAIN = 0.8  # an action that is this many tricks worse for the policy is not tried, which leaves time for the others
# An action whose gain is this many standard deviations below the best is dropped: a third of the time, and 3 % other
# choices.
DEVIATIONS = 1.5


@dataclasses.dataclass(frozen=True)
class SearchSettings:
    """The settings of a search.

    Attributes:
        worlds: worlds in which actions are tried.
        threads: number of threads; 0 for all CPU cores. The choice does not depend on it.
        flat: flat Monte Carlo: worlds are drawn uniformly from all that the view allows, every action is tried in all
            of them, and the best mean margin is played; the policy breaks ties.
    """

    worlds: int = 64
    threads: int = 0
    flat: bool = False

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            ValueError: when a number is not allowed.
        """
        whole_number("worlds" if self.flat else "search", self.worlds, 1, MAX_WORLDS)
        whole_number("threads", self.threads, 0, MAX_THREADS)


def settings_from(given: Mapping[str, str]) -> SearchSettings:
    """Return the settings of a specification string, by key; ``search`` is one of them.

    Raises:
        ValueError: when a value is wrong.
    """
    fields: dict[str, int] = {}
    for key, value in given.items():
        try:
            fields[key] = int(value)
        except ValueError:
            raise ValueError(must_be(key, "an integer", value)) from None
    return SearchSettings(fields["search"], fields.get("threads", 0))

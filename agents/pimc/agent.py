"""``pimc:worlds=N``: perfect information Monte Carlo, an untuned baseline.

N worlds are sampled uniformly from those consistent with the view (``agents/inference``). In each world every action
gets its value with open cards, and the action with the best mean margin of counted tricks is played (D. N. L. Levy,
"The million pound bridge program", 1989; M. L. Ginsberg, "GIB: imperfect information in a computationally challenging
game", 2001). Ties go to the heuristic bot's action, then to the lowest number.

The open-card value of a whole deal cannot be computed in time. So alpha-beta searches the next ``depth`` tricks with
open cards and an open stock. Where the foreplay ends within them, the value is exact: the leaves are endgames, which
the tablebase solves. Before, the heuristic bot plays on from the leaves for both seats, seeing only its own cards, and
its endgame is solved.

The known weakness of the method is strategy fusion (Frank and Basin, "Search in games with incomplete information",
1998): each world has a strategy of its own, which knows the next cards of the stock. Deeper search suffers more from
it, so the default is the current trick alone (``lab/experiments/search-baselines.md``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import check_open_endgame
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.inference.world_sampling_kernels import HAND_COUNTS
from german_whist.agents.monte_carlo.rollout_kernels import choose_best
from german_whist.agents.monte_carlo.view_threads import draw_keys, search_in_threads, thread_count
from german_whist.agents.pimc.open_card_kernels import PLIES_PER_TRICK, add_open_card_margins
from german_whist.envs.agent import Actions, Views
from german_whist.envs.engine.cards import NUM_ACTIONS
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW, check_view_array
from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import read_settings
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.endgame_table import EndgameTable

DEFAULT_WORLDS = 20
DEFAULT_DEPTH = 1
MAX_WORLDS = 1_000_000
MAX_DEPTH = 25  # tricks of the longest foreplay


class PIMCAgent:
    """Plays the action with the best mean open-card margin in sampled worlds.

    Attributes:
        name: its specification string.
        worlds: number of worlds sampled for each decision.
        depth: tricks searched with open cards, the current one included.
        rules: the rules of the game that it plays.
    """

    def __init__(
        self,
        worlds: int = DEFAULT_WORLDS,
        depth: int = DEFAULT_DEPTH,
        *,
        threads: int | None = None,
        rules: str | Rules = "classic",
    ) -> None:
        """Set the effort.

        Args:
            worlds: 1 to 1,000,000.
            depth: 1 to 25.
            threads: number of threads; by default the number of CPU cores.
            rules: the rules of the game.

        Raises:
            ValueError: when a number is not allowed, or the endgame of these rules is not open.
        """
        self.worlds = whole_number("worlds", worlds, 1, MAX_WORLDS)
        self.depth = whole_number("depth", depth, 1, MAX_DEPTH)
        self.name = f"pimc:worlds={self.worlds},depth={self.depth}"
        self._threads = thread_count(threads)
        self.rules = rules_named(rules)
        check_open_endgame(self.name, self.rules)

    @classmethod
    def from_spec(cls, settings: str, rules: Rules) -> PIMCAgent:
        """Make the agent from its settings, ``worlds=N,depth=D`` or fewer.

        Raises:
            ValueError: when a setting is unknown or wrong.
        """
        return cls(**read_settings("pimc", settings, {"worlds": int, "depth": int}), rules=rules)

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one action per view, int64[n].

        Raises:
            ValueError: when no opponent hand satisfies a view, or ``views`` or ``rng`` is of another kind.
            TableError: when there is no endgame table and none can be built.
        """
        totals = self.totals(views, rng)
        preferred, actions = np.empty(len(views), np.int64), np.empty(len(views), np.int64)
        choose(views, preferred)
        choose_best(views, totals, preferred, actions)
        return actions

    def totals(self, views: Views, rng: Any) -> npt.NDArray[np.int64]:
        """Return the sum of the open-card margins after each action over all worlds, int64[n, 54].

        Actions that are not tried have 0: illegal ones, cards equivalent to a lower one, single actions. Where nothing
        is hidden there is one world.

        Raises:
            ValueError: as ``act``.
            TableError: as ``act``.
        """
        check_view_array(views)
        totals = np.zeros((len(views), NUM_ACTIONS), np.int64)
        search_in_threads(self.rules, self._search, views, draw_keys(self.name, views, rng), self._threads, totals)
        return totals

    def _search(
        self, table: EndgameTable, views: Views, keys: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the totals of views that share a table, and how many hands are consistent with each view."""
        totals, hands = np.zeros((len(views), NUM_ACTIONS), np.int64), np.ones(len(views), np.int64)
        states = np.zeros(PLIES_PER_TRICK * self.depth + 3, STATE)
        scratch = (states, np.zeros(1, VIEW), np.zeros(1, HAND_COUNTS))
        add_open_card_margins(
            self.rules.game,
            views,
            keys,
            self.worlds,
            self.depth,
            table,
            race_transposition_table(),
            scratch,
            totals,
            hands,
        )
        return totals, hands

"""``mc:worlds=N`` and ``pimc:worlds=N``: the mean over determinizations, untuned baselines.

N worlds are sampled uniformly from those consistent with the view (``agents/inference``), and every action is evaluated
in the same worlds. The action with the best mean margin of counted tricks is played; ties go to the heuristic bot's
action, then to the lowest number. Where nothing is hidden there is a single world. The two differ in the evaluation.

**Flat Monte Carlo** plays a rollout: the heuristic bot plays on for both seats, seeing only its own cards, to the end
of the foreplay, and the endgame gets its exact value. Some endgames are finished by the heuristic bot instead: all of
``humbug``, where hands stay hidden; races with more than seven cards in a hand and more than three tricks to the goal;
and hands of more than thirteen cards until thirteen are left.

**Perfect information Monte Carlo** (D. N. L. Levy, "The million pound bridge program", 1989; M. L. Ginsberg, "GIB:
imperfect information in a computationally challenging game", 2001) takes the value with open cards. That of a whole
deal cannot be computed in time. So alpha-beta searches the next ``depth`` tricks with open cards and an open stock.
Where the foreplay ends within them, the value is exact; before, a rollout plays on from the leaves. The known weakness
is strategy fusion (Frank and Basin, "Search in games with incomplete information", 1998): each world has a strategy of
its own, which knows the next cards of the stock. Deeper search suffers more from it, so the default is the current
trick alone (``lab/experiments/search-baselines.md``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import check_open_endgame
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.inference.world_sampling_kernels import HAND_COUNTS
from german_whist.agents.monte_carlo.determinization_kernels import (
    PLIES_PER_TRICK,
    ROLLOUT,
    add_margins,
    choose_best,
    write_mean_margins,
)
from german_whist.agents.monte_carlo.world_search import Search, WorldSearcher
from german_whist.envs.agent import Actions, Views
from german_whist.envs.engine.cards import NUM_ACTIONS
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import read_settings
from german_whist.solver.search.transposition_table import RaceTranspositionTable, race_transposition_table

DEFAULT_WORLDS, DEFAULT_PIMC_WORLDS = 60, 20
DEFAULT_DEPTH = 1
MAX_WORLDS = 1_000_000
MAX_DEPTH = 25  # tricks of the longest foreplay

Totals = npt.NDArray[np.int64]


class Scratch(NamedTuple):
    """Scratch memory of a thread.

    Attributes:
        states: what the view determines, the world, and a state for each ply, ``STATE`` array.
        views: ``VIEW`` array (1,).
        counts: ``HAND_COUNTS`` array (1,).
        transpositions: of the endgames.
    """

    states: npt.NDArray[Any]
    views: Views
    counts: npt.NDArray[Any]
    transpositions: RaceTranspositionTable


class DeterminizationAgent(WorldSearcher[Scratch]):
    """Plays the action with the best mean margin in sampled worlds.

    Attributes:
        name: its specification string.
        worlds: number of worlds sampled for each decision.
        rules: the rules of the game that it plays.
    """

    def __init__(self, name: str, worlds: int, depth: int, threads: int | None, rules: Rules) -> None:
        """Set the effort; depth 0 evaluates by rollouts."""
        super().__init__(name, rules, threads)
        self.worlds = worlds
        self._depth = depth

    def new_scratch(self) -> Scratch:
        """Return scratch memory for a thread."""
        states = np.zeros(PLIES_PER_TRICK * self._depth + 3, STATE)
        return Scratch(states, np.zeros(1, VIEW), np.zeros(1, HAND_COUNTS), race_transposition_table())

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one action per view, int64[n].

        Raises:
            ValueError: when a view is inconsistent: no opponent hand satisfies it; or ``views`` or ``rng`` is of
                another kind.
            TableError: when there is no endgame table and none can be built.
        """
        totals = self.totals(views, rng)
        preferred, actions = np.empty(len(views), np.int64), np.empty(len(views), np.int64)
        choose(views, preferred)
        choose_best(views, totals, preferred, actions)
        return actions

    def margins(self, views: Views, rng: Any) -> npt.NDArray[np.float64]:
        """Return the mean margin of counted tricks after each action, float64[n, 54].

        NaN marks illegal actions, and all actions of a view with no choice.

        Raises:
            ValueError: as ``act``.
            TableError: as ``act``.
        """
        totals = self.totals(views, rng)
        margins = np.empty((len(views), NUM_ACTIONS))
        write_mean_margins(self.rules.game, views, totals, self.worlds, margins)
        return margins

    def totals(self, views: Views, rng: Any) -> Totals:
        """Return the sum of the margins after each action over all worlds, int64[n, 54].

        Actions that are not tried have 0: illegal ones, cards equivalent to a lower one, single actions. Where nothing
        is hidden there is one world.

        Raises:
            ValueError: as ``act``.
            TableError: as ``act``.
        """
        keys = self.draw_keys(views, rng)
        totals = np.zeros((len(views), NUM_ACTIONS), np.int64)

        def search(these: Search) -> None:
            def try_worlds(first: int, last: int, scratch: Scratch) -> Totals:
                sums = np.zeros((len(these.rows), NUM_ACTIONS), np.int64)
                game, table = self.rules.game, these.table
                add_margins(game, these.views, these.keys, first, last, self._depth, table, scratch, sums)
                return sums

            totals[these.rows] = sum(these.run(try_worlds, self.worlds))

        self.search_views(views, keys, search)
        return totals


class MonteCarloBot(DeterminizationAgent):
    """Flat Monte Carlo: evaluates an action in a world by a rollout of the heuristic bot.

    Attributes:
        name: its specification string.
        worlds: number of worlds sampled for each decision.
        rules: the rules of the game that it plays.
    """

    def __init__(
        self, worlds: int = DEFAULT_WORLDS, threads: int | None = None, *, rules: str | Rules = "classic"
    ) -> None:
        """Set the number of worlds.

        Args:
            worlds: 1 to 1,000,000.
            threads: number of threads; by default the number of CPU cores.
            rules: the rules of the game.

        Raises:
            ValueError: when a number is not allowed.
        """
        worlds = whole_number("worlds", worlds, 1, MAX_WORLDS)
        super().__init__(f"mc:worlds={worlds}", worlds, ROLLOUT, threads, rules_named(rules))

    @classmethod
    def from_spec(cls, settings: str, rules: Rules) -> MonteCarloBot:
        """Make the agent from its settings, ``worlds=N`` or empty.

        Raises:
            ValueError: when a setting is unknown or wrong.
        """
        return cls(**read_settings("mc", settings, {"worlds": int}), rules=rules)


class PIMCAgent(DeterminizationAgent):
    """Perfect information Monte Carlo: evaluates an action in a world by a search with open cards.

    Attributes:
        name: its specification string.
        worlds: number of worlds sampled for each decision.
        depth: tricks searched with open cards, the current one included.
        rules: the rules of the game that it plays.
    """

    def __init__(
        self,
        worlds: int = DEFAULT_PIMC_WORLDS,
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
        worlds = whole_number("worlds", worlds, 1, MAX_WORLDS)
        self.depth = whole_number("depth", depth, 1, MAX_DEPTH)
        super().__init__(f"pimc:worlds={worlds},depth={self.depth}", worlds, self.depth, threads, rules_named(rules))
        check_open_endgame(self.name, self.rules)

    @classmethod
    def from_spec(cls, settings: str, rules: Rules) -> PIMCAgent:
        """Make the agent from its settings, ``worlds=N,depth=D`` or fewer.

        Raises:
            ValueError: when a setting is unknown or wrong.
        """
        return cls(**read_settings("pimc", settings, {"worlds": int, "depth": int}), rules=rules)

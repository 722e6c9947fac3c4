"""``mc:worlds=N``: flat Monte Carlo, an untuned baseline.

N worlds are sampled uniformly from those consistent with the view (``agents/inference``), and every action is evaluated
in the same worlds. The action with the best mean margin of counted tricks is played; ties go to the heuristic bot's
action, then to the lowest number. Where nothing is hidden there is a single world.

An action is evaluated by a rollout: the heuristic bot plays on for both seats, seeing only its own cards, to the end
of the foreplay, and the endgame gets its exact value. Some endgames are finished by the heuristic bot instead: all of
``humbug``, where hands stay hidden; races with more than seven cards in a hand and more than three tricks to the goal;
and hands of more than thirteen cards until thirteen are left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.inference.world_sampling_kernels import HAND_COUNTS
from german_whist.agents.monte_carlo.flat_kernels import add_margins, choose_best, write_mean_margins
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

DEFAULT_WORLDS = 60
MAX_WORLDS = 1_000_000

Totals = npt.NDArray[np.int64]


class Scratch(NamedTuple):
    """Scratch memory of a thread.

    Attributes:
        states: what the view determines, the world, and the world after the action, ``STATE`` array (3,).
        views: ``VIEW`` array (1,).
        counts: ``HAND_COUNTS`` array (1,).
        transpositions: of the endgames.
    """

    states: npt.NDArray[Any]
    views: Views
    counts: npt.NDArray[Any]
    transpositions: RaceTranspositionTable


class MonteCarloBot(WorldSearcher[Scratch]):
    """Flat Monte Carlo: plays the action with the best mean margin over rollouts in sampled worlds.

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
        self.worlds = whole_number("worlds", worlds, 1, MAX_WORLDS)
        super().__init__(f"mc:worlds={self.worlds}", rules_named(rules), threads)

    @classmethod
    def from_spec(cls, settings: str, rules: Rules) -> MonteCarloBot:
        """Make the agent from its settings, ``worlds=N`` or empty.

        Raises:
            ValueError: when a setting is unknown or wrong.
        """
        return cls(**read_settings("mc", settings, {"worlds": int}), rules=rules)

    def new_scratch(self) -> Scratch:
        """Return scratch memory for a thread."""
        return Scratch(np.zeros(3, STATE), np.zeros(1, VIEW), np.zeros(1, HAND_COUNTS), race_transposition_table())

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
                add_margins(self.rules.game, these.views, these.keys, first, last, these.table, scratch, sums)
                return sums

            totals[these.rows] = sum(these.run(try_worlds, self.worlds))

        self.search_views(views, keys, search)
        return totals

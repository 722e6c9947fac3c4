"""``mc:worlds=N``: flat Monte Carlo over determinizations, an untuned baseline.

N worlds are sampled uniformly from those consistent with the view (``agents/inference``). Every legal action is tried
in the same worlds: the heuristic bot plays a rollout for both seats to the end of the foreplay, and the endgame gets
its exact value. The action with the best mean margin of counted tricks is played; ties go to the heuristic bot's
action, then to the lowest number. In the endgame itself there is a single world, and the values are exact. Unlike
perfect information Monte Carlo (PIMC: Levy 1989; Ginsberg 2001 for bridge), a world is not solved but played out by a
policy that sees only its own cards until the endgame.

Some endgames are finished by the heuristic bot instead: all of ``humbug``, where hands stay hidden; races with more
than seven cards in a hand and more than three tricks to the goal; and hands of more than thirteen cards until thirteen
are left.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.inference.world_sampling_kernels import HAND_COUNTS
from german_whist.agents.monte_carlo.rollout_kernels import add_worlds, choose_best, write_margins
from german_whist.agents.monte_carlo.view_threads import (
    check_hands,
    draw_keys,
    part_count,
    thread_count,
    views_by_table,
)
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

DEFAULT_WORLDS = 60
MAX_WORLDS = 1_000_000

_PAIRS_PER_PART = 16  # (view, world) pairs; a thread for fewer costs more than it saves

Totals = npt.NDArray[np.int64]


class MonteCarloBot:
    """Plays the action with the best mean margin in sampled worlds.

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
        self.rules = rules_named(rules)
        self.worlds = whole_number("worlds", worlds, 1, MAX_WORLDS)
        self.name = f"mc:worlds={self.worlds}"
        self._threads = thread_count(threads)

    @classmethod
    def from_spec(cls, settings: str, rules: Rules) -> MonteCarloBot:
        """Make the agent from its settings, ``worlds=N`` or empty.

        Raises:
            ValueError: when a setting is unknown or wrong.
        """
        return cls(**read_settings("mc", settings, {"worlds": int}), rules=rules)

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one action per view, int64[n].

        Raises:
            ValueError: when a view is inconsistent: no opponent hand satisfies it; or ``views`` or ``rng`` is of
                another kind.
            TableError: when there is no endgame table and none can be built.
        """
        check_view_array(views)
        preferred, actions = np.empty(len(views), np.int64), np.empty(len(views), np.int64)
        choose(views, preferred)
        choose_best(views, self.totals(views, rng), preferred, actions)
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
        write_margins(self.rules.game, views, totals, self.worlds, margins)
        return margins

    def totals(self, views: Views, rng: Any) -> Totals:
        """Return the sum of the margins after each action over all worlds, int64[n, 54].

        Actions that are not tried have 0: illegal ones, cards equivalent to a lower one, single actions. Where nothing
        is hidden there is one world.

        Raises:
            ValueError: as ``act``.
            TableError: as ``act``.
        """
        check_view_array(views)
        keys = draw_keys(self.name, views, rng)
        totals = np.zeros((len(views), NUM_ACTIONS), np.int64)
        with ThreadPoolExecutor(self._threads) as executor:
            for table, rows in views_by_table(self.rules, views):
                self._add(executor, table, np.ascontiguousarray(views[rows]), keys[rows], rows, totals)
        return totals

    def _add(
        self,
        executor: ThreadPoolExecutor,
        table: EndgameTable,
        views: Views,
        keys: npt.NDArray[np.uint64],
        rows: npt.NDArray[np.int64],
        totals: Totals,
    ) -> None:
        """Add the totals of views that share a table; (view, world) pairs are split among the threads."""
        pairs = len(views) * self.worlds

        def try_part(part: int) -> tuple[int, Totals]:
            begin, end = pairs * part // parts, pairs * (part + 1) // parts
            first, last = begin // self.worlds, -(-end // self.worlds)
            sums, hands = np.zeros((last - first, NUM_ACTIONS), np.int64), np.ones(last - first, np.int64)
            scratch = (np.zeros(3, STATE), np.zeros(1, VIEW), np.zeros(1, HAND_COUNTS))
            offset = first * self.worlds
            part_views, part_keys = views[first:last], keys[first:last]
            transpositions = race_transposition_table()
            add_worlds(
                self.rules.game,
                part_views,
                part_keys,
                self.worlds,
                begin - offset,
                end - offset,
                table,
                transpositions,
                scratch,
                sums,
                hands,
            )
            check_hands(hands, rows[first:last])
            return first, sums

        parts = part_count(self._threads, pairs // _PAIRS_PER_PART)
        for first, sums in map(try_part, range(parts)) if parts == 1 else executor.map(try_part, range(parts)):
            totals[rows[first : first + len(sums)]] += sums

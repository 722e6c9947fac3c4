"""Search in sampled worlds: ``NAME:search=N`` improves a policy by lookahead, ``mc:worlds=N`` is the search alone.

Play is searched where it pays: in the last tricks of the foreplay (``SEARCHED_TRICKS``). For each decision there:

1. Deals are sampled uniformly from all that agree with the seat's history (``inference/deck_sampling_kernels``).
2. Each deal is weighted by the likelihood of the opponent's plays under a mixture of opponent models: the rollout
   network with a softmax over its advantages, the heuristic bot, and uniformly random play. The first two also make
   mistakes, so that one odd card does not rule out the true deal (``inference/likelihood_kernels``).
3. Worlds (determinizations) are drawn from the weighted deals by systematic resampling. The actions that the policy
   does not rule out are all tried in the same worlds. After each action a rollout plays to the endgame, which gets its
   exact value (``rollout_kernels``). Clearly worse actions are dropped after 16, 32, 64, … worlds.
4. The policy's advantages and the mean differences in the worlds are weighted by their precision
   (``selection_kernels``).

``mc:worlds=N`` is flat Monte Carlo, an untuned baseline. Its worlds are drawn uniformly from those that the view allows
(``inference/world_sampling_kernels``), the heuristic bot plays the rollouts, every action is tried in all worlds, and
the best mean margin is played; ties go to the heuristic bot's action, then to the lowest action.

The heuristic bot also plays endgames that are not solved: all of ``humbug``, where hands stay hidden; races with more
than seven cards in a hand while both seats need more than three tricks; and hands of more than thirteen cards until
thirteen are left. If nothing is hidden, ``mc`` tries a single world.

A rollout policy sees only its own seat's cards, so it cannot use what the searching seat does not know. Only endgames,
in which nothing is hidden, are played with open cards. Strategy fusion (Frank and Basin, "Search in games with
incomplete information", 1998) is thereby limited to the action tried.

Randomness comes from one key per view, sums have a fixed order, and a network sums each row by itself. A choice
therefore depends only on its view, history and key, not on the batch, the number of threads or the machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import ACTION_VALUES, VALUES, Actions, ActionValues, Agent, Evaluation, Field
from german_whist.agents.bots.base import RuleBot, check_open_endgame
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.inference.belief import (
    BeliefSettings,
    History,
    ReplayScratch,
    sample_worlds,
)
from german_whist.agents.inference.world_sampling_kernels import is_all_known
from german_whist.agents.policy.agent import NETWORK_SD, WIN_PER_TRICK, PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.row_network import VIEWS, RowNetwork
from german_whist.agents.search.rollout_kernels import distinct_actions, try_worlds
from german_whist.agents.search.selection_kernels import combine, contenders, representative, worth_trying
from german_whist.agents.search.world_search import Decision, WorldSearcher
from german_whist.game.cards import NUM_ACTIONS, NUM_CARDS, cards_of
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.state import STATE
from german_whist.game.utils.backend import Array
from german_whist.game.utils.checks import check_int
from german_whist.simulator.decisions import Decisions
from german_whist.solver.search.transposition_table import RaceTranspositionTable, race_transposition_table

DEFAULT_WORLDS = 60  # worlds of ``mc``
# Play is searched in the last tricks of the foreplay alone; the coach searches every decision. In the time of 64 worlds
# in all thirteen tricks (51.2 % ± 0.7 against ``champion``), 160 worlds in the last five win 52.0 % ± 0.5.
SEARCHED_TRICKS = 5
MAX_WORLDS = 100_000
BOT_SD = 0.5  # the heuristic bot's: it is trusted less than a network
# A margin m counts TANH_SCALE * tanh(m / TANH_SCALE) tricks, and a win WIN_WEIGHT more. With 512 worlds, this gains
# 0.16 percentage points of chance to win per decision. Win weights of 2 and 8 gain as much.
TANH_SCALE = WIN_WEIGHT = 4.0
CERTAIN = 0.8  # tricks: actions that the policy values this much below its best are not tried, which saves time
# Actions whose gain is this many standard deviations below the best are dropped. That takes a third of the time, and
# changes 3 % of the choices.
DEVIATIONS = 1.5
# Typical standard deviations of the difference between two actions in one world, in tricks and in games won.
_TRICK_SD, _WIN_SD = 2.0, 0.3
_NO_MARGIN = 1e-9  # a tanh_scale that squashes every margin to nothing: only who wins counts


class Scratch(NamedTuple):
    """Scratch memory of one thread.

    Attributes:
        network: the network of the rollouts.
        states: a state per view of the network and one more, ``STATE`` array (VIEWS + 1,).
        tries: the world and the action of each state, int64[VIEWS, 2].
        blinds: scratch memory of sampled worlds, int8[52].
        replays: scratch memory for deals that are replayed.
        transpositions: transposition tables for endgames.
    """

    network: RowNetwork
    states: npt.NDArray[Any]
    tries: npt.NDArray[np.int64]
    blinds: npt.NDArray[np.int8]
    replays: ReplayScratch
    transpositions: RaceTranspositionTable

    @classmethod
    def for_rules(cls, rollouts: Checkpoint | None, rules: Rules) -> Scratch:
        """Return scratch memory for rollouts by a checkpoint's network, or by the heuristic bot."""
        states, tries = np.zeros(VIEWS + 1, STATE), np.zeros((VIEWS, 2), np.int64)
        network, blinds = RowNetwork.for_rules(rollouts, rules), np.empty(NUM_CARDS, np.int8)
        return cls(network, states, tries, blinds, ReplayScratch.create(), race_transposition_table())


class Measure(NamedTuple):
    """A measure by which actions are compared.

    Attributes:
        unit: value, in this measure, of one trick of a policy's advantage.
        scales: the argument ``scales`` of ``combine``, float64[4].
    """

    unit: float
    scales: npt.NDArray[np.float64]


def measures_of(prior_sd: float) -> tuple[Measure, Measure, Measure]:
    """Return three measures: the utility that a search maximises, the margin, and the chance to win."""
    selection = np.array([prior_sd, _TRICK_SD + WIN_WEIGHT / 4, TANH_SCALE, WIN_WEIGHT])
    margin = np.array([prior_sd, _TRICK_SD, 0.0, 0.0])
    win = np.array([WIN_PER_TRICK * prior_sd, _WIN_SD, _NO_MARGIN, 0.5])
    return Measure(1.0, selection), Measure(1.0, margin), Measure(WIN_PER_TRICK, win)


_FIRST_STAGE = 16  # worlds before the first action may be dropped
_HEURISTIC_ADVANTAGE = -0.3  # assumed advantage, in tricks, of actions that the heuristic bot does not choose


class SearchAgent(WorldSearcher[Scratch]):
    """Plays a policy improved by lookahead in sampled worlds.

    Unless the search is flat, another agent is expected to play the endgame (``ExactEndgame``).

    Attributes:
        name: the agent's name.
        policy: the agent that is improved: a network, or the heuristic bot.
        rules: the rules of the game that the agent plays.
        worlds: number of worlds in which actions are tried.
        uses_histories: whether the agent reads event histories; a flat search does not.
    """

    def __init__(
        self,
        policy: Agent,
        rules: Rules,
        worlds: int,
        rollouts: Checkpoint | None = None,
        name: str = "search",
        *,
        threads: int = 0,
        flat: bool = False,
    ) -> None:
        """Set the policies.

        Args:
            policy: the agent to improve.
            rules: the rules of the game.
            worlds: number of worlds in which actions are tried, 1 to 100,000.
            rollouts: the network of the rollouts and of the opponent model; without one, the heuristic bot takes its
                place.
            name: the agent's name.
            threads: number of threads; 0 for all CPU cores. Choices do not depend on it.
            flat: whether the search is flat Monte Carlo: worlds are drawn uniformly from all that the view allows,
                every action is tried in all of them, and the best mean margin is played; the policy breaks ties.

        Raises:
            ValueError: when a number is not allowed, or the endgame of these rules is not open and the search not flat.
        """
        super().__init__(name, rules, threads)
        self.worlds = check_int("worlds" if flat else "search", worlds, 1, MAX_WORLDS)
        if not flat:
            check_open_endgame(name, rules)
        self.policy, self.uses_histories = policy, not flat
        self.evaluates = policy.evaluates & {VALUES} | {ACTION_VALUES}
        prior_sd = np.inf if flat else NETWORK_SD if isinstance(policy, PolicyAgent) else BOT_SD
        self._selection, self._margin, self._win = measures_of(prior_sd)
        if flat:
            self._selection = self._margin
        self._flat, self._rollouts = flat, rollouts
        self._largest_stock = np.inf if flat else 2 * SEARCHED_TRICKS
        self._belief = BeliefSettings.create(worlds, has_network=rollouts is not None)

    @classmethod
    def flat(cls, worlds: int = DEFAULT_WORLDS, *, threads: int = 0, rules: str | Rules = "classic") -> SearchAgent:
        """Return ``mc:worlds=N``: flat Monte Carlo with rollouts of the heuristic bot, for any game."""
        bot, name = RuleBot("heuristic", choose), f"mc:worlds={worlds}"
        return cls(bot, get_rules(rules), worlds, name=name, threads=threads, flat=True)

    @property
    def prior(self) -> PolicyAgent | None:
        """The network agent that is improved; ``None`` for the heuristic bot."""
        return self.policy.prior

    def new_scratch(self) -> Scratch:
        """Return scratch memory for a thread."""
        return Scratch.for_rules(self._rollouts, self.rules)

    def act(self, decisions: Decisions) -> Array:
        """Return one action per decision, int64[n]; one random key is drawn for each.

        Without histories, worlds are drawn uniformly from the hands that agree with the view.

        Raises:
            ValueError: when no deal agrees with a view or history.
        """
        actions, _ = self.search(decisions.on_host(), largest_stock=self._largest_stock)
        found: Array = decisions.backend.array(actions)
        return found

    def search(
        self,
        decisions: Decisions,
        values: npt.NDArray[np.float64] | None = None,
        largest_stock: float = np.inf,
    ) -> tuple[Actions, npt.NDArray[np.float64]]:
        """Return the actions, int64[n], and the estimated gain of each action over the policy's.

        Gains are float64[n, 54], NaN for actions that were not tried: in margin for a flat search, else in squashed
        margin (``TANH_SCALE``), plus ``WIN_WEIGHT`` for a win and minus it for a loss. Errors as for :meth:`act`.

        Args:
            decisions: n decisions on the host.
            values: float64[4, n, 54], written for distinct actions: the arrays of :class:`ActionValues`; ``None`` if
                they are not wanted.
            largest_stock: where the stock is larger, the policy's action is returned.
        """
        actions, advantages = self._policy_advantages(decisions)
        searched = decisions.views["stock"] <= largest_stock
        gains = np.full((len(decisions), NUM_ACTIONS), np.nan)
        histories: Any = decisions.histories if self.uses_histories and decisions.has_histories else None

        def search(decision: Decision) -> None:
            row = decision.row
            if not searched[row]:
                return
            history = None if histories is None else (histories[0][row], int(histories[1][row]))
            written = None if values is None else values[:, row]
            actions[row] = self._search(decision, history, int(actions[row]), advantages[row], gains[row], written)

        self.search_each(decisions, search)
        return actions, gains

    def evaluate(self, decisions: Decisions, *fields: Field) -> Evaluation:
        """Return the values of the policy that is improved, and the gain of every action in margin and chance to win.

        Every distinct action is tried in all worlds, which takes longer than :meth:`search`, with the same choices.
        """
        decisions = decisions.on_host()
        values = self.policy.evaluate(decisions, VALUES).values if VALUES in fields else None
        return Evaluation(values=values, action_values=self._values(decisions) if ACTION_VALUES in fields else None)

    def _values(self, decisions: Decisions) -> ActionValues:
        values = np.full((4, len(decisions), NUM_ACTIONS), np.nan)
        actions, _ = self.search(decisions, values)
        for row, view in enumerate(decisions.views):
            distinct, tried = int(distinct_actions(view)), 0
            for action in cards_of(int(view["legal"])):  # ascending: equivalent actions follow the one that is tried
                tried = action if distinct >> action & 1 else tried
                values[:, row, action] = np.nan_to_num(values[:, row, tried])  # without a choice nothing is tried
        return ActionValues(actions, *values)

    def _policy_advantages(self, decisions: Decisions) -> tuple[Actions, npt.NDArray[np.float64]]:
        """Return the policy's actions and the advantages of all actions, float64[n, 54]."""
        actions = np.asarray(self.policy.act(decisions), np.int64)
        known = self.policy.evaluate(decisions, ACTION_VALUES).action_values
        if known is not None:
            return actions, np.where(np.isnan(known.margin_gains), -np.inf, known.margin_gains)
        advantages = np.full((len(decisions), NUM_ACTIONS), _HEURISTIC_ADVANTAGE)
        advantages[np.arange(len(decisions)), actions] = 0.0
        return actions, advantages

    def _search(
        self,
        decision: Decision,
        history: History | None,
        preferred: int,
        advantages: npt.NDArray[np.float64],
        gains: npt.NDArray[np.float64],
        values: npt.NDArray[np.float64] | None,
    ) -> int:
        """Return the action for one view, and write ``gains``, float64[54], and ``values``, float64[4, 54]."""
        views, key, flat = decision.views, decision.key, self._flat
        # Only the lowest of equivalent actions is tried; the policy may prefer another one of them.
        distinct = distinct_actions(views[0])
        stands_for = representative(distinct, preferred)
        advantages[stands_for] = advantages[preferred]
        tried = distinct if flat else worth_trying(distinct, stands_for, advantages, -CERTAIN)
        if _is_single(distinct if values is not None else tried):
            return preferred
        count = 1 if flat and is_all_known(self.rules.record[0], views[0]) else self.worlds
        worlds = sample_worlds(self.rules, views, history, key, count, self._belief, decision.run)
        margins = np.zeros((count, NUM_ACTIONS), np.float32)
        sds = np.empty(NUM_ACTIONS)

        def try_actions(actions: np.uint64, start: int, last: int) -> None:
            def try_part(first: int, end: int, scratch: Scratch) -> None:
                try_worlds(
                    self.rules.record,
                    views,
                    worlds.hands,
                    worlds.models,
                    actions,
                    key,
                    start + first,
                    start + end,
                    scratch.network,
                    (scratch.states, scratch.tries, scratch.blinds),
                    decision.tablebase,
                    scratch.transpositions,
                    margins,
                )

            decision.run(try_part, last - start)

        best, done = stands_for, 0
        dropped: list[tuple[np.uint64, int]] = [(distinct ^ tried, 0)]
        for last in [count] if flat else stages(count):
            if _is_single(tried):
                break
            try_actions(tried, done, last)
            done = last
            # Resampled worlds repeat deals: the variances of drawing worlds and of the deals' weights add up.
            size = 1.0 / (1.0 / done + 1.0 / worlds.size)
            best = combine(margins, done, size, tried, stands_for, advantages, self._selection.scales, gains, sds)
            kept = contenders(tried, stands_for, best, gains, sds, DEVIATIONS)
            dropped.append((tried ^ kept, done))
            tried = kept
        if values is not None:
            # Try dropped actions in the worlds that they missed.
            for actions, start in (*dropped, (tried, done)):
                if actions and start < count:
                    try_actions(actions, start, count)
            size = 1.0 / (1.0 / count + 1.0 / worlds.size)
            for (unit, scales), (means, sds) in zip((self._margin, self._win), (values[:2], values[2:]), strict=True):
                combine(margins, count, size, distinct, best, advantages * unit, scales, means, sds)
        return preferred if best == stands_for else int(best)


def _is_single(actions: int) -> bool:
    return not actions & (actions - 1)


def stages(worlds: int) -> list[int]:
    """Return the numbers of worlds after which clearly worse actions are dropped: 16, 32, …; the last is ``worlds``."""
    numbers = [_FIRST_STAGE]
    while numbers[-1] < worlds:
        numbers.append(2 * numbers[-1])
    return [*numbers[:-1], worlds]

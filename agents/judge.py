"""Values of all actions of a decision given what its seat knows, and a judgement of the action that was chosen.

- Where the opponent's hand is known, the endgame solver gives the exact result of each action.
- Elsewhere a judge, which is a search or a network, estimates how the actions differ in margin and in chance to win. In
  games with an open endgame the judge is the strongest agent, ``champion`` with search: it tries actions in worlds
  weighted by how the opponent has played (``agents/search``). It puts winning the deal before the number of tricks, so
  that its choice need not be the action that takes the most tricks. All actions are tried in the same worlds, which
  gives the standard errors of their differences.
- A judge gives differences only. Their level comes from the judge's value network or, if it has none, from the mean of
  the rollouts. The rollouts also give the spread of the margins, which turns margins into chances to win.
- Without a judge everything comes from rollouts. Their worlds are sampled uniformly from those that the view allows.
  Every action is tried in the same worlds; the heuristic bot plays both seats to the end of the foreplay, each by its
  own view, and the endgame gets its exact value (``mc`` does the same, but for the mean alone).

The random numbers of a decision depend on the seed and the seat's hand alone, so a hint and a review of the same
decision agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import RuleBot
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.endgame.open_hands import exact_margins, opponent_hand_known
from german_whist.agents.inference.sampling import sample_states
from german_whist.agents.policy.agent import estimated_advantages
from german_whist.agents.pretrained import CHAMPION
from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import WIN_PER_TRICK
from german_whist.agents.search.rollout_kernels import distinct_actions
from german_whist.agents.search.settings import NETWORK_SD
from german_whist.envs.agent import Agent, Histories, Views, agent_name
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import NUM_ACTIONS, cards_of
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import ENDGAME, FOREPLAY
from german_whist.envs.simulator.batch import DealBatch
from german_whist.solver.exact_endgame import has_open_endgame

WORLDS = 256  # per hint, and per decision of a review: a hint takes less than a second on one core
ROLLOUTS = "rollouts"  # name of the judge where there is no network
BANDWIDTH = 0.7  # in margin: of the kernel that smooths its distribution, which all actions share up to a shift

_SHIFTS, _HALVINGS = 30.0, 24  # bisection for the shift that reproduces a value network's chance to win
_SURE = 0.001  # a value network's chance to win is clipped to this distance from 0 and 1

Row = npt.NDArray[np.float64]
Number = TypeVar("Number", float, Row)
Label = Literal["best", "good", "inaccuracy", "mistake", "blunder"]

SURE = 2.0  # standard errors that a difference must exceed before an action is criticised for it
SAME, SAME_WIN = 0.05, 0.01  # differences in tricks and in chance to win below which two actions are equally good

# The least loss, in tricks or in chance to win, that gets each label.
LEAST: dict[Label, tuple[float, float]] = {
    "blunder": (1.5, 0.15),
    "mistake": (0.75, 0.06),
    "inaccuracy": (0.3, 0.02),
}
AVERAGE = 30.0  # accuracy in per cent of a player who gives away as much as uniformly random legal cards


class Advice(NamedTuple):
    """The value of each legal action of one decision.

    Attributes:
        actions: the legal actions, the judge's choice first, the others from the best expected result to the worst.
        tricks: expected counted tricks of the seat after each action; in low games fewer are better.
        opponent_tricks: expected counted tricks of the opponent.
        lost: tricks that each action loses against the first; negative where it takes more.
        lost_errors: standard errors of these differences; 0 where they are exact.
        wins: chance to win the deal after each action, a draw counting half.
        win_errors: standard errors of the differences in ``wins`` from the first action.
        trick: chance to win the current trick; NaN where the action is not a card from the hand.
        exact: whether the values are exact results.
        judge: the source of the values: an agent's specification, ``exact`` or ``rollouts``.
    """

    actions: tuple[int, ...]
    tricks: tuple[float, ...]
    opponent_tricks: tuple[float, ...]
    lost: tuple[float, ...]
    lost_errors: tuple[float, ...]
    wins: tuple[float, ...]
    win_errors: tuple[float, ...]
    trick: tuple[float, ...]
    exact: bool
    judge: str


def advise(
    views: Views,
    rules: Rules,
    worlds: int = WORLDS,
    seed: int = 0,
    histories: Histories | None = None,
    judge: Agent | None = None,
) -> list[Advice]:
    """Return the value of each legal action of n decisions, one ``Advice`` per view.

    Args:
        views: the views of the seats to act, ``VIEW`` array of shape (n,).
        rules: the rules of all these deals.
        worlds: number of worlds sampled for each decision.
        seed: seed of the sampling.
        histories: event histories of these views: tokens int8[n, events, 4], and numbers of events, int16[n]. Without
            them a search takes all worlds as equally likely.
        judge: an agent that searches or has a network of action values; by default the strongest one for the game.

    Raises:
        ValueError: when no deal agrees with a view or a history.
    """
    known = opponent_hand_known(views)
    found: dict[int, Advice] = {}
    for row, exact in zip(np.flatnonzero(known), _exact(views[known], rules), strict=True):
        found[int(row)] = exact
    hidden = np.flatnonzero(~known)
    part = None if histories is None else (histories[0][hidden], histories[1][hidden])
    for row, estimate in zip(hidden, _estimates(views[hidden], rules, worlds, seed, part, judge), strict=True):
        found[int(row)] = estimate
    return [found[row] for row in range(len(views))]


class Values(NamedTuple):
    """Values of the actions of one decision, float64[actions] each.

    Attributes:
        margins: expected margins in tricks.
        wins: chances to win the deal.
        trick: chances to win the current trick.
        margin_errors: standard errors of the differences in margin from the choice.
        win_errors: standard errors of the differences in chance to win from the choice.
    """

    margins: Row
    wins: Row
    trick: Row
    margin_errors: Row
    win_errors: Row


def _advice(
    actions: Sequence[int],
    values: Values,
    scores: tuple[Row, Row],
    rules: Rules,
    judge: str,
    best: int,
    preferred: Row | None = None,
) -> Advice:
    """Return the advice of one decision.

    Args:
        actions: the legal actions.
        values: their values.
        scores: expected counted tricks of the seat and of its opponent, float64[actions] each.
        rules: the rules.
        judge: the source of the values.
        best: index of the judge's choice.
        preferred: breaks ties between actions of the same value, more being better; float64[actions].
    """
    lost = tricks_lost(values.margins[best] - values.margins, values.wins[best] - values.wins, rules)
    errors = tricks_lost(values.margin_errors, np.zeros(len(actions)), rules)
    ties = np.zeros(len(actions)) if preferred is None else preferred
    order = sorted(range(len(actions)), key=lambda place: (place != best, lost[place], -ties[place], actions[place]))

    def sort(column: Row) -> tuple[float, ...]:
        return tuple(float(column[place]) for place in order)

    return Advice(
        actions=tuple(actions[place] for place in order),
        tricks=sort(scores[0]),
        opponent_tricks=sort(scores[1]),
        lost=sort(lost),
        lost_errors=sort(errors),
        wins=sort(values.wins),
        win_errors=sort(values.win_errors),
        trick=sort(values.trick),
        exact=judge == EXACT,
        judge=judge,
    )


def _exact(views: Views, rules: Rules) -> list[Advice]:
    if not len(views):
        return []
    margins = exact_margins(views).astype(np.float64)
    found = []
    for view, row in zip(views, margins, strict=True):
        actions = list(cards_of(int(view["legal"])))
        none = np.zeros(len(actions))
        values = Values(row[actions], (np.sign(row[actions]) + 1) / 2, none * np.nan, none, none)
        scores = _scores(values.margins, rules, low=bool(view["low"]), counted=_counted(view))
        found.append(_advice(actions, values, scores, rules, EXACT, int(values.margins.argmax())))
    return found


def _counted(view: Any) -> int:
    """Return how many tricks count in an endgame, taken or to come.

    A position from outside may leave out the tricks before it, so this is not always ``rules.counted``.
    """
    foreplay, endgame = view["tricks_self"].astype(np.int64) + view["tricks_opponent"]
    return int(foreplay * view["all_count"] + endgame) + int(view["hand"]).bit_count()


def _scores(margins: Row, rules: Rules, *, low: bool, counted: int | None = None) -> tuple[Row, Row]:
    """Return the counted tricks of the seat and of its opponent that go with margins."""
    own, theirs = (tricks_taken(one, rules, low=low, counted=counted) for one in (margins, -margins))
    return own, theirs


def _estimates(
    views: Views, rules: Rules, worlds: int, seed: int, histories: Histories | None, judge: Agent | None
) -> list[Advice]:
    if not len(views):
        return []
    choices = [list(cards_of(int(view["legal"]))) for view in views]
    rollouts = roll_out(views, choices, rules, worlds, seed)
    agent = judge_of(rules, worlds) if judge is None else judge
    lows = views["low"].astype(np.bool_)
    if agent is None:
        return [
            _estimate(actions, _rollout_estimates(one), one, rules, low, ROLLOUTS)
            for actions, one, low in zip(choices, rollouts, lows, strict=True)
        ]
    name, network = agent_name(agent), agent.network
    estimates, expected = action_estimates(agent, views, seed, histories), agent.values(views)
    own = None if network is None else network.act(views, None)
    found = []
    for row, (actions, one) in enumerate(zip(choices, rollouts, strict=True)):
        columns = [column[row, actions] for column in estimates[1:]]
        estimate, level = Estimate(actions.index(int(estimates.best[row])), *columns), None
        if expected is not None and own is not None:  # the value network assumes that both seats play its own choices
            level = Level(actions.index(int(own[row])), float(expected.margin[row]), float(expected.win[row]))
        found.append(_estimate(actions, estimate, one, rules, lows[row], name, level))
    return found


class Level(NamedTuple):
    """A value network's estimate of a decision.

    Attributes:
        action: index of the action that it takes to be played.
        margin: the expected margin in tricks.
        win: the chance to win.
    """

    action: int
    margin: float
    win: float


class Estimate(NamedTuple):
    """A judge's estimates of the actions of one decision; arrays are float64[actions].

    Attributes:
        best: index of the judge's choice.
        margins: margins in tricks up to a constant.
        margin_errors: standard errors of the differences in margin from the choice.
        wins: chances to win up to a constant; NaN where they are to be derived from the margins.
        win_errors: standard errors of the differences in chance to win from the choice.
    """

    best: int
    margins: Row
    margin_errors: Row
    wins: Row
    win_errors: Row


def _rollout_estimates(rollouts: Rollouts) -> Estimate:
    """Return the estimates of rollouts alone; the choice is the action with the highest mean margin."""
    margins = rollouts.margins.mean(axis=1)
    best = int(margins.argmax())
    errors = [
        (values[best] - values).std(axis=1) / math.sqrt(values.shape[1])
        for values in (rollouts.margins, (np.sign(rollouts.margins) + 1) / 2)
    ]
    return Estimate(best, margins, errors[0], np.full(len(margins), np.nan), errors[1])


def _estimate(
    actions: Sequence[int],
    estimate: Estimate,
    rollouts: Rollouts,
    rules: Rules,
    low: bool,
    judge: str,
    level: Level | None = None,
) -> Advice:
    """Return the advice of one decision.

    Args:
        actions: the legal actions.
        estimate: the judge's estimates.
        rollouts: rollouts of the same decision, for the spread of the margins.
        rules: the rules.
        low: whether the endgame is played low.
        judge: the source of the estimates.
        level: a value network's estimate; without one, the mean of the rollouts sets the level.
    """
    gains = estimate.margins
    offset = rollouts.margins.mean() - gains.mean() if level is None else level.margin - gains[level.action]
    margins = gains + offset
    # Every action gets the deviations of all actions' rollouts: the actions then differ by their means, not by noise.
    spread = (rollouts.margins - margins[:, None]).ravel()
    spread += 0.0 if level is None else _shift(spread + level.margin, level.win)
    wins = np.array([_win(spread + margin) for margin in margins])
    if not np.isnan(estimate.wins).any():
        start = (wins - estimate.wins).mean() if level is None else level.win - estimate.wins[level.action]
        wins = np.clip(estimate.wins + start, 0.0, 1.0)
    if rules.race:  # there, the tricks of an expected margin are not the expected tricks
        races = [_scores(spread + margin, rules, low=False) for margin in margins]
        scores = np.array([own.mean() for own, _ in races]), np.array([theirs.mean() for _, theirs in races])
    else:
        scores = _scores(margins, rules, low=low)
    values = Values(margins, wins, rollouts.won.mean(axis=1), estimate.margin_errors, estimate.win_errors)
    return _advice(actions, values, scores, rules, judge, estimate.best, rollouts.margins.mean(axis=1))


def _shift(margins: Row, win: float) -> float:
    """Return the shift of samples of the margin, in tricks, that gives a chance to win (by bisection)."""
    win = min(max(win, _SURE), 1 - _SURE)
    low, high = -_SHIFTS, _SHIFTS
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _win(margins + middle) < win else (low, middle)
    return (low + high) / 2


def _win(margins: Row) -> float:
    """Return the chance to win, given samples of the margin: P(margin > 0) of a Gaussian kernel density estimate."""
    return float(_CDF(np.clip(margins / BANDWIDTH, -8, 8)).mean())


# The standard normal cumulative distribution function.
_CDF = np.vectorize(lambda value: 0.5 * math.erfc(-value / math.sqrt(2)), otypes=[np.float64])


class ActionEstimates(NamedTuple):
    """A judge's estimates of the actions of n decisions; NaN for actions that are not legal.

    Attributes:
        best: the judge's choices, int64[n].
        margins: margins in tricks up to a constant per decision, float64[n, 54].
        margin_errors: standard errors of the differences in margin from the choice, float64[n, 54].
        wins: chances to win the deal up to a constant, float64[n, 54]; NaN from a network that does not search.
        win_errors: standard errors of the differences in chance to win from the choice, float64[n, 54].
    """

    best: npt.NDArray[np.int64]
    margins: Row
    margin_errors: Row
    wins: Row
    win_errors: Row


@lru_cache
def judge_of(rules: Rules, worlds: int) -> Agent | None:
    """Return the strongest agent for a game; ``None`` if the game's endgame is hidden or too large to be solved.

    Args:
        rules: the rules.
        worlds: number of worlds in which it tries actions.
    """
    return make_agent(f"{CHAMPION}:search={worlds}", rules) if has_open_endgame(rules) else None


def action_estimates(agent: Agent, views: Views, seed: int, histories: Histories | None) -> ActionEstimates:
    """Return an agent's estimates of the actions of n decisions.

    Args:
        agent: an agent that searches or has a network.
        views: ``VIEW`` array of shape (n,), of decisions before an open endgame.
        seed: seed of the search.
        histories: event histories of these views; without them a search takes all worlds as equally likely.

    Raises:
        ValueError: when no deal agrees with a view or a history.
    """
    if agent.searcher is None:
        gains = np.full((len(views), NUM_ACTIONS), np.nan)
        known = estimated_advantages(agent.network, views)
        gains[:, : known.shape[1]] = np.where(np.isfinite(known), known, np.nan)
        unknown, error = np.full(gains.shape, np.nan), np.full(gains.shape, NETWORK_SD)
        return ActionEstimates(np.nanargmax(gains, axis=1), gains, error, unknown, error * WIN_PER_TRICK)
    found = agent.searcher.action_values(views, AgentRng(seed, views["hand"]), histories)
    columns = [np.full((len(views), NUM_ACTIONS), np.nan) for _ in range(4)]
    for row, view in enumerate(views):
        distinct, own = int(distinct_actions(view)), 0
        for action in cards_of(int(view["legal"])):  # ascending: a run of equivalent actions begins with its tried one
            own = action if distinct >> action & 1 else own
            for column, values in zip(columns, found[1:], strict=True):
                column[row, action] = np.nan_to_num(values[row, own])  # nothing is tried if all actions are equivalent
    return ActionEstimates(found.actions, *columns)


class Rollouts(NamedTuple):
    """The rollouts of one decision.

    Attributes:
        margins: final margins for the seat to act, float64[actions, worlds].
        won: 1 where the seat to act won the current trick, else 0, float64[actions, worlds]; NaN where the action is
            not a card from the hand.
    """

    margins: npt.NDArray[np.float64]
    won: npt.NDArray[np.float64]


def roll_out(views: Views, choices: Sequence[Sequence[int]], rules: Rules, worlds: int, seed: int) -> list[Rollouts]:
    """Play rollouts of the heuristic bot after each action of n decisions, every action in the same worlds.

    Args:
        views: ``VIEW`` array of shape (n,), each of a seat to act.
        choices: the actions to try in each decision.
        rules: the rules of all these deals.
        worlds: number of worlds for each decision.
        seed: seed of the sampling.

    Raises:
        ValueError: when no opponent hand is consistent with a view.
    """
    states: list[Any] = []
    for row, view in enumerate(views):
        rng = np.random.default_rng((seed, int(view["hand"])))
        sampled = sample_states(view, rules, count=worlds, rng=rng).states
        states += [sampled] * len(choices[row])
    sizes = [len(actions) * worlds for actions in choices]
    batch = DealBatch(rules, sum(sizes), endgame=EXACT if has_open_endgame(rules) else PLAYED)
    batch.states[:] = np.concatenate(states)
    stage = np.repeat([FOREPLAY if view["stock"] else ENDGAME for view in views], sizes)
    every = np.arange(batch.size)
    before = batch.states["tricks"][every, stage]
    won = np.full(batch.size, np.nan)
    plays = np.repeat([not view["choice"] for view in views], sizes)
    batch.step(np.concatenate([np.repeat(actions, worlds) for actions in choices]))
    bot = RuleBot("heuristic", choose)
    while True:
        taken = batch.states["tricks"][every, stage] - before
        first = plays & np.isnan(won) & (taken.sum(axis=1) == 1)
        won[first] = taken[first, 0]
        playing = np.flatnonzero(~batch.done)
        if not len(playing):
            break
        batch.step(bot.act(batch.views(playing)), playing)
    margins = batch.returns("margin")[:, 0].astype(np.float64)  # the seat to act is seat 0 in sampled states
    ends = np.cumsum(sizes)[:-1]
    shapes = [(len(actions), worlds) for actions in choices]
    parts = zip(np.split(margins, ends), np.split(won, ends), shapes, strict=True)
    return [Rollouts(margin.reshape(shape), trick.reshape(shape)) for margin, trick, shape in parts]


def tricks_taken(margin: Number, rules: Rules, *, low: bool = False, counted: int | None = None) -> Number:
    """Return the counted tricks that a seat takes, given its margin.

    Args:
        margin: margin of a finished deal, or an array of margins; except in a race, expected margins will do.
        rules: the rules.
        low: whether the endgame is played low.
        counted: number of tricks that count; by default that of a whole deal.
    """
    if rules.race:  # the winner takes exactly as many as it needs
        return rules.race + (margin - abs(margin)) / 2
    return ((rules.counted if counted is None else counted) + (-margin if low else margin)) / 2


def tricks_lost(margin: Number, win: Number, rules: Rules) -> Number:
    """Convert a loss of margin into tricks.

    One lost trick changes the margin by two. In a race it changes it by one only, because the remaining tricks are not
    played; the trick that decides who wins is the exception.

    Args:
        margin: the loss of expected margin, or an array of losses.
        win: the loss of chance to win, likewise.
        rules: the rules.
    """
    return margin - win if rules.race else margin / 2


class Judgement(NamedTuple):
    """The judgement of an action.

    Attributes:
        label: how good the action is.
        tricks: tricks given away.
        win: chance to win given away.
    """

    label: Label
    tricks: float
    win: float

    @property
    def is_criticised(self) -> bool:
        """Whether another action would have been better, by a significant and relevant amount."""
        return self.label in LEAST


def judge_action(advice: Advice, action: int) -> Judgement:
    """Return the judgement of an action; one that wins more often than the judge's choice gives nothing away.

    Raises:
        ValueError: when the action is not legal.
    """
    place = advice.actions.index(action)
    lost, win = advice.lost[place], advice.wins[0] - advice.wins[place]
    tricks = max(0.0, lost) if win >= 0 else 0.0
    if not place or (lost <= 0 <= win if advice.exact else lost < SAME and win < SAME_WIN):
        return Judgement("best", tricks, max(0.0, win))
    if win < 0:
        return Judgement("good", 0.0, 0.0)
    sure_tricks = tricks if tricks > SURE * advice.lost_errors[place] else 0.0
    sure_win = win if win > SURE * advice.win_errors[place] else 0.0
    for label, (least_tricks, least_win) in LEAST.items():
        if sure_tricks >= least_tricks or sure_win >= least_win:
            return Judgement(label, tricks, win)
    return Judgement("good", tricks, win)


def at_stake(advice: Advice) -> float:
    """Return the tricks at stake in a decision: what a uniformly random legal action is expected to give away."""
    return max(0.0, sum(advice.lost) / len(advice.lost))


def accuracy_of(given_away: float, at_stake: float) -> float | None:
    """Return the accuracy of some decisions in per cent, 0 to 100; ``None`` where nothing was at stake.

    Args:
        given_away: tricks that the decisions gave away, summed.
        at_stake: tricks that were at stake in them, summed.
    """
    if at_stake <= 0:
        return None
    return round(max(0.0, 100 - (100 - AVERAGE) * given_away / at_stake), 1)

"""Action values of a decision from its seat's view, and the judgement of a chosen action.

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
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.asking import play
from german_whist.agents.base import ACTION_VALUES, VALUES, Agent, agent_name
from german_whist.agents.bots.base import RuleBot
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.endgame.open_hands import exact_margins, opponent_hand_known
from german_whist.agents.inference.sampling import check_consistent, sample_states
from german_whist.agents.judge_kernels import (
    BANDWIDTH,
    HALVINGS,
    JUDGE_SCRATCH,
    JUDGEMENT,
    LEAST_CHANCE,
    SHIFTS,
    judge_by_network,
)
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.policy.network.forward import forward
from german_whist.agents.pretrained import CHAMPION, rounded_network
from german_whist.agents.registry import make_agent
from german_whist.game.agent_rng import AgentRng
from german_whist.game.cards import cards_of
from german_whist.game.endgame_setting import EXACT, PLAYED
from german_whist.game.rules import Rules
from german_whist.game.state import ENDGAME, FOREPLAY
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.episodes import Episodes
from german_whist.simulator.observation.views import Views
from german_whist.solver.exact_endgame import can_solve_endgame
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.cache import open_tablebase

WORLDS = 256  # worlds of a hint, or of a decision in a review: a hint takes less than a second on one core
ROLLOUTS = "rollouts"  # name of the judge where there is no network
NETWORK = "network"  # name of the judge of the page: the rounded `champion` without a search

Row = npt.NDArray[np.float64]
Label = Literal["best", "good", "inaccuracy", "mistake", "blunder"]

SURE = 2.0  # standard errors that a difference must exceed before an action is criticised for it
SAME, SAME_WIN = 0.05, 0.01  # differences in tricks and in chance to win below which two actions are equally good

# The least loss, in tricks or in chance to win, that gets each label.
LEAST: dict[Label, tuple[float, float]] = {
    "blunder": (1.5, 0.15),
    "mistake": (0.75, 0.06),
    "inaccuracy": (0.3, 0.02),
}


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
        trick: chance to win the current trick; NaN in open endgames, and where the action is not a card from the hand.
        exact: whether the values are exact results.
        judge: the source of the values: an agent's name, ``network``, ``exact`` or ``rollouts``.
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


def advise(decisions: Decisions, worlds: int = WORLDS, seed: int = 0, judge: Agent | str | None = None) -> list[Advice]:
    """Return the value of each legal action of n decisions, one ``Advice`` each.

    Args:
        decisions: the decisions; their random numbers are not used. Without histories a search takes all worlds as
            equally likely.
        worlds: number of worlds sampled for each decision.
        seed: seed of the sampling.
        judge: an agent that knows action values; by default the strongest one for the game. ``"network"`` is the judge
            of the page without a server, whose worlds depend on the hand alone.

    Raises:
        ValueError: when no deal agrees with a view or a history, or the judge knows no action values.
    """
    if isinstance(judge, str) and judge != NETWORK:
        raise ValueError(f"judge must be an agent or {NETWORK!r}, got {judge!r}")
    views, rules = decisions.views, decisions.rules
    known = opponent_hand_known(views)
    found: dict[int, Advice] = {}
    open_rows, hidden = np.flatnonzero(known), np.flatnonzero(~known)
    if len(open_rows):
        margins = exact_margins(views[open_rows]).astype(np.float64)
        found |= {int(row): _exact(views[row], values, rules) for row, values in zip(open_rows, margins, strict=True)}
    if len(hidden):
        rest = decisions[hidden]
        if isinstance(judge, str):
            estimates = _by_network(rest, worlds) if can_solve_endgame(rules) else _estimates(rest, worlds, seed, None)
        else:
            estimates = _estimates(rest, worlds, seed, judge)
        found |= zip(hidden.tolist(), estimates, strict=True)
    return [found[row] for row in range(len(views))]


class Estimate(NamedTuple):
    """Values of the actions of one decision, arrays float64[actions].

    Attributes:
        best: index of the judge's choice.
        margins: margins in tricks, up to a constant.
        margin_errors: standard errors of the differences in margin from the choice.
        wins: chances to win, up to a constant; NaN where they are to be derived from the margins.
        win_errors: standard errors of the differences in chance to win from the choice.
    """

    best: int
    margins: Row
    margin_errors: Row
    wins: Row
    win_errors: Row


class ValueEstimate(NamedTuple):
    """What a value network says of one decision; see ``StateValues``.

    Attributes:
        action: index of the action that it takes to be played.
        margin: the expected margin in tricks.
        win: the chance to win.
    """

    action: int
    margin: float
    win: float


def _advice(
    actions: Sequence[int], values: Estimate, scores: tuple[Row, Row], trick: Row, ties: Row, rules: Rules, judge: str
) -> Advice:
    """Return the advice of one decision.

    Args:
        actions: the legal actions.
        values: their margins and chances to win, without an unknown constant.
        scores: expected counted tricks of the seat and of its opponent, float64[actions] each.
        trick: chances to win the current trick.
        ties: breaks ties between actions of the same value, more being better; float64[actions].
        rules: the rules.
        judge: the source of the values.
    """
    best, margins, margin_errors, wins, win_errors = values
    if judge == EXACT:  # also right in a race that nobody wins; expected scores do not say it
        lost = np.maximum(*(np.abs(tricks - tricks[best]) for tricks in scores))
    else:
        lost = _tricks_lost(margins[best] - margins, wins[best] - wins, rules)
    errors = _tricks_lost(margin_errors, np.zeros(len(actions)), rules)
    order = sorted(range(len(actions)), key=lambda i: (i != best, lost[i], -ties[i], actions[i]))

    def in_order(column: Row) -> tuple[float, ...]:
        return tuple(column[order].tolist())

    return Advice(
        actions=tuple(actions[i] for i in order),
        tricks=in_order(scores[0]),
        opponent_tricks=in_order(scores[1]),
        lost=in_order(lost),
        lost_errors=in_order(errors),
        wins=in_order(wins),
        win_errors=in_order(win_errors),
        trick=in_order(trick),
        exact=judge == EXACT,
        judge=judge,
    )


def _exact(view: Any, margins: Row, rules: Rules) -> Advice:
    """Return the exact advice of a decision in an open endgame from the margin of each card, float64[52]."""
    actions = list(cards_of(int(view["legal"])))
    margins, none = margins[actions], np.zeros(len(actions))
    values = Estimate(int(margins.argmax()), margins, none, (np.sign(margins) + 1) / 2, none)
    # A position from outside may leave out the tricks before it, so the tricks that count are not ``rules.counted``.
    foreplay, endgame = view["tricks_self"].astype(np.int64) + view["tricks_opponent"]
    counted = int(foreplay * view["all_count"] + endgame) + int(view["hand"]).bit_count()
    scores = _tricks(margins, rules, low=bool(view["low"]), counted=counted)
    return _advice(actions, values, scores, np.full(len(actions), np.nan), none, rules, EXACT)


def _estimates(decisions: Decisions, worlds: int, seed: int, judge: Agent | None) -> list[Advice]:
    """Return the advice of decisions with hidden cards; arguments and errors as for :func:`advise`."""
    views, rules = decisions.views, decisions.rules
    candidates = [list(cards_of(int(view["legal"]))) for view in views]
    rollouts = roll_out(views, candidates, rules, worlds, seed)
    agent = judge_of(rules, worlds) if judge is None else judge
    lows = views["low"].astype(np.bool_)
    if agent is None:
        return [
            _estimate(actions, _rollout_estimate(one), one, rules, low, ROLLOUTS)
            for actions, one, low in zip(candidates, rollouts, lows, strict=True)
        ]
    histories = decisions.histories if decisions.has_histories else None
    asked = Decisions(views, rules, AgentRng(seed, views["hand"]), histories)
    known = agent.evaluate(asked, VALUES, ACTION_VALUES)
    if known.action_values is None:
        raise ValueError(f"judge must be an agent that knows action values, got {agent_name(agent)!r}")
    found = []
    for row, (actions, one) in enumerate(zip(candidates, rollouts, strict=True)):
        best, *columns = (column[row] for column in known.action_values)
        estimate, level = Estimate(actions.index(int(best)), *(column[actions] for column in columns)), None
        if known.values is not None:
            action, margin, win = (column[row] for column in known.values)
            level = ValueEstimate(actions.index(int(action)), float(margin), float(win))
        found.append(_estimate(actions, estimate, one, rules, lows[row], agent_name(agent), level))
    return found


def _by_network(decisions: Decisions, worlds: int) -> list[Advice]:
    """Return the advice of the judge ``network`` about decisions with hidden cards."""
    check_consistent(decisions.views, decisions.rules)
    rules, checkpoint = decisions.rules, rounded_network(CHAMPION)
    known = PolicyAgent(checkpoint, rules=rules).evaluate(decisions, ACTION_VALUES).action_values
    assert known is not None
    assert checkpoint.packed_value is not None
    inputs = network_inputs(decisions.canonical(checkpoint.ranks).views, rules, checkpoint.inputs)
    values = forward(checkpoint.packed_value, inputs).astype(np.float64)
    judgement, scratch = np.zeros(1, JUDGEMENT), np.zeros(1, JUDGE_SCRATCH)
    found = []
    for row, view in enumerate(decisions.views):
        tablebase = open_tablebase(bool(view["trump"] >= 0), bool(view["low"]))
        margin, win_logit = values[row]
        asked = rules.record[0], view, known.margin_gains[row], True, margin, win_logit, np.int64(worlds)
        judge_by_network(*asked, tablebase, race_transposition_table(), scratch[0], judgement[0])
        actions = list(cards_of(int(view["legal"])))
        of_actions = {name: judgement[0][name][actions].copy() for name in JUDGEMENT.names or ()}
        errors, win_errors = known.margin_sds[row, actions], known.win_sds[row, actions]
        best = actions.index(int(known.actions[row]))
        estimate = Estimate(best, of_actions["margins"], errors, of_actions["wins"], win_errors)
        scores, none = (of_actions["own"], of_actions["other"]), np.zeros(len(actions))
        found.append(_advice(actions, estimate, scores, of_actions["trick"], none, rules, NETWORK))
    return found


def _rollout_estimate(rollouts: Rollouts) -> Estimate:
    """Return the estimate of rollouts alone; the choice is the action with the highest mean margin."""
    margins = rollouts.margins.mean(axis=1)
    best = int(margins.argmax())
    errors, win_errors = (
        (values[best] - values).std(axis=1) / math.sqrt(values.shape[1])
        for values in (rollouts.margins, (np.sign(rollouts.margins) + 1) / 2)
    )
    return Estimate(best, margins, errors, np.full(len(margins), np.nan), win_errors)


def _estimate(
    actions: Sequence[int],
    estimate: Estimate,
    rollouts: Rollouts,
    rules: Rules,
    low: bool,
    judge: str,
    level: ValueEstimate | None = None,
) -> Advice:
    """Return the advice of one decision.

    Args:
        actions: the legal actions.
        estimate: the judge's estimate.
        rollouts: rollouts of the same decision, for the spread of the margins.
        rules: the rules.
        low: whether the endgame is played low.
        judge: the source of the estimate.
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
        races = [_tricks(spread + margin, rules, low=False) for margin in margins]
        scores = np.array([own.mean() for own, _ in races]), np.array([theirs.mean() for _, theirs in races])
    else:
        scores = _tricks(margins, rules, low=low)
    values = estimate._replace(margins=margins, wins=wins)
    return _advice(actions, values, scores, rollouts.won.mean(axis=1), rollouts.margins.mean(axis=1), rules, judge)


def _shift(margins: Row, win: float) -> float:
    """Return the shift of samples of the margin, in tricks, that gives a chance to win (by bisection)."""
    win = min(max(win, LEAST_CHANCE), 1 - LEAST_CHANCE)
    low, high = -SHIFTS, SHIFTS
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _win(margins + middle) < win else (low, middle)
    return (low + high) / 2


def _win(margins: Row) -> float:
    """Return the chance to win from samples of the margin: P(margin > 0) of a Gaussian kernel density estimate."""
    return float(_CDF(np.clip(margins / BANDWIDTH, -8, 8)).mean())


# The standard normal cumulative distribution function.
_CDF = np.vectorize(lambda value: 0.5 * math.erfc(-value / math.sqrt(2)), otypes=[np.float64])


@lru_cache
def judge_of(rules: Rules, worlds: int) -> Agent | None:
    """Return the strongest agent for a game; ``None`` if the game's endgame is hidden or too large to be solved.

    Args:
        rules: the rules.
        worlds: number of worlds in which it tries actions.
    """
    return make_agent(f"{CHAMPION}:search={worlds}", rules) if can_solve_endgame(rules) else None


class Rollouts(NamedTuple):
    """The rollouts of one decision.

    Attributes:
        margins: final margins for the seat to act, float64[actions, worlds].
        won: 1 where the seat to act won the current trick, else 0, float64[actions, worlds]; NaN where the action is
            not a card from the hand.
    """

    margins: npt.NDArray[np.float64]
    won: npt.NDArray[np.float64]


def roll_out(views: Views, candidates: Sequence[Sequence[int]], rules: Rules, worlds: int, seed: int) -> list[Rollouts]:
    """Play rollouts of the heuristic bot after each action of n decisions, every action in the same worlds.

    Args:
        views: ``VIEW`` array of shape (n,), each of a seat to act.
        candidates: the actions to try in each decision.
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
        states += [sampled] * len(candidates[row])
    sizes = [len(actions) * worlds for actions in candidates]
    episodes = Episodes(rules, sum(sizes), endgame=EXACT if can_solve_endgame(rules) else PLAYED)
    batch = episodes.batch
    batch.states[:] = np.concatenate(states)
    episodes.over[:] = False  # they begin in mid-deal, without a reset
    stage = np.repeat([FOREPLAY if view["stock"] else ENDGAME for view in views], sizes)
    before = batch.states["tricks"][episodes.every_row, stage]
    won = np.full(batch.size, np.nan)
    plays = np.repeat([not view["choice"] for view in views], sizes)
    episodes.step(episodes.every_row, np.concatenate([np.repeat(actions, worlds) for actions in candidates]))

    def note_tricks() -> None:
        """Note who won the current trick where it is complete."""
        taken = batch.states["tricks"][episodes.every_row, stage] - before
        first = plays & np.isnan(won) & (taken.sum(axis=1) == 1)
        won[first] = taken[first, 0]

    bot = RuleBot("heuristic", choose)
    note_tricks()
    for _ in play(episodes, (bot, bot)):
        note_tricks()
    margins = batch.returns("margin")[:, 0].astype(np.float64)  # the seat to act is seat 0 in sampled states
    ends = np.cumsum(sizes)[:-1]
    shapes = [(len(actions), worlds) for actions in candidates]
    parts = zip(np.split(margins, ends), np.split(won, ends), shapes, strict=True)
    return [Rollouts(margin.reshape(shape), trick.reshape(shape)) for margin, trick, shape in parts]


def _tricks(margins: Row, rules: Rules, *, low: bool, counted: int | None = None) -> tuple[Row, Row]:
    """Return the counted tricks of the seat and of its opponent that go with margins.

    Args:
        margins: margins of finished deals; except in a race, expected margins will do.
        rules: the rules.
        low: whether the endgame is played low.
        counted: number of tricks that count; by default that of a whole deal.
    """
    half = (rules.counted if counted is None else counted) / 2
    if rules.race:  # the winner takes as many as it needs, or more than half of all
        most = np.minimum(rules.race, half + np.abs(margins) / 2)
        return most + np.minimum(margins, 0), most - np.maximum(margins, 0)
    own = (-margins if low else margins) / 2
    return half + own, half - own


def _tricks_lost(margin: Row, win: Row, rules: Rules) -> Row:
    """Convert losses of margin, float64[actions], into tricks; ``win`` are the losses of chance to win.

    One lost trick changes the margin by two. In a race it changes it by one only, because the remaining tricks are not
    played; the trick that decides who wins is the exception.
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


def judge_action(advice: Advice, action: int) -> Judgement:
    """Return the judgement of an action; one that wins more often than the judge's choice gives nothing away.

    Raises:
        ValueError: when the action is not legal.
    """
    i = advice.actions.index(action)
    lost, win = advice.lost[i], advice.wins[0] - advice.wins[i]
    tricks = max(0.0, lost) if win >= 0 else 0.0
    if not i or (lost <= 0 <= win if advice.exact else lost < SAME and win < SAME_WIN):
        return Judgement("best", tricks, max(0.0, win))
    if win < 0:
        return Judgement("good", 0.0, 0.0)
    sure_tricks = tricks if tricks > SURE * advice.lost_errors[i] else 0.0
    sure_win = win if win > SURE * advice.win_errors[i] else 0.0
    for label, (least_tricks, least_win) in LEAST.items():
        if sure_tricks >= least_tricks or sure_win >= least_win:
            return Judgement(label, tricks, win)
    return Judgement("good", tricks, win)

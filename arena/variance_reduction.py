"""``play_variance_reduced_match``: a match whose result is corrected for the luck of the stock.

Nobody's play can have depended on face-down cards, so before a draw every order of them is equally likely, whatever was
played. The luck of a draw is V(after it) − the mean of V over other orders of these cards, for any function V of the
state. Its expectation is 0 for each draw, given all that went before: a control variate, as in AIVAT (Burch et al.,
"AIVAT: a new variance reduction technique for agent evaluation in imperfect information games", 2018,
[arXiv 1612.06915](https://arxiv.org/abs/1612.06915)). AIVAT also corrects for the players' own randomness, which
this does not.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import AgentLike, make_agent
from german_whist.arena.games import DEFAULT_BATCH, Progress, Watch, deal_range, games, joined, two_players
from german_whist.arena.match import MatchResult, match_result
from german_whist.arena.statistics import mean_interval
from german_whist.envs.agent import Agent, agent_name
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.observation.view_kernels import write_views
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch_kernels import step_all_or_none
from german_whist.envs.utils.specs import integers, must_be, short_repr

# Orders of the face-down cards that a draw is compared with, the true one included: rotations of it, which need no
# random numbers.
ORDERS = 8
_FEWEST_FACE_DOWN = 2  # the last card is no chance: everybody could infer it
_FOLDS = 2

_RANK_WORTH = np.tile((np.arange(13) / 12) ** 2, 4)  # by card; high cards win tricks
_TRUMP_WORTH = 0.5
_BITS = np.uint64(1) << np.arange(52, dtype=np.uint64)

States = np.ndarray[Any, Any]
Luck = npt.NDArray[np.float64]


class HandValue:
    """Adds up the cards of the hand: the squared rank, and half a point for a trump; in low deals the sign is reversed.

    Crude on purpose. The unit does not matter, because the match estimates how much a point is worth.
    """

    name = "hand"

    def values(self, views: np.ndarray[Any, Any]) -> npt.NDArray[np.float64]:
        """Return a value per view, float64[n]."""
        held = (views["hand"][:, None] & _BITS) != 0
        is_trump = np.arange(52) // 13 == views["trump"][:, None]
        worth = (held * (_RANK_WORTH + _TRUMP_WORTH * is_trump)).sum(axis=1)
        value: npt.NDArray[np.float64] = np.where(views["low"] == 1, -worth, worth)
        return value


class ValueOfViews(Protocol):
    """Anything that says how good a position is for the seat that sees it."""

    def values(self, views: Any) -> Any:
        """Return a value per view, float[n], in any unit; ``views`` is a ``VIEW`` array of shape (n,)."""
        ...


def stock_luck(rules: Rules, before: States, actions: npt.NDArray[Any], value: ValueOfViews) -> Luck:
    """Return how lucky seat 0 was in the draws that actions led to, float64[n], in units of the value.

    Args:
        rules: the rules.
        before: the states in which the actions were chosen, ``STATE`` array (n,).
        actions: the actions, int64[n]; those of finished deals are ignored.
        value: V(state) is half the difference of its values for the two seats.
    """
    luck = np.zeros(len(before))
    face_down = len(rules.cards) - before["top"].astype(np.int64)
    rows = np.flatnonzero(~before["done"] & (face_down >= _FEWEST_FACE_DOWN))
    after = _stepped(rules, before[rows], actions[rows])
    rows = rows[after["top"] != before["top"][rows]]
    for number in np.unique(face_down[rows]):  # in most games all deals of a batch draw together
        same = rows[face_down[rows] == number]
        values = _values_of_orders(rules, before[same], actions[same], int(number), value)
        luck[same] = values[:, 0] - values.mean(axis=1)
    return luck


def _values_of_orders(
    rules: Rules, before: States, actions: npt.NDArray[Any], face_down: int, value: ValueOfViews
) -> Luck:
    """Return V after the actions for rotations of the face-down cards, float64[n, rotations]; the first is none."""
    count = min(ORDERS, face_down)
    cards, top = len(rules.cards), len(rules.cards) - face_down
    tried = np.repeat(before, count)
    for number in range(1, count):
        turned = np.roll(before["deck"][:, top:cards], -(number * face_down // count), axis=1)
        tried["deck"][number::count, top:cards] = turned
    after = _stepped(rules, tried, np.repeat(actions, count))
    return _state_values(rules, after, value).reshape(-1, count)


def _stepped(rules: Rules, states: States, actions: npt.NDArray[Any]) -> States:
    """Return copies of states after actions that are known to be legal; the endgame is not cut off."""
    after = states.copy()
    step_all_or_none(rules.game, after, np.arange(len(after)), np.ascontiguousarray(actions, np.int64))
    return after


def _state_values(rules: Rules, states: States, value: ValueOfViews) -> Luck:
    """Return what states are worth to seat 0, float64[n]."""
    rows = np.tile(np.arange(len(states)), 2)
    seats = np.repeat(np.array([0, 1]), len(states))
    views = np.empty(len(rows), VIEW)
    write_views(rules.game, states, rows, seats, views)
    given = value.values(views)
    if given is None:
        raise ValueError(f"{agent_name(value)!r} has no value for these positions")
    values = np.asarray(getattr(given, "margin", given), np.float64)
    if values.shape != (len(views),):
        raise ValueError(
            f"values(views) returned shape {list(values.shape)} for {len(views)} views: a number each is needed"
        )
    first, second = values.reshape(2, -1)
    worth: Luck = (first - second) / 2
    return worth


@dataclass(frozen=True, kw_only=True)
class CorrectedResult:
    """A match's result, corrected for the luck of the stock.

    Attributes:
        plain: the result as it was played.
        win_rate: corrected win rate of the first agent.
        interval: its 95 % interval.
        margin: corrected margin.
        margin_interval: its 95 % interval.
        factor: variance of the plain win rate ÷ that of the corrected one: so many times as many deals would have been
            needed without the correction.
        margin_factor: the same for the margin.
        value: name of the value that the correction uses.
    """

    plain: MatchResult
    win_rate: float
    interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]
    factor: float
    margin_factor: float
    value: str

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        return {**asdict(self), "plain": self.plain.to_dict()}


def value_of(spec: str | Agent | ValueOfViews, rules: Rules) -> ValueOfViews:
    """Return the value that a name or an object stands for.

    Args:
        spec: ``"hand"`` for :class:`HandValue`, an agent that has ``values(views)``, or any object that has.
        rules: the rules of the deals.

    Raises:
        ValueError: when it has no ``values(views)``.
    """
    if isinstance(spec, str) and spec == HandValue.name:
        return HandValue()
    value: Any = make_agent(spec, rules) if isinstance(spec, str) else spec
    if not callable(getattr(value, "values", None)):
        raise ValueError(f"{short_repr(spec)} has no values(views): 'hand' or an agent with a value is needed")
    return value  # type: ignore[no-any-return]


def play_variance_reduced_match(
    first: AgentLike,
    second: AgentLike,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    value: str | ValueOfViews = HandValue.name,
    endgame: str = PLAYED,
    batch_size: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> CorrectedResult:
    """Play a match as ``play_match`` does, and correct its result for the luck of the stock.

    The correction of a deal is a multiple of its two games' luck (:func:`stock_luck`), whose expectation is 0 for any
    value. The multiple is the regression coefficient on the other half of the deals, so the corrected means stay
    unbiased, and a useless value does no harm. The luck of the hands dealt needs no correction: it cancels in the two
    games of a mirrored deal.

    Args:
        first: an agent object or a specification string.
        second: its opponent, likewise.
        deals: mirrored deals, at least 8.
        seed: seed of the deals and of the agents' randomness.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        value: ``"hand"``, an agent with ``values(views)``, or any object that has it.
        endgame: ``"played"`` or ``"exact"``, as in ``play_match``.
        batch_size: deals played together.
        progress: called with the number of deals played since the last call.
        executor: a ``concurrent.futures.Executor`` whose workers play the deals; the result is the same. Agents and the
            value are passed on as specification strings, or pickled.

    Raises:
        ValueError: when a name or number is not allowed, or the value returns something else than a number per view.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    whole = deal_range(0, deals)
    if deals < 4 * _FOLDS:
        raise ValueError(must_be("deals", integers(4 * _FOLDS), deals))
    rules = rules_named(rules)
    players = two_players(first, second, rules)
    value_of(value, rules)
    everything = joined(
        games(
            players,
            rules,
            seed,
            [whole],
            endgame=endgame,
            batch_size=batch_size,
            executor=executor,
            watch=partial(_luck_watch, value, rules),
            progress=progress,
        )
    )
    assert everything.watched is not None  # there was a watch
    played, control = everything.margins, (everything.watched * (1, -1)).mean(axis=1)  # luck was that of seat 0
    won = ((np.sign(played) + 1) / 2).mean(axis=1)
    won_corrected, margin_corrected = (corrected(one, control) for one in (won, played.mean(axis=1)))
    plain = match_result(everything, players.names, rules, seed, endgame)
    win_rate, interval = mean_interval(won_corrected)
    margin, margin_interval = mean_interval(margin_corrected)
    # Deals that are all alike have nothing to correct, and say nothing of their variance.
    interval = interval if np.ptp(won) else plain.interval
    margin_interval = margin_interval if np.ptp(played.mean(axis=1)) else plain.margin_interval
    return CorrectedResult(
        plain=plain,
        win_rate=win_rate,
        interval=interval,
        margin=margin,
        margin_interval=margin_interval,
        factor=_factor(won, won_corrected),
        margin_factor=_factor(played.mean(axis=1), margin_corrected),
        value=value if isinstance(value, str) else agent_name(value),
    )


def _luck_watch(value: str | ValueOfViews, rules: Rules) -> Watch:
    """Return what tells the luck of seat 0 in every step of a batch."""
    worth = value_of(value, rules)
    return lambda batch, before, actions: stock_luck(batch.rules, before, actions, worth)


def corrected(samples: npt.NDArray[np.float64], control: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return samples minus a multiple of a control variate with expectation 0, float64[n].

    The multiple is estimated on every other sample and used on the rest (cross-fitting), so that it does not depend on
    the samples that it corrects.
    """
    result = samples.copy()
    for fold in range(_FOLDS):
        is_own = np.arange(len(samples)) % _FOLDS == fold
        others, known = samples[~is_own], control[~is_own]
        spread = float(known @ known)
        slope = float((others - others.mean()) @ known) / spread if spread > 0 else 0.0
        result[is_own] -= slope * control[is_own]
    return result


def _factor(plain: npt.NDArray[np.float64], reduced: npt.NDArray[np.float64]) -> float:
    spread = float(np.var(reduced))
    return float(np.var(plain)) / spread if spread > 0 else 1.0

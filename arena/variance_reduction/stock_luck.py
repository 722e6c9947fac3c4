"""The luck of cards from the stock: what a draw was worth, beyond what it was worth on average.

Nobody's play can have depended on face-down cards, so before a draw every order of them is equally likely, whatever was
played. The luck of a draw is V(after it) − the mean of V over other orders of these cards, for any function V of the
state. Its expectation is 0 for each draw, given all that went before: a control variate, as in AIVAT (Burch et al.,
"AIVAT: a new variance reduction technique for agent evaluation in imperfect information games", 2018,
[arXiv 1612.06915](https://arxiv.org/abs/1612.06915)). AIVAT also corrects for the players' own randomness, which
this does not.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import agent_name
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.view_kernels import write_views
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch_kernels import step_all_or_none

ORDERS = 8  # of the face-down cards that a draw is compared with, itself included
_FEWEST_FACE_DOWN = 2  # the last card is no chance: everybody could infer it

States = np.ndarray[Any, Any]
Luck = npt.NDArray[np.float64]


class ValueOfViews(Protocol):
    """Anything that says how good a position is for the seat that sees it."""

    def values(self, views: Any) -> Any:
        """Return a value per view, float[n], in any unit; ``views`` is a ``VIEW`` array of shape (n,)."""
        ...


def stock_luck(rules: Rules, before: States, actions: npt.NDArray[Any], value: ValueOfViews, orders: int) -> Luck:
    """Return how lucky seat 0 was in the draws that actions led to, float64[n], in units of the value.

    Args:
        rules: the rules.
        before: the states in which the actions were chosen, ``STATE`` array (n,).
        actions: the actions, int64[n]; those of finished deals are ignored.
        value: V(state) is half the difference of its values for the two seats.
        orders: how many orders to compare with. They are rotations of the true one, so no random numbers are needed.
    """
    luck = np.zeros(len(before))
    face_down = len(rules.cards) - before["top"].astype(np.int64)
    rows = np.flatnonzero(~before["done"] & (face_down >= _FEWEST_FACE_DOWN))
    after = _stepped(rules, before[rows], actions[rows])
    rows = rows[after["top"] != before["top"][rows]]
    for number in np.unique(face_down[rows]):  # in most games all deals of a batch draw together
        same = rows[face_down[rows] == number]
        values = _values_of_orders(rules, before[same], actions[same], int(number), value, orders)
        luck[same] = values[:, 0] - values.mean(axis=1)
    return luck


def _values_of_orders(
    rules: Rules, before: States, actions: npt.NDArray[Any], face_down: int, value: ValueOfViews, orders: int
) -> Luck:
    """Return V after the actions for rotations of the face-down cards, float64[n, rotations]; the first is none."""
    count = min(orders, face_down)
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

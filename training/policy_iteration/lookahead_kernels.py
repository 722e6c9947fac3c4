"""Every action of a position tried in the deal, and played on up to where a network has to say something."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.monte_carlo.rollout_kernels import counted_margin, is_neighbour, is_open, solved_margin
from german_whist.agents.policy.canonical import ROLES, named_action, rename_view
from german_whist.envs.engine.state import PLAY, STATE
from german_whist.envs.engine.state_kernels import legal_actions, play
from german_whist.envs.observation.vector_kernels import write_observation
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel
from german_whist.training.policy_iteration.stock_rotation_kernels import count_orders, write_order

TO_THE_END = 127  # decisions to look ahead: more than a deal has

_ONE = np.uint64(1)


class InferenceQueue(NamedTuple):
    """Lookaheads that wait for what a network says of what the seat to act sees.

    Attributes:
        tries: int32[n], their numbers.
        cells: int8[n, cells], the observations, by role.
        legal: uint64[n], legal actions, by role.
        roles: int8[n, ROLES], what is behind the roles.
        number: int64[1], how many wait.
    """

    tries: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int8]
    legal: npt.NDArray[np.uint64]
    roles: npt.NDArray[np.int8]
    number: npt.NDArray[np.int64]

    @classmethod
    def of(cls, room: int, cells: int) -> InferenceQueue:
        """Make room for so many tries."""
        return cls(
            np.zeros(room, np.int32),
            np.zeros((room, cells), np.int8),
            np.zeros(room, np.uint64),
            np.zeros((room, ROLES), np.int8),
            np.zeros(1, np.int64),
        )

    def seen(self) -> npt.NDArray[np.int8]:
        """Return the observations of those that wait, int8[number, cells]."""
        return self.cells[: self.number[0]]


class Lookaheads(NamedTuple):
    """Actions that are tried in some rows, and what becomes of each.

    Attributes:
        states: ``STATE`` array (n,).
        rows: int32[n], the row of each.
        actions: uint64[n], the action and its neighbours, by name.
        seats: int8[n], whose action it was.
        left: int8[n], own decisions that it has yet to come to.
        totals: float64[n], tricks expected at those it has come to.
        shares: float64[n], of each in what its action is worth: one of so many orders of the unseen cards.
        value_queue: those that came to an own decision.
        policy_queue: those in which a network is to choose.
        number: int64[1], how many there are.
        views: ``VIEW`` array (2,), scratch.
        turned: ``STATE`` array (1,), scratch.
    """

    states: npt.NDArray[Any]
    rows: npt.NDArray[np.int32]
    actions: npt.NDArray[np.uint64]
    seats: npt.NDArray[np.int8]
    left: npt.NDArray[np.int8]
    totals: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]
    value_queue: InferenceQueue
    policy_queue: InferenceQueue
    number: npt.NDArray[np.int64]
    views: npt.NDArray[Any]
    turned: npt.NDArray[Any]

    @classmethod
    def of(cls, room: int, cells: int) -> Lookaheads:
        """Make room for so many."""
        return cls(
            np.zeros(room, STATE),
            np.zeros(room, np.int32),
            np.zeros(room, np.uint64),
            np.zeros(room, np.int8),
            np.zeros(room, np.int8),
            np.zeros(room, np.float64),
            np.zeros(room, np.float64),
            InferenceQueue.of(room, cells),
            InferenceQueue.of(room, cells),
            np.zeros(1, np.int64),
            np.zeros(2, VIEW),
            np.zeros(1, STATE),
        )


@kernel
def begin_lookaheads(game, states, wanted, orders, lookahead, tries):
    """Try each action of the rows that are wanted and have a choice, in the true deal and other orders of its stock.

    Hidden cards are what they are, so that over many deals the mean is taken over all that the seat could hold
    possible, at the price of few worlds a position. Of neighbours, cards of the hand with none in play between them,
    the lowest is tried for all.

    Args:
        game: the rules.
        states: ``STATE`` array (rows,).
        wanted: bool[rows].
        orders: of the unseen cards that each action is tried in, where there are so many (``stock_orders``).
        lookahead: own decisions that a try comes to.
        tries: :class:`Lookaheads` with room for all legal actions in every order; what was in it is forgotten.
    """
    count = 0
    for row in range(states.shape[0]):
        state = states[row]
        choices = legal_actions(state)
        if not wanted[row] or not choices & (choices - _ONE):
            continue
        in_play = game[0].deck & ~(state.played[0] | state.played[1])
        if state.led >= 0:
            in_play |= _ONE << np.uint64(state.led)
        of = count_orders(game[0], state, orders)
        for order in range(of):
            write_order(game[0], state, order, of, tries.turned)
            legal = choices
            last = np.int64(-1)
            while legal:
                action = lowest(legal)
                legal &= legal - _ONE
                if state.decision != PLAY or not is_neighbour(last, action, in_play):
                    tries.states[count] = tries.turned[0]
                    tries.seats[count] = state.turn
                    tries.rows[count] = row
                    tries.actions[count] = 0
                    tries.left[count] = lookahead
                    tries.totals[count] = 0
                    tries.shares[count] = 1.0 / of
                    play(game[0], tries.states[count], action)
                    count += 1
                tries.actions[count - 1] |= _ONE << np.uint64(action)
                last = action
    tries.number[0] = count
    tries.value_queue.number[0] = tries.policy_queue.number[0] = 0


@kernel
def useful(margin, utility):
    """Return what a margin counts for: a trick that decides the deal counts one, and one that is to spare less.

    Args:
        margin: in tricks.
        utility: tricks beyond which a margin hardly counts for more (tanh); 0 counts all alike.
    """
    return utility * np.tanh(margin / utility) if utility > 0 else np.float64(margin)


@kernel
def _let_wait(game, views, number, waiting, live):
    """Let a try wait for a network, which is shown the first of the views."""
    place = waiting.number[0]
    views[1] = views[0]
    rename_view(views[0], views[1], waiting.roles[place], live)
    write_observation(game, views[1], waiting.cells[place])
    waiting.legal[place] = views[1].legal
    waiting.tries[place] = number
    waiting.number[0] = place + 1


@kernel
def play_on(game, low, by_rules, table, solved, utility, live, tries):
    """Play each try on until it is over or a network has to say something, and let it wait for that.

    A try is over when it has come to as many own decisions as it should, or to the end of the deal or an endgame that
    is solved, which then stands for the decisions that it has not come to. Decisions without a choice do not count.

    Args:
        game: the rules.
        low: the tries that are meant are those of deals played low (1) or high (0). In a low deal the fewest tricks
            are best, and margins are the other way round.
        by_rules: bool[rows, 2, 2], for the actions of each seat, which seats the heuristic bot plays on for.
        table: the solver's table for such games.
        solved: memory of the solver's search, plain and of races.
        utility: see :func:`useful`.
        live: whether ranks are counted among the live cards.
        tries: none of them waits.
    """
    views = tries.views
    for number in range(tries.number[0]):
        state = tries.states[number]
        if tries.left[number] == 0 or state.low != low:
            continue
        seat = np.int64(tries.seats[number])
        while True:
            if state.done or is_open(game[0], state):
                margin = counted_margin(game[0], state) if state.done else solved_margin(game[0], state, table, solved)
                tries.totals[number] += tries.left[number] * useful(margin if seat == 0 else -margin, utility)
                tries.left[number] = 0
                break
            turn = np.int64(state.turn)
            legal = legal_actions(state)
            if not legal & (legal - _ONE):
                play(game[0], state, lowest(legal))
                continue
            write_view(game[0], state, turn, views[0])
            if by_rules[tries.rows[number], seat, turn]:
                play(game[0], state, heuristic_action(views[0]))
                continue
            if turn == seat:
                _let_wait(game[0], views, number, tries.value_queue, live)
            if turn != seat or tries.left[number] > 1:
                _let_wait(game[0], views, number, tries.policy_queue, live)
            break


@kernel
def take_values(expected, column, tries):
    """Take what a value says to the tries that wait for it.

    Args:
        expected: float32[waiting, columns], in tricks, of their seats.
        column: int8[rows], which of the columns is meant.
        tries: the :class:`Lookaheads`.
    """
    waiting = tries.value_queue
    for place in range(waiting.number[0]):
        number = waiting.tries[place]
        tries.totals[number] += expected[place, column[tries.rows[number]]]
        tries.left[number] -= 1
    waiting.number[0] = 0


@kernel
def take_actions(game, liked, tries):
    """Play the action that is liked best in the tries that wait for one.

    Args:
        game: the rules.
        liked: float32[waiting, actions], by role.
        tries: the :class:`Lookaheads`.
    """
    waiting = tries.policy_queue
    for place in range(waiting.number[0]):
        legal = waiting.legal[place]
        best = lowest(legal)
        while legal:
            action = lowest(legal)
            legal &= legal - _ONE
            if liked[place, action] > liked[place, best]:
                best = action
        play(game[0], tries.states[waiting.tries[place]], named_action(best, waiting.roles[place]))
    waiting.number[0] = 0


@kernel
def add_q_targets(lookahead, tries, worth):
    """Add what the tries came to on average of their decisions and orders, when all are over.

    That is the mean of n-step returns (Sutton and Barto, "Reinforcement Learning", 2nd edition, 7.1 and 12.1).

    Args:
        lookahead: own decisions that each came to.
        tries: the :class:`Lookaheads`.
        worth: float32[rows, actions], by name, 0 at first.
    """
    for number in range(tries.number[0]):
        actions = tries.actions[number]
        while actions:
            action = lowest(actions)
            actions &= actions - _ONE
            worth[tries.rows[number], action] += tries.totals[number] * tries.shares[number] / lookahead

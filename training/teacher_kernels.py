"""What every action of a position is worth when a rollout policy plays on for both seats and the endgame is solved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.playouts import is_neighbour
from german_whist.agents.world_states import write_known, write_world
from german_whist.agents.worlds import HIDDEN, count_hands
from german_whist.envs.bits import lowest, popcount
from german_whist.envs.jit import kernel
from german_whist.envs.state import PLAY, STATE, legal_actions, play
from german_whist.envs.views import VIEW, write_view
from german_whist.training.playout_network import looked_ahead_worth, played_on_worth

_ONE = np.uint64(1)


class TriedWorlds(NamedTuple):
    """In how many worlds actions are tried, and room for them.

    Attributes:
        number: the true deal, and for the rest worlds that the view of the seat to act allows, drawn as ``mc`` does.
        stock: with so many cards in the stock or fewer; with more, actions are tried in the true deal alone.
        keys: uint64[rows], of the worlds.
        states: ``STATE`` array (3,): of a rollout, of what the view knows, of a world.
        views: ``VIEW`` array (1,).
        hidden: ``HIDDEN`` array (1,).
        by_rules: bool[2], for whom the heuristic bot plays on, the seat to act first.
    """

    number: int
    stock: int
    keys: npt.NDArray[np.uint64]
    states: npt.NDArray[Any]
    views: npt.NDArray[Any]
    hidden: npt.NDArray[Any]
    by_rules: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, number: int, stock: int, keys: npt.NDArray[np.uint64]) -> TriedWorlds:
        """Make room."""
        return cls(
            number, stock, keys, np.zeros(3, STATE), np.zeros(1, VIEW), np.zeros(1, HIDDEN), np.zeros(2, np.bool_)
        )


@kernel
def _add_worth(game, states, place, by_rules, student, table, solved, utility, scratch, worth):
    """Add what each action of a state leads to; of neighbours the lowest is tried for all."""
    state = states[place]
    legal = legal_actions(state)
    seat = np.int64(state.turn)
    in_play = game.deck & ~(state.played[0] | state.played[1])
    if state.led >= 0:
        in_play |= _ONE << np.uint64(state.led)
    reached = 0.0
    last = np.int64(-1)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if state.decision != PLAY or not is_neighbour(last, action, in_play):
            scratch[0] = states[place]
            play(game, scratch[0], action)
            if student.lookahead:
                reached = looked_ahead_worth(game, scratch[0], seat, by_rules, student, table, solved, utility)
            else:
                reached = played_on_worth(game, scratch[0], seat, by_rules, student, table, solved, utility)
        worth[action] += reached
        last = action


@kernel
def _add_worlds(game, state, key, by_rules, student, table, solved, utility, worlds, worth):
    """Add what each action of a state leads to in all worlds but the true deal."""
    view, hidden, states = worlds.views[0], worlds.hidden[0], worlds.states
    seat = np.int64(state.turn)
    write_view(game, state, seat, view)
    count_hands(view, hidden)
    write_known(view, states[1])
    worlds.by_rules[0], worlds.by_rules[1] = by_rules[seat], by_rules[1 - seat]  # in a world the seat to act is seat 0
    for world in range(1, worlds.number):
        states[2] = states[1]
        write_world(view, hidden, key, np.uint64(world), game, states[2])
        _add_worth(game, states, 2, worlds.by_rules, student, table, solved, utility, states, worth)


@kernel
def write_worth(game, states, low, by_rules, student, table, solved, utility, worlds, worth, outcomes):
    """Write what each legal action leads to, in counted tricks of the seat to act minus the other's.

    Every action is tried in the true deal: hidden cards are what they are, so that over many deals the mean is taken
    over all that the seat could hold possible, at the price of one world a position. All actions of a position meet the
    same world. Near the endgame, where rollouts are short and no value stands for the rest of them, the mean of several
    worlds takes luck away for little. Of neighbours, cards of the hand with none in play between them, the lowest is
    tried for all. In a low deal the fewest tricks are best, and the worth is the other's minus the seat's own.

    Args:
        game: the rules.
        states: ``STATE`` array (rows,).
        low: the rows that are meant are those played low (1) or high (0).
        by_rules: bool[rows, 2, 2], for the decisions of each seat to act, which seats the heuristic bot plays on for;
            for the others the student does.
        student: a :class:`PlayoutStudent`. With a ``lookahead`` its value stands for the rest of a rollout.
        table: the solver's table for such games.
        solved: memory of the solver's search, plain and of races.
        utility: tricks beyond which a margin hardly counts for more; 0 counts all alike.
        worlds: a :class:`TriedWorlds`.
        worth: float32[rows, actions], written; 0 for actions that are not legal, and where there is no choice.
        outcomes: float32[rows], written: the same where the rollout policy chooses for itself, and plays on to the
            endgame of the true deal; not where there is no choice. Empty: not wanted.
    """
    scratch = worlds.states
    for row in range(states.shape[0]):
        state = states[row]
        if state.low != low:
            continue
        worth[row] = 0
        legal = legal_actions(state)
        if not legal & (legal - _ONE):
            continue
        seat = np.int64(state.turn)
        who = by_rules[row, seat]
        _add_worth(game[0], states, row, who, student, table, solved, utility, scratch, worth[row])
        if worlds.number > 1 and popcount(state.face_up) + game[0].cards - state.top <= worlds.stock:
            key = worlds.keys[row]
            _add_worlds(game[0], state, key, who, student, table, solved, utility, worlds, worth[row])
            worth[row] /= np.float32(worlds.number)
        if outcomes.shape[0]:
            scratch[0] = states[row]
            outcomes[row] = played_on_worth(game[0], scratch[0], seat, who, student, table, solved, utility)

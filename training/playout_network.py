"""Networks that play on in rollouts and judge where they stop: one hidden layer, fast enough for that.

The sums that go into the hidden units are kept for each seat from decision to decision, and only what the cells that
have changed make of them is added, as in the efficiently updatable networks of shogi and chess engines (Nasu, "NNUE",
2018). A deal goes on by few cells, so that the first layer costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.canonical import ROLES, named_action, rename_view
from german_whist.agents.checkpoint import Layer
from german_whist.agents.forward import add_inputs
from german_whist.agents.heuristic_bot import heuristic_action
from german_whist.agents.playouts import counted_margin, is_solved, solved_margin
from german_whist.envs.bits import lowest
from german_whist.envs.jit import kernel, reordering_kernel
from german_whist.envs.observation import write_observation
from german_whist.envs.state import legal_actions, play
from german_whist.envs.views import VIEW, write_view

_ONE = np.uint64(1)
_ZERO = np.float32(0)
_WORD = 8  # cells that are compared at once


class PlayoutNetwork(NamedTuple):
    """The layers of a network with one hidden layer of ReLU.

    Attributes:
        weight: float32[cells, hidden], for unscaled cells.
        bias: float32[hidden].
        last_weight: float32[actions, hidden].
        last_bias: float32[actions].
    """

    weight: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    last_weight: npt.NDArray[np.float32]
    last_bias: npt.NDArray[np.float32]

    @classmethod
    def of(cls, layers: Sequence[Layer]) -> PlayoutNetwork:
        """Take a checkpoint's two layers."""
        (weight, bias), (last_weight, last_bias) = layers
        arrays = (weight.T, bias, last_weight, last_bias)
        return cls(*(np.ascontiguousarray(array, np.float32) for array in arrays))

    @classmethod
    def empty(cls, cells: int, actions: int) -> PlayoutNetwork:
        """Return a network of no hidden units, which nobody plays."""
        sizes = ((cells, 0), (0,), (actions, 0), (actions,))
        return cls(*(np.zeros(size, np.float32) for size in sizes))

    @property
    def is_empty(self) -> bool:
        """Whether it has no hidden units."""
        return not len(self.bias)


class PlayoutMemory(NamedTuple):
    """What a network remembers of the two seats, and room to work in.

    Attributes:
        words: uint64[3, words], what each seat saw last, and now.
        cells: int8[3, 8 * words], the same memory as cells of an observation, with some to spare.
        sums: float32[2, hidden], what goes into the hidden units of each seat by what it saw last.
        hidden: float32[hidden].
        places: int64, the cells that have changed.
        values: float32, by how much.
        views: ``VIEW`` array (2,), with cards by name and by role.
        roles: int8[ROLES], what is behind the roles.
        live: whether ranks are counted among the live cards.
    """

    words: npt.NDArray[np.uint64]
    cells: npt.NDArray[np.int8]
    sums: npt.NDArray[np.float32]
    hidden: npt.NDArray[np.float32]
    places: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]
    views: npt.NDArray[Any]
    roles: npt.NDArray[np.int8]
    live: bool

    @classmethod
    def of(cls, network: PlayoutNetwork, live: bool) -> PlayoutMemory:
        """Return the memory of a network that has seen nothing yet."""
        cells, hidden = network.weight.shape
        words = np.zeros((3, -(-cells // _WORD)), np.uint64)
        return cls(
            words,
            words.view(np.int8),
            np.repeat(network.bias[None], 2, axis=0),
            np.zeros(hidden, np.float32),
            np.zeros(_WORD * words.shape[1], np.int64),
            np.zeros(_WORD * words.shape[1], np.float32),
            np.zeros(2, VIEW),
            np.zeros(ROLES, np.int8),
            live,
        )


@kernel
def _update_sums(seat, network, memory):
    """Bring a seat's sums to what it sees now."""
    words, cells = memory.words, memory.cells
    places, values = memory.places, memory.values
    count = 0
    for word in range(words.shape[1]):
        if words[2, word] != words[seat, word]:
            for cell in range(_WORD * word, _WORD * (word + 1)):
                change = cells[2, cell] - cells[seat, cell]
                if change:
                    places[count] = cell
                    values[count] = change
                    count += 1
            words[seat, word] = words[2, word]
    add_inputs(count, places, values, network.weight, memory.sums[seat])


class PlayoutStudent(NamedTuple):
    """What plays on in rollouts.

    Attributes:
        policy: likes one action best.
        policy_memory: of ``policy``.
        value: has one output, what a seat to act may expect at the end; asked only where ``lookahead`` is above 0.
        value_memory: of ``value``.
        lookahead: own decisions up to which ``value`` is asked; 0: rollouts go on to the endgame.
    """

    policy: PlayoutNetwork
    policy_memory: PlayoutMemory
    value: PlayoutNetwork
    value_memory: PlayoutMemory
    lookahead: int

    @classmethod
    def of(cls, policy: PlayoutNetwork, value: PlayoutNetwork, live: bool, lookahead: int) -> PlayoutStudent:
        """Give both networks a memory."""
        return cls(policy, PlayoutMemory.of(policy, live), value, PlayoutMemory.of(value, live), lookahead)


@reordering_kernel
def _product(weights, hidden):
    total = np.float32(0)
    for unit in range(hidden.shape[0]):
        total += weights[unit] * hidden[unit]
    return total


@kernel
def _see(game, state, network, memory):
    """Look at a state as the seat to act and return the hidden units, float32[hidden]."""
    seat = np.int64(state.turn)
    write_view(game, state, seat, memory.views[0])
    renamed = memory.views[1]
    memory.views[1] = memory.views[0]
    rename_view(memory.views[0], renamed, memory.roles, memory.live)
    write_observation(game, renamed, memory.cells[2, : network.weight.shape[0]])
    _update_sums(seat, network, memory)
    hidden, sums = memory.hidden, memory.sums
    for unit in range(hidden.shape[0]):
        hidden[unit] = max(sums[seat, unit], _ZERO)
    return hidden


@kernel
def network_action(game, state, network, memory):
    """Return the action that a network likes best for the seat to act.

    Args:
        game: a record of the rules.
        state: a record of ``STATE``.
        network: a :class:`PlayoutNetwork`.
        memory: its :class:`PlayoutMemory`.
    """
    legal = legal_actions(state)
    if not legal & (legal - _ONE):
        return lowest(legal)
    hidden = _see(game, state, network, memory)
    legal = memory.views[1].legal
    best = np.int64(-1)
    highest = np.float32(0)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        logit = network.last_bias[action] + _product(network.last_weight[action], hidden)
        if best < 0 or logit > highest:
            best = action
            highest = logit
    return named_action(best, memory.roles)


@kernel
def _play_on(game, state, by_rules, student):
    """Let the seat to act play: the heuristic bot where ``by_rules`` says so, else the student."""
    memory = student.policy_memory
    if by_rules[state.turn]:
        write_view(game, state, np.int64(state.turn), memory.views[0])
        action = heuristic_action(memory.views[0])
    else:
        action = network_action(game, state, student.policy, memory)
    play(game, state, action)


@kernel
def _end_margin(game, state, table, solved):
    """Return the margin for seat 0 of a deal that is over or an endgame that is solved."""
    return counted_margin(game, state) if state.done else solved_margin(game, state, table, solved)


@kernel
def useful(margin, utility):
    """Return what a margin counts for: a trick that decides the deal counts one, and one that is to spare less.

    Args:
        margin: in tricks.
        utility: tricks beyond which a margin hardly counts for more; 0 counts all alike.
    """
    return utility * np.tanh(margin / utility) if utility > 0 else np.float64(margin)


@kernel
def played_on_worth(game, state, seat, by_rules, student, table, solved, utility):
    """Return what the margin for a seat counts for when a student plays on, to the endgame or else to the end.

    Args:
        game: the game.
        state: changed in place.
        seat: whose margin.
        by_rules: for each seat, bool[2], whether the heuristic bot plays on for it instead of the student.
        student: a :class:`PlayoutStudent`.
        table: endgames of this kind of game.
        solved: memory of solved endgames.
        utility: as in :func:`useful`.
    """
    while not (state.done or is_solved(game, state)):
        _play_on(game, state, by_rules, student)
    margin = _end_margin(game, state, table, solved)
    return useful(margin if seat == 0 else -margin, utility)


@kernel
def looked_ahead_worth(game, state, seat, by_rules, student, table, solved, utility):
    """Return what a student's value says at a seat's next decisions, on average over ``lookahead`` of them.

    That is the mean of n-step returns (Sutton and Barto, "Reinforcement Learning", 2nd edition, 7.1 and 12.1).
    Decisions without a choice do not count, and where the endgame comes first, it stands for the rest.

    Args:
        game: the game.
        state: changed in place.
        seat: whose decisions and margin.
        by_rules: for each seat, bool[2], whether the heuristic bot plays on for it instead of the student.
        student: a :class:`PlayoutStudent`.
        table: endgames of this kind of game.
        solved: memory of solved endgames.
        utility: as in :func:`useful`.
    """
    total = 0.0
    left = student.lookahead
    while not (state.done or is_solved(game, state)):
        if state.turn == seat:
            legal = legal_actions(state)
            if legal & (legal - _ONE):
                value = student.value
                hidden = _see(game, state, value, student.value_memory)
                total += value.last_bias[0] + _product(value.last_weight[0], hidden)
                left -= 1
                if not left:
                    return total / student.lookahead
        _play_on(game, state, by_rules, student)
    margin = _end_margin(game, state, table, solved)
    return (total + left * useful(margin if seat == 0 else -margin, utility)) / student.lookahead

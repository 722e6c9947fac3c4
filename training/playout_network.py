"""A network that plays on in rollouts: one hidden layer, fast enough for that.

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
from german_whist.envs.state import play
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


@reordering_kernel
def _product(weights, hidden):
    total = np.float32(0)
    for unit in range(hidden.shape[0]):
        total += weights[unit] * hidden[unit]
    return total


@kernel
def network_action(game, state, network, memory):
    """Return the action that a network likes best for the seat to act.

    Args:
        game: a record of the rules.
        state: a record of ``STATE``.
        network: a :class:`PlayoutNetwork`.
        memory: its :class:`PlayoutMemory`.
    """
    seat = np.int64(state.turn)
    write_view(game, state, seat, memory.views[0])
    legal = memory.views[0].legal
    if not legal & (legal - _ONE):
        return lowest(legal)
    renamed = memory.views[1]
    memory.views[1] = memory.views[0]
    rename_view(memory.views[0], renamed, memory.roles, memory.live)
    write_observation(game, renamed, memory.cells[2, : network.weight.shape[0]])
    _update_sums(seat, network, memory)
    hidden, sums = memory.hidden, memory.sums
    for unit in range(hidden.shape[0]):
        hidden[unit] = max(sums[seat, unit], _ZERO)
    legal = renamed.legal
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
def played_on_by_networks(game, state, by_rules, network, memory, table, solved):
    """Return the margin for seat 0 when a network plays on, to the endgame or else to the end.

    Args:
        game: the game.
        state: changed in place.
        by_rules: for each seat, bool[2], whether the heuristic bot plays on for it instead of the network.
        network: a :class:`PlayoutNetwork`.
        memory: its :class:`PlayoutMemory`.
        table: endgames of this kind of game.
        solved: memory of solved endgames.
    """
    while not state.done:
        if is_solved(game, state):
            return solved_margin(game, state, table, solved)
        if by_rules[state.turn]:
            write_view(game, state, np.int64(state.turn), memory.views[0])
            action = heuristic_action(memory.views[0])
        else:
            action = network_action(game, state, network, memory)
        play(game, state, action)
    return counted_margin(game, state)

"""What every action of a position is worth when a rollout policy plays on for both seats and the endgame is solved."""

from __future__ import annotations

import numpy as np

from german_whist.agents.playouts import is_neighbour
from german_whist.envs.bits import lowest
from german_whist.envs.jit import kernel
from german_whist.envs.state import PLAY, legal_actions, play
from german_whist.training.playout_network import played_on_by_networks

_ONE = np.uint64(1)


@kernel
def write_worth(game, states, low, by_rules, network, memory, table, solved, utility, scratch, worth):
    """Write what each legal action leads to, in counted tricks of the seat to act minus the other's.

    Every action is tried in the true deal: hidden cards are what they are, so that over many deals the mean is taken
    over all that the seat could hold possible, at the price of one world a position. All actions of a position meet the
    same world. Of neighbours, cards of the hand with none in play between them, the lowest is tried for all. In a low
    deal the fewest tricks are best, and the worth is the other's minus the seat's own.

    Args:
        game: the rules.
        states: ``STATE`` array (rows,).
        low: the rows that are meant are those played low (1) or high (0).
        by_rules: bool[rows, 2, 2], for the decisions of each seat to act, which seats the heuristic bot plays on for;
            for the others the network does.
        network: a :class:`PlayoutNetwork`.
        memory: its :class:`PlayoutMemory`.
        table: the solver's table for such games.
        solved: memory of the solver's search, plain and of races.
        utility: tricks beyond which a margin hardly counts for more; 0 counts all alike.
        scratch: ``STATE`` array (1,).
        worth: float32[rows, actions], written; 0 for actions that are not legal, and where there is no choice.
    """
    for row in range(states.shape[0]):
        state = states[row]
        if state.low != low:
            continue
        worth[row] = 0
        legal = legal_actions(state)
        if not legal & (legal - _ONE):
            continue
        seat = np.int64(state.turn)
        in_play = game[0].deck & ~(state.played[0] | state.played[1])
        if state.led >= 0:
            in_play |= _ONE << np.uint64(state.led)
        margin = np.int64(0)
        last = np.int64(-1)
        while legal:
            action = lowest(legal)
            legal &= legal - _ONE
            if state.decision != PLAY or not is_neighbour(last, action, in_play):
                scratch[0] = states[row]
                play(game[0], scratch[0], action)
                margin = played_on_by_networks(game[0], scratch[0], by_rules[row, seat], network, memory, table, solved)
            worth[row, action] = _useful(margin if seat == 0 else -margin, utility)
            last = action


@kernel
def _useful(margin, utility):
    """Return what a margin counts for: a trick that decides the deal counts one, and one that is to spare less."""
    return utility * np.tanh(margin / utility) if utility > 0 else np.float64(margin)

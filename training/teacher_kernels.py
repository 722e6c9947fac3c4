"""What every action of a position is worth when a rollout policy plays on for both seats and the endgame is solved."""

from __future__ import annotations

import numpy as np

from german_whist.agents.playouts import is_neighbour
from german_whist.envs.bits import lowest
from german_whist.envs.jit import kernel
from german_whist.envs.state import PLAY, legal_actions, play
from german_whist.training.playout_network import looked_ahead_worth, played_on_worth

_ONE = np.uint64(1)


@kernel
def write_worth(game, states, low, taught, by_rules, student, table, solved, utility, scratch, worth, outcomes):
    """Write what each legal action leads to, in counted tricks of the seat to act minus the other's.

    Every action is tried in the true deal: hidden cards are what they are, so that over many deals the mean is taken
    over all that the seat could hold possible, at the price of one world a position. All actions of a position meet the
    same world. Of neighbours, cards of the hand with none in play between them, the lowest is tried for all. In a low
    deal the fewest tricks are best, and the worth is the other's minus the seat's own.

    Args:
        game: the rules.
        states: ``STATE`` array (rows,).
        low: the rows that are meant are those played low (1) or high (0).
        taught: bool[rows], in which rows something is to be learnt.
        by_rules: bool[rows, 2, 2], for the decisions of each seat to act, which seats the heuristic bot plays on for;
            for the others the student does.
        student: a :class:`PlayoutStudent`. With a ``lookahead`` its value stands for the rest of a rollout.
        table: the solver's table for such games.
        solved: memory of the solver's search, plain and of races.
        utility: tricks beyond which a margin hardly counts for more; 0 counts all alike.
        scratch: ``STATE`` array (1,).
        worth: float32[rows, actions], written; 0 for actions that are not legal, and where nothing is learnt or chosen.
        outcomes: float32[rows], written: the same where the rollout policy chooses for itself, and plays on to the
            endgame; not where nothing is learnt or chosen. Empty: not wanted.
    """
    for row in range(states.shape[0]):
        state = states[row]
        if state.low != low:
            continue
        worth[row] = 0
        legal = legal_actions(state)
        if not taught[row] or not legal & (legal - _ONE):
            continue
        seat = np.int64(state.turn)
        in_play = game[0].deck & ~(state.played[0] | state.played[1])
        if state.led >= 0:
            in_play |= _ONE << np.uint64(state.led)
        who = by_rules[row, seat]
        reached = 0.0
        last = np.int64(-1)
        while legal:
            action = lowest(legal)
            legal &= legal - _ONE
            if state.decision != PLAY or not is_neighbour(last, action, in_play):
                scratch[0] = states[row]
                play(game[0], scratch[0], action)
                if student.lookahead:
                    reached = looked_ahead_worth(game[0], scratch[0], seat, who, student, table, solved, utility)
                else:
                    reached = played_on_worth(game[0], scratch[0], seat, who, student, table, solved, utility)
            worth[row, action] = reached
            last = action
        if outcomes.shape[0]:
            scratch[0] = states[row]
            outcomes[row] = played_on_worth(game[0], scratch[0], seat, who, student, table, solved, utility)

"""Kernels that try every action of a position in the deal and continue to where a network's output is needed."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.monte_carlo.rollout_kernels import is_neighbour, is_open_endgame, solved_margin
from german_whist.agents.policy.canonical_kernels import named_action, rename_view
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.agents.search.choice_kernels import squashed_margin
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state import PLAY
from german_whist.envs.engine.state_kernels import legal_actions, play
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel
from german_whist.training.policy_iteration.stock_rotation_kernels import count_rotations, write_rotation

TO_THE_END = 127  # lookahead: more decisions than a deal has

_ONE = np.uint64(1)


@kernel
def begin_lookaheads(game, states, wanted, stock_rotations, lookahead, lookaheads):
    """Try each action of the wanted environments that have a choice, in the true deal and rotations of its stock.

    Hidden cards are the true ones: over many deals, targets average over everything that the seat considers possible,
    with few worlds per position. Of equivalent cards (no card in play between them) only the lowest is tried.

    Args:
        game: the rules.
        states: ``STATE`` array (envs,).
        wanted: bool[envs].
        stock_rotations: number of rotations of the unseen cards to try each action in; fewer if there are fewer cards.
        lookahead: number of own decisions to follow each action for.
        lookaheads: :class:`Lookaheads` with room for all legal actions in every rotation; overwritten.
    """
    count = 0
    for env in range(states.shape[0]):
        state = states[env]
        choices = legal_actions(state)
        if not wanted[env] or not choices & (choices - _ONE):
            continue
        in_play = game[0].deck & ~(state.played[0] | state.played[1])
        if state.led >= 0:
            in_play |= _ONE << np.uint64(state.led)
        rotations = count_rotations(game[0], state, stock_rotations)
        for rotation in range(rotations):
            write_rotation(game[0], state, rotation, rotations, lookaheads.rotated)
            legal = choices
            last = np.int64(-1)
            while legal:
                action = lowest(legal)
                legal &= legal - _ONE
                if state.decision != PLAY or not is_neighbour(last, action, in_play):
                    lookaheads.states[count] = lookaheads.rotated[0]
                    lookaheads.seats[count] = state.turn
                    lookaheads.envs[count] = env
                    lookaheads.actions[count] = 0
                    lookaheads.decisions_left[count] = lookahead
                    lookaheads.totals[count] = 0
                    lookaheads.weights[count] = 1.0 / rotations
                    play(game[0], lookaheads.states[count], action)
                    count += 1
                lookaheads.actions[count - 1] |= _ONE << np.uint64(action)
                last = action
    lookaheads.length[0] = count
    lookaheads.value_queue.length[0] = lookaheads.policy_queue.length[0] = 0


@kernel
def _enqueue(game, views, number, queue, live, universal):
    """Put a lookahead into a queue, with the observation of the first view."""
    place = queue.length[0]
    views[1] = views[0]
    rename_view(views[0], views[1], queue.roles[place], live)
    write_network_input(game, views[1], universal, queue.features[place])
    queue.legal[place] = views[1].legal
    queue.lookaheads[place] = number
    queue.length[0] = place + 1


@kernel
def play_on(game, low, by_heuristic, table, transpositions, margin_tanh_scale, live, universal, lookaheads):
    """Continue each lookahead until it is over or needs a network's output, and enqueue it for that.

    A lookahead is over after its number of own decisions, at the end of the deal, or at an endgame that is solved
    exactly; the margin then counts for the decisions that it has not reached. Decisions without a choice do not count.

    Args:
        game: the rules.
        low: play the lookaheads of deals played low (1) or high (0). In a low deal the fewest tricks are best, and
            margins have the opposite sign.
        by_heuristic: bool[envs, 2, 2], by seat whose actions are tried and seat to act: True for the heuristic bot.
        table: ``EndgameTable`` for these deals.
        transpositions: ``RaceTranspositionTable`` of the search.
        margin_tanh_scale: see :func:`choice_kernels.squashed_margin`.
        live: whether ranks count among the cards still in play.
        universal: whether networks see the universal encoding.
        lookaheads: the :class:`Lookaheads`, with empty queues.
    """
    views = lookaheads.views
    for number in range(lookaheads.length[0]):
        state = lookaheads.states[number]
        if lookaheads.decisions_left[number] == 0 or state.low != low:
            continue
        seat = np.int64(lookaheads.seats[number])
        while True:
            if state.done or is_open_endgame(game[0], state):
                if state.done:
                    margin = signed_margin(game[0], state, 0)
                else:
                    margin = solved_margin(game[0], state, table, transpositions)
                squashed = squashed_margin(margin if seat == 0 else -margin, margin_tanh_scale)
                lookaheads.totals[number] += lookaheads.decisions_left[number] * squashed
                lookaheads.decisions_left[number] = 0
                break
            turn = np.int64(state.turn)
            legal = legal_actions(state)
            if not legal & (legal - _ONE):
                play(game[0], state, lowest(legal))
                continue
            write_view(game[0], state, turn, views[0])
            if by_heuristic[lookaheads.envs[number], seat, turn]:
                play(game[0], state, heuristic_action(views[0]))
                continue
            if turn == seat:
                _enqueue(game[0], views, number, lookaheads.value_queue, live, universal)
            if turn != seat or lookaheads.decisions_left[number] > 1:
                _enqueue(game[0], views, number, lookaheads.policy_queue, live, universal)
            break


@kernel
def take_values(values, column, lookaheads):
    """Add values to the lookaheads that wait for one, and empty the queue.

    Args:
        values: float32[length, columns], in tricks, to the seats of the queued lookaheads.
        column: int8[envs], the column of ``values`` to use.
        lookaheads: the :class:`Lookaheads`.
    """
    queue = lookaheads.value_queue
    for place in range(queue.length[0]):
        number = queue.lookaheads[place]
        lookaheads.totals[number] += values[place, column[lookaheads.envs[number]]]
        lookaheads.decisions_left[number] -= 1
    queue.length[0] = 0


@kernel
def take_actions(game, logits, lookaheads):
    """Play the legal action with the highest logit in the lookaheads that wait for one, and empty the queue.

    Args:
        game: the rules.
        logits: float32[length, actions], by role.
        lookaheads: the :class:`Lookaheads`.
    """
    queue = lookaheads.policy_queue
    for place in range(queue.length[0]):
        legal = queue.legal[place]
        best = lowest(legal)
        while legal:
            action = lowest(legal)
            legal &= legal - _ONE
            if logits[place, action] > logits[place, best]:
                best = action
        play(game[0], lookaheads.states[queue.lookaheads[place]], named_action(best, queue.roles[place]))
    queue.length[0] = 0


@kernel
def add_q_targets(lookahead, lookaheads, q_targets):
    """Add each lookahead's mean over its decisions and rotations to its actions' targets, once all are over.

    That is a mean of n-step returns (Sutton and Barto, "Reinforcement Learning", 2nd edition, 7.1 and 12.1).

    Args:
        lookahead: number of own decisions of each lookahead.
        lookaheads: the :class:`Lookaheads`.
        q_targets: float32[envs, actions], by true action, 0 at first.
    """
    for number in range(lookaheads.length[0]):
        actions = lookaheads.actions[number]
        while actions:
            action = lowest(actions)
            actions &= actions - _ONE
            q_targets[lookaheads.envs[number], action] += (
                lookaheads.totals[number] * lookaheads.weights[number] / lookahead
            )

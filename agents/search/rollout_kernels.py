"""Rollouts in worlds: every action of a view in the same hands and stock orders, played on by policies."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.inference.world_sampling_kernels import OPPONENT, write_hidden_cards, write_known_state
from german_whist.agents.monte_carlo.rollout_kernels import is_solvable_endgame, solved_margin
from german_whist.agents.search.belief_kernels import HEURISTIC
from german_whist.agents.search.row_network import best_action, has_layers, write_logits
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state_kernels import legal_actions, play
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.borrowing import borrowed
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


@kernel
def asks_network(game, state, network, model, view):
    """Play on until the network is to choose, in ``view``, which is written; return whether that comes.

    Else the deal is done or has come to an endgame that is solved. Both seats play the network; the opponent plays the
    heuristic bot if that is its model. Without a network, and in endgames that are not solved, both play the heuristic
    bot.
    """
    while not state.done and not is_solvable_endgame(game, state):
        legal = legal_actions(state)
        if not legal & (legal - _ONE):
            play(game, state, lowest(legal))
            continue
        write_view(game, state, np.int64(state.turn), view)
        if view.stock and has_layers(network) and not (model == HEURISTIC and state.turn == OPPONENT):
            return True
        play(game, state, heuristic_action(view))
    return False


@kernel
def try_worlds(game, views, hands, models, actions, key, first, last, network, scratch, table, transpositions, margins):
    """Try actions in worlds ``first`` … ``last`` − 1 and write seat 0's margins.

    As many rollouts as the network has views go on side by side, and it chooses in all of them at a time.

    Args:
        game: the rules, ``GAME`` array (1,).
        views: ``VIEW`` array (1,).
        hands: the opponent's hidden cards in each world, uint64[worlds].
        models: its models, int64[worlds].
        actions: the actions to try, as a mask.
        key: random key.
        first: first world.
        last: the world after the last.
        network: a :class:`RowNetwork`, the rollout policy.
        scratch: ``STATE`` (views + 1,) and int64[views, 2] arrays.
        table: ``EndgameTable`` for this kind of game.
        transpositions: ``RaceTranspositionTable``.
        margins: float32[worlds, 54], written where an action is tried.
    """
    network, scratch = borrowed(network), borrowed(scratch)
    table, transpositions = borrowed(table), borrowed(transpositions)
    states, tries = scratch
    view, rules = views[0], game[0]
    most = network.views.shape[0]
    world, left = first - 1, np.uint64(0)
    count = 0
    while True:
        while count < most and (left or world + 1 < last):
            if not left:
                world += 1
                left = np.uint64(actions)
                write_known_state(rules, view, states[most])
                write_hidden_cards(rules, view, hands[world], key, np.uint64(world), states[most])
            action = lowest(left)
            left &= left - _ONE
            states[count] = states[most]
            play(rules, states[count], action)
            tries[count, 0], tries[count, 1] = world, action
            count += 1
        if count == 0:
            return
        row = 0
        while row < count:
            state, number = states[row], tries[row, 0]
            if asks_network(rules, state, network, models[number], network.views[row]):
                row += 1
                continue
            done = state.done
            margin = signed_margin(rules, state, 0) if done else solved_margin(rules, state, table, transpositions)
            margins[number, tries[row, 1]] = margin
            count -= 1
            states[row] = states[count]
            tries[row] = tries[count]
        write_logits(network, count)
        for row in range(count):
            play(rules, states[row], best_action(network, row))

"""Rollouts in worlds: every action of a view in the same hands and stock orders, played on by policies."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.inference.determinization_kernels import OPPONENT, write_known_state, write_rules
from german_whist.agents.monte_carlo.rollout_kernels import is_solvable_endgame, solved_margin
from german_whist.agents.search.replay_kernels import HEURISTIC
from german_whist.agents.search.row_network_kernels import has_layers, network_action
from german_whist.envs.engine.dealing_kernels import shuffle
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state_kernels import legal_actions, play
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


@kernel
def rollout_margin(game, state, network, model, view, table, transpositions):
    """Play on to the endgame, or else to the end, and return seat 0's margin.

    Both seats play the network; the opponent plays the heuristic bot if that is its model. Without a network, and in
    endgames that are not solved, both play the heuristic bot.
    """
    while not state.done:
        if is_solvable_endgame(game, state):
            return solved_margin(game, state, table, transpositions)
        legal = legal_actions(state)
        if not legal & (legal - _ONE):
            play(game, state, lowest(legal))
            continue
        write_view(game, state, np.int64(state.turn), view)
        if view.stock == 0 or not has_layers(network) or (model == HEURISTIC and state.turn == OPPONENT):
            play(game, state, heuristic_action(view))
        else:
            play(game, state, network_action(network, view))
    return signed_margin(game, state, 0)


@kernel
def try_actions(view, hand, actions, key, number, network, model, scratch, table, transpositions, margins):
    """Try actions in one world and write their margins.

    Args:
        view: a ``VIEW`` record.
        hand: the opponent's hidden cards in this world.
        actions: the actions to try, as a mask.
        key: random key.
        number: number of the world, which selects the order of the stock.
        network: a :class:`RowNetwork`, the rollout policy.
        model: opponent model.
        scratch: ``GAME`` (1,), ``STATE`` (2,) and ``VIEW`` (1,) arrays.
        table: ``EndgameTable`` for this kind of game.
        transpositions: ``RaceTranspositionTable``.
        margins: float32[54], written where an action is tried.
    """
    games, states, views = scratch
    game, state = games[0], states[0]
    write_rules(view, game)
    write_known_state(view, state)
    state.hands[OPPONENT] = hand | view.opponent_known
    rest = view.unseen & ~hand
    place = np.int64(state.top)
    while rest:
        state.deck[place] = lowest(rest)
        rest &= rest - _ONE
        place += 1
    shuffle(key, np.uint64(number), state.deck[np.int64(state.top) : place])
    while actions:
        action = lowest(actions)
        actions &= actions - _ONE
        states[1] = state
        play(game, states[1], action)
        margins[action] = rollout_margin(game, states[1], network, model, views[0], table, transpositions)


@kernel
def try_worlds(views, hands, models, actions, key, first, last, network, scratch, table, transpositions, margins):
    """Try actions in worlds ``first`` … ``last`` − 1; ``margins`` is float32[worlds, 54]."""
    for world in range(first, last):
        try_actions(
            views[0],
            hands[world],
            actions,
            key,
            world,
            network,
            models[world],
            scratch,
            table,
            transpositions,
            margins[world],
        )

"""Rollouts in sampled worlds: policies play both seats to the endgame, which gets its exact value."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.endgame.open_hands_kernels import without_equivalents
from german_whist.agents.inference.likelihood_kernels import HEURISTIC
from german_whist.agents.inference.world_sampling_kernels import (
    OPPONENT,
    SELF,
    write_hidden_cards,
    write_known_state,
)
from german_whist.agents.policy.row_network import best_action, is_network, write_logits
from german_whist.game.scoring import signed_margin
from german_whist.game.state import PLAY
from german_whist.game.state_kernels import counted_tricks, legal_actions, play
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.view_kernels import write_view
from german_whist.solver.search.alpha_beta_kernels import WINDOW_HIGH, WINDOW_LOW, alpha_beta
from german_whist.solver.search.race_kernels import RACE_WINDOW_HIGH, RACE_WINDOW_LOW, race_alpha_beta
from german_whist.solver.search.value_kernels import encode_position
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

# Rollouts stop at races with at most so many cards in a hand, or at most so many tricks to the goal. Solving others
# takes milliseconds, which is too long.
MAX_RACE_CARDS = 7
NEAR_GOAL = 3

_ONE = np.uint64(1)


@kernel
def distinct_actions(view):
    """Return the legal actions without those equivalent to a lower one: no unplayed card lies between the two cards.

    Face-up cards to pick from are never equivalent, because one seat may get the higher of two neighbours and the other
    seat the lower.
    """
    if view.choice:
        return view.legal
    in_play = view.hand | view.unseen | view.opponent_known | view.face_up
    if view.led >= 0:
        in_play |= _ONE << np.uint64(view.led)
    return without_equivalents(view.legal, in_play)


@kernel
def distinct_actions_in_world(rules, state):
    """Return the distinct legal actions in a full state, as ``distinct_actions`` does for a view."""
    if state.decision != PLAY:
        return legal_actions(state)
    in_play = rules.deck & ~(state.played[SELF] | state.played[OPPONENT])
    if state.led >= 0:  # the card led counts as played, but a follower's cards above and below it differ
        in_play |= _ONE << np.uint64(state.led)
    return without_equivalents(legal_actions(state), in_play)


@kernel
def is_open_endgame(rules, state):
    """Return whether a state is an open endgame that is small enough for the solver."""
    if state.face_up or state.top < rules.cards or state.decision != PLAY or rules.humbug:
        return False
    return popcount(state.hands[state.turn]) <= MAX_CARDS


@kernel
def is_solvable_endgame(rules, state):
    """Return whether a rollout stops at this state, because it is an open endgame that is solved in microseconds."""
    if not is_open_endgame(rules, state):
        return False
    if rules.race and popcount(state.hands[state.turn]) > MAX_RACE_CARDS:
        leading = max(counted_tricks(rules, state, SELF), counted_tricks(rules, state, OPPONENT))
        return rules.race - leading <= NEAR_GOAL
    return True


@kernel
def solved_margin(rules, state, tablebase, transpositions):
    """Return seat 0's margin of the deal with perfect play from this endgame on."""
    leader = np.int64(state.winner)
    hands = state.hands
    position, cards, led = encode_position(
        tablebase, hands[leader], hands[1 - leader], np.int64(state.trump), np.int64(state.led)
    )
    if rules.race:
        own = np.int64(rules.race) - counted_tricks(rules, state, leader)
        other = np.int64(rules.race) - counted_tricks(rules, state, 1 - leader)
        value = race_alpha_beta(
            tablebase, transpositions, position, cards, led, own, other, RACE_WINDOW_LOW, RACE_WINDOW_HIGH
        )
        # A race's value is the difference in needed tricks when play stops; its change from now on is the margin.
        margin = value - (other - own)
    else:
        margin = 2 * alpha_beta(tablebase, transpositions.plain, position, cards, led, WINDOW_LOW, WINDOW_HIGH) - cards
    return signed_margin(rules, state, SELF) + (margin if leader == SELF else -margin)


@kernel
def play_on(rules, state, view, network_seats):
    """Play on with the heuristic bot up to a decision of the network, or to the end of the rollout.

    The end is that of the deal, or an endgame that is solved. The heuristic bot plays endgames that are not solved.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        state: changed in place.
        view: a ``VIEW`` record, written: the view of the seat to act at the network's decision.
        network_seats: bit s is set if the network plays the foreplay for seat s.

    Returns:
        Whether the network is to choose.
    """
    while not state.done and not is_solvable_endgame(rules, state):
        legal = legal_actions(state)
        if not legal & (legal - _ONE):  # a forced action needs no policy
            play(rules, state, lowest(legal))
            continue
        write_view(rules, state, np.int64(state.turn), view)
        if view.stock and network_seats >> state.turn & 1:
            return True
        play(rules, state, heuristic_action(view))
    return False


@kernel
def final_margin(rules, state, tablebase, transpositions):
    """Return seat 0's margin of a deal that is over or has reached an endgame that is solved.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        state: a ``STATE`` record.
        tablebase: ``Tablebase`` for this kind of game.
        transpositions: ``RaceTranspositionTable`` of the same game.
    """
    return signed_margin(rules, state, SELF) if state.done else solved_margin(rules, state, tablebase, transpositions)


@kernel
def try_worlds(
    record, views, hands, models, actions, key, first, last, network, scratch, tablebase, transpositions, margins
):
    """Try actions in worlds ``first`` … ``last`` − 1 and write seat 0's margins.

    The network plays both seats, except that the heuristic bot plays the opponent in worlds with that opponent model.
    Without a network, the heuristic bot plays both. As many rollouts as the network has views run side by side, so that
    one forward pass serves all of them.

    Args:
        record: the rules, ``RULES_RECORD`` array (1,).
        views: ``VIEW`` array (1,).
        hands: the opponent's hidden cards in each world, uint64[worlds].
        models: the opponent model in each world, int64[worlds].
        actions: mask of the actions to try.
        key: random key.
        first: first world.
        last: the world after the last.
        network: a :class:`RowNetwork`, the rollout policy.
        scratch: ``states``, ``tries`` and ``blinds`` of a ``Scratch``.
        tablebase: ``Tablebase`` for this kind of game.
        transpositions: ``RaceTranspositionTable``.
        margins: float32[worlds, 54], written where an action is tried.
    """
    states, tries, blinds = scratch
    view, rules = views[0], record[0]
    size = network.views.shape[0]
    world, left = first - 1, np.uint64(0)  # ``left``: actions still to be started in ``world``
    count = 0  # running rollouts, in the first rows; ``states[size]`` is the world before the action
    while True:
        # Start rollouts while there is room.
        while count < size and (left or world + 1 < last):
            if not left:
                world += 1
                left = np.uint64(actions)
                write_known_state(rules, view, states[size])
                write_hidden_cards(rules, view, hands[world], key, np.uint64(world), states[size], blinds)
            action = lowest(left)
            left &= left - _ONE
            states[count] = states[size]
            play(rules, states[count], action)
            tries[count, 0], tries[count, 1] = world, action
            count += 1
        row = 0
        while row < count:
            state, number = states[row], tries[row, 0]
            seats = 0 if not is_network(network) else 1 if models[number] == HEURISTIC else 3
            if play_on(rules, state, network.views[row], seats):
                row += 1
                continue
            margins[number, tries[row, 1]] = final_margin(rules, state, tablebase, transpositions)
            count -= 1  # the last rollout takes this row, and is played on next
            states[row] = states[count]
            tries[row, 0], tries[row, 1] = tries[count, 0], tries[count, 1]
        if count:
            write_logits(network, count)
            for row in range(count):
                play(rules, states[row], best_action(network, row))
        elif not left and world + 1 >= last:
            return

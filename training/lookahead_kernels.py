"""Lookaheads: every action of a position is tried in the deal and continued to where a network's output is needed.

Rotations of the unseen cards are other deals that are exactly as likely as the true one after any play. No play can
have depended on a face-down card: given all that the seat to act knows, every order of the face-down stock is equally
likely; so is any exchange with the card that the other seat drew unseen in the last trick, as long as that seat has not
decided anything since. Trying an action in several orders reduces the variance of its target without bias, unlike
worlds that are sampled without regard to the opponent's play. The orders are rotations of the true one: each is uniform
on its own, no place holds the same card twice, and no random numbers are needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from german_whist.agents.search.choice_kernels import squashed_margin
from german_whist.agents.search.rollout_kernels import is_neighbour, is_open_endgame, solved_margin
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state import PLAY
from german_whist.envs.engine.state_kernels import legal_actions, play
from german_whist.envs.observation.canonical_kernels import RELABELING_SIZE, decode_action, encode_action, relabel_view
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.device import row_kernel
from german_whist.envs.utils.jit import kernel
from german_whist.solver.search.value_kernels import encode_position
from german_whist.solver.tablebase.ranking_kernels import lookup

# What a lookahead waits for, as a sum of these.
NEEDS_VALUE, NEEDS_REPLY, NEEDS_ANSWER, NEEDS_SOLUTION = 1, 2, 4, 8

DECODED = 52  # entries of a relabeling that decode an action
_ONE = np.uint64(1)
_SCRATCH = {"views": (1, VIEW), "relabeling": (RELABELING_SIZE, np.int8)}


class Lookaheads(NamedTuple):
    """Actions to evaluate, each played in its own copy of the deal.

    Attributes:
        states: ``STATE`` records (n,), the copies.
        envs: int64[n], the environment of each.
        seats: int8[n], the seat whose action it is.
        decisions_left: int8[n], own decisions still to come.
        totals: float64[n], sum of the margins expected at the decisions reached.
        needs: int8[n], what each waits for; 0 when it is over.
        views: ``VIEW`` records (n,), what the seat to act knows where one waits: canonical, or for an answer as it is.
        relabeling: int8[n, 52], the card behind each canonical card.
    """

    states: Any
    envs: Any
    seats: Any
    decisions_left: Any
    totals: Any
    needs: Any
    views: Any
    relabeling: Any


@kernel
def _last_drawn(state):
    """Return the deck index of the card that the other seat has just drawn unseen; −1 where play may reveal it."""
    place = np.int64(state.top) - 2  # the card above it was turned up when it had been drawn
    if place < 0 or state.led >= 0 or state.decision != PLAY:
        return np.int64(-1)
    other = 1 - np.int64(state.turn)
    held = (state.hands[other] & ~state.known[other]) >> np.uint64(state.deck[place])
    return place if held & _ONE else np.int64(-1)


@kernel
def count_rotations(game, state, most):
    """Return the number of rotations to try an action in: ``most``, or all where there are fewer."""
    unseen = np.int64(game.cards) - np.int64(state.top)
    if unseen > 0 and _last_drawn(state) >= 0:
        unseen += 1
    return max(np.int64(1), min(np.int64(most), unseen))


@kernel
def write_rotation(game, state, rotation, rotations, state_copy):
    """Rotate the unseen cards of a state's copy; rotation 0 is the state itself.

    Args:
        game: the rules.
        state: ``STATE`` record; the seat to act cannot tell it from the copy.
        rotation: 0 to ``rotations`` − 1.
        rotations: from :func:`count_rotations`.
        state_copy: a copy of it, changed in place.
    """
    if rotation == 0:
        return
    top, cards = np.int64(state.top), np.int64(game.cards)
    drawn = _last_drawn(state)
    first = top if drawn < 0 else top - 1  # place of the drawn card, as if it lay on the stock
    unseen = cards - first
    steps = rotation * unseen // rotations
    for number in range(unseen):
        source = first + (number + steps) % unseen
        place = first + number
        card = state.deck[drawn if source < top else source]
        state_copy.deck[drawn if place < top else place] = card
    if drawn >= 0:
        other = 1 - np.int64(state.turn)
        state_copy.hands[other] &= ~(_ONE << np.uint64(state.deck[drawn]))
        state_copy.hands[other] |= _ONE << np.uint64(state_copy.deck[drawn])


@row_kernel
def write_slots(i, game, states, wanted, stock_rotations, slots, rotations):
    """Write the actions to try in environment ``i``, if it is wanted and has a choice.

    Of equivalent cards (no card in play between them) only the lowest is tried.

    Args:
        i: the environment.
        game: the rules.
        states: ``STATE`` array (envs,).
        wanted: bool[envs].
        stock_rotations: number of rotations of the unseen cards to try each action in; fewer if there are fewer cards.
        slots: uint64[envs, most actions], masks of equivalent actions, written; 0 for none.
        rotations: int64[envs], number of rotations, written.
    """
    for slot in range(slots.shape[1]):
        slots[i, slot] = 0
    rotations[i] = 0
    state = states[i]
    legal = legal_actions(state)
    if not wanted[i] or not legal & (legal - _ONE):
        return
    in_play = game[0].deck & ~(state.played[0] | state.played[1])
    if state.led >= 0:
        in_play |= _ONE << np.uint64(state.led)
    rotations[i] = count_rotations(game[0], state, stock_rotations)
    slot = last = np.int64(-1)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if state.decision != PLAY or not is_neighbour(last, action, in_play):
            slot += 1
        slots[i, slot] |= _ONE << np.uint64(action)
        last = action


@kernel
def _known_margin(game, state, high, low):
    """Return seat 0's margin of the deal with perfect play from an endgame on that the tables hold."""
    leader = np.int64(state.winner)
    own, other, trump = state.hands[leader], state.hands[1 - leader], np.int64(state.trump)
    if state.low:
        position, cards, _ = encode_position(low, own, other, trump, np.int64(-1))
        value = lookup(low, position, cards, False)
    else:
        position, cards, _ = encode_position(high, own, other, trump, np.int64(-1))
        value = lookup(high, position, cards, False)
    margin = 2 * value - cards
    return signed_margin(game, state, 0) + (margin if leader == 0 else -margin)


@kernel
def _is_known(game, state, high):
    """Return whether a table holds the endgame of a state; those of races and of led cards are searched."""
    return not game.race and state.led < 0 and popcount(state.hands[state.winner]) <= high.cards


@kernel
def _end(k, margin, margin_tanh_scale, lookaheads):
    """End a lookahead with seat 0's margin, which counts for the decisions that it has not reached."""
    squashed = squashed_margin(margin if lookaheads.seats[k] == 0 else -margin, margin_tanh_scale)
    lookaheads.totals[k] += lookaheads.decisions_left[k] * squashed
    lookaheads.decisions_left[k] = 0
    lookaheads.needs[k] = 0


@kernel
def _play_on(k, views, relabeling, game, answers, high, low, margin_tanh_scale, lookaheads):
    """Continue lookahead ``k`` until it is over or waits for something.

    It is over after its number of own decisions, at the end of the deal, or at an endgame. Decisions without a choice
    do not count.
    """
    state = lookaheads.states[k]
    lookaheads.needs[k] = 0
    if lookaheads.decisions_left[k] == 0:
        return
    seat = np.int64(lookaheads.seats[k])
    while True:
        if state.done:
            _end(k, signed_margin(game, state, 0), margin_tanh_scale, lookaheads)
            return
        if is_open_endgame(game, state):
            if _is_known(game, state, high):
                _end(k, _known_margin(game, state, high, low), margin_tanh_scale, lookaheads)
            else:
                lookaheads.needs[k] = NEEDS_SOLUTION
            return
        turn = np.int64(state.turn)
        legal = legal_actions(state)
        if legal & (legal - _ONE):
            write_view(game, state, turn, views[0])
            lookaheads.views[k] = views[0]
            if turn != seat and answers[lookaheads.envs[k]]:
                lookaheads.needs[k] = NEEDS_ANSWER
                return
            relabel_view(views[0], lookaheads.views[k], relabeling, True)
            for card in range(DECODED):
                lookaheads.relabeling[k, card] = relabeling[card]
            if turn != seat:
                lookaheads.needs[k] = NEEDS_REPLY
            else:
                lookaheads.needs[k] = NEEDS_VALUE | (NEEDS_REPLY if lookaheads.decisions_left[k] > 1 else 0)
            return
        play(game, state, lowest(legal))


@row_kernel(scratch=_SCRATCH)
def begin_lookaheads(
    i,
    views,
    relabeling,
    game,
    states,
    numbers,
    slots,
    rotations,
    most,
    lookahead,
    answers,
    high,
    low,
    scale,
    lookaheads,
):
    """Try an action in the true deal or a rotation of its stock, and play on.

    Hidden cards are the true ones: over many deals, targets average over everything that the seat considers possible,
    with few worlds per position.

    Args:
        i: the lookahead.
        views: scratch.
        relabeling: scratch.
        game: the rules.
        states: ``STATE`` array (envs,).
        numbers: int64[n], the environment, slot and rotation of each lookahead: (env * slots + slot) * most + rotation.
        slots: uint64[envs, most actions], from :func:`write_slots`.
        rotations: int64[envs], likewise.
        most: the largest number of rotations.
        lookahead: number of own decisions to follow the action for.
        answers: bool[envs], whether the opponent answers itself, not the policy in its place.
        high: ``EndgameTable`` for these deals; endgames that it does not hold are left to be solved.
        low: that for deals played low.
        scale: see :func:`choice_kernels.squashed_margin`.
        lookaheads: the :class:`Lookaheads`.
    """
    number = numbers[i]
    env = number // (slots.shape[1] * most)
    slot = number // most % slots.shape[1]
    lookaheads.states[i] = states[env]
    write_rotation(game[0], states[env], number % most, rotations[env], lookaheads.states[i])
    lookaheads.envs[i] = env
    lookaheads.seats[i] = states[env].turn
    lookaheads.decisions_left[i] = lookahead
    lookaheads.totals[i] = 0
    play(game[0], lookaheads.states[i], lowest(slots[env, slot]))
    _play_on(i, views, relabeling, game[0], answers, high, low, scale, lookaheads)


@row_kernel(scratch=_SCRATCH)
def take_replies(i, views, relabeling, game, rows, logits, answers, high, low, scale, lookaheads):
    """Play the legal action with the highest logit in lookahead ``rows[i]``, and play on.

    Args:
        i: the row of ``rows``.
        views: scratch.
        relabeling: scratch.
        game: the rules.
        rows: int64[n], the lookaheads that need a reply.
        logits: float32[n, actions], of canonical actions.
        answers: as in :func:`begin_lookaheads`.
        high: likewise.
        low: likewise.
        scale: likewise.
        lookaheads: the :class:`Lookaheads`.
    """
    k = rows[i]
    legal = lookaheads.views[k].legal
    best = lowest(legal)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if logits[i, action] > logits[i, best]:
            best = action
    play(game[0], lookaheads.states[k], decode_action(best, lookaheads.relabeling[k]))
    _play_on(k, views, relabeling, game[0], answers, high, low, scale, lookaheads)


@row_kernel(scratch=_SCRATCH)
def take_answers(i, views, relabeling, game, rows, actions, answers, high, low, scale, lookaheads):
    """Play the opponent's action in lookahead ``rows[i]``, ``actions`` int64[n], and play on; others as above."""
    k = rows[i]
    play(game[0], lookaheads.states[k], actions[i])
    _play_on(k, views, relabeling, game[0], answers, high, low, scale, lookaheads)


@row_kernel
def take_solutions(i, rows, margins, scale, lookaheads):
    """End lookahead ``rows[i]`` with seat 0's margin of its deal, ``margins`` int64[n]."""
    _end(rows[i], margins[i], scale, lookaheads)


@kernel
def solve_states(game, states, high, low, transpositions, margins):
    """Write seat 0's margin of deals with perfect play from an endgame on, int64[n], found by search."""
    for i in range(states.shape[0]):
        if states[i].low:
            margins[i] = solved_margin(game[0], states[i], low, transpositions)
        else:
            margins[i] = solved_margin(game[0], states[i], high, transpositions)


@row_kernel
def write_q_targets(i, totals, slots, rotations, most, lookahead, relabeling, q_targets):
    """Write the target of each action of environment ``i``: its mean over decisions and rotations.

    That is a mean of n-step returns (Sutton and Barto, "Reinforcement Learning", 2nd edition, 7.1 and 12.1).

    Args:
        i: the environment.
        totals: float64[envs * most actions * most], by the number of the lookahead.
        slots: uint64[envs, most actions], from :func:`write_slots`.
        rotations: int64[envs], likewise.
        most: the largest number of rotations.
        lookahead: number of own decisions of each lookahead.
        relabeling: int8[envs, RELABELING_SIZE], the relabelings.
        q_targets: float32[envs, actions], by canonical action, written; 0 for the others.
    """
    for action in range(q_targets.shape[1]):
        q_targets[i, action] = 0
    for slot in range(slots.shape[1]):
        mean = np.float32(0)
        for rotation in range(rotations[i]):
            total = totals[(i * slots.shape[1] + slot) * most + rotation]
            mean = np.float32(mean + total * (1.0 / rotations[i]) / lookahead)
        actions = slots[i, slot]
        while actions:
            q_targets[i, encode_action(lowest(actions), relabeling[i])] = mean
            actions &= actions - _ONE

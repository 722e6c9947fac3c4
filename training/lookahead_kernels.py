"""Kernels of lookaheads: try every action of a position in the deal, and play on until a network or a solver is needed.

Each action is also tried in rotations of the unseen cards. These are other deals, exactly as likely as the true one:
no play can have depended on a face-down card, so given all that the seat to act knows, every order of the face-down
stock is equally likely. So is every exchange with the card that the other seat drew unseen in the last trick, as long
as that seat has made no decision since. Averaging over several orders reduces the variance of a target without bias,
unlike determinizations that are sampled without regard to the opponent's play. Rotations of the true order serve
because each is uniform on its own, no place holds the same card twice, and no random numbers are needed.
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
from german_whist.envs.utils.jit import kernel
from german_whist.envs.utils.row_kernels import row_kernel
from german_whist.solver.search.value_kernels import encode_position
from german_whist.solver.tablebase.ranking_kernels import lookup

# What a lookahead waits for, as bit flags: the value network's output, an action of the distilled network, an action of
# the opponent itself, or the solver. A value and a reply can be needed at once.
NEEDS_VALUE, NEEDS_REPLY, NEEDS_ANSWER, NEEDS_SOLUTION = 1, 2, 4, 8

DECODED = 52  # leading entries of a relabeling: those that decode an action
_ONE = np.uint64(1)
_SCRATCH = {"views": (1, VIEW), "relabeling": (RELABELING_SIZE, np.int8)}


class Lookaheads(NamedTuple):
    """Lookaheads in progress: each tries one action in its own copy of the deal.

    Attributes:
        states: ``STATE`` records (n,), the copies.
        envs: int64[n], the environment of each.
        seats: int8[n], the seat whose action is tried.
        decisions_left: int8[n], that seat's decisions still to be reached.
        totals: float64[n], sum of the margins expected at the decisions reached so far, in tricks.
        needs: int8[n], what each waits for, as flags; 0 when it is over.
        views: ``VIEW`` records (n,), what the seat to act knows where a lookahead waits: canonical for a network, but
            not for ``NEEDS_ANSWER``.
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
    """Return the deck index of the card that the other seat has just drawn unseen; −1 if its play may depend on it."""
    # The loser of a trick draws, and then the next card is turned up, so the drawn card lies two before the top.
    place = np.int64(state.top) - 2
    if place < 0 or state.led >= 0 or state.decision != PLAY:
        return np.int64(-1)
    other = 1 - np.int64(state.turn)
    # Some rules draw in another order, and an exhausted stock turns up nothing: check who holds the card, and unseen.
    held = (state.hands[other] & ~state.known[other]) >> np.uint64(state.deck[place])
    return place if held & _ONE else np.int64(-1)


@kernel
def count_rotations(game, state, most):
    """Return the number of rotations to try an action in: ``most``, or as many as there are, at least 1."""
    unseen = np.int64(game.cards) - np.int64(state.top)
    if unseen > 0 and _last_drawn(state) >= 0:
        unseen += 1
    return max(np.int64(1), min(np.int64(most), unseen))


@kernel
def write_rotation(game, state, rotation, rotations, state_copy):
    """Rotate the unseen cards of a copy of a state; rotation 0 leaves it as it is.

    The seat to act cannot tell the rotated copy from the original.

    Args:
        game: the rules.
        state: ``STATE`` record, the original.
        rotation: 0 to ``rotations`` − 1.
        rotations: from :func:`count_rotations`.
        state_copy: a copy of ``state``, changed in place.
    """
    if rotation == 0:
        return
    top, cards = np.int64(state.top), np.int64(game.cards)
    drawn = _last_drawn(state)
    # The drawn card takes part as if it still lay on top of the stock. That place, top − 1, is the face-up card's, so
    # the loop below redirects it to the drawn card's own place.
    first = top if drawn < 0 else top - 1
    unseen = cards - first
    steps = rotation * unseen // rotations  # evenly spaced: with fewer rotations than cards they stay distinct
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
    """Write the actions to try in environment ``i``, one slot for each class of equivalent actions.

    Cards of a suit are equivalent if no other card in play ranks between them; only the lowest of a class is tried.

    Args:
        i: the environment.
        game: the rules.
        states: ``STATE`` array (envs,).
        wanted: bool[envs]; the others, and those without a choice, get no slots.
        stock_rotations: number of rotations of the unseen cards to try each action in; fewer if there are fewer cards.
        slots: uint64[envs, most actions], masks of equivalent actions, written; 0 for an unused slot.
        rotations: int64[envs], number of rotations, written.
    """
    for slot in range(slots.shape[1]):
        slots[i, slot] = 0
    rotations[i] = 0
    state = states[i]
    legal = legal_actions(state)
    if not wanted[i] or not legal & (legal - _ONE):  # one bit at most: no choice
        return
    in_play = game[0].deck & ~(state.played[0] | state.played[1])
    if state.led >= 0:  # counted as played already, but beating it or not makes a difference
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
    """Return seat 0's final margin with perfect play from an endgame that the tables hold."""
    leader = np.int64(state.winner)
    own, other, trump = state.hands[leader], state.hands[1 - leader], np.int64(state.trump)
    if state.low:
        position, cards, _ = encode_position(low, own, other, trump, np.int64(-1))
        value = lookup(low, position, cards, False)
    else:
        position, cards, _ = encode_position(high, own, other, trump, np.int64(-1))
        value = lookup(high, position, cards, False)
    margin = 2 * value - cards  # from the leader's tricks to the difference of tricks
    return signed_margin(game, state, 0) + (margin if leader == 0 else -margin)


@kernel
def _is_known(game, state, high):
    """Return whether a table holds the endgame of a state; races, begun tricks and larger hands are searched."""
    return not game.race and state.led < 0 and popcount(state.hands[state.winner]) <= high.cards


@kernel
def _end(k, margin, margin_tanh_scale, lookaheads):
    """End lookahead ``k`` with seat 0's final margin, which stands in for the values at decisions not reached."""
    squashed = squashed_margin(margin if lookaheads.seats[k] == 0 else -margin, margin_tanh_scale)
    lookaheads.totals[k] += lookaheads.decisions_left[k] * squashed
    lookaheads.decisions_left[k] = 0
    lookaheads.needs[k] = 0


@kernel
def _play_on(k, views, relabeling, game, answers, high, low, margin_tanh_scale, lookaheads):
    """Play on in lookahead ``k`` until it is over or has to wait.

    It is over once it has reached its number of own decisions, the end of the deal, or an endgame. Decisions without a
    choice are played at once and do not count.
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
                lookaheads.needs[k] = NEEDS_ANSWER  # agents get the view as it is, not canonical
                return
            relabel_view(views[0], lookaheads.views[k], relabeling, True)
            for card in range(DECODED):
                lookaheads.relabeling[k, card] = relabeling[card]
            if turn != seat:
                lookaheads.needs[k] = NEEDS_REPLY
            else:  # the last decision needs a value alone: nobody plays on from there
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
    """Begin lookahead ``i``: try an action in the true deal or in a rotation of it, and play on.

    The opponent's hand is the true one. Over many deals, the mean of the targets is nevertheless one over all hands
    that the seat considers possible, in the proportions in which play leads to them.

    Args:
        i: the lookahead.
        views: scratch.
        relabeling: scratch.
        game: the rules.
        states: ``STATE`` array (envs,).
        numbers: int64[n], the environment, slot and rotation of each lookahead: (env * slots + slot) * most + rotation.
        slots: uint64[envs, most actions], from :func:`write_slots`.
        rotations: int64[envs], from :func:`write_slots`.
        most: the largest number of rotations.
        lookahead: number of own decisions at which values are averaged.
        answers: bool[envs], whether the opponent itself replies; otherwise the distilled network does.
        high: ``EndgameTable`` for deals played high; endgames that it does not hold are left to the solver.
        low: the same for deals played low.
        scale: see :func:`choice_kernels.squashed_margin`.
        lookaheads: the :class:`Lookaheads`, written.
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
        answers: as in :func:`begin_lookaheads`, like the rest.
        high: likewise.
        low: likewise.
        scale: likewise.
        lookaheads: likewise.
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
    """Play the opponent's action ``actions[i]``, int64[n], in lookahead ``rows[i]``, and play on.

    The other arguments are those of :func:`take_replies`.
    """
    k = rows[i]
    play(game[0], lookaheads.states[k], actions[i])
    _play_on(k, views, relabeling, game[0], answers, high, low, scale, lookaheads)


@row_kernel
def take_solutions(i, rows, margins, scale, lookaheads):
    """End lookahead ``rows[i]`` with seat 0's final margin ``margins[i]``, int64[n]."""
    _end(rows[i], margins[i], scale, lookaheads)


@kernel
def solve_states(game, states, high, low, transpositions, margins):
    """Search endgames, and write seat 0's final margins with perfect play, int64[n]."""
    for i in range(states.shape[0]):
        if states[i].low:
            margins[i] = solved_margin(game[0], states[i], low, transpositions)
        else:
            margins[i] = solved_margin(game[0], states[i], high, transpositions)


@row_kernel
def write_q_targets(i, totals, slots, rotations, most, lookahead, relabeling, q_targets):
    """Write the target of each action of environment ``i``: 1/(R L) Σ_r Σ_l v, over R rotations and L own decisions.

    This is a mean of n-step returns (Sutton and Barto, "Reinforcement Learning", 2nd edition, 7.1 and 12.1). All
    actions of a slot get the same target.

    Args:
        i: the environment.
        totals: float64[envs * most actions * most], Σ_l v of each lookahead, by its number.
        slots: uint64[envs, most actions], from :func:`write_slots`.
        rotations: int64[envs], from :func:`write_slots`.
        most: the largest number of rotations.
        lookahead: number of own decisions of each lookahead.
        relabeling: int8[envs, RELABELING_SIZE], of the current decisions.
        q_targets: float32[envs, actions], by canonical action, written; 0 for actions not tried.
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

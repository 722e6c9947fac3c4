"""Kernels of lookaheads: try every action of a position in the deal, and play on until a network or a solver is needed.

Each action is also tried in rotations of the unseen cards. These are other deals, exactly as likely as the true one:
no play can have depended on a face-down card, so given all that the seat to act knows, every order of the face-down
stock is equally likely. So is every exchange with the card that the other seat drew unseen in the last trick, as long
as that seat has made no decision since. Averaging over several orders reduces the variance of a target without bias,
unlike determinizations that are sampled without regard to the opponent's play. Rotations of the true order serve
because each is uniform on its own, no place holds the same card twice, and no random numbers are needed.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.endgame.open_hands_kernels import is_neighbour
from german_whist.agents.search.rollout_kernels import is_open_endgame, solved_margin
from german_whist.agents.search.selection_kernels import squashed_margin
from german_whist.game.scoring import signed_margin
from german_whist.game.state import PLAY, STATE
from german_whist.game.state_kernels import legal_actions, play
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel
from german_whist.simulator.observation.canonical_kernels import (
    RELABELING_SIZE,
    decode_action,
    encode_action,
    relabel_view,
)
from german_whist.simulator.observation.view_kernels import write_view
from german_whist.simulator.observation.views import VIEW
from german_whist.solver.search.value_kernels import encode_position
from german_whist.solver.tablebase.ranking_kernels import lookup

# What a lookahead waits for: nothing, an action of the rollout policy, that and a value of the position, an action of
# the opponent itself, a last value, or the margin of an endgame, from a tablebase or from a search.
(
    DONE,
    AWAITS_POLICY,
    AWAITS_POLICY_AND_VALUE,
    AWAITS_OPPONENT,
    AWAITS_VALUE,
    AWAITS_TABLEBASE,
    AWAITS_SEARCH,
) = range(7)
NUM_AWAITED = AWAITS_SEARCH

_DECODED = 52  # leading entries of a relabeling: those that decode an action
_ONE = np.uint64(1)
_SCRATCH = {"view": (1, VIEW), "relabeling": (RELABELING_SIZE, np.int8)}

# A lookahead: one action, tried in its own copy of the deal. Lookahead (group * rotations + rotation) * envs + env is
# the one of that environment, group (see ``write_groups``) and rotation, if it has so many.
LOOKAHEAD = np.dtype(
    [
        ("state", STATE),  # the copy
        ("total", np.float64),  # sum of the margins expected at the decisions reached so far, in tricks
        ("relabeling", np.int8, (_DECODED,)),  # the card behind each canonical card
        ("seat", np.int8),  # the seat whose action is tried
        ("decisions_left", np.int8),  # decisions that seat has yet to reach
        ("opponent_replies", np.bool_),  # whether the opponent itself replies, not the rollout policy
    ],
    align=True,
)


@row_kernel
def write_q_targets(i, groups, rotations, lookahead, relabeling, lookaheads, q_targets):
    """Write the target of each action of environment ``i``: 1/(R L) Σ_r Σ_l v, over R rotations and L own decisions.

    This is a mean of n-step returns (Sutton and Barto, "Reinforcement Learning", 2nd edition, 7.1 and 12.1). All
    actions of a group get the same target.

    Args:
        i: the environment.
        groups: uint64[max_actions, envs], from :func:`write_groups`.
        rotations: int64[envs], from :func:`write_groups`.
        lookahead: number of own decisions of each lookahead.
        relabeling: int8[envs, RELABELING_SIZE], of the current decisions.
        lookaheads: ``LOOKAHEAD`` array, with Σ_l v as totals.
        q_targets: float32[envs, actions], by canonical action, written; 0 for actions not tried.
    """
    envs = groups.shape[1]
    max_rotations = lookaheads.shape[0] // groups.size
    for action in range(q_targets.shape[1]):
        q_targets[i, action] = 0
    for group in range(groups.shape[0]):
        mean = np.float32(0)
        for rotation in range(rotations[i]):
            total = lookaheads[(group * max_rotations + rotation) * envs + i].total
            mean = np.float32(mean + total * (1.0 / rotations[i]) / lookahead)
        actions = groups[group, i]
        while actions:
            q_targets[i, encode_action(lowest(actions), relabeling[i])] = mean
            actions &= actions - _ONE


@kernel
def _last_drawn(state):
    """Return the deck index of the card that the other seat has just drawn unseen; −1 if its play may depend on it."""
    # The loser of a trick draws, and then the next card is turned up, so the drawn card lies two before the top.
    index = np.int64(state.top) - 2
    if index < 0 or state.led >= 0 or state.decision != PLAY:
        return np.int64(-1)
    other = 1 - np.int64(state.turn)
    # Some rules draw in another order, and an exhausted stock turns up nothing: check who holds the card, and unseen.
    held = (state.hands[other] & ~state.known[other]) >> np.uint64(state.deck[index])
    return index if held & _ONE else np.int64(-1)


@kernel
def count_rotations(rules, state, max_rotations):
    """Return the number of rotations to try an action in: ``max_rotations``, or as many as there are, at least 1."""
    unseen = np.int64(rules.cards) - np.int64(state.top)
    if unseen > 0 and _last_drawn(state) >= 0:
        unseen += 1
    return max(np.int64(1), min(np.int64(max_rotations), unseen))


@kernel
def write_rotation(rules, state, rotation, rotations, state_copy):
    """Rotate the unseen cards of a copy of a state; rotation 0 leaves it as it is.

    The seat to act cannot tell the rotated copy from the original.

    Args:
        rules: the rules.
        state: ``STATE`` record, the original.
        rotation: 0 to ``rotations`` − 1.
        rotations: from :func:`count_rotations`.
        state_copy: a copy of ``state``, changed in place.
    """
    if rotation == 0:
        return
    top, cards = np.int64(state.top), np.int64(rules.cards)
    drawn = _last_drawn(state)
    # The drawn card takes part as if it still lay on top of the stock. That place, top − 1, is the face-up card's, so
    # the loop below redirects it to the drawn card's own place.
    first = top if drawn < 0 else top - 1
    unseen = cards - first
    steps = rotation * unseen // rotations  # evenly spaced: with fewer rotations than cards they stay distinct
    for number in range(unseen):
        source = first + (number + steps) % unseen
        index = first + number
        card = state.deck[drawn if source < top else source]
        state_copy.deck[drawn if index < top else index] = card
    if drawn >= 0:
        other = 1 - np.int64(state.turn)
        state_copy.hands[other] &= ~(_ONE << np.uint64(state.deck[drawn]))
        state_copy.hands[other] |= _ONE << np.uint64(state_copy.deck[drawn])


@row_kernel
def write_groups(i, rules, states, wanted, stock_rotations, groups, rotations):
    """Write the actions to try in environment ``i``, one group for each class of equivalent actions.

    Cards of a suit are equivalent if no other card in play ranks between them; only the lowest of a class is tried.

    Args:
        i: the environment.
        rules: the rules.
        states: ``STATE`` array (envs,).
        wanted: bool[envs]; the others, and those without a choice, get no groups.
        stock_rotations: number of rotations of the unseen cards to try each action in; fewer if there are fewer cards.
        groups: uint64[max_actions, envs], masks of equivalent actions, written; 0 for an unused group.
        rotations: int64[envs], number of rotations, written.
    """
    for group in range(groups.shape[0]):
        groups[group, i] = 0
    rotations[i] = 0
    state = states[i]
    legal = legal_actions(state)
    if not wanted[i] or not legal & (legal - _ONE):  # one bit at most: no choice
        return
    in_play = rules[0].deck & ~(state.played[0] | state.played[1])
    if state.led >= 0:  # counted as played already, but beating it or not makes a difference
        in_play |= _ONE << np.uint64(state.led)
    rotations[i] = count_rotations(rules[0], state, stock_rotations)
    group = last = np.int64(-1)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if state.decision != PLAY or not is_neighbour(last, action, in_play):
            group += 1
        groups[group, i] |= _ONE << np.uint64(action)
        last = action


@kernel
def _known_margin(rules, state, tablebase):
    """Return seat 0's final margin with perfect play from an endgame that a table holds."""
    leader = np.int64(state.winner)
    own, other, trump = state.hands[leader], state.hands[1 - leader], np.int64(state.trump)
    position, cards, _ = encode_position(tablebase, own, other, trump, np.int64(-1))
    margin = (
        2 * lookup(tablebase, position, cards, False) - cards
    )  # the leader's tricks become the difference of tricks
    return signed_margin(rules, state, 0) + (margin if leader == 0 else -margin)


@kernel
def _end(ahead, margin, margin_tanh_scale):
    """End a lookahead with seat 0's final margin, which stands in for the values at decisions not reached."""
    squashed = squashed_margin(margin if ahead.seat == 0 else -margin, margin_tanh_scale)
    ahead.total += ahead.decisions_left * squashed
    ahead.decisions_left = 0


@kernel
def _play_on(k, view, relabeling, rules, known_cards, margin_tanh_scale, views, lookaheads):
    """Play on in lookahead ``k`` until it is over or has to wait; return its status.

    It is over once it has reached its number of own decisions, the end of the deal, or an endgame. Decisions without a
    choice are played at once and do not count.
    """
    ahead = lookaheads[k]
    state = ahead.state
    if ahead.decisions_left == 0:
        return DONE
    while True:
        if state.done:
            _end(ahead, signed_margin(rules, state, 0), margin_tanh_scale)
            return DONE
        if is_open_endgame(rules, state):
            is_known = state.led < 0 and popcount(state.hands[state.winner]) <= known_cards
            return AWAITS_TABLEBASE if is_known else AWAITS_SEARCH
        legal = legal_actions(state)
        if legal & (legal - _ONE):
            break
        play(rules, state, lowest(legal))
    is_own = state.turn == ahead.seat
    write_view(rules, state, np.int64(state.turn), view[0])
    views[k] = view[0]
    if not is_own and ahead.opponent_replies:
        return AWAITS_OPPONENT  # agents get the view as it is, not canonical
    relabel_view(view[0], views[k], relabeling, True)
    for card in range(_DECODED):
        ahead.relabeling[card] = relabeling[card]
    if not is_own:
        return AWAITS_POLICY
    return (
        AWAITS_POLICY_AND_VALUE if ahead.decisions_left > 1 else AWAITS_VALUE
    )  # nobody plays on from the last decision


@row_kernel(scratch=_SCRATCH)
def begin_lookaheads(
    i,
    view,
    relabeling,
    rules,
    states,
    groups,
    rotations,
    lookahead,
    opponent_replies,
    known_cards,
    scale,
    status,
    views,
    lookaheads,
):
    """Begin lookahead ``i``: try an action in the true deal or in a rotation of it, and play on.

    The opponent's hand is the true one. Over many deals, the mean of the targets is nevertheless one over all hands
    that the seat considers possible, in the proportions in which play leads to them.

    Args:
        i: the lookahead.
        view: scratch.
        relabeling: scratch.
        rules: the rules.
        states: ``STATE`` array (envs,).
        groups: uint64[max_actions, envs], from :func:`write_groups`.
        rotations: int64[envs], from :func:`write_groups`.
        lookahead: number of own decisions at which values are averaged.
        opponent_replies: bool[envs], whether the opponent itself replies; otherwise the rollout policy does.
        known_cards: cards in the largest hands whose endgame margins are looked up; others are searched.
        scale: see :func:`selection_kernels.squashed_margin`.
        status: int8[n], the status of each lookahead, written; ``DONE`` where no action is tried.
        views: ``VIEW`` array (n,), the view of the seat to act where a lookahead waits, written: canonical for a
            network, but not for ``AWAITS_OPPONENT``.
        lookaheads: ``LOOKAHEAD`` array (n,), written.
    """
    envs = states.shape[0]
    max_rotations = status.shape[0] // (groups.shape[0] * envs)
    env, rotation, group = i % envs, i // envs % max_rotations, i // envs // max_rotations
    status[i] = DONE
    if not groups[group, env] or rotation >= rotations[env]:
        return
    ahead = lookaheads[i]
    ahead.state = states[env]
    write_rotation(rules[0], states[env], rotation, rotations[env], ahead.state)
    ahead.total = 0
    ahead.seat = states[env].turn
    ahead.decisions_left = lookahead
    ahead.opponent_replies = opponent_replies[env]
    play(rules[0], ahead.state, lowest(groups[group, env]))
    status[i] = _play_on(i, view, relabeling, rules[0], known_cards, scale, views, lookaheads)


@row_kernel(scratch=_SCRATCH)
def apply_policy_actions(i, view, relabeling, rules, rows, logits, known_cards, scale, status, views, lookaheads):
    """Play the legal action with the highest logit in lookahead ``rows[i]``, and play on.

    Args:
        i: the row of ``rows``.
        view: scratch.
        relabeling: scratch.
        rules: the rules.
        rows: int64[n], the lookaheads that wait for the rollout policy.
        logits: float32[n, actions], of canonical actions.
        known_cards: as in :func:`begin_lookaheads`, like the rest.
        scale: likewise.
        status: likewise.
        views: likewise.
        lookaheads: likewise.
    """
    k = rows[i]
    legal = views[k].legal
    best = lowest(legal)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if logits[i, action] > logits[i, best]:
            best = action
    play(rules[0], lookaheads[k].state, decode_action(best, lookaheads[k].relabeling))
    status[k] = _play_on(k, view, relabeling, rules[0], known_cards, scale, views, lookaheads)


@row_kernel(scratch=_SCRATCH)
def apply_opponent_actions(i, view, relabeling, rules, rows, actions, known_cards, scale, status, views, lookaheads):
    """Play the opponent's action ``actions[i]``, int64[n], in lookahead ``rows[i]``, and play on.

    The other arguments are those of :func:`apply_policy_actions`.
    """
    k = rows[i]
    play(rules[0], lookaheads[k].state, actions[i])
    status[k] = _play_on(k, view, relabeling, rules[0], known_cards, scale, views, lookaheads)


@row_kernel
def add_values(i, rows, values, lookaheads):
    """Add the expected margin ``values[i, 0]``, float32[n, 1], to the total of lookahead ``rows[i]``."""
    ahead = lookaheads[rows[i]]
    ahead.total += values[i, 0]
    ahead.decisions_left -= 1


@row_kernel
def end_with_tablebase(i, rows, rules, tablebase, scale, lookaheads):
    """End lookahead ``rows[i]`` with the margin that an ``Tablebase`` holds, if it is for deals played like this."""
    ahead = lookaheads[rows[i]]
    if (ahead.state.low == 1) == tablebase.low:
        _end(ahead, _known_margin(rules[0], ahead.state, tablebase), scale)


@row_kernel
def end_with_margins(i, rows, margins, scale, lookaheads):
    """End lookahead ``rows[i]`` with seat 0's final margin ``margins[i]``, int64[n]."""
    _end(lookaheads[rows[i]], margins[i], scale)


@kernel
def solve_states(rules, states, high, low, transpositions, margins):
    """Search endgames, and write seat 0's final margins with perfect play, int64[n]."""
    for i in range(states.shape[0]):
        if states[i].low:
            margins[i] = solved_margin(rules[0], states[i], low, transpositions)
        else:
            margins[i] = solved_margin(rules[0], states[i], high, transpositions)

"""Determinization: a view completed to a full state by sampled hidden cards. The view's owner has seat 0."""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import hand_size, is_humbug, sample_hand, uniform_below
from german_whist.envs.engine.dealing_kernels import shuffle
from german_whist.envs.engine.state import DRAFT, EXCHANGE, PICK, PICK_AFTER, PLAY
from german_whist.envs.engine.state_kernels import suit_mask
from german_whist.envs.observation.view_kernels import cards_of_view
from german_whist.envs.utils.bit_kernels import lowest, nth_lowest, popcount
from german_whist.envs.utils.jit import kernel

SELF, OPPONENT = 0, 1
_TURNED_BLOCK = np.uint64(2**31)  # random block, far from those that sample hands

_ONE = np.uint64(1)


@kernel
def write_rules(view, game):
    """Write the rules needed to play on from a view: all but dealing and scoring."""
    cards = cards_of_view(view)
    game.deck = cards
    game.cards = popcount(cards)
    game.hand = hand_size(view)
    game.humbug = 1 if is_humbug(view) else 0
    game.draft = view.draft
    game.race = view.race
    game.all_count = view.all_count
    # Fewer than the rules say at the end of the stock, but never just one where cards are picked.
    game.open_stock = popcount(view.face_up)


@kernel
def decision_of(view):
    """Return the kind of decision of the seat to act."""
    if not view.choice:
        return PLAY
    if view.stock == 0:
        return EXCHANGE
    if view.draft:
        return DRAFT
    return PICK_AFTER if view.stock % 2 else PICK


@kernel
def write_known_state(view, state):
    """Write the part of a state that the view determines; the view's owner is to act."""
    state.hands[SELF] = view.hand
    state.known[SELF], state.known[OPPONENT] = view.own_known, view.opponent_known
    state.played[SELF], state.played[OPPONENT] = view.played_self, view.played_opponent
    state.out[SELF], state.out[OPPONENT] = view.out, np.uint64(0)
    state.face_up = view.face_up
    _write_voids(state, SELF, view.void_self, view.drawn_self)
    _write_voids(state, OPPONENT, view.void_opponent, view.drawn_opponent)
    for stage in range(2):
        state.tricks[stage, SELF] = view.tricks_self[stage]
        state.tricks[stage, OPPONENT] = view.tricks_opponent[stage]
    state.exchanged[SELF], state.exchanged[OPPONENT] = view.exchanged_self, view.exchanged_opponent
    state.top = popcount(cards_of_view(view)) - (np.int64(view.stock) - popcount(view.face_up))
    state.trump = view.trump
    state.low = view.low
    state.dealer = SELF if view.dealer else OPPONENT
    state.turn = SELF
    state.decision = decision_of(view)
    state.led = view.led
    state.done = False
    if state.decision == EXCHANGE:
        state.winner = 1 - state.dealer
    else:
        state.winner = OPPONENT if view.led >= 0 or state.decision == PICK_AFTER else SELF


@kernel
def _write_voids(state, seat, void, drawn):
    """Write shown voids. Only unseen draws since the first void are counted; earlier ones do not matter."""
    state.drawn[seat] = 0
    for suit in range(4):
        state.drawn[seat] = max(state.drawn[seat], drawn[suit])
    for suit in range(4):
        state.void_trick[seat, suit] = void[suit]
        state.void_drawn[seat, suit] = state.drawn[seat] - drawn[suit] if void[suit] else 0


@kernel
def write_sampled_cards(view, counts, key, world, game, state):
    """Complete a state with the hidden cards of world number ``world`` of a random key."""
    hand = sample_hand(counts, key, world)
    state.hands[OPPONENT] = hand | view.opponent_known
    rest = counts.cards & ~hand
    if game.humbug:
        _write_blinds(view, rest, key, world, game, state)
        return
    place = np.int64(state.top)
    while rest:
        state.deck[place] = lowest(rest)
        rest &= rest - _ONE
        place += 1
    shuffle(key, world, state.deck[np.int64(state.top) : place])


@kernel
def _write_blinds(view, rest, key, world, game, state):
    """Distribute the cards that nobody holds over the opponent's discarded hand and the remaining blinds."""
    cards = np.int64(game.cards)
    size = np.int64(game.hand)
    left = popcount(rest)
    for place in range(left):  # scratch: the deck's first places belong to dealt cards
        state.deck[place] = lowest(rest)
        rest &= rest - _ONE
    shuffle(key, world, state.deck[:left])
    out = np.uint64(0)
    dealer_exchanged = view.exchanged_self if view.dealer else view.exchanged_opponent
    if dealer_exchanged:  # both saw the dealer discard the turned card
        out |= _ONE << np.uint64(_turned_card(view, key, world))
    if view.exchanged_opponent:
        while popcount(out) < size + (1 if view.dealer and view.exchanged_self else 0):
            left -= 1
            out |= _ONE << np.uint64(state.deck[left])
    state.out[OPPONENT] = out
    blinds = state.deck[:left].copy()
    first = 1 + np.int64(view.exchanged_self) + np.int64(view.exchanged_opponent)
    for blind in range(first, 3):
        for place in range(blind, cards, 4):
            left -= 1
            state.deck[place] = blinds[left]


@kernel
def _turned_card(view, key, world):
    """Sample the discarded turned card; a view does not say which of its owner's discards it is."""
    could_be = view.out
    if view.trump >= 0:
        could_be &= suit_mask(np.int64(view.trump))
    number, _ = uniform_below(np.uint64(popcount(could_be)), key, world, _TURNED_BLOCK)
    return nth_lowest(could_be, np.int64(number))

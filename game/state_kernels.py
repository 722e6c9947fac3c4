"""The rules of play: dealing, legal actions and state transitions, one deal at a time.

The rules of play exist only here. In all kernels ``rules`` is a record of ``RULES_RECORD`` and ``state`` one of
``STATE``, which is changed in place.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.state import DRAFT, ENDGAME, EXCHANGE, FOREPLAY, PICK, PICK_AFTER, PLAY, SWAP, TAKE
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel

_ONE = np.uint64(1)
_SUIT = np.uint64(0x1FFF)


@kernel
def card_bit(card):
    """Return the mask of one card."""
    return _ONE << np.uint64(card)


@kernel
def suit_of(card):
    """Return the suit of a card."""
    return np.int64(card) // 13


@kernel
def suit_mask(suit):
    """Return the mask of all cards of a suit."""
    return _SUIT << np.uint64(13 * suit)


@kernel
def deal(rules, state, dealer):
    """Deal the state's deck, non-dealer first; the first card turned up sets trumps, and high or low."""
    # Batches deal into rows that held other deals, so every field is set but the deck.
    for seat in range(2):
        state.hands[seat] = state.known[seat] = state.played[seat] = state.discarded[seat] = np.uint64(0)
        state.tricks[0, seat] = state.tricks[1, seat] = 0
        state.drawn[seat] = state.exchanged[seat] = 0
        for suit in range(4):
            state.void_trick[seat, suit] = state.void_drawn[seat, suit] = 0
    state.face_up = np.uint64(0)
    state.dealer = dealer
    state.turn = state.winner = 1 - dealer
    state.led = -1
    state.done = False
    turned = deal_humbug(rules, state) if rules.humbug else deal_stock(rules, state)
    suit = suit_of(turned)
    state.trump = suit if rules.has_trump else -1
    state.low = 1 if rules.high_low and suit in (0, 3) else 0


@kernel
def deal_stock(rules, state):
    """Deal two hands, turn up the open cards of the stock, and return the first of them."""
    stock = 2 * np.int64(rules.hand)
    first = second = np.uint64(0)
    for position in range(0, stock, 2):
        first |= card_bit(state.deck[position])
        second |= card_bit(state.deck[position + 1])
    state.hands[1 - state.dealer] = first
    state.hands[state.dealer] = second
    state.decision = PLAY
    state.top = stock
    turn_up(rules, state)
    # With open_stock=0 this card stays face down; such rules have no trumps and no high or low, so it does not matter.
    return np.int64(state.deck[stock])


@kernel
def deal_humbug(rules, state):
    """Deal four hands (non-dealer, blind, blind, dealer) and return the last card, the dealer's, which both see."""
    for position in range(rules.cards):  # the blind hands, positions 1 and 2 of each four, are read when one is taken
        if position % 4 == 0:
            state.hands[1 - state.dealer] |= card_bit(state.deck[position])
        elif position % 4 == 3:
            state.hands[state.dealer] |= card_bit(state.deck[position])
    turned = np.int64(state.deck[rules.cards - 1])
    state.known[state.dealer] = card_bit(turned)
    state.decision = EXCHANGE
    state.top = rules.cards
    return turned


@kernel
def legal_actions(state):
    """Return the legal actions of the seat to act as a mask; 0 when the deal has been played to its end."""
    # Only a card ends a deal, so ``decision`` is still PLAY then and ``legal_cards`` returns 0.
    if state.decision == PLAY:
        return legal_cards(state)
    if state.decision in (PICK, PICK_AFTER):
        return state.face_up
    return card_bit(52) | card_bit(53)


@kernel
def is_legal(state, action):
    """Return whether an action, any int64, is in ``legal_actions``."""
    # Shifts by 64 or more are undefined, hence the range check.
    return 0 <= action < 64 and (legal_actions(state) >> np.uint64(action)) & _ONE != 0


@kernel
def legal_cards(state):
    """Return the cards that the seat to act may play as a mask; 0 when the deal is done."""
    if state.done:
        return np.uint64(0)
    return cards_that_follow(state.hands[state.turn], state.led)


@kernel
def cards_that_follow(hand, led):
    """Return the cards of a hand that may be played after ``led``: all of them if it is −1 or none is of its suit."""
    if led >= 0:
        following = hand & suit_mask(suit_of(led))
        if following:
            return following
    return hand


@kernel
def beats(card, led, trump):
    """Return whether the card played second wins the trick."""
    suit = suit_of(card)
    if suit == suit_of(led):
        return card > led  # within a suit, card numbers rise with the rank
    return suit == trump


@kernel
def play(rules, state, action):
    """Play a legal action for the seat to act."""
    if state.decision == PLAY:
        play_card(rules, state, action)
    elif state.decision == EXCHANGE:
        exchange(rules, state, action)
    elif state.decision == DRAFT:
        draft(rules, state, action)
    else:
        pick(rules, state, action)


@kernel
def play_card(rules, state, card):
    """Play a card from the hand."""
    seat = np.int64(state.turn)
    bit = card_bit(card)
    state.hands[seat] ^= bit
    state.known[seat] &= ~bit
    state.played[seat] |= bit
    if state.led < 0:
        state.led = card
        state.turn = 1 - seat
        return
    led = np.int64(state.led)
    if suit_of(card) != suit_of(led):
        show_void(state, seat, suit_of(led))
    finish_trick(rules, state, seat if beats(card, led, state.trump) else 1 - seat)


@kernel
def show_void(state, seat, suit):
    """Record that a seat showed a void: it did not follow suit in the current trick."""
    tricks = state.tricks  # without the current trick, which is not scored yet: hence + 1
    state.void_trick[seat, suit] = tricks[0, 0] + tricks[0, 1] + tricks[1, 0] + tricks[1, 1] + 1
    state.void_drawn[seat, suit] = state.drawn[seat]


@kernel
def finish_trick(rules, state, winner):
    """Score the trick for its winner, who leads the next; while the stock lasts, both seats take cards first."""
    state.led = -1
    state.turn = state.winner = winner
    foreplay = state.face_up or state.top < rules.cards  # is any stock left? Nobody has drawn for this trick yet
    state.tricks[FOREPLAY if foreplay else ENDGAME, winner] += 1
    if rules.race and counted_tricks(rules, state, winner) >= rules.race:
        state.done = True
    elif not foreplay:
        state.done = not state.hands[winner]
    elif rules.draft:
        state.decision = DRAFT
    elif rules.open_stock > 1:
        state.decision = PICK
    else:
        draw(rules, state)


@kernel
def take_open(state, seat, card):
    """Move a face-up card of the stock to a seat's hand, seen by both."""
    bit = card_bit(card)
    state.hands[seat] |= bit
    state.known[seat] |= bit
    state.face_up ^= bit


@kernel
def take_unseen(state, seat):
    """Move the next face-down card to a seat's hand, unseen by the other."""
    state.hands[seat] |= card_bit(state.deck[state.top])
    state.drawn[seat] += 1
    state.top += 1


@kernel
def turn_up(rules, state):
    """Turn up cards until as many lie face up as the rules ask for, or none is left."""
    missing = np.int64(rules.open_stock) - popcount(state.face_up)
    while missing > 0 and state.top < rules.cards:
        state.face_up |= card_bit(state.deck[state.top])
        state.top += 1
        missing -= 1


@kernel
def draw(rules, state):
    """Give the winner the face-up card (the next card if all lie face down) and the loser the one under it."""
    if state.face_up:
        take_open(state, state.winner, lowest(state.face_up))
    else:
        take_unseen(state, state.winner)
    take_unseen(state, 1 - state.winner)
    turn_up(rules, state)


@kernel
def pick(rules, state, card):
    """Take the chosen face-up card: the winner of the trick first, then the loser if no face-down card is left."""
    take_open(state, state.turn, card)
    if state.decision == PICK:
        # The loser takes the next face-down card, or the last open one; with several open cards left it picks, too.
        loser = 1 - state.winner
        if state.top < rules.cards:
            take_unseen(state, loser)
        elif popcount(state.face_up) == 1:
            take_open(state, loser, lowest(state.face_up))
        else:
            state.decision = PICK_AFTER
            state.turn = loser
            return
    lead_next(rules, state)


@kernel
def draft(rules, state, action):
    """Give the face-up card to the winner, or to the loser if the winner leaves it; the other seat draws unseen."""
    taker = np.int64(state.winner) if action == TAKE else 1 - np.int64(state.winner)
    # The stock is even and one card of it is open, so a face-down card is always left.
    take_open(state, taker, lowest(state.face_up))
    take_unseen(state, 1 - taker)
    lead_next(rules, state)


@kernel
def lead_next(rules, state):
    """Turn up the next cards of the stock and let the winner of the last trick lead."""
    turn_up(rules, state)
    state.decision = PLAY
    state.turn = state.winner


@kernel
def exchange(rules, state, action):
    """Keep the hand, or discard it unseen for the next blind hand; the non-dealer chooses first, and leads."""
    seat = np.int64(state.turn)
    if action == SWAP:
        blind = 1 + np.int64(state.exchanged[1 - seat])  # the first seat to swap gets the first blind hand
        state.discarded[seat] = state.hands[seat]
        state.discarded[1 - seat] |= state.known[seat]  # both know that the card shown went with the dealer's hand
        state.hands[seat] = state.known[seat] = np.uint64(0)
        for position in range(blind, rules.cards, 4):
            state.hands[seat] |= card_bit(state.deck[position])
        state.exchanged[seat] = 1
    state.turn = 1 - seat
    if seat == state.dealer:
        state.decision = PLAY


@kernel
def counted_tricks(rules, state, seat):
    """Return the number of counted tricks that a seat has taken."""
    tricks = np.int64(state.tricks[ENDGAME, seat])
    if rules.all_count:
        tricks += np.int64(state.tricks[FOREPLAY, seat])
    return tricks

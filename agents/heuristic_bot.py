"""``heuristic``: the hard rule bot. Perfect memory, and the strategy of the books as weighed quantities.

The foreplay is a market, counted in endgame tricks. A trick's *stake* is what the face-up card is worth above the card
expected under it. A card's *worth* says what playing it gives away. So the follower wins a wanted prize with the
cheapest card that does, ducks when the prize is worse than an unseen card, and never wins a middling prize with a high
card. The leader also weighs how likely the opponent is to beat a card, from all it knows of the opponent's hand. In the
endgame both hands are open to it: see ``endgame_rules``.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.endgame_rules import endgame_card
from german_whist.envs.bits import lowest, popcount
from german_whist.envs.jit import kernel
from german_whist.envs.state import beats, suit_mask, suit_of

# Weights found by trying settings against `greedy` and an earlier version of this bot, on mirrored deals.
STAKE = 4.8  # weight of a prize (won by one, lost by the other) against the card spent on it: some card must be played
DUCK = 1.3  # the same for a prize that both would rather leave
RUFF = 0.4  # how often an opponent that could ruff is counted on to do so
FORCE = 0.15  # how much of the worth of the card that the opponent must spend on winning counts

# A card's worth is the sum of two parts: how many cards that are still out outrank it, and how many cards of the suit
# its owner holds, it included. Fitted by least squares to the outcome of 40,000 endgames of this bot against itself.
TRUMP_RANK = (1.33, 1.27, 1.15, 1.06, 1.01, 0.98, 0.95, 0.93, 0.92, 0.91, 0.90, 0.90, 0.90, 0.90)
TRUMP_LENGTH = (0.0, -0.66, -0.52, -0.25, 0.26, 0.62, 0.71, 0.27, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SIDE_RANK = (0.50, 0.37, 0.22, 0.15, 0.10, 0.05, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SIDE_LENGTH = (0.0, -0.09, 0.35, 0.52, 0.43, 0.35, 0.19, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

_ONE = np.uint64(1)


@kernel
def worth(card, own, live, trump):
    """Return what holding a card is worth in the endgame.

    Args:
        card: the card.
        own: mask of the hand that holds it (or would).
        live: mask of all cards not played yet.
        trump: the trump suit.
    """
    suit = suit_of(card)
    cards = suit_mask(suit)
    higher = cards & ~((_ONE << np.uint64(card + 1)) - _ONE)
    length = popcount((own | (_ONE << np.uint64(card))) & cards)
    # Of the cards above it, the share that will still be out when the endgame starts.
    above = popcount(live & higher & ~own) * min(1.0, 2.0 * popcount(own) / popcount(live))
    low = np.int64(above)
    part = above - low
    if suit == trump:
        return (1.0 - part) * TRUMP_RANK[low] + part * TRUMP_RANK[low + 1] + TRUMP_LENGTH[length]
    return (1.0 - part) * SIDE_RANK[low] + part * SIDE_RANK[low + 1] + SIDE_LENGTH[length]


@kernel
def mean_worth(cards, own, live, trump):
    """Return the mean worth of some cards to a hand; 0 when there are none."""
    total = 0.0
    count = 0
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        total += worth(card, own | (_ONE << np.uint64(card)), live, trump)
        count += 1
    return total / count if count else 0.0


@kernel
def stake(view, live):
    """Return what winning this foreplay trick gains over losing it.

    The winner gets the face-up card and the loser an unseen one; a trick of its own counts where all tricks do. The
    books give the lead a value too: measured, it was nothing.
    """
    prize = np.int64(view.face_up)
    prize_worth = worth(prize, view.hand | (_ONE << np.uint64(prize)), live, view.trump)
    hidden_worth = mean_worth(view.unseen, view.hand, live, view.trump)
    return STAKE * (prize_worth - hidden_worth + view.all_count)


@kernel
def chance_held(view, suit):
    """Return the chance that the opponent holds a given unseen card of a suit.

    Unseen cards are spread evenly over the opponent's unknown cards and the stock; after a shown void the opponent can
    hold as many cards of that suit as it has drawn unseen since.
    """
    unseen = popcount(view.unseen)
    if unseen == 0:
        return 0.0
    hidden = unseen - max(view.stock - 1, 0)
    chance = hidden / unseen
    if view.void_opponent[suit] > 0:
        chance *= min(1.0, view.drawn_opponent[suit] / max(hidden, 1))
    return chance


@kernel
def chance_none(view, cards, suit):
    """Return the chance that the opponent holds none of some cards of one suit."""
    if cards & view.opponent_known:
        return 0.0
    return (1.0 - chance_held(view, suit)) ** popcount(cards & view.unseen)


@kernel
def chance_beaten(view, card):
    """Return the chance that the opponent can beat a card that is led."""
    suit = suit_of(card)
    cards = suit_mask(suit)
    higher = cards & ~((_ONE << np.uint64(card + 1)) - _ONE)
    no_higher = chance_none(view, higher, suit)
    if suit == view.trump:
        return 1.0 - no_higher
    void = chance_none(view, cards, suit)
    no_trump = chance_none(view, suit_mask(view.trump), view.trump)
    return (1.0 - no_higher) + RUFF * void * (1.0 - no_trump)


@kernel
def chance_must_win(view, card):
    """Return the chance that the opponent cannot help beating a card that is led: it follows with higher cards only."""
    suit = suit_of(card)
    cards = suit_mask(suit)
    lower = cards & ((_ONE << np.uint64(card)) - _ONE)
    higher = cards & ~lower & ~(_ONE << np.uint64(card))
    return chance_none(view, lower, suit) * (1.0 - chance_none(view, higher, suit))


@kernel
def follow_card(view, live):
    """Choose as follower in the foreplay: the outcome is known for each card, so weigh it against the card's worth."""
    gain = stake(view, live)
    best = -1
    best_value = -1e9
    mask = view.legal
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        value = -worth(card, view.hand, live, view.trump)
        if beats(card, view.led, view.trump):
            value += gain
        if value > best_value:
            best, best_value = card, value
    return best


@kernel
def beater_worth(view, card, live):
    """Return the worth to the opponent of the lowest card that may beat a led card by rank; 0 when none does."""
    cards = suit_mask(suit_of(card))
    higher = cards & ~((_ONE << np.uint64(card + 1)) - _ONE) & (view.unseen | view.opponent_known)
    if not higher:
        return 0.0
    return worth(lowest(higher), view.opponent_known, live, view.trump)


@kernel
def lead_card(view, live):
    """Choose as leader in the foreplay.

    For a wanted prize the opponent beats the card when it can, at the price of a card of its own; for an unwanted one
    it wins only when it must.
    """
    gain = stake(view, live)
    best = -1
    best_value = -1e9
    mask = view.legal
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        value = -worth(card, view.hand, live, view.trump)
        if gain > 0:
            loses = chance_beaten(view, card)
            value += gain * (1.0 - loses) + FORCE * loses * beater_worth(view, card, live)
        else:
            value += DUCK * gain * (1.0 - chance_must_win(view, card))
        if value > best_value:
            best, best_value = card, value
    return best


@kernel
def choose(views, actions):
    """Write the heuristic bot's card for each view."""
    for i in range(views.shape[0]):
        view = views[i]
        if view.stock == 0:
            actions[i] = endgame_card(view)
            continue
        live = view.hand | view.unseen | view.opponent_known | (_ONE << np.uint64(view.face_up))
        if view.led >= 0:
            live |= _ONE << np.uint64(view.led)
            actions[i] = follow_card(view, live)
        else:
            actions[i] = lead_card(view, live)

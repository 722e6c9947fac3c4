"""Cards, actions and figures in English."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from german_whist.game.actions import non_card_action_names
from german_whist.game.cards import NUM_CARDS, RANK_NAMES, RANKS, SUIT_NAMES, SUIT_SIZE
from german_whist.game.rules import Rules


def card_name(card: int) -> str:
    """Return the name of a card, such as ``queen of hearts``."""
    suit, rank = divmod(int(card), SUIT_SIZE)
    return f"{RANK_NAMES[RANKS[rank]]} of {SUIT_NAMES[suit]}"


def action_name(action: int, rules: Rules) -> str:
    """Return an action in words: a card's name, or ``take``, ``leave``, ``keep``, ``swap``."""
    return card_name(action) if action < NUM_CARDS else non_card_action_names(rules)[action - NUM_CARDS]


def the_cards(cards: Iterable[int]) -> str:
    """Return cards with their articles: ``the ace of spades and the two of hearts``."""
    return join_words([f"the {card_name(card)}" for card in cards])


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return words as a list in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def count_text(count: float, noun: str) -> str:
    """Return ``1 trick``, ``2 tricks``, ``2.5 points``."""
    return f"{count:g} {noun}{'' if count == 1 else 's'}"


def percent_text(share: float, digits: int = 0) -> str:
    """Return a share from 0 to 1 as ``62 %``, or with decimal places as ``62.6 %``."""
    return f"{100 * share:.{digits}f} %"

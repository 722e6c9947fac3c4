"""Actions as text: cards as ``SA``, and other actions by name."""

from __future__ import annotations

from german_whist.game.cards import NUM_CARDS, card_text, cards_of, deck_text, parse_card
from german_whist.game.rules import Rules
from german_whist.game.state import NON_CARD_ACTIONS


def non_card_action_names(rules: Rules) -> tuple[str, ...]:
    """Return the names of actions 52 and up, in order; empty if the rules have none."""
    return tuple(one.name for one in NON_CARD_ACTIONS if getattr(rules, one.setting))


def action_text(action: int, rules: Rules) -> str:
    """Return an action as text: a card such as ``SA``, or ``take``, ``leave``, ``keep``, ``swap``."""
    return card_text(action) if action < NUM_CARDS else non_card_action_names(rules)[action - NUM_CARDS]


def parse_action(word: str, rules: Rules) -> int:
    """Return the number of an action from its text, upper or lower case.

    Raises:
        ValueError: if the text is neither a card nor a choice of these rules.
    """
    choices = non_card_action_names(rules)
    if word.strip().lower() in choices:
        return NUM_CARDS + choices.index(word.strip().lower())
    try:
        return parse_card(word)
    except ValueError as error:
        raise ValueError(f"{error}{''.join(f', or {name}' for name in choices)}") from None


def actions_text(mask: int, rules: Rules) -> str:
    """Return the actions of a mask as text: cards as ``SA S9 HT``, choices as ``take or leave``."""
    if mask >> NUM_CARDS:  # a seat chooses among cards or among choices, never both
        names = enumerate(non_card_action_names(rules), NUM_CARDS)
        return " or ".join(name for action, name in names if mask >> action & 1)
    return deck_text(reversed(list(cards_of(mask))))


def illegal_row_error(rules: Rules, row: int, action: int, seat: int, legal: int) -> ValueError:
    """Return the error for an illegal action of the seat to act in a row; ``legal`` is the mask of legal actions."""
    name = f" ({action_text(action, rules)})" if 0 <= action < rules.num_actions else ""
    return ValueError(
        f"action {action}{name} is illegal in row {row}: seat {seat} may play {actions_text(legal, rules)}"
    )

"""Decisions in words, and why an action is illegal."""

from __future__ import annotations

import numpy as np

from german_whist.game.actions import action_text
from german_whist.game.cards import NUM_CARDS, SUIT_MASKS, SUIT_NAMES, SUIT_SIZE, cards_of
from german_whist.game.rules import Rules
from german_whist.game.state import DRAFT, EXCHANGE, PICK, PICK_AFTER
from german_whist.simulator.text.words import action_name, card_name, join_words, the_cards

_EXPLAINED_TRICKS = 3  # first tricks of a deal; after them the player knows how it works


def decision_text(view: np.void, rules: Rules, kind: int, *, tell_suit: bool = True) -> str:
    """Return the decision of the seat to act as a sentence.

    Args:
        view: the seat's ``VIEW`` record.
        rules: the rules.
        kind: the kind of decision, the field ``decision`` of the state.
        tell_suit: whether the sentence says which suit must be followed, or that any card may be played.
    """
    if kind == EXCHANGE:
        return "Keep your hand, or swap it for a blind one."
    if kind == DRAFT:
        return f"Take {the_cards(cards_of(int(view['face_up'])))}, or leave it."
    if kind in (PICK, PICK_AFTER):
        return "Pick one of the face-up cards."
    if (stake := stake_text(view, rules)) is not None:
        return stake
    if view["led"] < 0:
        return "Lead a card."
    if not tell_suit:
        return "Play a card."
    suit = int(view["led"]) // SUIT_SIZE
    if int(view["hand"]) & SUIT_MASKS[suit]:
        return f"Follow {SUIT_NAMES[suit]}."
    return f"You have no {SUIT_NAMES[suit]}: play any card."


def stake_text(view: np.void, rules: Rules) -> str | None:
    """Return, as a sentence, what winning the trick brings.

    It is ``None`` after the first tricks of a deal, at a choice, and if no card of the stock is face up.
    """
    face_up = list(cards_of(int(view["face_up"])))
    taken = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
    if view["choice"] or not face_up or taken >= _EXPLAINED_TRICKS:
        return None
    if len(face_up) == view["stock"]:
        return None  # no card is hidden
    if rules.draft:
        return f"Win this trick and you may take {the_cards(face_up)} or leave it for the hidden card."
    if len(face_up) > 1:
        choice = join_words([f"the {card_name(card)}" for card in face_up], "or")
        return f"Win this trick and you pick {choice}; lose it and you take the hidden card."
    return f"Win this trick and you take {the_cards(face_up)}; lose it and you take the hidden card."


def refusal(view: np.void, rules: Rules, kind: int, action: int) -> str | None:
    """Return why the seat to act may not choose an action, as a sentence; ``None`` if it may.

    The other arguments are those of :func:`decision_text`.
    """
    if int(view["legal"]) >> action & 1:
        return None
    if view["choice"]:
        return decision_text(view, rules, kind)
    if action >= NUM_CARDS:
        return f"There is nothing to {action_name(action, rules)} now."
    if not int(view["hand"]) >> action & 1:
        return f"You do not hold the {card_name(action)}."
    return f"You must follow {SUIT_NAMES[int(view['led']) // SUIT_SIZE]}."


def with_legal_actions(reason: str, view: np.void, rules: Rules) -> str:
    """Return a refusal with the legal actions: ``You must follow clubs: you may play CK or C9.``."""
    legal = list(cards_of(int(view["legal"])))
    words = [action_text(one, rules) for one in (legal if legal[0] >= NUM_CARDS else reversed(legal))]
    may = "" if view["choice"] else "you may play "
    return f"{reason.removesuffix('.')}: {may}{join_words(words, 'or')}."

"""Views of positions described by hand: cards in sight and in memory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from german_whist.game.cards import (
    NO_CARD,
    SUIT_MASKS,
    SUIT_SIZE,
    SUITS,
    card_text,
    cards_of,
    hand_text,
    mask_of,
)
from german_whist.game.rules import Rules
from german_whist.simulator.observation.views import VIEW

Voids = Mapping[int, tuple[int, int]]

_BLACK = (0, 3)  # suits
_NO_VOIDS: Voids = MappingProxyType({})


def foreplay_view(
    rules: Rules,
    hand: int,
    up: int,
    *,
    trump: int | None = None,
    led: int = NO_CARD,
    mine: int = 0,
    theirs: int = 0,
    taken: int = 0,
    shown: int = 0,
    tricks: tuple[int, int] | None = None,
    dealer: bool | None = None,
    voids: Voids = _NO_VOIDS,
    own_voids: Voids = _NO_VOIDS,
) -> np.ndarray[Any, Any]:
    """Return a position of the foreplay as the player to act sees it, a ``VIEW`` array of shape (1,).

    Args:
        rules: rules under which one card of the stock lies face up.
        hand: the player's cards, a mask.
        up: the face-up card.
        trump: the trump suit; in the first trick the suit of ``up`` by default.
        led: the card that the opponent has led, -1 if the player leads.
        mine: the cards that the player has played, a mask.
        theirs: the cards that the opponent has played, without ``led``, a mask.
        taken: the cards that the opponent took face up and still holds, a mask.
        shown: the cards of ``hand`` that the player took face up, a mask.
        tricks: how many tricks the player and the opponent have won; not needed in the first trick.
        dealer: whether the player dealt; not needed in the first trick.
        voids: suits in which the opponent has shown a void, each with the last trick in which it did (from 1), and the
            number of cards that it has drawn unseen since.
        own_voids: suits in which the player has shown a void, in the same form.

    Raises:
        ValueError: if the rules have another kind of foreplay, or the position cannot occur under them.
    """
    if rules.open_stock != 1 or not rules.stock:
        raise ValueError("a position of the foreplay needs rules with one card of the stock turned up")
    played = mine.bit_count()
    led_mask = 0 if led < 0 else 1 << led
    _check_cards(rules, {"hand": hand, "up": 1 << up, "led": led_mask, "mine": mine, "theirs": theirs, "taken": taken})
    _check_count("hand", hand, rules.hand)
    if theirs.bit_count() != played:
        raise ValueError(f"mine and theirs must have the same number of cards, got {played} and {theirs.bit_count()}")
    if played >= rules.foreplay:
        raise ValueError(f"tricks played: {played}, but the foreplay has {rules.foreplay}: name the opponent's hand")
    if played and tricks is None:
        raise ValueError(f"tricks is needed, as {played}-0: the tricks that you and the opponent have won")
    if played and dealer is None:
        raise ValueError("dealer is needed after the first trick: whether you dealt")
    won = (0, 0) if tricks is None else tricks
    if sum(won) != played:
        raise ValueError(f"tricks {won[0]}-{won[1]} does not add up to the {played} that are played")
    if rules.counts == "all":
        _check_race(rules, won)
    # The winner of a trick takes the face-up card and the loser draws unseen; in a draft the winner chooses.
    most_taken, most_drawn = ((played, played), (played, played)) if rules.draft else (won, won[::-1])
    if taken.bit_count() > most_taken[1]:
        raise ValueError(f"taken must be at most {most_taken[1]} cards, got {taken.bit_count()}")
    if shown & ~hand:
        raise ValueError(f"shown: {_names(shown & ~hand)} is not in the hand")
    if shown.bit_count() > most_taken[0]:
        raise ValueError(f"shown must be at most {most_taken[0]} cards, got {shown.bit_count()}")
    suit = -1 if trump is None else trump
    if rules.trump != "none" and not played:
        if trump not in (None, up // SUIT_SIZE):
            raise ValueError(f"trump {SUITS[suit]}: in the first trick trumps are the suit of {card_text(up)}, face up")
        suit = up // SUIT_SIZE
    _check_trump(rules, suit)
    view = _new_view(rules, hand, led, suit)
    view["played_self"], view["played_opponent"] = mine, theirs | led_mask
    view["opponent_known"], view["own_known"], view["face_up"] = taken, shown, 1 << up
    located = hand | mine | theirs | led_mask | taken | 1 << up
    view["unseen"] = mask_of(rules.cards) & ~located
    view["stock"] = rules.stock - 2 * played
    view["tricks_self"][0, 0], view["tricks_opponent"][0, 0] = won
    view["dealer"] = dealer if played else led >= 0
    for whose, shown_voids, most in (("opponent", voids, most_drawn[1]), ("self", own_voids, most_drawn[0])):
        for void, (trick, drawn) in shown_voids.items():
            if not 1 <= trick <= played or not 0 <= drawn <= min(most, played + 1 - trick):
                raise ValueError(
                    f"void {SUITS[void]}@{trick}+{drawn} is impossible: tricks played: {played}, "
                    f"cards drawn unseen: at most {most}"
                )
            view[f"void_{whose}"][0, void], view[f"drawn_{whose}"][0, void] = trick, drawn
    return view


def endgame_view(
    rules: Rules, hand: int, opponent: int, *, trump: int = -1, led: int = NO_CARD, tricks: tuple[int, int] = (0, 0)
) -> np.ndarray[Any, Any]:
    """Return a position of the endgame as the player to act sees it, a ``VIEW`` array of shape (1,).

    Both hands are known. The cards that are in neither count as played by the player.

    Args:
        rules: the rules.
        hand: the player's cards, a mask.
        opponent: the opponent's cards, a mask, with or without ``led``.
        trump: the trump suit, -1 for none.
        led: the card that the opponent has led, -1 if the player leads.
        tricks: how many counted tricks the player and the opponent have won.

    Raises:
        ValueError: if the hands have different numbers of cards, more than are dealt, or a card in common, the tricks
            are impossible, or the game is humbug.
    """
    if not rules.endgame_is_open:
        raise ValueError("humbug hides cards to the end, so a position cannot have both hands")
    led_mask = 0 if led < 0 else 1 << led
    opponent &= ~led_mask
    _check_cards(rules, {"hand": hand, "opponent": opponent, "led": led_mask})
    cards, others = hand.bit_count(), (opponent | led_mask).bit_count()
    if cards != others or not 1 <= cards <= rules.hand:
        raise ValueError(
            f"both hands, with a card led, must have the same number of cards, 1 to {rules.hand}, "
            f"got {cards} and {others}"
        )
    if min(tricks) < 0 or sum(tricks) > rules.counted - cards:
        raise ValueError(f"tricks {tricks[0]}-{tricks[1]} are impossible with {cards} cards in each hand")
    _check_race(rules, tricks)
    _check_trump(rules, trump)
    view = _new_view(rules, hand, led, trump)
    view["unseen"] = opponent
    view["played_self"] = mask_of(rules.cards) & ~(hand | opponent | led_mask)
    view["played_opponent"] = led_mask
    view["tricks_self"][0, 1], view["tricks_opponent"][0, 1] = tricks
    return view


def _new_view(rules: Rules, hand: int, led: int, trump: int) -> np.ndarray[Any, Any]:
    """Return a view of the player to act with the fields that do not depend on the stage."""
    view = np.zeros(1, VIEW)
    follows = hand & SUIT_MASKS[led // SUIT_SIZE] if led >= 0 else 0
    view["hand"], view["legal"] = hand, follows or hand
    view["led"], view["trump"], view["turn"] = led, trump, 1
    view["low"] = rules.high_low and trump in _BLACK  # the first card turned up decides both
    view["all_count"], view["draft"], view["race"] = rules.counts == "all", rules.draft, rules.race
    return view


def _check_race(rules: Rules, tricks: tuple[int, int]) -> None:
    if rules.race and max(tricks) >= rules.race:
        raise ValueError(f"tricks {tricks[0]}-{tricks[1]}: the race to {rules.race} is over")


def _check_trump(rules: Rules, trump: int) -> None:
    if rules.high_low and rules.trump == "none":
        raise ValueError("without trumps, a position does not say whether the endgame is played low")
    if rules.trump == "none" and trump >= 0:
        raise ValueError(f"trump {SUITS[trump]}: these rules have no trumps")
    if rules.trump != "none" and not 0 <= trump < rules.suits:
        raise ValueError("trump is needed, a suit of the deck")


_PLACES = {
    "hand": "in your hand",
    "opponent": "in the opponent's hand",
    "up": "face up on the stock",
    "led": "led to this trick",
    "mine": "played by you before",
    "theirs": "played by the opponent before",
    "taken": "taken by the opponent",
}


def _check_cards(rules: Rules, masks: Mapping[str, int]) -> None:
    """Refuse a card that is not in the deck, or in two places."""
    seen: dict[str, int] = {}
    for name, mask in masks.items():
        if mask & ~mask_of(rules.cards):
            raise ValueError(f"{name}: {_names(mask & ~mask_of(rules.cards))} is not in this game's deck")
        for other, before in seen.items():
            if mask & before:
                raise ValueError(f"{_names(mask & before)} cannot be both {_PLACES[other]} and {_PLACES[name]}")
        seen[name] = mask


def _check_count(name: str, mask: int, needed: int) -> None:
    if mask.bit_count() != needed:
        raise ValueError(f"{name} {hand_text(mask)} must have {needed} cards, got {mask.bit_count()}")


def _names(mask: int) -> str:
    return " ".join(card_text(card) for card in cards_of(mask))

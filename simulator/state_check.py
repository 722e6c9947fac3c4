"""Checks of states that users pass in. Kernels check nothing, so no kernel may get a state before it is checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import SUIT_SIZE
from german_whist.game.rules import Rules
from german_whist.game.state import DRAFT, ENDGAME, EXCHANGE, FOREPLAY, PICK, PICK_AFTER, PLAY

Flags = npt.NDArray[np.bool_]
States = np.ndarray[Any, Any]


def check_states(rules: Rules, states: States) -> None:
    """Refuse states on which a kernel would index out of bounds or never end.

    Args:
        rules: the rules of the deals.
        states: ``STATE`` array of shape (k,). Of a finished deal only the range of each field is checked.

    Raises:
        ValueError: if a state is impossible; the message names the row and the fault.
    """
    if not len(states):
        return
    for check in (_out_of_range, _contradictions):
        for what, wrong in check(rules, states):
            if wrong.any():
                raise ValueError(f"the state in row {wrong.argmax()} is impossible: {what}")


def _out_of_range(rules: Rules, states: States) -> Iterator[tuple[str, Flags]]:
    cards = len(rules.cards)
    limits = {
        "done": (0, 1),
        "deck": (0, 51),
        "void_trick": (0, rules.tricks),
        "void_drawn": (0, cards),
        "drawn": (0, cards),
        "tricks": (0, rules.tricks),
        "exchanged": (0, int(rules.humbug)),
        "top": (cards if rules.humbug else 0, cards),
        "trump": (-1, rules.suits - 1),
        "low": (0, 1),
        "dealer": (0, 1),
        "turn": (0, 1),
        "decision": (PLAY, EXCHANGE),
        "winner": (0, 1),
        "led": (-1, 51),
    }
    for name, (low, high) in limits.items():
        values = np.ascontiguousarray(states[name]).view(np.int8).reshape(len(states), -1)  # done may be any byte
        yield f"its {name} is out of range", np.any((values < low) | (values > high), axis=1)
    for name in ("hands", "known", "played", "discarded", "face_up"):
        masks = states[name].reshape(len(states), -1)
        yield f"its {name} has a card of another deck", (masks & ~rules.record["deck"] != 0).any(axis=1)


def _contradictions(rules: Rules, states: States) -> Iterator[tuple[str, Flags]]:
    """Yield faults and their deals, of deals that are not over; every field is in its range."""
    going, rows = ~states["done"], np.arange(len(states))
    leader, turn, dealer = (states[name].astype(np.int64) for name in ("winner", "turn", "dealer"))
    follower, decision, is_led = 1 - leader, states["decision"], states["led"] >= 0
    hands, played, discarded = (_count(states[name]) for name in ("hands", "played", "discarded"))
    open_cards, exchanged = _count(states["face_up"]), states["exchanged"].astype(np.int64)
    tricks = states["tricks"].astype(np.int64)
    total = tricks.sum(axis=(1, 2))

    decisions = EXCHANGE if rules.humbug else DRAFT if rules.draft else PICK if rules.open_stock > 1 else PLAY
    allowed = (PLAY, decisions, *((PICK_AFTER,) if decisions == PICK else ()))
    yield "its rules have no such decision", going & ~np.isin(decision, allowed)
    second = is_led | (decision == PICK_AFTER)
    yield "the other seat is to act", going & (decision != EXCHANGE) & (turn != np.where(second, follower, leader))
    led = np.uint64(1) << np.maximum(states["led"], 0).astype(np.uint64)
    not_played = led & ~states["played"][rows, leader] != 0
    yield "the card led has not been played", going & is_led & (not_played | (decision != PLAY))

    wrong = (played[rows, leader] != total + is_led) | (played[rows, follower] != total)
    wrong |= tricks[:, FOREPLAY].sum(axis=1) != np.minimum(total, rules.foreplay)
    yield "its tricks do not match the cards played", going & wrong
    if rules.race:
        taken = tricks[:, ENDGAME] + tricks[:, FOREPLAY] * (rules.counts == "all")
        yield "its race is over", going & (taken >= rules.race).any(axis=1)

    size = rules.hand - np.maximum(total - rules.foreplay, 0)  # cards in each hand between two tricks
    before_draw = np.isin(decision, (PICK, DRAFT))
    wrong = hands[rows, leader] != size - (is_led | before_draw)
    wrong |= (hands[rows, follower] != size - (before_draw | (decision == PICK_AFTER))) | (size < 1)
    yield "its hands have the wrong sizes", going & wrong
    stock = open_cards + len(rules.cards) - states["top"]
    yield "the wrong number of cards lies face up", going & (open_cards != np.minimum(rules.open_stock, stock))
    yield "a known card is not in the hand", going & (states["known"] & ~states["hands"] != 0).any(axis=1)

    wrong = discarded[rows, dealer] != rules.hand * exchanged[rows, dealer]
    wrong |= discarded[rows, 1 - dealer] != rules.hand * exchanged[rows, 1 - dealer] + exchanged[rows, dealer]
    shown = states["discarded"][:, 0] & states["discarded"][:, 1]  # the dealer's card that both saw
    trumps = shown >> (SUIT_SIZE * np.maximum(states["trump"], 0)).astype(np.uint64) & np.uint64(2**SUIT_SIZE - 1)
    wrong |= (states["trump"] >= 0) & (shown != 0) & (trumps == 0)
    yield "its discards do not match its exchanges", going & wrong
    begun = (total > 0) | is_led | (leader == dealer) | (exchanged[rows, turn] > 0) | (exchanged[rows, dealer] > 0)
    yield "it is too late for an exchange", going & (decision == EXCHANGE) & begun
    yield "a card is in no place or in two", going & _misplaced(rules, states)


def _misplaced(rules: Rules, states: States) -> Flags:
    """Return in which states the hands, the cards played, discarded and still in the stock are not the whole deck."""
    position = np.arange(len(rules.cards))
    if rules.humbug:  # the blind hands that nobody has taken: places 1 and 2 of each four
        in_stock = (position % 4 > states["exchanged"].sum(axis=1)[:, None]) & (position % 4 < 3)
    else:
        in_stock = position >= states["top"][:, None]
    bits = np.uint64(1) << states["deck"][:, : len(rules.cards)].astype(np.uint64)
    parts = [*states["hands"].T, *states["played"].T, states["face_up"], np.bitwise_or.reduce(states["discarded"], 1)]
    count = sum(_count(part) for part in parts) + in_stock.sum(axis=1)
    union = np.bitwise_or.reduce([*parts, np.bitwise_or.reduce(np.where(in_stock, bits, np.uint64(0)), axis=1)])
    wrong: Flags = (count != len(rules.cards)) | (union != rules.record["deck"])
    return wrong


def _count(masks: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the number of cards in each mask."""
    bits = np.unpackbits(np.ascontiguousarray(masks)[..., None].view(np.uint8), axis=-1)
    counts: npt.NDArray[np.int64] = bits.sum(axis=-1, dtype=np.int64)
    return counts

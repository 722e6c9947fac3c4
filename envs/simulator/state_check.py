"""Checks of deals that come from a file. Kernels check nothing, so no kernel may get a state before it is checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import DRAFT, ENDGAME, EXCHANGE, FOREPLAY, PICK, PICK_AFTER, PLAY, STATE
from german_whist.envs.simulator.batch import DealBatch

Flags = npt.NDArray[np.bool_]
Masks = npt.NDArray[np.uint64]


def check_states(rules: Rules, states: np.ndarray[Any, Any]) -> None:
    """Refuse states that no unfinished deal can have.

    Checked are the range of every field, that every card is in one place, and that tricks, hands and the seat to act
    are consistent.

    Args:
        rules: the rules of the deals.
        states: ``STATE`` array of shape (k,).

    Raises:
        ValueError: if a state is impossible or its deal is finished; the message names the row and what is wrong.
    """
    if states.dtype != STATE or states.ndim != 1:
        raise ValueError(f"states must be a STATE array (k,), got dtype {states.dtype} and shape {states.shape}")
    for check in (_ranges, _decks, _turned, _places, _tricks, _sizes):
        for what, is_wrong in check(rules, states).items():
            rows = np.flatnonzero(is_wrong)
            if len(rows):
                raise ValueError(f"the state in row {rows[0]} is impossible: {what}")


def _ranges(rules: Rules, states: np.ndarray[Any, Any]) -> dict[str, Flags]:
    """Return which states have a field out of its range."""
    suits = rules.suits - 1
    draws = rules.stock
    limits = {
        "void_trick": (0, rules.tricks),
        "void_drawn": (0, draws),
        "drawn": (0, draws),
        "tricks": (0, rules.tricks),
        "exchanged": (0, int(rules.humbug)),
        "top": (0 if rules.humbug else 2 * rules.hand, len(rules.cards)),
        "trump": (-1, suits),
        "low": (0, 1),
        "dealer": (0, 1),
        "turn": (0, 1),
        "decision": (PLAY, EXCHANGE),
        "winner": (0, 1),
        "led": (-1, 51),
    }
    wrong: dict[str, Any] = {}
    for name, (low, high) in limits.items():
        values = states[name].reshape(len(states), -1)
        wrong[f"its {name} is out of range"] = ((values < low) | (values > high)).any(axis=1)
    # Not compared as bool: a byte from a file may be neither 0 nor 1.
    done = np.ascontiguousarray(states["done"]).view(np.uint8)
    wrong["its deal is finished"] = done == 1
    wrong["its done is out of range"] = done > 1
    return wrong


def _decks(rules: Rules, states: np.ndarray[Any, Any]) -> dict[str, Flags]:
    cards = np.array(rules.cards, np.int8)
    decks = np.sort(states["deck"][:, : len(cards)], axis=1)
    return {"its deck is not a permutation of the game's": (decks != cards).any(axis=1)}


def _turned(rules: Rules, states: np.ndarray[Any, Any]) -> dict[str, Flags]:
    """Return which states have trumps, or high and low, that contradict the card turned up."""
    turned = states["deck"][:, len(rules.cards) - 1 if rules.humbug else 2 * rules.hand] // 13
    trump = turned if rules.trump == "turned" else np.full(len(states), -1)
    low = np.isin(turned, (0, 3)) if rules.high_low else np.zeros(len(states), np.bool_)
    other_trump: Flags = states["trump"] != trump
    other_low: Flags = states["low"] != low
    return {
        "its trump suit is not that of the card turned up": other_trump,
        "its low does not follow from the card turned up": other_low,
    }


def _places(rules: Rules, states: np.ndarray[Any, Any]) -> dict[str, Flags]:
    """Return which states have a card in no place or in two."""
    hands, played, known, discarded = (states[name] for name in ("hands", "played", "known", "discarded"))
    parts = [hands[:, 0], hands[:, 1], played[:, 0], played[:, 1], states["face_up"]]
    count = len(rules.cards)
    cards = np.uint64(1) << states["deck"][:, :count].astype(np.uint64)
    dealt = np.arange(count) < states["top"][:, None]
    stock = np.where(dealt, np.uint64(0), cards).sum(axis=1, dtype=np.uint64)
    placed = np.bitwise_or.reduce(parts)
    overlap = sum(_count(part) for part in parts) != _count(placed)  # a card in two parts counts twice in the sum
    deck = rules.game["deck"][0]
    if rules.humbug:
        incomplete = ((placed | discarded[:, 0] | discarded[:, 1]) & ~deck) != 0
        overlap = overlap | (((discarded[:, 0] | discarded[:, 1]) & placed) != 0) | (states["face_up"] != 0)
    else:
        incomplete = ((placed & stock) != 0) | ((placed | stock) != deck) | (discarded != 0).any(axis=1)
    return {
        "a card is in two places": overlap,
        "a card is in no place or in two": incomplete,
        "a known card is not in the hand": ((known & ~hands) != 0).any(axis=1),
    }


def _tricks(rules: Rules, states: np.ndarray[Any, Any]) -> dict[str, Flags]:
    """Return which states have tricks, cards played and a card led that do not fit together."""
    rows = np.arange(len(states))
    tricks, led, winner = states["tricks"].astype(np.int64), states["led"], states["winner"]
    played = _count(states["played"])
    is_led = led >= 0
    total = tricks.sum(axis=(1, 2))
    bits = np.where(is_led, np.uint64(1) << np.maximum(led, 0).astype(np.uint64), np.uint64(0))
    stock_is_left = (states["face_up"] != 0) | (states["top"] < len(rules.cards))
    foreplay, endgame = tricks[:, FOREPLAY].sum(axis=1), tricks[:, ENDGAME].sum(axis=1)
    taken = tricks[:, ENDGAME] + (tricks[:, FOREPLAY] if rules.counts == "all" else 0)
    return {
        "the number of cards played does not match the tricks": (played[rows, 1 - winner] != total)
        | (played[rows, winner] != total + is_led),
        "the card led is not one that the leader has played": is_led & ((bits & ~states["played"][rows, winner]) != 0),
        "the tricks are not those of its stage": (foreplay > rules.foreplay)
        | (endgame > rules.hand)
        | (stock_is_left & (endgame > 0))
        | (~stock_is_left & (foreplay < rules.foreplay)),
        "its race is over": (taken >= rules.race).any(axis=1) if rules.race else np.zeros(len(states), np.bool_),
        "a void was shown after the last trick": (states["void_trick"] > (total + 1)[:, None, None]).any(axis=(1, 2)),
        "a void was shown after more cards than were drawn": (states["void_drawn"] > states["drawn"][:, :, None]).any(
            axis=(1, 2)
        ),
    }


def _sizes(rules: Rules, states: np.ndarray[Any, Any]) -> dict[str, Flags]:
    """Return which states have hands, a decision and a seat to act that do not fit together."""
    rows = np.arange(len(states))
    decision, turn, winner = states["decision"], states["turn"].astype(np.int64), states["winner"]
    hands, open_cards, is_led = _count(states["hands"]), _count(states["face_up"]), states["led"] >= 0
    own, other = hands[rows, winner], hands[rows, 1 - winner]
    plays = decision == PLAY
    allowed = [PLAY]
    if rules.humbug:
        allowed.append(EXCHANGE)
    elif rules.draft:
        allowed.append(DRAFT)
    elif rules.open_stock > 1:
        allowed += [PICK, PICK_AFTER]
    second = np.where(plays, is_led, decision == PICK_AFTER) == 1
    to_act = np.where(second, 1 - winner, winner)
    if rules.humbug:  # both seats choose before the first lead
        begun = states["played"].any(axis=1)
        to_act = np.where(decision == EXCHANGE, turn, to_act)
        short = (decision == EXCHANGE) & (begun | is_led)
        short |= (hands + _count(states["played"]) != rules.hand).any(axis=1)
    else:
        short = np.where(plays, own + is_led != other, own - (decision == PICK_AFTER) != other)
        left = np.where(plays, 1, open_cards)
        short |= (np.maximum(own, other) > rules.hand) | (left == 0) | (open_cards > max(rules.open_stock, 1))
    return {
        "its rules have no such decision": ~np.isin(decision, allowed),
        "the other seat is to act": turn != to_act,
        "its hands have the wrong sizes": short | (plays & (hands[rows, turn] == 0)),
        "a card is led before it can be": is_led & ~plays,
    }


def _count(masks: Masks) -> npt.NDArray[np.int64]:
    """Return the number of cards in each mask."""
    bits = np.unpackbits(np.ascontiguousarray(masks)[..., None].view(np.uint8), axis=-1)
    counts: npt.NDArray[np.int64] = bits.sum(axis=-1, dtype=np.int64)
    return counts


def check_logged_actions(
    rules: Rules, states: np.ndarray[Any, Any], actions: npt.NDArray[np.int8], counts: npt.NDArray[np.int64]
) -> None:
    """Refuse actions that do not lead from the deck to the state of each deal.

    Args:
        rules: the rules of the deals.
        states: ``STATE`` array of shape (k,), as ``check_states`` accepts them.
        actions: int8[k, max_game_length].
        counts: number of actions of each deal, int64[k].

    Raises:
        ValueError: if an action is illegal, or they lead to another state; the message names the row.
    """
    out_of_range = (counts < 0) | (counts > actions.shape[1])
    if out_of_range.any():
        raise ValueError(f"the number of actions in row {np.argmax(out_of_range)} is out of range")
    replayed = DealBatch(rules, len(states))
    replayed.deal_decks(states["deck"][:, : len(rules.cards)].tolist(), states["dealer"])
    for number in range(counts.max(initial=0)):
        rows = np.flatnonzero(counts > number)
        replayed.step(actions[rows, number], rows)
    for name in states.dtype.names or ():
        if name != "deck":  # the replay was dealt from it
            differs = (replayed.states[name] != states[name]).reshape(len(states), -1).any(axis=1)
            if differs.any():
                raise ValueError(f"the actions in row {np.argmax(differs)} lead to a different {name}")

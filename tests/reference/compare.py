"""Compares the engine with the reference: the same deals in both, after every action."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules
from german_whist.game.scoring import REWARDS, reward_limit
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.full_state import full_states, state_high, state_layout
from german_whist.simulator.observation.history import EVENTS, history_high
from german_whist.simulator.observation.vector import (
    observation_high,
    observation_layout,
    observe,
    view_from_observation,
)
from tests.reference.game import ReferenceDeal, full_deck, returns_of
from tests.reference.observer import Event
from tests.reference.plain import expected_states, expected_views, number, plain
from tests.reference.shuffle import shuffled

Array = np.ndarray[Any, Any]
EVENT_NAMES = [event.name for event in EVENTS]


def reference_deals(rules: Rules, seed: int, first: int, size: int) -> list[ReferenceDeal]:
    """The reference's deals ``first`` to ``first + size - 1`` of a seed."""
    cards = full_deck(rules.suits, rules.ranks)
    return [
        ReferenceDeal(shuffled(cards, seed, index), rules, dealer=index % 2) for index in range(first, first + size)
    ]


def play_both(rules: Rules, size: int, seed: int, first: int, rng: np.random.Generator) -> int:
    """Play random deals in both, compare everything after each action, and return the number of positions.

    Raises:
        AssertionError: at the first position that differs, which it names.
    """
    batch = DealBatch(rules, size, seed, first, history=True)
    deals = reference_deals(rules, seed, first, size)
    positions = 0
    while True:
        try:
            assert_equal(batch, deals)
        except AssertionError as difference:
            place = f"deals {first} to {first + size - 1} of seed {seed} after {positions // size} actions"
            raise AssertionError(f"{place}, {rules}: {difference}") from difference
        positions += size
        if batch.done.all():
            return positions
        actions = np.zeros(size, np.int64)
        for row, deal in enumerate(deals):
            if not deal.done:
                choice = sorted(deal.legal(), key=number)[int(rng.random() * len(deal.legal()))]
                deal.play(choice)
                actions[row] = number(choice)
        batch.step(actions)


def assert_equal(batch: DealBatch, deals: list[ReferenceDeal]) -> None:
    """Compare states, masks, turns, views, observations and their inverse, histories, state vectors and returns."""
    rules, states = batch.rules, expected_states(deals)
    _assert_records(batch.states, states, rules)
    views = [expected_views(deals, seat) for seat in (0, 1)]
    for seat in (0, 1):
        whose = np.full(batch.size, seat)
        _assert_records(batch.views(seats=whose), views[seat], rules)
        vectors = batch.observe(seats=whose)
        np.testing.assert_array_equal(vectors, observations(views[seat], rules))
        assert (vectors <= observation_high(rules)).all()
        _assert_records(view_from_observation(vectors, rules), views[seat], rules)
        tokens, lengths = batch.history(seats=whose)
        assert tokens.dtype == np.int8
        assert (tokens <= history_high(rules)).all()
        for row, deal in enumerate(deals[:2]):  # longer than all the rest
            assert tokens[row, : lengths[row]].tolist() == history_rows(deal, seat)
            assert not tokens[row, lengths[row] :].any()
    movers = np.where(states["turn"] == 0, views[0], views[1])
    np.testing.assert_array_equal(batch.done, [deal.done for deal in deals])
    np.testing.assert_array_equal(batch.turn, [deal.turn for deal in deals])
    np.testing.assert_array_equal(batch.legal(), movers["legal"])
    np.testing.assert_array_equal(batch.action_mask(), bits(movers["legal"], rules.num_actions))
    _assert_records(batch.views(), movers, rules)
    np.testing.assert_array_equal(batch.observe(), observe(movers, rules))
    vectors = full_states(rules, batch.states)
    np.testing.assert_array_equal(vectors, state_vectors(deals, states, rules))
    assert (vectors <= state_high(rules)).all()
    for reward in REWARDS:
        paid = [returns_of(deal, reward) if deal.done else [0, 0] for deal in deals]
        np.testing.assert_array_equal(batch.returns(reward), np.array(paid, np.float32), strict=True)
        assert (np.abs(paid) <= reward_limit(rules.record, reward)).all()


def _assert_records(found: Array, expected: Array, rules: Rules) -> None:
    """Compare field by field and raise the first difference in words."""
    for name in expected.dtype.names or ():
        same = found[name] == expected[name]
        if name == "deck":
            same = same[:, : len(rules.cards)]
        if not same.all():
            row = int(np.argmin(same.reshape(len(same), -1).all(axis=1)))
            words = [plain(records[row], rules)[name] for records in (found, expected)]
            raise AssertionError(f"{name}: the engine has {words[0]}, the reference {words[1]}, in row {row}")


def bits(masks: npt.NDArray[np.uint64], size: int = 52) -> npt.NDArray[np.int8]:
    """Masks as rows of zeros and ones, int8[masks, size]."""
    return (masks[..., None] >> np.arange(size, dtype=np.uint64) & np.uint64(1)).astype(np.int8)


def history_rows(deal: ReferenceDeal, me: int) -> list[list[int]]:
    """What a seat of the reference saw, as the rows of a history."""
    words = {"shown": "turned", "took open": "took", "took unseen": "drew", "kept": "keep", "swapped": "swap"}
    rows: list[list[int]] = []
    trick = played = winner = 0

    def write(what: str, seat: int | None, card: str | None = None) -> None:
        who = 0 if seat is None else 1 if seat == me else 2
        rows.append([EVENT_NAMES.index(what), who, 0 if card is None else 1 + number(card), trick])

    def place(event: Event) -> tuple[bool, bool, int]:
        first = me if event.what == "dealt" else winner
        return event.seat != first, event.what == "took unseen", number(event.card) if event.card else 0

    write("dealer", deal.dealer)
    log = deal.players[me].log
    hands, later = log[: 2 * deal.rules.hand], log[2 * deal.rules.hand :]
    for event in sorted(hands, key=place):
        write("dealt", event.seat, event.card)
    for _, group in itertools.groupby(later, key=lambda event: event.what.startswith(("took", "dealt")) or event):
        events = sorted(group, key=place)
        if deal.rules.draft and events[0].what.startswith("took"):
            write("take" if events[0].what == "took open" else "leave", winner)
        for what, seat, card in events:
            if what == "won":
                winner = seat or 0
            if what == "played":
                trick, played = 1 + played // 2, played + 1
            write("drew" if what == "dealt" else words.get(what, what), seat, card)
    return rows


def _flags(numbers: npt.NDArray[Any], size: int) -> npt.NDArray[np.int8]:
    """Numbers as one-hot rows; −1 leaves the row empty."""
    return (numbers[:, None] == np.arange(size)).astype(np.int8)


def observations(views: Array, rules: Rules) -> npt.NDArray[np.int8]:
    """The observation vectors, built block by block from the names in the layout."""
    renamed = {"own_hand": "hand"}
    blocks: list[npt.NDArray[Any]] = []
    for name, block in observation_layout(rules).items():
        if name == "led":
            features = _flags(views["led"], 52)
        elif name == "trump":
            features = _flags(views["trump"], 4)
        elif name == "race":
            tricks = [views["tricks_self"], views["tricks_opponent"]]
            counted = [won.sum(axis=1) if rules.counts == "all" else won[:, 1] for won in tricks]
            features = rules.race - np.stack(counted, axis=1)
        elif name == "exchanged":
            features = np.stack([views["exchanged_self"], views["exchanged_opponent"]], axis=1)
        elif views[renamed.get(name, name)].dtype == np.uint64:
            features = bits(views[renamed.get(name, name)])
        else:
            features = views[name].reshape(len(views), -1)
        assert features.shape[1] == block.stop - block.start
        blocks.append(features)
    return np.concatenate(blocks, axis=1)


def state_vectors(deals: list[ReferenceDeal], states: Array, rules: Rules) -> npt.NDArray[np.int8]:
    """The full state vectors, built block by block from the names in the layout."""
    rows = len(deals)
    stock_order, hidden = np.zeros((rows, 52), np.int8), np.zeros((rows, 52), np.int8)
    for row, deal in enumerate(deals):
        _place(deal, stock_order[row], hidden[row])
    played_since = states["drawn"][:, :, None] - states["void_drawn"]
    known = {
        "hand": bits(states["hands"]),
        "played": bits(states["played"]),
        "known": bits(states["known"]),
        "void": states["void_trick"],
        "drawn": np.where(states["void_trick"] > 0, played_since, 0),
        "tricks": states["tricks"].transpose(0, 2, 1),
    }
    by_seat = {f"{name}_{seat}": features[:, seat] for name, features in known.items() for seat in (0, 1)}
    whole = {
        "stock_order": stock_order,
        "face_up": bits(states["face_up"]),
        "led": _flags(states["led"], 52),
        "trump": _flags(states["trump"], 4),
        "stock": np.array([deal.all.stock for deal in deals]),
        "hidden": hidden,
    }
    blocks = []
    for name in state_layout(rules):
        features = by_seat[name] if name in by_seat else whole.get(name)
        blocks.append((states[name] if features is None else features).reshape(rows, -1))
    return np.concatenate(blocks, axis=1).astype(np.int8)


def _place(deal: ReferenceDeal, stock_order: Array, hidden: Array) -> None:
    """Write the cards that nobody holds: positions in the stock from 1; blind hands 1 and 2, discarded 3."""
    stock_order[[number(card) for card in deal.all.row]] = 1
    for place, card in enumerate(deal.pile, start=2 if deal.all.row else 1):
        stock_order[number(card)] = place
    for place, blind in enumerate(deal.blinds, start=1):
        hidden[[number(card) for card in blind]] = place
    hidden[[number(card) for card in deal.all.discarded]] = 3

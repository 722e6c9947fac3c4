"""Histories hold everything that a seat saw, in order, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.envs.engine.rules import Rules, rule_names
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.observation.history import COLUMNS, EVENTS, history_high, max_events, max_game_length
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from tests.redeal import Redeal
from tests.reference.plain import NAMES
from tests.strategies import seeds

EVENT_NAMES = [name for name, _ in EVENTS]

GAMES = {
    **{name: name for name in rule_names()},
    "open_stock_3": "open_stock:open_stock=3",
    "all_open": "tiny:open_stock=4",
    "open_without_trump": "short:open_stock=5,trump=none",
    "draft_race": "draft:counts=all,race=5",
}

# Decks small enough to enumerate every deal and every course of play.
TINY = {
    "plain": Rules(suits=1, ranks=4, hand=1, stock=2),
    "two_cards": Rules(suits=1, ranks=6, hand=2, stock=2),
    "two_suits": Rules(suits=2, ranks=3, hand=2, stock=2, counts="all"),
    "foreplay": Rules(suits=2, ranks=3, hand=1, stock=4),
    "face_down": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=0, trump="none"),
    "draft": Rules(suits=2, ranks=3, hand=1, stock=4, draft=True),
    "open_2": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=2),
    "open_3": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=3, high_low=True),
    "race": Rules(suits=2, ranks=3, hand=2, stock=2, counts="all", race=1),
    "humbug": Rules(suits=1, ranks=4, hand=1, stock=0, humbug=True),
    "humbug_2": Rules(suits=2, ranks=4, hand=2, stock=0, humbug=True, high_low=True),
}


def random_actions(batch: DealBatch, rng: np.random.Generator) -> np.ndarray:
    return (rng.random((batch.size, batch.num_actions)) * batch.action_mask()).argmax(axis=1)


def words(tokens: np.ndarray) -> list[str]:
    """A history as text, one line per event: ``1 played self SA``."""
    lines = []
    for event, who, card, trick in tokens.tolist():
        name = NAMES[card - 1] if card else "-"
        lines.append(f"{trick} {EVENT_NAMES[event]} {('nobody', 'self', 'opponent')[who]} {name}")
    return lines


def history_lines(batch: DealBatch, seat: int, row: int = 0) -> list[str]:
    tokens, lengths = batch.history(seats=np.full(batch.size, seat))
    return words(tokens[row, : lengths[row]])


def start(rules: str | Rules, deck: str, dealer: int = 1) -> DealBatch:
    batch = DealBatch(rules, history=True)
    batch.deal_decks([deck], [dealer])
    return batch


def play(batch: DealBatch, *actions: str | int) -> None:
    for action in actions:
        batch.step([NAMES.index(action) if isinstance(action, str) else action])


def test_history_of_a_classic_trick_from_both_sides() -> None:
    batch = start("tiny", "CJ CQ DJ DQ CK DK CA DA")
    play(batch, "CJ", "CQ")
    assert history_lines(batch, 0) == [
        "0 dealer opponent -",
        "0 dealt self CJ",
        "0 dealt self DJ",
        "0 dealt opponent -",
        "0 dealt opponent -",
        "0 turned nobody CK",
        "1 played self CJ",
        "1 played opponent CQ",
        "1 won opponent -",
        "1 took opponent CK",
        "1 drew self DK",
        "1 turned nobody CA",
    ]
    assert history_lines(batch, 1) == [
        "0 dealer self -",
        "0 dealt self CQ",
        "0 dealt self DQ",
        "0 dealt opponent -",
        "0 dealt opponent -",
        "0 turned nobody CK",
        "1 played opponent CJ",
        "1 played self CQ",
        "1 won self -",
        "1 took self CK",
        "1 drew opponent -",
        "1 turned nobody CA",
    ]


def test_history_of_a_card_left_to_the_loser() -> None:
    batch = start("tiny:draft=true", "CJ CQ DJ DQ CK DK CA DA")
    play(batch, "CJ", "CQ", 53)
    assert history_lines(batch, 0)[8:] == [
        "1 won opponent -",
        "1 leave opponent -",
        "1 drew opponent -",
        "1 took self CK",
        "1 turned nobody CA",
    ]


def test_history_of_the_loser_picking_after_the_winner() -> None:
    batch = start("tiny:open_stock=4", "CJ CQ DJ DQ CK DK CA DA")
    play(batch, "CJ", "CQ", "DA")
    assert history_lines(batch, 0)[5:] == [
        *(f"0 turned nobody {card}" for card in ("CK", "DK", "CA", "DA")),
        "1 played self CJ",
        "1 played opponent CQ",
        "1 won opponent -",
        "1 took opponent DA",
    ]
    play(batch, "CA")
    assert history_lines(batch, 0)[-1] == "1 took self CA"


def test_history_of_a_hand_swapped_for_a_blind() -> None:
    batch = start("humbug:suits=2,ranks=4,hand=2,book=0", "CJ CQ CK CA DJ DQ DK DA", dealer=1)
    play(batch, 53, 52)
    assert history_lines(batch, 0)[5:] == [
        "0 turned opponent DA",
        "0 swap self -",
        "0 drew self CQ",
        "0 drew self DQ",
        "0 keep opponent -",
    ]
    assert history_lines(batch, 1)[5:] == [
        "0 turned self DA",
        "0 swap opponent -",
        "0 drew opponent -",
        "0 drew opponent -",
        "0 keep self -",
    ]


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_histories_are_within_bounds_and_both_seats_list_the_same_events(rules: str, rng) -> None:
    batch = DealBatch(rules, 40, history=True)
    assert batch.log is not None
    high = history_high(rules)
    while not batch.done.all():
        batch.step(random_actions(batch, rng))
        (ours, lengths), (theirs, same) = (batch.history(seats=np.full(40, seat)) for seat in (0, 1))
        assert ours.shape == (40, max_events(rules), len(COLUMNS))
        assert ours.dtype == np.int8
        assert (ours >= 0).all()
        assert (ours <= high).all()
        np.testing.assert_array_equal(lengths, same)
        np.testing.assert_array_equal((ours[:, :, 0] != 0).sum(axis=1), lengths)
        assert (ours[:, :, 0] == theirs[:, :, 0]).all()
        swapped = np.array([0, 2, 1])[theirs[:, :, 1]]
        opened = ours[:, :, 0] != EVENT_NAMES.index("dealt")  # each seat's own hand comes first
        assert (ours[:, :, 1] == swapped)[opened].all()
        seen_by_both = (ours[:, :, 2] > 0) & (theirs[:, :, 2] > 0) & opened
        assert (ours[:, :, 2] == theirs[:, :, 2])[seen_by_both].all()
    assert lengths.max() <= max_events(rules)
    assert batch.log.counts.max() <= max_game_length(batch.rules)


@pytest.mark.parametrize("rules", ["classic", "short", "draft", "no_trump", "small", "open_stock:open_stock=26"])
def test_a_deal_played_out_fills_every_row(rules: str, rng) -> None:
    batch = DealBatch(rules, 2, history=True)
    while not batch.done.all():
        batch.step(random_actions(batch, rng))
    assert batch.history()[1].tolist() == [max_events(rules)] * 2


# Perfect recall: histories and information states, computed independently, correspond one to one.


class Recall:
    """Information states: numbers that are equal if and only if all views so far were equal."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}

    def number(self, *parts: object) -> int:
        return self._numbers.setdefault(parts, len(self._numbers))

    def remember(self, before: np.ndarray | None, batch: DealBatch, seat: int) -> np.ndarray:
        """The number of each row's information state after the current view, given the numbers ``before``."""
        views = batch.views(seats=np.full(batch.size, seat))
        seen = [b"".join(view[name].tobytes() for name in VIEW.names) for view in views]
        if before is None:
            # Several cards may be turned up at once, in an order that both see but views do not hold.
            first, last = 2 * batch.rules.hand, batch.states["top"]
            before = [
                self.number(0 if batch.rules.humbug else deck[first:top].tobytes())
                for deck, top in zip(batch.states["deck"], last, strict=True)
            ]
        return np.array([self.number(int(old), now) for old, now in zip(before, seen, strict=True)])


def every_course(rules: Rules) -> Iterator[tuple[DealBatch, list[np.ndarray]]]:
    """Every deal and every course of play, one action at a time, with each seat's information state."""
    recalls = (Recall(), Recall())
    if len(rules.cards) <= 6:
        decks = [list(deck) for deck in permutations(rules.cards)]
    else:
        rng = np.random.default_rng(1)
        decks = [rng.permutation(rules.cards).tolist() for _ in range(400)]
    dealers = np.repeat([0, 1], len(decks))
    size = 2 * len(decks) if len(decks) == 24 else len(decks)  # both dealers if that is cheap
    batch = DealBatch(rules, size, history=True)
    batch.deal_decks((decks * 2)[:size], dealers[:size])
    known = [recalls[seat].remember(None, batch, seat) for seat in (0, 1)]
    while True:
        yield batch, known
        rows, actions = np.nonzero(batch.action_mask())
        if not rows.size:
            return
        after = DealBatch(rules, rows.size, history=True)
        after.states[:] = batch.states[rows]
        after.log.actions[:], after.log.counts[:] = batch.log.actions[rows], batch.log.counts[rows]
        after.step(actions)
        known = [recalls[seat].remember(known[seat][rows], after, seat) for seat in (0, 1)]
        batch = after


@pytest.mark.parametrize("rules", TINY.values(), ids=TINY)
def test_histories_and_information_states_are_one_to_one_over_all_play_of_tiny_decks(rules: Rules) -> None:
    meanings: list[dict[bytes, int]] = [{}, {}]
    encodings: list[dict[int, bytes]] = [{}, {}]
    nodes = 0
    for batch, known in every_course(rules):
        nodes += batch.size
        for seat in (0, 1):
            tokens, _ = batch.history(seats=np.full(batch.size, seat))
            for row, number in enumerate(known[seat].tolist()):
                encoding = tokens[row].tobytes()
                assert meanings[seat].setdefault(encoding, number) == number, "two information states share a history"
                assert encodings[seat].setdefault(number, encoding) == encoding, "one information state has two"
    assert len(meanings[0]) == len(encodings[0]) < nodes  # some deals are indistinguishable, or nothing was tested


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_no_two_different_situations_of_random_deals_share_a_history(rules: str, rng) -> None:
    """Many small deals of one seed: what a seat saw so far identifies its situation."""
    size = 60
    batch = DealBatch(rules, size, seed=3, history=True)
    recall = Recall()
    known = recall.remember(None, batch, 1)
    meanings: dict[bytes, int] = {}
    while True:
        tokens, _ = batch.history(seats=np.ones(size, np.int64))
        for row, number in enumerate(known.tolist()):
            assert meanings.setdefault(tokens[row].tobytes(), number) == number
        if batch.done.all():
            break
        playing = ~batch.done
        batch.step(random_actions(batch, rng))
        known = np.where(playing, recall.remember(known, batch, 1), known)


@settings(max_examples=60)
@given(st.sampled_from([*GAMES.values()]), seeds, st.sampled_from([0, 1]), st.integers(0, 52))
def test_what_a_seat_cannot_know_never_changes_its_history(game_rules: str, seed: int, seat: int, steps: int) -> None:
    rules = rules_named(game_rules)
    steps = min(steps, 2 * (rules.race or rules.tricks))  # no deal ends earlier
    redeal = Redeal(game_rules, seed, seat, steps, attempts=24)
    decks = redeal.others.states["deck"][:, : len(redeal.others.rules.cards)].tolist()
    batch = DealBatch(game_rules, len(decks), history=True)
    batch.deal_decks(decks, redeal.others.states["dealer"])
    for action in [None, *redeal.actions]:
        if action is not None:
            batch.step(np.full(batch.size, action))
        tokens, lengths = batch.history(seats=np.full(batch.size, seat))
        assert (tokens == tokens[0]).all()
        assert (lengths == lengths[0]).all()


# The batch's bookkeeping


def test_rows_dealt_again_start_a_new_history() -> None:
    rng = np.random.default_rng(5)
    batch = DealBatch("tiny", 3, history=True)
    fresh = DealBatch("tiny", 1, first=9, history=True)
    batch.step(random_actions(batch, rng))
    before, _ = batch.history(seats=[0, 0, 0])
    batch.deal_rows([1], [9])
    after, _ = batch.history(seats=[0, 0, 0])
    np.testing.assert_array_equal(after[[0, 2]], before[[0, 2]])
    np.testing.assert_array_equal(after[1], fresh.history(seats=[0])[0][0])
    batch.reset(0)
    np.testing.assert_array_equal(batch.history()[0], DealBatch("tiny", 3, history=True).history()[0])


def test_histories_survive_partial_steps_finished_deals_and_refused_actions() -> None:
    whole, parts = DealBatch("tiny", 2, history=True), DealBatch("tiny", 2, history=True)
    while not whole.done.all():
        actions = whole.action_mask().argmax(axis=1)
        whole.step(actions)
        with pytest.raises(ValueError, match="illegal"):
            parts.step([51, 99])
        parts.step(actions[:1], rows=[0])
        parts.step(actions[1:], rows=[1])
    np.testing.assert_array_equal(whole.history()[0], parts.history()[0])
    done = parts.history()[0]
    parts.step([5, 5])
    np.testing.assert_array_equal(parts.history()[0], done)


def test_writes_into_a_given_array_and_refuses_one_of_another_shape() -> None:
    batch = DealBatch("tiny", 2, history=True)
    out = np.full((2, max_events("tiny"), 4), 9, np.int8)
    tokens, _ = batch.history(out)
    assert tokens is out
    np.testing.assert_array_equal(out, batch.history()[0])
    with pytest.raises(ValueError, match=r"out must have shape \(.*\), got \(1, 2, 3\)"):
        batch.history(np.zeros((1, 2, 3), np.int8))
    with pytest.raises(ValueError, match="seats"):
        batch.history(seats=[0, 2])


def test_a_batch_without_history_refuses() -> None:
    with pytest.raises(ValueError, match="history=True"):
        DealBatch("tiny").history()

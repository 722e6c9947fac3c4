"""Views hold everything that a seat saw, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.observation.vector import observe
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly
from tests.redeal import Redeal
from tests.reference.game import ReferenceDeal, full_deck
from tests.reference.plain import NAMES, dealt, plain, play, same_views
from tests.strategies import GAMES, games, seeds

PACKED = np.dtype([(name, VIEW[name]) for name in VIEW.names])  # without padding between the fields


def both(batch: DealBatch) -> list[np.ndarray]:
    return [batch.views(seats=np.full(batch.size, seat)) for seat in (0, 1)]


def after_each_step(rules: Rules, size: int, seed: int):
    """Yield a batch of random deals before the first and after each action."""
    batch = DealBatch(rules, size, seed)
    rng = np.random.default_rng(seed)
    yield batch
    while not batch.done.all():
        play_randomly(batch, rng, 1)
        yield batch


@settings(max_examples=40)
@given(games(), seeds)
def test_card_masks_of_a_view_partition_the_deck(rules: Rules, seed: int) -> None:
    for batch in after_each_step(rules, 3, seed):
        for views in both(batch):
            for view in map(plain, views):
                parts = ["hand", "played_self", "played_opponent", "opponent_known", "unseen", "face_up", "discarded"]
                pile = sorted(card for part in parts for card in view[part])
                assert pile == sorted(full_deck(rules.suits, rules.ranks))


@settings(max_examples=20)
@given(games(), seeds)
def test_what_one_seat_shows_is_what_the_other_knows(rules: Rules, seed: int) -> None:
    for batch in after_each_step(rules, 3, seed):
        mine, theirs = both(batch)
        for name in ("played", "void", "drawn", "tricks", "exchanged"):
            np.testing.assert_array_equal(mine[f"{name}_self"], theirs[f"{name}_opponent"])
            np.testing.assert_array_equal(mine[f"{name}_opponent"], theirs[f"{name}_self"])
        np.testing.assert_array_equal(mine["own_known"], theirs["opponent_known"])
        np.testing.assert_array_equal(mine["opponent_known"], theirs["own_known"])
        assert not (mine["own_known"] & ~mine["hand"]).any()
        assert (mine["dealer"] + theirs["dealer"] == 1).all()
        assert (mine["turn"] + theirs["turn"] == ~batch.done).all()


@pytest.mark.parametrize("name", GAMES)
def test_opponents_hand_is_known_exactly_in_the_endgame(name: str) -> None:
    for batch in after_each_step(GAMES[name], 10, seed=4):
        views = batch.views()
        hands = batch.states["hands"][np.arange(batch.size), 1 - batch.turn]
        known = views["opponent_known"] | views["unseen"]
        if views["stock"][0] == 0:
            np.testing.assert_array_equal(known, hands)
        else:
            assert (known != hands).all()


def test_the_stock_of_a_view_is_gone_after_the_foreplay() -> None:
    for batch in after_each_step(GAMES["tiny"], 1, seed=0):
        tricks = int(batch.states["tricks"].sum())
        assert (batch.views()[0]["stock"] > 0) == (tricks < 2)


def test_only_the_seat_to_act_has_legal_cards() -> None:
    for batch in after_each_step(GAMES["short"], 5, seed=2):
        for seat, views in enumerate(both(batch)):
            acts = (batch.turn == seat) & ~batch.done
            np.testing.assert_array_equal(views["turn"], acts)
            np.testing.assert_array_equal(views["legal"], np.where(acts, batch.legal(), 0))


# Voids: when they were shown, and how many cards were drawn unseen since.


def clubs(batch: DealBatch, seat: int) -> tuple[int, int]:
    """The trick in which a seat last showed a void in clubs and the cards drawn unseen since, checked in both views."""
    own = plain(batch.views(seats=[seat])[0])
    other = plain(batch.views(seats=[1 - seat])[0])
    assert own["void_self"] == other["void_opponent"]
    assert own["drawn_self"] == other["drawn_opponent"]
    assert own["void_self"][1:] == [0, 0, 0]
    return own["void_self"][0], own["drawn_self"][0]


def test_loser_of_the_trick_that_shows_a_void_draws_an_unseen_card_after_it() -> None:
    batch = dealt("CJ DQ DJ DK CQ CK CA DA")
    play(batch, "CJ", "DQ")
    assert clubs(batch, seat=1) == (1, 1)
    play(batch, "CQ", "CK")  # wins, and takes a card that both see
    assert clubs(batch, seat=1) == (1, 1)


def test_void_is_shown_as_soon_as_the_follower_plays_and_not_before() -> None:
    batch = dealt("CJ DQ DJ DK CQ CK CA DA")
    play(batch, "CJ")
    assert clubs(batch, seat=1) == (0, 0)
    play(batch, "DQ")
    assert clubs(batch, seat=0) == (0, 0)
    assert clubs(batch, seat=1)[0] == 1


def test_winner_by_a_trump_draws_no_unseen_card_after_the_void() -> None:
    batch = dealt("CJ DQ CQ DK DJ CK DA CA")
    play(batch, "CJ", "DQ")
    assert clubs(batch, seat=1) == (1, 0)


def test_unseen_cards_add_up_until_the_stock_is_gone() -> None:
    rules = Rules(suits=2, ranks=5, hand=2, stock=6)
    batch = dealt("CT DT DA DJ CQ CA DQ CJ DK CK", rules=rules)
    play(batch, "CT", "DT")
    assert clubs(batch, seat=1) == (1, 1)
    play(batch, "DA", "DJ")
    assert clubs(batch, seat=1) == (1, 2)
    play(batch, "CQ", "CA")  # wins
    assert clubs(batch, seat=1) == (1, 2)


def test_a_later_void_replaces_the_earlier_one() -> None:
    batch = dealt("CT DT CJ DJ CQ DQ CK DK CA DA", rules=Rules(suits=2, ranks=5, hand=2, stock=6))
    for trick, (led, discard) in enumerate([("CT", "DT"), ("CJ", "DJ"), ("CQ", "DQ")], start=1):
        play(batch, led, discard)
        assert clubs(batch, seat=1) == (trick, 1)
    play(batch, "CK", "DK")
    assert clubs(batch, seat=1) == (4, 0)


# No leaks.


@settings(max_examples=60)
@given(
    games(),
    st.integers(0, 2**32),
    st.integers(0, 1),
    st.integers(1, 52),
)
def test_a_seat_cannot_tell_apart_deals_in_which_it_saw_the_same(
    rules: Rules, seed: int, seat: int, steps: int
) -> None:
    redeal = Redeal(rules, seed, seat, min(steps, len(rules.cards)))
    for deal, others in redeal.steps():
        mine = deal.views(seats=[seat])
        theirs = others.views(seats=np.full(others.size, seat))
        assert same_views(np.repeat(mine, others.size), theirs)
        np.testing.assert_array_equal(
            np.repeat(observe(mine, rules), others.size, axis=0),
            others.observe(seats=np.full(others.size, seat)),
        )


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", rule_names())
def test_in_every_preset_a_seat_cannot_tell_apart_deals_in_which_it_saw_the_same(name: str, seat: int) -> None:
    game_rules = rules(name)
    hidden: set[bytes] = set()
    for seed in range(6):
        redeal = Redeal(game_rules, seed, seat, steps=5 * seed + 1)
        for deal, others in redeal.steps():
            mine = deal.views(seats=[seat])
            whose = np.full(others.size, seat)
            assert same_views(np.repeat(mine, others.size), others.views(seats=whose))
            assert (others.observe(seats=whose) == deal.observe(seats=[seat])).all()
        hidden |= {row.tobytes() for row in others.states["deck"]}
    # There were others than the six dealt; with three hidden cards there are few.
    assert len(hidden) > (6 if name == "six_cards" else 12)


def test_redeals_of_humbug_change_the_blinds_the_discarded_hand_and_the_opponents() -> None:
    for seat in (0, 1):
        redeal = Redeal("humbug", 3, seat, steps=2)
        *_, (deal, others) = redeal.steps()
        unseen = set(cards_of(deal.views(seats=[seat])["unseen"][0]))
        varied = 0
        for start in range(4):  # the four hands of the deal
            hands = np.unique(np.sort(others.states["deck"][:, start::4]), axis=0)
            hidden = unseen & set(hands[0].tolist())
            assert (len(hands) > 10) == bool(hidden)
            varied += bool(hidden)
        assert varied == (2 if deal.states["exchanged"][0, seat] else 3)


@pytest.mark.parametrize("seat", [0, 1])
def test_redeals_differ_in_the_opponents_hand_and_in_the_stock(seat: int) -> None:
    redeal = Redeal("classic", 11, seat, steps=20)
    *_, (deal, others) = redeal.steps()
    assert others.size > 20
    assert len(np.unique(others.states["hands"][:, 1 - seat])) > 10
    assert len(np.unique(others.states["deck"], axis=0)) > 20
    assert (others.states["hands"][:, seat] == deal.states["hands"][0, seat]).all()


def all_ways_on(deal: ReferenceDeal) -> list[ReferenceDeal]:
    """The deals after each legal card; the last one is the deal itself, played on."""
    *cards, last = deal.legal()
    copies = []
    for card in cards:
        copied = ReferenceDeal(deal.cards, deal.rules, deal.dealer)
        for earlier in (event.card for event in deal.all.log if event.what == "played"):
            copied.play(earlier)
        copied.play(card)
        copies.append(copied)
    deal.play(last)
    return [*copies, deal]


def test_views_follow_from_what_a_seat_saw_in_every_deal_and_every_course_of_play() -> None:
    """All 720 decks of six cards, every course of play: equal information gives equal views and observations."""
    rules = Rules(suits=2, ranks=3, hand=2, stock=2)
    deals = [ReferenceDeal(list(deck), rules, dealer=1) for deck in permutations(full_deck(2, 3))]
    batch = DealBatch(rules, len(deals))
    batch.deal_decks([" ".join(deal.cards) for deal in deals], np.ones(len(deals), int))
    indistinct = 0
    for step in range(len(rules.cards) + 1):
        for seat in (0, 1):
            views = batch.views(seats=np.full(batch.size, seat))
            known = zip(views.astype(PACKED), observe(views, rules), strict=True)
            seen_after: dict[tuple, set[bytes]] = defaultdict(set)
            decks: dict[tuple, set[tuple]] = defaultdict(set)
            for deal, (view, observation) in zip(deals, known, strict=True):
                seen_after[tuple(deal.players[seat].log)].add(view.tobytes() + observation.tobytes())
                decks[tuple(deal.players[seat].log)].add(tuple(deal.cards))
            assert {len(different) for different in seen_after.values()} == {1}
            indistinct = max(indistinct, *map(len, decks.values()))
        if step < len(rules.cards):
            branches = [(row, card) for row, deal in enumerate(deals) for card in deal.legal()]
            states = batch.states[[row for row, _ in branches]]
            batch = DealBatch(rules, len(branches))
            batch.states[:] = states
            batch.step([NAMES.index(card) for _, card in branches])
            deals = [after for deal in deals for after in all_ways_on(deal)]
    assert indistinct == 6  # at first a seat cannot tell where the other three cards are

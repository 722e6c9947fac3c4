"""Sampled deals agree with everything a seat has seen, and each such deal is as likely as any other."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache
from math import factorial
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.inference.deal_sampling import DealSampler
from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.simulator.batch import DealBatch

SMALL = {
    "three suits": Rules(suits=3, ranks=2, hand=1, stock=4),
    "long stock": Rules(suits=2, ranks=4, hand=1, stock=6),
    "tiny": Rules(suits=2, ranks=4, hand=2, stock=4),
    "face down": Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=0, trump="none"),
    "draft": Rules(suits=2, ranks=4, hand=1, stock=6, draft=True),
    "open stock": Rules(suits=2, ranks=4, hand=1, stock=6, open_stock=2),
    "wide open": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=3),
    "humbug": Rules(suits=2, ranks=4, hand=2, stock=0, humbug=True),
}
Deal = tuple[int, ...]


def canonical(game: Rules, deck: npt.ArrayLike) -> Deal:
    """A deck with each hand in ascending order; the dealer's last card in humbug is the one shown."""
    order = np.array(deck)
    if game.humbug:
        groups = [slice(0, None, 4), slice(1, None, 4), slice(2, None, 4), slice(3, len(order) - 1, 4)]
    else:
        groups = [slice(0, 2 * game.hand, 2), slice(1, 2 * game.hand, 2)]
    for group in groups:
        order[group] = np.sort(order[group])
    return tuple(order.tolist())


@lru_cache
def every_deck(game: Rules) -> npt.NDArray[np.int8]:
    """Every deal once: the decks whose hands are in ascending order."""
    decks = np.array(list(itertools.permutations(game.cards)), np.int8)
    keep = [row for row, deck in enumerate(decks) if (deck == canonical(game, deck)).all()]
    return decks[keep]


def random_position(game: Rules, seed: int, steps: int) -> tuple[DealBatch, list[int]]:
    """A deal after some random actions, and those actions."""
    rng = np.random.default_rng(seed)
    batch = DealBatch(game, 1, seed, first=seed % 2, history=True)
    actions: list[int] = []
    while len(actions) < steps and not batch.done[0]:
        actions.append(int(rng.choice(np.flatnonzero(batch.action_mask()[0]))))
        batch.step([actions[-1]])
    return batch, actions


def deals_that_agree(batch: DealBatch, actions: list[int], seat: int) -> set[Deal]:
    """All deals that can go the same way and in which the seat sees the same."""
    decks = every_deck(batch.rules)
    everyone = DealBatch(batch.rules, len(decks), history=True)
    everyone.deal_decks(decks.tolist(), np.full(len(decks), batch.states["dealer"][0]))
    rows = np.arange(len(decks))
    for action in actions:
        rows = rows[everyone.legal()[rows] >> np.uint64(action) & np.uint64(1) == 1]
        everyone.step(np.full(len(rows), action), rows)
    tokens, lengths = everyone.history(seats=np.full(len(decks), seat))
    seen, length = batch.history(seats=[seat])
    same = rows[(lengths[rows] == length[0]) & (tokens[rows] == seen[0]).all(axis=(1, 2))]
    return {tuple(deck) for deck in decks[same].tolist()}


def chi_square_limit(cells: int) -> float:
    """What a uniform draw stays under 9999 times of 10000 (Wilson and Hilferty)."""
    free = cells - 1
    limit: float = free * (1 - 2 / (9 * free) + 3.72 * (2 / (9 * free)) ** 0.5) ** 3
    return limit


def positions(game: Rules) -> list[tuple[DealBatch, list[int], int]]:
    found: list[Any] = []
    for seed in range(24):
        batch, actions = random_position(game, seed, 1 + seed % (2 * game.tricks))
        found.append((batch, actions, seed // 2 % 2))
    return found


@pytest.mark.parametrize("name", SMALL)
def test_all_deals_that_agree_with_a_history_are_counted(name: str) -> None:
    game = SMALL[name]
    for batch, actions, seat in positions(game):
        sampler = DealSampler(game, batch.history(seats=[seat])[0][0], int(batch.history(seats=[seat])[1][0]))
        deals = deals_that_agree(batch, actions, seat)
        if not game.humbug:
            face_down = len(game.cards) - int(batch.states["top"][0])
            assert sampler.deals * factorial(face_down) == len(deals)
        random = Random(len(actions))
        assert {canonical(game, sampler.sample(random)) for _ in range(40)} <= deals


@pytest.mark.parametrize("name", SMALL)
def test_all_deals_that_agree_with_a_history_are_equally_likely(name: str) -> None:
    game, checked = SMALL[name], 0
    for batch, actions, seat in positions(game):
        deals = deals_that_agree(batch, actions, seat)
        if not 1 < len(deals) <= 200:
            continue
        tokens, length = batch.history(seats=[seat])
        sampler, random = DealSampler(game, tokens[0], int(length[0])), Random(1)
        draws = 40 * len(deals)
        counts = Counter(canonical(game, sampler.sample(random)) for _ in range(draws))
        assert set(counts) <= deals
        expected = draws / len(deals)
        assert sum((counts[deal] - expected) ** 2 / expected for deal in deals) < chi_square_limit(len(deals))
        checked += 1
    assert checked > 1


def test_hands_with_fewer_pasts_are_rarer() -> None:
    """After a void, a hidden card of its suit can only have come with the draws since."""
    game, uneven = SMALL["tiny"], 0
    for seed in range(60):
        batch, actions = random_position(game, seed, 2)
        [view] = batch.views(seats=[0])
        if not (view["void_opponent"].any() and view["drawn_opponent"].any()):
            continue
        hands: Counter[int] = Counter()
        for deck in deals_that_agree(batch, actions, 0):
            again = DealBatch(game, 1)
            again.deal_decks([deck], [int(batch.states["dealer"][0])])
            for action in actions:
                again.step([action])
            hands[int(again.states["hands"][0, 1])] += 1
        uneven += len(set(hands.values())) > 1
    assert uneven > 0


@pytest.mark.parametrize("preset", rule_names())
def test_sampled_deals_of_every_preset_look_the_same_to_the_seat(preset: str) -> None:
    game = rules(preset)
    for seed in range(6):
        batch, actions = random_position(game, seed, 9 * seed)
        for seat in (0, 1):
            tokens, length = batch.history(seats=[seat])
            sampler, random = DealSampler(game, tokens[0], int(length[0])), Random(seed)
            again = DealBatch(game, 1, history=True)
            for _ in range(5):
                again.deal_decks([sampler.sample(random)], [int(batch.states["dealer"][0])])
                for action in actions:
                    again.step([action])
                assert (again.history(seats=[seat])[0] == tokens).all()


def test_a_history_that_no_deal_agrees_with_is_refused() -> None:
    game = SMALL["three suits"]
    batch, _ = random_position(game, 0, 0)
    tokens, length = batch.history(seats=[0])
    first = tokens[0, : int(length[0])]
    mine, turned = int(first[1, 2]) - 1, int(first[3, 2]) - 1
    hidden = [card for card in game.cards if card not in (mine, turned)]
    other_suit = [card for card in hidden if card // 13 != mine // 13]
    follows = [[4, 1, mine + 1, 1], [4, 2, other_suit[0] + 1, 1]]
    events = np.array([*first.tolist(), *follows, [5, 1, 0, 1], [4, 2, other_suit[1] + 1, 2]], np.int8)
    with pytest.raises(ValueError, match="no deal agrees"):
        DealSampler(game, events, len(events))

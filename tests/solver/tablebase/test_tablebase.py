"""Tablebases: the ranking is a bijection, the values match brute force, and their sums have not changed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from german_whist.game.cards import SUITS, mask_of
from german_whist.game.utils.cache_folder import CACHE_VARIABLE
from german_whist.solver.search.alpha_beta_kernels import NO_CARD, alpha_beta
from german_whist.solver.search.transposition_table import TranspositionTable, transposition_table
from german_whist.solver.tablebase.build import build_tablebase
from german_whist.solver.tablebase.kinds import KINDS
from german_whist.solver.tablebase.position_kernels import position_of, seats_swapped, sorted_suits
from german_whist.solver.tablebase.ranking import tablebase_layout
from german_whist.solver.tablebase.ranking_kernels import lookup, position_index
from german_whist.solver.tablebase.tablebase_file import Tablebase
from tests.conftest import SMALL_TABLE
from tests.solver.brute_force import value
from tests.solver.hands import mask, random_endgame
from tests.solver.regenerate_sums import SUMS, sums
from tests.solver.tablebase.every_position import every_position

# Endgames up to permutations of plain suits, counted independently.
POSITIONS = [7, 56, 384, 2_420, 14_264, 80_122, 426_086, 2_134_018]


@pytest.fixture(scope="module", params=list(KINDS))
def tablebase(request, endgame_tables) -> Tablebase:
    return build_tablebase(KINDS[request.param], SMALL_TABLE)


@pytest.mark.parametrize("trump", [True, False])
@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_index_is_a_bijection(cards, trump):
    layout = tablebase_layout(4, trump)
    positions = [np.uint64(position) for position in every_position(cards, trump)]
    found = [int(position_index(layout.ranking, position, cards, False)) for position in positions]
    layer = [block for block in layout.blocks if block.cards == cards]
    assert len(set(found)) == len(found)
    assert min(found) >= layer[0].start
    assert max(found) < layer[-1].start + layer[-1].size <= layout.size
    if trump:
        assert len(found) == POSITIONS[cards - 1]


def test_lookup_swaps_seats(tablebase, rng):
    for _ in range(200):
        cards = int(rng.integers(1, SMALL_TABLE + 1))
        endgame = random_endgame(rng, cards)
        number = np.uint64(position_of(np.uint64(mask(endgame.leader)), np.uint64(mask(endgame.follower)), 3))
        number = sorted_suits(number, tablebase.trump)
        swapped = sorted_suits(seats_swapped(number), tablebase.trump)
        assert lookup(tablebase, number, cards, True) == lookup(tablebase, swapped, cards, False)


def test_values_match_brute_force(tablebase, rng):
    for _ in range(150):
        cards = int(rng.integers(1, 6))
        endgame = random_endgame(rng, cards)
        trump = int(rng.integers(4)) if tablebase.trump else -1
        number = position_of(np.uint64(mask(endgame.leader)), np.uint64(mask(endgame.follower)), trump)
        expected = value(endgame.leader, endgame.follower, None if trump < 0 else SUITS[trump], tablebase.low)
        got = lookup(tablebase, sorted_suits(np.uint64(number), tablebase.trump), cards, False)
        assert got == (cards - expected if tablebase.low else expected)


def test_search_matches_larger_table(tablebase, rng, tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))  # the session's folder keeps its tables only
    small = build_tablebase(KINDS[_name(tablebase)], 3)
    transpositions = transposition_table()
    for _ in range(400):
        cards = int(rng.integers(4, SMALL_TABLE + 1))
        endgame = random_endgame(rng, cards)
        number = position_of(np.uint64(mask(endgame.leader)), np.uint64(mask(endgame.follower)), 0)
        number = sorted_suits(np.uint64(number), tablebase.trump)
        expected = lookup(tablebase, number, cards, False)
        assert searched(small, transpositions, number, cards, -1, 14) == expected
        for beta in range(cards + 2):
            bound = searched(small, transposition_table(), number, cards, beta - 1, beta)
            assert (bound >= beta) == (expected >= beta)


@pytest.mark.parametrize("bits", [1, 6, 18])
def test_a_transposition_table_has_any_power_of_two_of_slots(tablebase, rng, bits, tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    small = build_tablebase(KINDS[_name(tablebase)], 3)
    keys, bounds = np.zeros(2 << 18, np.uint64), np.zeros(2 << 18, np.uint8)
    for _ in range(50):
        endgame = random_endgame(rng, SMALL_TABLE)
        number = position_of(np.uint64(mask(endgame.leader)), np.uint64(mask(endgame.follower)), 0)
        number = sorted_suits(np.uint64(number), tablebase.trump)
        expected = lookup(tablebase, number, SMALL_TABLE, False)
        transpositions = TranspositionTable(keys[: 1 << bits], bounds[: 1 << bits])
        assert searched(small, transpositions, number, SMALL_TABLE, -1, 14) == expected
    assert not keys[1 << bits :].any()


def test_sums_of_tables_are_stable():
    assert sums() == json.loads(SUMS.read_text())


def searched(
    tablebase: Tablebase, transpositions: TranspositionTable, position: int, cards: int, alpha: int, beta: int
) -> int:
    arguments = np.uint64(position), np.int64(cards), NO_CARD, np.int64(alpha), np.int64(beta)
    return int(alpha_beta(tablebase, transpositions, *arguments))


def _name(tablebase: Tablebase) -> str:
    return next(name for name, kind in KINDS.items() if kind == (tablebase.trump, tablebase.low))


def test_thirteen_trumps_take_thirteen_tricks():
    everything = mask_of(range(39, 52)), mask_of(range(13))
    position = sorted_suits(np.uint64(position_of(np.uint64(everything[0]), np.uint64(everything[1]), 3)), True)
    tablebase = build_tablebase(KINDS["trump-high"], SMALL_TABLE)
    assert searched(tablebase, transposition_table(), position, 13, -1, 14) == 13

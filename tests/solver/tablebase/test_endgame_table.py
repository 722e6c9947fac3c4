"""Endgame tables: the ranking is a bijection, the values match brute force, and their sums have not changed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from german_whist.game.cards import SUITS, mask_of
from german_whist.game.utils.cache_folder import CACHE_VARIABLE
from german_whist.solver.search.alpha_beta_kernels import NO_CARD, alpha_beta
from german_whist.solver.search.transposition_table import TranspositionTable, transposition_table
from german_whist.solver.tablebase.build import build_table
from german_whist.solver.tablebase.endgame_table import EndgameTable
from german_whist.solver.tablebase.kinds import KINDS
from german_whist.solver.tablebase.position_kernels import position_of, seats_swapped, sorted_suits
from german_whist.solver.tablebase.ranking import table_layout
from german_whist.solver.tablebase.ranking_kernels import lookup, position_index
from tests.conftest import SMALL_TABLE
from tests.solver.brute_force import value
from tests.solver.hands import mask, random_endgame
from tests.solver.regenerate_sums import SUMS, sums
from tests.solver.tablebase.every_position import every_position

# Endgames up to permutations of plain suits, counted independently.
POSITIONS = [7, 56, 384, 2_420, 14_264, 80_122, 426_086, 2_134_018]


@pytest.fixture(scope="module", params=list(KINDS))
def table(request, endgame_tables) -> EndgameTable:
    return build_table(KINDS[request.param], SMALL_TABLE)


@pytest.mark.parametrize("trump", [True, False])
@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_index_is_a_bijection(cards, trump):
    layout = table_layout(4, trump)
    positions = [np.uint64(position) for position in every_position(cards, trump)]
    found = [int(position_index(layout.ranking, position, cards, False)) for position in positions]
    layer = [block for block in layout.blocks if block.cards == cards]
    assert len(set(found)) == len(found)
    assert min(found) >= layer[0].start
    assert max(found) < layer[-1].start + layer[-1].size <= layout.size
    if trump:
        assert len(found) == POSITIONS[cards - 1]


def test_lookup_swaps_seats(table, rng):
    for _ in range(200):
        cards = int(rng.integers(1, SMALL_TABLE + 1))
        endgame = random_endgame(rng, cards)
        number = np.uint64(position_of(np.uint64(mask(endgame.leader)), np.uint64(mask(endgame.follower)), 3))
        number = sorted_suits(number, table.trump)
        swapped = sorted_suits(seats_swapped(number), table.trump)
        assert lookup(table, number, cards, True) == lookup(table, swapped, cards, False)


def test_values_match_brute_force(table, rng):
    for _ in range(150):
        cards = int(rng.integers(1, 6))
        endgame = random_endgame(rng, cards)
        trump = int(rng.integers(4)) if table.trump else -1
        number = position_of(np.uint64(mask(endgame.leader)), np.uint64(mask(endgame.follower)), trump)
        expected = value(endgame.leader, endgame.follower, None if trump < 0 else SUITS[trump], table.low)
        got = lookup(table, sorted_suits(np.uint64(number), table.trump), cards, False)
        assert got == (cards - expected if table.low else expected)


def test_search_matches_larger_table(table, rng, tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))  # the session's folder keeps its tables only
    small = build_table(KINDS[_name(table)], 3)
    transpositions = transposition_table()
    for _ in range(400):
        cards = int(rng.integers(4, SMALL_TABLE + 1))
        endgame = random_endgame(rng, cards)
        number = position_of(np.uint64(mask(endgame.leader)), np.uint64(mask(endgame.follower)), 0)
        number = sorted_suits(np.uint64(number), table.trump)
        expected = lookup(table, number, cards, False)
        assert searched(small, transpositions, number, cards, -1, 14) == expected
        for beta in range(cards + 2):
            bound = searched(small, transposition_table(), number, cards, beta - 1, beta)
            assert (bound >= beta) == (expected >= beta)


def test_golden_sums():
    assert sums() == json.loads(SUMS.read_text())


def searched(
    table: EndgameTable, transpositions: TranspositionTable, position: int, cards: int, alpha: int, beta: int
) -> int:
    arguments = np.uint64(position), np.int64(cards), NO_CARD, np.int64(alpha), np.int64(beta)
    return int(alpha_beta(table, transpositions, *arguments))


def _name(table: EndgameTable) -> str:
    return next(name for name, kind in KINDS.items() if kind == (table.trump, table.low))


def test_thirteen_trumps():
    everything = mask_of(range(39, 52)), mask_of(range(13))
    position = sorted_suits(np.uint64(position_of(np.uint64(everything[0]), np.uint64(everything[1]), 3)), True)
    table = build_table(KINDS["trump-high"], SMALL_TABLE)
    assert searched(table, transposition_table(), position, 13, -1, 14) == 13

"""Positions as numbers: encoding two hands, swapping seats and removing cards."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from german_whist.envs.engine.cards import card_text
from german_whist.solver.tablebase.position_kernels import (
    bit_index_of,
    follower_cards,
    in_play,
    leader_cards,
    position_of,
    seats_swapped,
    without,
    word_of,
)
from tests.solver.hands import mask, random_endgame


def position(leader: list[str], follower: list[str], trump: int = -1) -> np.uint64:
    return np.uint64(position_of(np.uint64(mask(leader)), np.uint64(mask(follower)), trump))


def words(number: int) -> list[str]:
    """The words of a position as text, lowest card first: L for the leader's cards, F for the follower's."""
    texts = []
    for lane in range(4):
        bits = bin(int(word_of(np.uint64(number), lane)))[3:]
        texts.append("".join("FL"[int(bit)] for bit in reversed(bits)))
    return texts


def test_relative_order():
    assert words(position(["C2", "CA", "H7"], ["C9", "HK", "S2"])) == ["LFL", "", "LF", "F"]
    assert position(["C2", "CA"], ["C9", "HK"]) == position(["C4", "CT"], ["C5", "H2"])


@given(st.integers(1, 13), st.integers(0, 2**32 - 1))
def test_position_round_trip(cards, seed):
    endgame = random_endgame(np.random.default_rng(seed), cards)
    number = position(endgame.leader, endgame.follower)
    assert int(leader_cards(number)).bit_count() == int(follower_cards(number)).bit_count() == cards
    assert int(leader_cards(number)) | int(follower_cards(number)) == int(in_play(number))
    assert seats_swapped(number) == position(endgame.follower, endgame.leader)
    assert seats_swapped(seats_swapped(number)) == number


@given(st.integers(1, 13), st.integers(0, 2**32 - 1), st.integers(-1, 3))
def test_without_card(cards, seed, trump):
    endgame = random_endgame(np.random.default_rng(seed), cards)
    number = position(endgame.leader, endgame.follower, trump)
    everything = np.uint64(mask(endgame.leader) | mask(endgame.follower))
    for hand in (endgame.leader, endgame.follower):
        for card in hand:
            left = [[other for other in both if other != card] for both in (endgame.leader, endgame.follower)]
            bit_index = bit_index_of(mask([card]).bit_length() - 1, everything, trump)
            assert without(number, bit_index) == position(left[0], left[1], trump), card_text(bit_index)

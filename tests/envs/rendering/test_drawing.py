from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.envs.rendering.cards import BACK, card_picture
from german_whist.envs.rendering.table import deal_picture
from german_whist.envs.rendering.trick_memory import TrickMemory
from german_whist.simulator.batch import DealBatch
from tests.players import play_randomly, random_legal
from tests.presets import PRESETS
from tests.redeal import Redeal

Picture = npt.NDArray[np.uint8]
SMALL = (240, 160)


# Cards


@pytest.mark.parametrize("width", [40, 100])
def test_cards_differ(width: int) -> None:
    pictures = {card_picture(card, width).tobytes() for card in range(52)}
    assert len(pictures) == 52
    assert card_picture(BACK, width).tobytes() not in pictures
    for card in (13 * suit + rank for suit in range(4) for rank in range(9)):  # no faces
        red, green, blue = np.array(card_picture(card, width).convert("RGB"), np.int16).reshape(-1, 3).T
        assert ((red - np.maximum(green, blue)) > 100).any() == (card // 13 in (1, 2))


# The table


@pytest.mark.parametrize("name", PRESETS)
def test_every_game_is_drawn(name: str) -> None:
    batch, rng = DealBatch(name, 3, 4), np.random.default_rng(4)
    last: Picture | None = None
    for steps in (0, 1, 2, 5, 20, None):
        play_randomly(batch, rng, steps)
        for row, seat in ((0, None), (1, 0), (2, 1)):
            picture = deal_picture(batch, row, seat, SMALL)
            assert picture.shape == (160, 240, 3)
            assert picture.dtype == np.uint8
            assert last is None or not np.array_equal(picture, last)
            last = picture


@pytest.mark.parametrize(
    ("name", "steps"), [("classic", 9), ("open_stock:open_stock=3", 11), ("humbug", 7), ("draft", 8)]
)
@pytest.mark.parametrize("seat", [0, 1])
def test_hidden_cards_are_hidden(name: str, steps: int, seat: int) -> None:
    redeal = Redeal(name, seed=5, seat=seat, steps=steps)
    *_, (course, others) = redeal.steps()
    rows = range(min(others.size, 4))
    pictures = {deal_picture(others, row, seat, SMALL).tobytes() for row in rows}
    assert pictures == {deal_picture(course, seat=seat, size=SMALL).tobytes()}
    assert len({deal_picture(others, row, None, SMALL).tobytes() for row in rows}) > 1


# The last trick


def test_trick_memory_keeps_the_last_trick() -> None:
    batch = DealBatch(seed=6)
    watch = TrickMemory(batch)
    rng = np.random.default_rng(1)
    led = -1
    for action in range(52):
        leader = int(batch.turn[0])
        card = random_legal(batch.action_mask()[0], rng)
        batch.step([card])
        watch.update(batch)
        if action % 2 == 0:
            led, first = card, leader
        else:
            assert watch.trick is not None
            assert (watch.trick.cards[first], watch.trick.cards[1 - first]) == (led, card)
            assert watch.trick.winner == int(batch.states["winner"][0])

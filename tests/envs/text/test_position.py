"""Positions as lines of text."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.deal_text import position_text
from tests.conftest import play_randomly


def test_a_position_is_one_line_of_text() -> None:
    deck = "CA C2 C3 C4 HK C5 C6 C7 H5 H6 D2 D3 DA D4 S7 S6 ST SJ H2 H3 D9 DT S2 S3 C9 CK "
    batch = DealBatch("classic", 1)
    batch.deal_decks([deck + "SA S4 S5 S8 S9 SQ SK C8 CT CJ CQ D5 D6 D7 D8 DJ DQ DK H4 H7 H8 H9 HT HJ HQ HA"], [0])
    batch.step([12])  # CA
    assert position_text(batch) == "0:J63.63.T43.K7542 T72.K52.A92.963 trump=S turn=0 led=CA face_up=A... stock=26"
    play_randomly(batch, np.random.default_rng(1))
    assert position_text(batch) == "0:... ... trump=S turn=- led=- face_up=- stock=0"
    with pytest.raises(ValueError, match="row must be an integer from 0 to 0, got 1"):
        position_text(batch, 1)


@pytest.mark.parametrize(
    ("game", "part"), [("no_trump", "trump=- "), ("no_trump", "face_up=- stock=26"), ("humbug", "stock=0")]
)
def test_missing_parts_of_a_position_are_dashes(game: str, part: str) -> None:
    assert part in position_text(DealBatch(game, 1))

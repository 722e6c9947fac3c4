"""The cards of a deal by its address."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.game.dealing_kernels import shuffle


def deal_deck(cards: npt.ArrayLike, seed: int, index: int) -> npt.NDArray[np.int8]:
    """The deck of deal ``index`` of seed ``seed``, given the cards in their standard order."""
    deck = np.array(cards, np.int8)
    shuffle(np.uint64(seed), np.uint64(index), deck)
    return deck

"""Deals have addresses: deal ``index`` of seed ``seed`` is a pure function of the two numbers.

Any process can therefore make any deal, in any order and in any batch (see ``dealing_kernels``).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.dealing_kernels import shuffle
from german_whist.envs.utils.checks import check_seed


def deal_deck(cards: npt.ArrayLike, seed: int, index: int) -> npt.NDArray[np.int8]:
    """Return the deck of deal ``index`` of seed ``seed``, int8[cards] in dealing order.

    Args:
        cards: the cards of the deck in their standard order (``Rules.cards``).
        seed: 0 to 2**64 - 1.
        index: 0 to 2**64 - 1.

    Raises:
        ValueError: if the seed or the index is out of range.
    """
    deck = np.array(cards, dtype=np.int8)
    shuffle(np.uint64(check_seed(seed)), np.uint64(check_seed(index, "deal index")), deck)
    return deck

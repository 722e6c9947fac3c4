"""The random number generator behind every deal, and the shuffle.

The random words come from Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as
easy as 1, 2, 3" (SC 2011). The key is the seed and the counter is (index, block, stream). Agents draw from another
stream and under other keys (``agent_rng``), so nothing that they draw can change the cards.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.jit import kernel

DECK_STREAM = 0
AGENT_STREAM = 1

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)


@kernel
def philox(seed, index, block, stream):
    """Return the four 32-bit words (as uint64) of one Philox4x32-10 block.

    Args:
        seed: uint64, the key.
        index: uint64, the low two words of the counter.
        block: uint64 below 2**32, the third word.
        stream: uint64 below 2**32, the fourth word.
    """
    c0 = index & _LOW
    c1 = index >> _SHIFT
    c2 = block
    c3 = stream
    k0 = seed & _LOW
    k1 = seed >> _SHIFT
    for _ in range(10):
        # 32-bit arithmetic in 64-bit words: each product is exact, and its halves are masked off.
        p0 = _M0 * c0
        p1 = _M1 * c2
        c0 = (p1 >> _SHIFT) ^ c1 ^ k0
        c1 = p1 & _LOW
        c2 = (p0 >> _SHIFT) ^ c3 ^ k1
        c3 = p0 & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@kernel
def shuffle(seed, index, deck):
    """Shuffle ``deck`` in place (Fisher–Yates); every order is equally likely.

    Bounded numbers are made from 32-bit words by Lemire's multiplication with rejection ("Fast random integer
    generation in an interval", 2019), which has no modulo bias.
    """
    word = second = third = fourth = np.uint64(0)
    left = 0  # unused words of the block
    block = np.uint64(0)
    for last in range(deck.shape[0] - 1, 0, -1):
        bound = np.uint64(last + 1)
        while True:
            if left == 0:
                word, second, third, fourth = philox(seed, index, block, np.uint64(DECK_STREAM))
                block += np.uint64(1)
                left = 4
            product = word * bound
            word, second, third = second, third, fourth
            left -= 1
            low = product & _LOW
            # The first test settles nearly every draw without the slow remainder.
            if low >= bound or low >= (_LOW + np.uint64(1) - bound) % bound:
                break
        other = np.int64(product >> _SHIFT)
        card = deck[last]
        deck[last] = deck[other]
        deck[other] = card

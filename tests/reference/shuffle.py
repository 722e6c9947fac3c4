"""A reference implementation of dealing: Philox4x32-10 and the shuffle, with unbounded Python ints."""

from __future__ import annotations


def philox(counter: list[int], key: list[int]) -> list[int]:
    """One block of Philox4x32-10 (Salmon et al., SC 2011): four counter words, two key words."""
    a, b, c, d = counter
    left, right = key
    for _ in range(10):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (second >> 32) ^ b ^ left, second % 2**32, (first >> 32) ^ d ^ right, first % 2**32
        left, right = (left + 0x9E3779B9) % 2**32, (right + 0xBB67AE85) % 2**32
    return [a, b, c, d]


def shuffled(cards: list[str], seed: int, index: int) -> list[str]:
    """The deck of deal ``index`` of a seed: each card, from the last down, is swapped with one at or before it."""
    deck = list(cards)
    words: list[int] = []
    block = 0
    for last in reversed(range(1, len(deck))):
        choices = last + 1
        while True:
            if not words:
                words = philox([index % 2**32, index >> 32, block, 0], [seed % 2**32, seed >> 32])
                block += 1
            place, left_over = divmod(words.pop(0) * choices, 2**32)
            # Reject some of the 2**32 words so that every place is left with the same number of them.
            if left_over >= 2**32 % choices:
                break
        deck[last], deck[place] = deck[place], deck[last]
    return deck

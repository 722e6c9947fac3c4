"""Random endgames for tests, as card names and as card masks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from german_whist.game.cards import SUITS, card_text, mask_of, parse_card


class Endgame(NamedTuple):
    """Two hands as card names; the leader's hand includes the card led."""

    leader: list[str]
    follower: list[str]
    trump: str | None
    low: bool
    led: str | None

    @property
    def kept(self) -> list[str]:
        """The leader's cards without the card led."""
        return [card for card in self.leader if card != self.led]


def random_endgame(rng: np.random.Generator, cards: int, deck: list[int] | None = None) -> Endgame:
    """A random endgame from a full or partial deck; in half of them a card is led."""
    dealt = rng.permutation(deck if deck is not None else range(52))[: 2 * cards]
    leader, follower = ([card_text(card) for card in hand] for hand in (dealt[:cards], dealt[cards:]))
    trump = [None, *SUITS][rng.integers(5)]
    led = leader[0] if rng.random() < 0.5 else None
    return Endgame(leader, follower, trump, bool(rng.integers(2)), led)


def mask(hand: list[str]) -> int:
    return mask_of(parse_card(card) for card in hand)


def rows(endgames: list[Endgame]) -> dict[str, np.ndarray]:
    """The arguments of ``solve_endgames`` for a list of endgames."""
    return {
        "leaders": np.array([mask(endgame.leader) for endgame in endgames], np.uint64),
        "followers": np.array([mask(endgame.follower) for endgame in endgames], np.uint64),
        "trumps": np.array([-1 if endgame.trump is None else SUITS.index(endgame.trump) for endgame in endgames]),
        "lows": np.array([endgame.low for endgame in endgames]),
        "leds": np.array([-1 if endgame.led is None else parse_card(endgame.led) for endgame in endgames]),
    }

"""Fits the heuristic bot's card values: ``python -m tools.card_value_fit [RULES] [DEALS]``.

Plays deals of the bot against itself and fits the margin of the endgame, by ridge regression, to the cards that each
seat holds when it begins. The features of a card are whether it is a trump, how many of the opponent's cards outrank it
(in a low deal: how many it outranks), and how many cards of its suit the seat holds. The tables of
``agents/bots/heuristic/card_value_kernels.py`` are these weights, shifted so that a useless plain card has a value of
about 0, and smoothed where data are sparse.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.heuristic.card_value_kernels import above, below
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.state_kernels import suit_mask, suit_of
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

RANKS, LENGTHS = 13, 14
COLUMNS = 2 * RANKS + 2 * LENGTHS
RIDGE = 1.0

_ONE = np.uint64(1)


@kernel
def _count_cards(
    hands: npt.NDArray[np.uint64], trumps: npt.NDArray[np.int8], low: bool, features: npt.NDArray[np.float64]
) -> None:
    for i in range(hands.shape[0]):
        for seat in range(2):
            sign = 1 - 2 * seat
            rest = hands[i, seat]
            while rest:
                card = lowest(rest)
                rest &= rest - _ONE
                rivals = hands[i, 1 - seat] & (below(card) if low else above(card))
                features[i, (0 if suit_of(card) == trumps[i] else RANKS) + min(popcount(rivals), RANKS - 1)] += sign
            for suit in range(4):
                length = popcount(hands[i, seat] & suit_mask(suit))
                features[i, 2 * RANKS + (0 if suit == trumps[i] else LENGTHS) + length] += sign


def fit(rules: str, deals: int, seed: int = 77) -> dict[str, npt.NDArray[np.float64]]:
    """Return the fitted card values in tricks, of trumps and of plain cards, by rank and by suit length.

    Args:
        rules: the game; with ``high_low``, only low deals are used.
        deals: number of deals.
        seed: seed of the deals.
    """
    batch = DealBatch(rules, deals, seed)
    bot: Any = make_agent("heuristic")
    while (batch.views()["stock"] > 0).any():
        batch.step(bot.act(batch.views()))
    rows = batch.states["low"] == int(batch.rules.high_low)
    hands, trumps = batch.states["hands"][rows].copy(), batch.states["trump"][rows].copy()
    while not batch.done.all():
        batch.step(bot.act(batch.views()))
    features = np.zeros((len(hands), COLUMNS))
    _count_cards(hands, trumps, batch.rules.high_low, features)
    margin = batch.returns("margin")[rows, 0].astype(np.float64) / 2
    weights = np.linalg.solve(features.T @ features + RIDGE * np.eye(COLUMNS), features.T @ margin)
    parts = np.split(weights, [RANKS, 2 * RANKS, 2 * RANKS + LENGTHS])
    return dict(zip(("trump by rank", "plain by rank", "trump by length", "plain by length"), parts, strict=True))


def main() -> None:
    """Print the tables."""
    rules = sys.argv[1] if len(sys.argv) > 1 else "classic"
    deals = int(sys.argv[2]) if len(sys.argv) > 2 else 40_000
    for name, weights in fit(rules, deals).items():
        print(name.ljust(16), " ".join(f"{weight:+z.2f}" for weight in weights))
        if "length" in name:
            print("  one more".ljust(16), " ".join(f"{step:+z.2f}" for step in np.diff(weights)))


if __name__ == "__main__":
    main()

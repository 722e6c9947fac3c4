"""Deck sampling: whole deals that one seat cannot tell from what it saw, each exactly as likely as any other.

``world_sampling_kernels`` samples hands that a *view* allows, each equally likely. Here each *deck* that agrees with an
event history is equally likely. The two differ once the opponent has shown a void: cards of that suit can only have
come with later draws, so a hand with such cards has fewer pasts. ``deck_sampling_kernels`` says how decks are counted.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.deck_sampling_kernels import (
    HIDDEN_DEAL,
    count_deals,
    read_history,
    sample_orders,
)
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.observation.history import COLUMNS
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.checks import generator_of, whole_number
from german_whist.envs.utils.specs import must_be

_BYTE = np.iinfo(np.int8)


class DealSampler:
    """The deals that agree with a history: counted once, sampled as often as wanted.

    Attributes:
        hidden: what the history tells of the hidden cards, ``HIDDEN_DEAL`` array (1,).
        deals: the counts, as ``count_deals`` returns them.
    """

    def __init__(self, history: npt.ArrayLike, rules: Rules) -> None:
        """Count the deals.

        Args:
            history: as ``sample_decks``.
            rules: the rules of the deal.

        Raises:
            ValueError: if the array is not a history of these rules, or no deal agrees with it.
        """
        tokens = np.asarray(history)
        if tokens.ndim != 2 or tokens.shape[1] != len(COLUMNS) or tokens.dtype.kind not in "iu":
            raise ValueError(must_be("history", "int8[events, 4]", tokens))
        self._cards = len(rules.cards)
        self.hidden: npt.NDArray[Any] = np.zeros(1, HIDDEN_DEAL)
        is_byte = tokens.dtype == np.int8 or ((tokens >= _BYTE.min) & (tokens <= _BYTE.max)).all()
        tokens = np.ascontiguousarray(tokens, np.int8)
        if not is_byte or not read_history(rules.game[0], tokens, self.hidden[0]):
            raise ValueError(f"history: it is not one of {rules_spec(rules)!r}, or not complete")
        self.deals = count_deals(self.hidden[0])
        if not len(self.deals[2]):
            raise ValueError("history: no deck agrees with it")

    def count(self) -> float:
        """Return the number of decks, exact to about 1e-13 of it."""
        number: float = self.deals[2][-1]
        for name in ("own_places", "hand_places", "free_places"):
            for places in self.hidden[name].ravel().tolist():
                number *= factorial(places.bit_count())
        return number

    def decks(self, count: int, key: int) -> npt.NDArray[np.int8]:
        """Return random decks in dealing order, int8[count, cards]: each independent and uniform.

        Args:
            count: number of decks.
            key: random key, from 0 to 2**64 - 1.
        """
        decks = np.empty((count, 52), np.int8)
        sample_orders(self.hidden, self.deals, np.uint64(key), decks)
        return decks[:, : self._cards]


def sample_decks(
    history: npt.ArrayLike,
    rules: str | Rules = "classic",
    count: int = 1,
    rng: np.random.Generator | int | None = None,
) -> npt.NDArray[np.int8]:
    """Return random decks that agree with what one seat saw of a deal: exactly uniform over all deck orders that do.

    A deck agrees if the same actions are legal with it and leave the seat the same history. How well the opponent has
    played is not taken into account. The decks are to be dealt by the dealer of the history.

    Example:
        >>> batch = german_whist.DealBatch("classic", history=True)
        >>> tokens, length = batch.history(seats=[0])
        >>> german_whist.sample_decks(tokens[0], "classic", count=100, rng=0).shape
        (100, 52)

    Args:
        history: the event history of one seat, int8[events, 4], as ``DealBatch.history`` and
            ``env(observation="history")`` give it; rows of zeros at the end are ignored.
        rules: the rules of the deal.
        count: number of decks, at least 1.
        rng: a NumPy generator or a seed, 0 to 2**64 - 1; by default, other decks every time.

    Returns:
        Cards in dealing order, int8[count, cards].

    Raises:
        ValueError: if the array is not a history of these rules, no deck agrees with it, or a number is not allowed.
    """
    count = whole_number("count", count, 1)
    sampler = DealSampler(history, rules_named(rules))
    key = generator_of(rng).integers(2**64 - 1, dtype=np.uint64, endpoint=True)
    return sampler.decks(count, int(key))

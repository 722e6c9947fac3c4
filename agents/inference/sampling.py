"""Sampling the hidden cards of a deal: decks that agree with a seat's history, states that agree with its view.

Given an event history, every *deck* that agrees with it is equally likely (``deck_sampling_kernels``). A view holds
less information; every *hand* that a view allows is equally likely (``world_sampling_kernels``). The two
distributions differ once the opponent has shown a void. It can have drawn cards of that suit only afterwards, so that
fewer decks lead to a hand with such cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.deck_sampling_kernels import (
    HIDDEN_DEAL,
    count_deals,
    read_history,
    sample_orders,
)
from german_whist.agents.inference.world_sampling_kernels import (
    HAND_COUNTS,
    count_hands,
    sample_hands,
    write_hidden_cards,
    write_known_state,
)
from german_whist.game.cards import NUM_CARDS
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.state import STATE
from german_whist.game.utils.checks import check_int, check_seed
from german_whist.game.utils.jit import allocating_kernel
from german_whist.simulator.batch import BatchState
from german_whist.simulator.observation.history import COLUMNS
from german_whist.simulator.observation.views import VIEW, Views
from german_whist.simulator.text.rules_text import rules_spec

_BYTE = np.iinfo(np.int8)


class DealSampler:
    """A sampler of the deals that agree with a history: they are counted once and sampled any number of times.

    Attributes:
        hidden: knowledge of the hidden cards from the history, ``HIDDEN_DEAL`` array (1,).
        deals: the counts that ``count_deals`` returns.
    """

    def __init__(self, history: npt.ArrayLike, rules: Rules) -> None:
        """Count the deals.

        Args:
            history: the event history of one seat, int8[events, 4], as ``DealBatch.history`` and
                ``env(observation="history")`` return it; rows of zeros at the end are ignored.
            rules: the rules of the deal.

        Raises:
            ValueError: if the array is not a history of these rules, or no deal agrees with it.
        """
        tokens = np.asarray(history)
        if tokens.ndim != 2 or tokens.shape[1] != len(COLUMNS) or tokens.dtype.kind not in "iu":
            raise ValueError(f"history must be int8[events, 4], got {tokens.dtype}{list(tokens.shape)}")
        self._cards = len(rules.cards)
        self.hidden: npt.NDArray[Any] = np.zeros(1, HIDDEN_DEAL)
        is_byte = tokens.dtype == np.int8 or ((tokens >= _BYTE.min) & (tokens <= _BYTE.max)).all()
        tokens = np.ascontiguousarray(tokens, np.int8)
        if not is_byte or not read_history(rules.record[0], tokens, self.hidden[0]):
            raise ValueError(f"history: it is not a complete history of {rules_spec(rules)!r}")
        self.deals = count_deals(self.hidden[0])
        if not len(self.deals[2]):
            raise ValueError("history: no deck agrees with it")

    def decks(self, count: int, key: int) -> npt.NDArray[np.int8]:
        """Return independent, uniformly random decks in dealing order, int8[count, cards].

        Args:
            count: number of decks.
            key: random key, from 0 to 2**64 - 1.
        """
        decks = np.empty((count, 52), np.int8)
        sample_orders(self.hidden, self.deals, np.uint64(key), decks)
        return decks[:, : self._cards]


def _key(rng: np.random.Generator | int | None) -> np.uint64:
    seed = rng if rng is None or isinstance(rng, np.random.Generator) else check_seed(rng)
    return np.uint64(np.random.default_rng(seed).integers(2**64 - 1, dtype=np.uint64, endpoint=True))


@allocating_kernel
def _first_inconsistent(rules: Any, views: Any, rows: Any) -> int:
    """Return the first of some rows with a view that no opponent hand satisfies; −1 if there is none."""
    counts = np.zeros(1, HAND_COUNTS)
    for row in rows:
        if count_hands(rules[0], views[row], counts[0]) == 0:
            return int(row)
    return -1


def check_consistent(views: Views, rules: Rules, rows: npt.NDArray[np.int64] | None = None) -> None:
    """Raise if no opponent hand is consistent with one of the views.

    Args:
        views: ``VIEW`` array of shape (n,).
        rules: the rules of the deals.
        rows: the rows to check, int64[k]; all by default.

    Raises:
        ValueError: the message names the first such row.
    """
    wrong = _first_inconsistent(rules.record, views, np.arange(len(views)) if rows is None else rows)
    if wrong >= 0:
        raise ValueError(f"view {wrong} is inconsistent: no opponent hand satisfies it")


@allocating_kernel
def write_states(rules: Any, views: Any, key: np.uint64, states: npt.NDArray[Any]) -> None:
    """Write a random completion of the view into every state."""
    hands, blinds = np.empty(states.shape[0], np.uint64), np.empty(NUM_CARDS, np.int8)
    sample_hands(rules, views, key, hands)
    for world in range(states.shape[0]):
        write_known_state(rules[0], views[0], states[world])
        write_hidden_cards(rules[0], views[0], hands[world], key, np.uint64(world), states[world], blinds)


def sample_states(
    view: npt.ArrayLike, rules: str | Rules = "classic", *, count: int = 1, rng: np.random.Generator | int | None = None
) -> BatchState:
    """Return random full states that agree with a view of the seat to act (determinizations); this seat becomes seat 0.

    The opponent's hidden cards are uniform over all hands that agree with the cards seen and the voids shown. With each
    hand, every order of the face-down cards is equally likely. A view does not hold the order in which cards were
    played, so a hand counts once, however many courses of play lead to it.

    Example:
        >>> batch = german_whist.DealBatch("classic")
        >>> worlds = german_whist.DealBatch("classic", size=64)
        >>> worlds.set_state(german_whist.sample_states(batch.views(), "classic", count=64, rng=0))

    Args:
        view: one ``VIEW`` record, or an array of shape (1,).
        rules: the rules of the deal.
        count: number of states, at least 1.
        rng: a NumPy generator or a seed, 0 to 2**64 - 1; by default, every call returns other states.

    Returns:
        States for ``DealBatch.set_state``, without histories. The places of the deck before the next face-down card are
        not filled in.

    Raises:
        ValueError: if ``view`` is not one view of a seat to act, no hand agrees with it, or a number is out of range.
    """
    rules = get_rules(rules)
    views = np.atleast_1d(np.asarray(view))
    if views.dtype != VIEW or views.shape != (1,) or not views["turn"][0]:
        raise ValueError(f"view must be one view of a seat to act, got shape {views.shape}")
    states = np.zeros(check_int("count", count, 1), STATE)
    key = _key(rng)
    check_consistent(views, rules)
    write_states(rules.record, np.ascontiguousarray(views), key, states)
    return BatchState(rules, states, None, None)

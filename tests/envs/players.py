"""Opponents for the environments' tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import cards_of


class Lowest:
    """Plays the lowest legal card by number, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def act(self, views: np.ndarray[Any, Any], rng: AgentRng) -> npt.NDArray[np.int64]:
        self.calls += 1
        return np.array([next(cards_of(mask)) for mask in views["legal"].tolist()])


class Random:
    """Plays a random legal card, using only the given ``rng``."""

    def act(self, views: np.ndarray[Any, Any], rng: AgentRng) -> npt.NDArray[np.int64]:
        draws = rng.random(len(views))
        hands = [list(cards_of(mask)) for mask in views["legal"].tolist()]
        return np.array([hand[int(draw * len(hand))] for hand, draw in zip(hands, draws, strict=True)])


class Stubborn:
    """Always plays card 0, legal or not."""

    def act(self, views: np.ndarray[Any, Any], rng: AgentRng) -> npt.NDArray[np.int64]:
        return np.zeros(len(views), np.int64)

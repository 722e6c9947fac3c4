"""An agent that forfeits some deals, whatever batch they are played in."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.registry import make_agent
from german_whist.envs.agent import AgentForfeit
from german_whist.envs.engine.cards import parse_card


class Resigns:
    """Plays as the greedy bot, and gives up when it holds a card while a number of cards are left in the stock."""

    name = "resigns"

    def __init__(self, card: str = "SA", stock: int = 4) -> None:
        self._card, self._stock = parse_card(card), stock
        self._greedy = make_agent("greedy")

    def act(self, views: Any, rng: Any) -> Any:
        actions = self._greedy.act(views, rng)
        holds = views["hand"] >> np.uint64(self._card) & np.uint64(1) != 0
        rows = np.flatnonzero(holds & (views["stock"] == self._stock))
        if len(rows):
            actions[rows] = 0  # no action of these games
            raise AgentForfeit({int(row): "no idea" for row in rows}, actions)
        return actions

"""Sessions in which a bot plays the person's cards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from german_whist.agents.registry import make_agent
from german_whist.session.game_session import Session
from german_whist.session.opponent import choose_action
from german_whist.session.settings import Settings

PERSON = make_agent("greedy")


def session(rules: str = "small", agent: str = "heuristic", seed: int = 1, seat: int = 0, **settings: Any) -> Session:
    """A new session in which it is the person's turn."""
    made = Session(Settings(rules=rules, agent=agent, seed=seed, seat=seat, **settings))
    made.reply()
    return made


def play(made: Session, actions: int = 1000) -> Session:
    """Play up to so many of the person's actions of the deal, and the agent's replies."""
    while made.deal.turn == made.seat and actions:
        made.act(choose_action(PERSON, made.deal, 0, 0))
        made.reply()
        actions -= 1
    return made


class Script:
    """An agent that plays given actions in order, whatever it sees."""

    name = "script"

    def __init__(self, actions: Iterable[int]) -> None:
        self._actions = iter(actions)

    def act(self, views: Any, rng: Any) -> Any:
        return np.array([next(self._actions)], np.int64)

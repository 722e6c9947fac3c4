"""Random decisions per second with observation and mask, compared with a card game of OpenSpiel in Python.

OpenSpiel's own German Whist is not in its wheels, and its trick-taking games are for three or more players. Gin Rummy
is used instead: two players, 52 cards, a stock, an observation tensor, and about as many decisions per deal.
"""

from __future__ import annotations

import random
from typing import Any

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, rates
from german_whist.benchmarks.speed.batch import SIZE, RandomPlay

SUBJECT = "openspiel"
NAME = "with obs. and mask"
PEER = "gin_rummy"


class OpenSpielPlay:
    """Whole deals of random play through OpenSpiel's Python API."""

    def __init__(self, pyspiel: Any) -> None:
        """Load the game."""
        self._game = pyspiel.load_game("gin_rummy")
        self._random = random.Random(0)

    def __call__(self) -> int:
        """Play one deal; return the number of decisions, chance nodes not counted."""
        state = self._game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(self._random.choices(outcomes, chances)[0])
                continue
            state.observation_tensor()
            mask = state.legal_actions_mask()
            state.apply_action(self._random.choice([action for action, legal in enumerate(mask) if legal]))
            decisions += 1
        return decisions


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure both in the same run, each for ``seconds``."""
    try:
        import pyspiel
    except ImportError as error:
        return [Skipped.missing(SUBJECT, f"against {PEER}", error)]
    measured = rates({SUBJECT: OpenSpielPlay(pyspiel), NAME: RandomPlay(SIZE, observed=True)}, seconds, tick)
    return [Figure(SUBJECT, NAME, "/s", measured[NAME], PEER, measured[SUBJECT])]

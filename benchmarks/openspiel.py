"""Random decisions per second in OpenSpiel, with observation and mask.

OpenSpiel's own German Whist is not in its wheels, and its trick-taking games are for three or more players. Gin Rummy
is used instead: two players, 52 cards, a stock, an observation tensor, and about as many decisions per deal. It is
written in C++, as our batch is compiled. Our game *inside* OpenSpiel is written in Python (its rules are compiled), so
it is compared with Gin Rummy and with OpenSpiel's tic-tac-toe in Python, a much simpler game.
"""

from __future__ import annotations

import random
from typing import Any

from german_whist.benchmarks.batch import SIZE, RandomPlay
from german_whist.benchmarks.harness import Figure, Skipped, Tick, Workload, rates

SUBJECT = "openspiel"
NAME = "with obs. and mask"
INSIDE = "inside OpenSpiel"
PEER = "gin_rummy"
PYTHON_PEER = "python_tic_tac_toe"


class OpenSpielPlay:
    """Whole deals of random play through OpenSpiel's Python API."""

    def __init__(self, pyspiel: Any, game: str = PEER) -> None:
        """Load the game."""
        self._game = pyspiel.load_game(game)
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


def measure_openspiel(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure all in the same run, each for ``seconds``."""
    try:
        import pyspiel
        from open_spiel.python.games import tic_tac_toe  # noqa: F401 - registers the game
    except ImportError as error:
        return [Skipped.missing(SUBJECT, f"against {PEER}", error)]
    import german_whist.openspiel  # noqa: F401 - registers the game

    workloads: dict[str, Workload] = {
        PEER: OpenSpielPlay(pyspiel),
        PYTHON_PEER: OpenSpielPlay(pyspiel, PYTHON_PEER),
        INSIDE: OpenSpielPlay(pyspiel, "python_german_whist"),
        NAME: RandomPlay(SIZE, observed=True),
    }
    measured = rates(workloads, seconds, tick)
    pairs = ((NAME, PEER), (INSIDE, PEER), (INSIDE, PYTHON_PEER))
    return [Figure(SUBJECT, name, "/s", measured[name], peer, measured[peer]) for name, peer in pairs]

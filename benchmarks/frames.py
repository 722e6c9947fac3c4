"""Pictures of the table per second at 960×640, compared with the text of the same positions."""

from __future__ import annotations

from collections.abc import Callable

from german_whist.agents.registry import make_agent
from german_whist.benchmarks.harness import Figure, Skipped, Tick, rates
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.deal_text import deal_text

SUBJECT = "frames"
RULES = "classic"
NAME, PEER = "pictures", "the table as text"


class DrawnDeal:
    """One deal of the heuristic bot against itself, drawn before every decision."""

    def __init__(self, draw: Callable[[DealBatch], object]) -> None:
        """Set the function that draws a position."""
        self._batch = DealBatch(RULES, 1)
        self._bot = make_agent("heuristic")
        self._draw = draw

    def __call__(self) -> int:
        """Play and draw the deal; return the number of frames."""
        frames = 0
        self._batch.reset(0)
        while not self._batch.done[0]:
            self._draw(self._batch)
            self._batch.step(self._bot.act(self._batch.views(), None))
            frames += 1
        return frames


def measure_frames(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure both, each for ``seconds``."""
    try:
        from german_whist.envs.rendering.table import deal_picture
    except ImportError as error:
        return [Skipped.missing(SUBJECT, NAME, error)]
    measured = rates({NAME: DrawnDeal(deal_picture), PEER: DrawnDeal(deal_text)}, seconds, tick)
    return [Figure(SUBJECT, NAME, "/s", measured[NAME], PEER, measured[PEER])]

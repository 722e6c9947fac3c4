"""Decisions per second of the rule bots, each in matches against itself on one core."""

from __future__ import annotations

from functools import partial

from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match
from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, rates
from german_whist.envs.engine.rules import rules

SUBJECT = "bots"
BASELINE = "random"
BOTS = ("random", "greedy", "heuristic")

_DEALS = 512


def play_self(name: str) -> int:
    """Play a mirrored match of a bot against itself; return the number of decisions."""
    bot = make_agent(name)
    play_match(bot, bot, deals=_DEALS, rules="classic")
    return 2 * _DEALS * 2 * rules("classic").tricks


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure every bot in the same run, each for ``seconds``, compared with the random bot."""
    measured = rates({name: partial(play_self, name) for name in BOTS}, seconds, tick)
    baseline = measured[BASELINE]
    figures: list[Figure | Skipped] = []
    for name in BOTS:
        peer = (None, None) if name == BASELINE else (BASELINE, baseline)
        figures.append(Figure(SUBJECT, f"{name} decisions", "/s", measured[name], *peer))
    return figures

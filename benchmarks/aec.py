"""Steps per second of the PettingZoo environment, compared with PettingZoo's own turn-based games."""

from __future__ import annotations

import importlib
import os
import random
import warnings
from functools import partial
from typing import Any

import numpy as np

from german_whist.benchmarks.harness import Figure, Skipped, Tick, Workload, rates
from german_whist.envs.pettingzoo_env import env

SUBJECT = "aec"
NAME = "steps"
PEERS = ("tictactoe_v3", "leduc_holdem_v4")

_CYCLES = 50


def play_cycles(game: Any) -> int:
    """Play some cycles as ``pettingzoo.test.performance_benchmark`` does; return the number of steps."""
    steps = 0
    for _ in range(_CYCLES):
        for agent in game.agent_iter(game.num_agents):
            observation, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                action = None
            elif isinstance(observation, dict) and "action_mask" in observation:
                action = random.choice(np.flatnonzero(observation["action_mask"]).tolist())
            else:
                action = game.action_space(agent).sample()
            game.step(action)
            steps += 1
            if all(game.terminations.values()) or all(game.truncations.values()):
                game.reset()
    return steps


def _peer(name: str) -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of PettingZoo deprecate this import in favour of a registry
        return importlib.import_module(f"pettingzoo.classic.{name}").env()


def measure_aec(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure all environments in the same run, each for ``seconds``."""
    games = {SUBJECT: env()}
    skipped: list[Figure | Skipped] = []
    for name in PEERS:
        try:
            games[name] = _peer(name)
        except ImportError as error:
            skipped.append(Skipped.missing(SUBJECT, f"against {name}", error))
    workloads: dict[str, Workload] = {}
    for name, game in games.items():
        game.reset(seed=0)
        workloads[name] = partial(play_cycles, game)
    measured = rates(workloads, seconds, tick)
    ours = measured.pop(SUBJECT)
    if not measured:
        return [Figure(SUBJECT, NAME, "/s", ours), *skipped]
    return [*(Figure(SUBJECT, NAME, "/s", ours, name, theirs) for name, theirs in measured.items()), *skipped]

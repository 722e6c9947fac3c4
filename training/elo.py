"""Elo over the course of training: a tournament of runs' checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.registry import checkpoint_spec
from german_whist.evaluation.games import Progress
from german_whist.evaluation.tournament.play import play_tournament
from german_whist.evaluation.tournament.standings import Standings
from german_whist.training.run import RunDirectory


class EloCurves(NamedTuple):
    """Ratings of checkpoints, in Elo.

    Attributes:
        runs: for each run its checkpoints, oldest first: ``decisions``, ``rating``, and its interval ``low``, ``high``.
        against: ``rating``, ``low`` and ``high`` of the other agents, by name.
        standings: the standings of the tournament.
    """

    runs: dict[str, list[dict[str, Any]]]
    against: dict[str, dict[str, float]]
    standings: Standings


def checkpoint_elo(
    runs: Mapping[str, RunDirectory],
    *,
    against: tuple[str, ...] = ("heuristic",),
    most: int = 8,
    deals: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> EloCurves:
    """Play a tournament of runs' checkpoints and other agents, in the game of the first run.

    Args:
        runs: the runs by name.
        against: the other agents.
        most: checkpoints per run at most: the first, the last, and others evenly spaced between them.
        deals: mirrored deals per pair.
        seed: seed of the deals.
        progress: as in ``play_tournament``.
        executor: as in ``play_tournament``.

    Raises:
        ValueError: if a run has no checkpoints, or an agent cannot play the game.
    """
    decisions: dict[str, dict[str, int]] = {}
    for name, run in runs.items():
        paths = run.checkpoint_paths()
        if not paths:
            raise ValueError(f"run {name!r} has no checkpoints yet")
        chosen = np.unique(np.linspace(0, len(paths) - 1, most).round().astype(int))
        decisions[name] = {checkpoint_spec(paths[i]): int(paths[i].stem) for i in chosen}
    rules = load_checkpoint(next(iter(runs.values())).checkpoint_paths()[-1]).rules
    agents = [*(spec for specs in decisions.values() for spec in specs), *against]
    found = play_tournament(agents, deals=deals, seed=seed, rules=rules, progress=progress, executor=executor)
    rated = {
        spec: {"rating": rating, "low": low, "high": high}
        for spec, rating, (low, high) in zip(found.agents, found.ratings, found.intervals, strict=True)
    }
    curves = {
        name: [{"decisions": number, **rated[spec]} for spec, number in specs.items()]
        for name, specs in decisions.items()
    }
    return EloCurves(curves, {name: rated[name] for name in against}, found)

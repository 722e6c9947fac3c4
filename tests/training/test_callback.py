"""The callback of a run gets what the run records, when it is recorded."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from german_whist.training.config import PolicyIterationConfig, TrainConfig
from german_whist.training.records import metric_name
from german_whist.training.run import RunDirectory
from german_whist.training.train import train
from tests.training.policy_iteration_runs import SMALL_SETTINGS
from tests.training.sb3_runs import tiny_config

RUNS = {
    "policy_iteration": PolicyIterationConfig.of(**{**SMALL_SETTINGS, "evaluate_every": 512, "decisions": 1024}),
    "sb3": tiny_config(),
}


def order(row: tuple[int, dict[str, float]]) -> tuple[int, list[str]]:
    return row[0], sorted(row[1])


def recorded(run: RunDirectory) -> list[tuple[int, dict[str, float]]]:
    """What the files of a run say: rows of metrics, and win rates."""
    rows: list[tuple[int, dict[str, float]]] = []
    with run.metrics.open(newline="") as file:
        for cells in csv.DictReader(file):
            numbers = {name: float(cell) for name, cell in cells.items() if cell}
            step = numbers.pop("decisions")
            rows.append((int(step), numbers))
    for row in run.read_evaluations():
        rows.append((int(row["decisions"]), {f"evaluation/win_rate_{metric_name(row['opponent'])}": row["win_rate"]}))
    return sorted(rows, key=order)


@pytest.mark.parametrize("config", RUNS.values(), ids=RUNS)
def test_a_callback_gets_every_row_of_metrics_and_every_evaluation(config: TrainConfig, tmp_path: Path) -> None:
    calls: list[tuple[int, dict[str, float]]] = []
    run = RunDirectory.create("mine", tmp_path / "run")
    train(config, run, quiet=True, callback=lambda decisions, numbers: calls.append((decisions, numbers)))
    steps = [decisions for decisions, _ in calls]
    assert steps == sorted(steps)
    assert {type(number) for _, numbers in calls for number in numbers.values()} <= {float, int}
    expected = recorded(run)
    assert len(expected) > 5
    for (step, numbers), (row_step, row) in zip(sorted(calls, key=order), expected, strict=True):
        assert step == row_step
        assert numbers == pytest.approx(row, rel=1e-4, nan_ok=True)


@pytest.mark.parametrize("config", RUNS.values(), ids=RUNS)
def test_an_exception_of_a_callback_ends_the_run_which_can_be_resumed(config: TrainConfig, tmp_path: Path) -> None:
    def prune(decisions: int, numbers: dict[str, Any]) -> None:
        if decisions and any(name.startswith("evaluation/") for name in numbers):
            raise RuntimeError("pruned")

    run = RunDirectory.create("mine", tmp_path / "run")
    with pytest.raises(RuntimeError, match="pruned"):
        train(config, run, quiet=True, callback=prune)
    assert len(run.read_evaluations()) == 2  # that of the beginning, and the one that it was called with
    again, config = RunDirectory.open(run.path)
    assert train(config, again, resume=True, quiet=True).decisions == config.decisions


READABLE = {
    "heuristic": "heuristic",
    "heuristic+exact": "heuristic_exact",
    "mc:worlds=240": "mc_worlds_240",
    "mc:worlds=5,temperature=0.5+exact": "mc_worlds_5_temperature_0.5_exact",
    "greedy+exact, no_trump": "greedy_exact/no_trump",
}
OTHERS = [
    *("checkpoint:runs/a b/x.safetensors", "checkpoint:runs/a_b/x.safetensors", "checkpoint:runs/a+b/x.safetensors"),
    *("checkpoint:runs/a,b=c/x", "checkpoint:runs/é/x", "checkpoint:runs/è/x", "checkpoint:\udcff", "checkpoint:x/"),
    *(
        "process:./bot --level 3",
        "process:./bot --level=3",
        "heuristic_exact",
        "mc_worlds_240",
        "greedy, classic:hand=9",
    ),
]


def test_every_opponent_has_a_metric_name_of_its_own_that_trackers_take() -> None:
    names = [metric_name(opponent) for opponent in [*READABLE, *OTHERS]]
    assert names[: len(READABLE)] == list(READABLE.values())
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9_./-]+", name)] == []


@pytest.mark.parametrize("config", RUNS.values(), ids=RUNS)
def test_callbacks_and_tensorboard_get_such_names(config: TrainConfig, tmp_path: Path) -> None:
    run = RunDirectory.create("mine", tmp_path / "run")
    seen: set[str] = set()
    opponents = ["random+exact", "mc:worlds=2"]
    config = config.replace(evaluate_against=opponents, evaluate_deals=2, final_deals=2)
    train(config, run, quiet=True, callback=lambda decisions, numbers: seen.update(numbers))
    board = EventAccumulator(str(run.tensorboard)).Reload()
    for names in (seen, set(board.Tags()["scalars"])):
        assert names >= {f"evaluation/win_rate_{name}" for name in ("random_exact", "mc_worlds_2")}
        assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9_./-]+", name)] == []

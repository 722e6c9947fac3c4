"""What a run records as it goes: rows of metrics, TensorBoard, evaluations, the curve; its callback gets the same."""

from __future__ import annotations

import csv
import errno
import re
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from german_whist.training.config import TrainConfig
from german_whist.training.curve import COLORS, draw_curve
from german_whist.training.records import TrainingOutcome, metric_name
from german_whist.training.run import RunDirectory
from german_whist.training.train import train
from tests.disk import full_disk
from tests.training.policy_iteration_runs import ROLLOUT, small_config, train_small
from tests.training.sb3_runs import tiny_config
from tests.training.whole_runs import call_at, column, evaluated, resume_run

RUNS = {"policy_iteration": small_config(), "sb3": tiny_config()}


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
    "mc:worlds=5,temperature=0.5+exact": "mc_worlds_5_temperature_0.5_exact",
    "greedy+exact, no_trump": "greedy_exact/no_trump",
}
OTHERS = [
    *("checkpoint:runs/a b/x.safetensors", "checkpoint:runs/a_b/x.safetensors", "checkpoint:runs/a+b/x.safetensors"),
    *("checkpoint:runs/é/x", "checkpoint:runs/è/x", "checkpoint:\udcff", "python:my.bot:Bot"),
    *("python:my_bot:Bot", "heuristic_exact", "greedy, classic:hand=9"),
]


def test_every_opponent_has_a_metric_name_of_its_own_that_trackers_take() -> None:
    names = [metric_name(opponent) for opponent in [*READABLE, *OTHERS]]
    assert names[: len(READABLE)] == list(READABLE.values())
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[\w./-]+", name, re.ASCII) for name in names)


# TensorBoard


def shown(folder: Path, name: str) -> list[int]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return [event.step for event in events.Scalars(name)]


def test_tensorboard_shows_losses_and_win_rates(finished: TrainingOutcome) -> None:
    assert shown(finished.run.tensorboard, "losses/loss") == list(range(ROLLOUT, 1025, ROLLOUT))
    assert shown(finished.run.tensorboard, "evaluation/win_rate_greedy") == [0, 512, 1024]


def test_tensorboard_hides_what_a_killed_run_recorded_after_its_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill() -> None:
        raise RuntimeError("killed")

    call_at(monkeypatch, 512, kill)
    with pytest.raises(RuntimeError, match="killed"):
        train_small(tmp_path / "run")
    run = resume_run(tmp_path / "run").run
    assert shown(run.tensorboard, "losses/loss") == column(run.metrics, "decisions") == list(range(128, 1025, 128))


def test_a_run_does_without_tensorboard_and_without_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = train_small(tmp_path / "run", decisions=256).run
    shutil.rmtree(run.tensorboard)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    done = resume_run(tmp_path / "run", decisions="512")
    assert column(done.run.metrics, "decisions") == [128, 256, 384, 512]
    assert not done.run.tensorboard.exists()


@pytest.mark.parametrize("which", ["metrics", "tensorboard"])
def test_a_full_disk_names_the_file_and_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], which: str
) -> None:
    run = RunDirectory(tmp_path / "run")
    path = getattr(run, which)

    def fill() -> None:
        (file,) = path.iterdir() if path.is_dir() else [path]
        until_here.enter_context(full_disk(file.stat().st_size + (700 if path.is_dir() else 5)))

    with ExitStack() as until_here:
        call_at(monkeypatch, 256, fill)
        with pytest.raises(OSError, match="File too large") as error:
            train_small(run.path, checkpoint_every=10**6)  # checkpoints are larger than the records
    assert error.value.filename == str(path)
    assert capfd.readouterr().err == ""
    done = resume_run(run.path)
    assert column(done.run.metrics, "decisions") == list(range(128, 1025, 128))
    assert evaluated(done.run) == [0, 512, 1024]


# Curves


def points(rates: dict[str, list[float]], width: float = 0.1) -> list[dict[str, Any]]:
    return [
        {"decisions": 1000.0 * i, "opponent": name, "win_rate": rate, "low": rate - width, "high": rate + width}
        for name, of_name in rates.items()
        for i, rate in enumerate(of_name)
    ]


def colours_in(picture: np.ndarray) -> set[str]:
    pixels = np.unique((picture[..., :3] * 255).round().astype(int).reshape(-1, 3), axis=0)
    return {"#{:02x}{:02x}{:02x}".format(*pixel) for pixel in pixels}


def test_the_curve_is_a_picture_with_a_line_for_each_opponent(tmp_path: Path) -> None:
    path = tmp_path / "curve.png"
    draw_curve(points({"random": [0.5, 0.6, 0.8], "greedy": [0.2, 0.3, 0.5]}), path, "Two opponents")
    picture = image.imread(path)
    assert picture.shape[:2] == (675, 1200)
    assert set(COLORS[:2]) <= colours_in(picture)
    assert COLORS[2] not in colours_in(picture)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        points({"random": [0.0, 1.0]}, width=float("inf")),
        points({f"checkpoint:{'a/long/way/' * 20}$_^{i}$%.safetensors": [0.5, 0.6] for i in range(7)}),
    ],
    ids=["none", "one deal", "odd names"],
)
@pytest.mark.filterwarnings("error")
def test_any_evaluations_can_be_drawn(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    draw_curve(rows, tmp_path / "curve.png", "Any")
    assert image.imread(tmp_path / "curve.png").size


def test_a_full_disk_leaves_the_earlier_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "curve.png"
    draw_curve(points({"random": [0.5]}), path, "First")
    first = path.read_bytes()

    def full(self: Path, content: bytes) -> int:
        self.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        draw_curve(points({"random": [0.5, 0.9]}), path, "Second")
    assert path.read_bytes() == first
    assert [entry.name for entry in tmp_path.iterdir()] == ["curve.png"]

"""What a run writes as it goes: metrics, curve, evaluations."""

from __future__ import annotations

import csv
import errno
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from german_whist.agents.process.agent import MAX_FAILURES
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import MatchResult
from german_whist.training.run.curve import COLORS, LINE_HEIGHT, _spread, draw_curve
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.event_file import EventFile
from german_whist.training.run.records import RunMetrics, evaluate
from german_whist.training.train import train
from tests.agents.networks import some_network
from tests.agents.process.bots import bot
from tests.disk import full_disk
from tests.training.policy_iteration_runs import small_config


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_a_resumed_run_appends_to_the_same_metrics(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    run.tensorboard.mkdir()
    for decisions in (128, 256):
        writer = RunMetrics(run, ("loss",), decisions - 128)
        writer.write(decisions, {"loss": 0.5})
        writer.close()
    assert rows_of(run.metrics) == [["decisions", "loss"], ["128", "0.5"], ["256", "0.5"]]


def test_tensorboard_hides_what_a_killed_run_recorded_after_its_snapshot(tmp_path: Path) -> None:
    for start, decisions in ((0, (128, 256, 384)), (256, (384, 512))):
        file = EventFile(tmp_path, start)
        for number in decisions:
            file.add(number, {"loss": start + number, "fps": 1})
        file.close()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    seen = [(event.step, event.value) for event in events.Scalars("loss")]
    assert seen == [(128, 128), (256, 256), (384, 640), (512, 768)]
    assert set(events.Tags()["scalars"]) == {"loss", "fps"}


@pytest.mark.parametrize("size", [0, 100])
def test_a_full_disk_names_the_file_of_tensorboard(
    tmp_path: Path, size: int, capfd: pytest.CaptureFixture[str]
) -> None:
    def write() -> None:
        file = EventFile(tmp_path)
        for decisions in range(9):
            file.add(decisions, {"loss": 0.5})

    with full_disk(size), pytest.raises(OSError, match="File too large") as error:
        write()
    (path,) = tmp_path.iterdir()
    assert error.value.filename == str(path)
    assert capfd.readouterr().err == ""


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
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    picture = image.imread(path)
    assert picture.shape[:2] == (675, 1200)
    assert set(COLORS[:2]) <= colours_in(picture)
    assert COLORS[2] not in colours_in(picture)
    assert [entry.name for entry in tmp_path.iterdir()] == ["curve.png"]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        points({"random": [0.5]}),
        points({"random": [0.0, 1.0]}, width=float("inf")),
        points({f"checkpoint:$_^{i}$%.safetensors": [0.5, 0.6] for i in range(7)}),
        points({f"checkpoint:{'a/long/way/' * 20}{'to' * 90}.safetensors": [0.5, 0.6]}),
    ],
    ids=["none", "one point", "one deal", "odd names", "long name"],
)
@pytest.mark.filterwarnings("error")
def test_any_evaluations_can_be_drawn(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    draw_curve(rows, tmp_path / "curve.png", "Any")
    assert image.imread(tmp_path / "curve.png").size


@pytest.mark.parametrize("rates", [[0.5, 0.5, 0.5], [0.99, 1.0, 0.98], [0.1, 0.9, 0.12], [0.0, 0.01, 0.0], [0.7]])
def test_line_labels_do_not_overlap(rates: list[float]) -> None:
    heights = _spread(rates)
    ordered = sorted(heights)
    assert all(above - below >= LINE_HEIGHT - 1e-9 for below, above in pairwise(ordered))
    assert max(heights) <= 1
    assert [heights.index(h) for h in ordered] == sorted(range(len(rates)), key=lambda i: rates[i])
    assert max(abs(height - rate) for height, rate in zip(heights, rates, strict=True)) <= 2 * LINE_HEIGHT + 1e-9


def test_line_labels_are_beside_their_lines() -> None:
    assert _spread([0.8, 0.3, 0.5]) == [0.8, 0.3, 0.5]


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


def evaluated(baselines: list[str]) -> list[tuple[MatchResult, ...]]:
    """Two evaluations of a network, as a run makes them one after the other."""
    agents = {"tiny": [(name, make_agent(name)) for name in baselines]}
    return [evaluate(some_network(game="tiny"), agents, 2) for _ in range(2)]


def test_the_failures_of_a_bot_are_counted_in_each_evaluation_for_itself(tmp_path: Path) -> None:
    for (result,) in evaluated([bot(tmp_path, "sys.exit(3)")]):
        assert sum(one.reason.startswith("crash") for one in result.forfeits) == MAX_FAILURES


def test_an_evaluation_with_forfeited_games_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = bot(tmp_path, "say('XX')")
    train(small_config(decisions=128, evaluate_against=[spec]), RunDirectory.create("mine", tmp_path / "run"))
    assert f"{spec} lost 40 of 40 evaluation games unplayed, the first: illegal action 'XX'" in capsys.readouterr().err

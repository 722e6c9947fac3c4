"""Whole runs of a second: what they leave behind, how they stop, fail and go on."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import image
from sb3_contrib import MaskablePPO
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from german_whist.agents.checkpoint import load_checkpoint, write_atomically
from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match
from german_whist.training import trainer
from german_whist.training.config import TrainConfig, load_config
from german_whist.training.learner import EVALUATION_SEED
from german_whist.training.progress import TrainingProgress
from german_whist.training.run_directory import RunDirectory, code_version
from german_whist.training.trainer import TrainingOutcome, train
from tests.training.runs import ROLLOUT, tiny_config


def begin(folder: Path, **changes: Any) -> TrainingOutcome:
    config = tiny_config(**changes)
    return train(config, RunDirectory.create(config, "mine", folder), quiet=True)


def go_on(folder: Path) -> TrainingOutcome:
    run, config = RunDirectory.open(folder)
    return train(config, run, resume=True, quiet=True)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change."""
    return begin(tmp_path_factory.mktemp("finished") / "run", evaluate_against=["random", "greedy"])


@pytest.fixture(autouse=True)
def no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than these runs; the finished one has a real picture."""

    def draw(rows: Any, path: Path, title: str) -> None:
        write_atomically(path, f"{title}: {len(rows)} points".encode())

    monkeypatch.setattr(trainer, "draw_curve", draw)


def call_at(monkeypatch: pytest.MonkeyPatch, decisions: int, what: Any) -> None:
    """Call something once, at the first step that reaches so many decisions."""
    update = TrainingProgress.update
    waiting = [what]

    def watched(self: TrainingProgress, done: int) -> None:
        update(self, done)
        if done >= decisions and waiting:
            waiting.pop()()

    monkeypatch.setattr(TrainingProgress, "update", watched)


def interrupt(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def column(path: Path, name: str) -> list[float]:
    with path.open(newline="") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def evaluated(run: RunDirectory) -> list[int]:
    return [int(row["decisions"]) for row in run.read_evaluations()]


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_leaves_everything_that_the_docs_promise(finished: TrainingOutcome) -> None:
    run = finished.run
    assert {path.name for path in run.path.iterdir()} == {
        *("config.yaml", "version.json", "metrics.csv", "evaluations.csv", "curve.png"),
        *("checkpoints", "tensorboard", "final.safetensors", "resume.safetensors"),
    }
    assert load_config(run.config) == tiny_config(evaluate_against=["random", "greedy"])
    assert json.loads(run.version.read_text())["libraries"]["torch"]
    assert [int(path.stem) for path in run.past()] == [0, 512, 1024]


def test_metrics_have_a_row_for_every_rollout(finished: TrainingOutcome) -> None:
    steps = column(finished.run.metrics, "time/total_timesteps")
    assert steps == list(range(ROLLOUT, 1024 + 1, ROLLOUT))
    with finished.run.metrics.open(newline="") as file:
        last = list(csv.DictReader(file))[-1]
    assert all(np.isfinite(float(cell)) for cell in last.values())


def test_tensorboard_can_read_losses_and_win_rates(finished: TrainingOutcome) -> None:
    events = EventAccumulator(str(finished.run.tensorboard))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    assert {"train/value_loss", "train/approx_kl", "evaluation/win_rate_random", "evaluation/win_rate_greedy"} <= tags
    assert [event.step for event in events.Scalars("train/value_loss")] == list(range(2 * ROLLOUT, 1025, ROLLOUT))


def test_evaluations_come_at_the_beginning_as_it_goes_and_at_the_end(finished: TrainingOutcome) -> None:
    rows = finished.run.read_evaluations()
    assert [(row["decisions"], row["opponent"], row["deals"]) for row in rows] == [
        (decisions, name, deals)
        for decisions, deals in ((0, 10), (512, 10), (1024, 20))
        for name in ("random", "greedy")
    ]
    assert all(row["low"] <= row["win_rate"] <= row["high"] for row in rows)


def test_the_curve_is_a_picture(finished: TrainingOutcome) -> None:
    assert image.imread(finished.run.curve).shape[:2] == (675, 1200)


def test_the_final_checkpoint_knows_where_it_comes_from_and_what_it_is_worth(finished: TrainingOutcome) -> None:
    made = load_checkpoint(finished.run.final)
    assert made.rules.to_dict() == {**made.rules.to_dict(), "suits": 2, "ranks": 4, "hand": 2, "stock": 4}
    assert made.training["decisions"] == finished.decisions == 1024
    assert TrainConfig(**made.training["config"]) == tiny_config(evaluate_against=["random", "greedy"])
    assert made.training["code"] == code_version()
    assert "self-play" in made.training["algorithm"]
    assert set(made.results) == {"random", "greedy"}
    for result in finished.results:
        assert made.results[result.second]["win_rate"] == result.win_rate
        assert result.first == "policy"


def test_its_measured_strength_is_that_of_the_file(finished: TrainingOutcome) -> None:
    agent = make_agent(f"checkpoint:{finished.run.final}")
    for result in finished.results:
        again = play_match(agent, result.second, deals=20, seed=EVALUATION_SEED, rules="tiny")
        assert (again.wins, again.draws, again.losses, again.margin) == (
            *(result.wins, result.draws, result.losses),
            result.margin,
        )


def test_the_checkpoint_of_the_end_is_the_final_network(finished: TrainingOutcome) -> None:
    last = load_checkpoint(finished.run.past()[-1])
    final = load_checkpoint(finished.run.final)
    first = load_checkpoint(finished.run.past()[0])
    for (weight, bias), (last_weight, last_bias) in zip(final.layers, last.layers, strict=True):
        np.testing.assert_array_equal(weight, last_weight)
        np.testing.assert_array_equal(bias, last_bias)
    assert any((old[0] != new[0]).any() for old, new in zip(first.layers, final.layers, strict=True))


def test_the_same_settings_and_seed_make_the_same_agent(finished: TrainingOutcome, tmp_path: Path) -> None:
    again = begin(tmp_path / "again", evaluate_against=["random", "greedy"])
    other = begin(tmp_path / "other", evaluate_against=["random", "greedy"], seed=1)
    layers = [load_checkpoint(outcome.run.final).layers for outcome in (finished, again, other)]
    for (weight, _), (same, _) in zip(layers[0], layers[1], strict=True):
        np.testing.assert_array_equal(weight, same)
    assert any((weight != new).any() for (weight, _), (new, _) in zip(layers[0], layers[2], strict=True))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_stops_and_the_run_goes_on_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    call_at(monkeypatch, 600, lambda: interrupt(number))
    stopped = begin(tmp_path / "run")
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert stopped.interrupted
    assert stopped.decisions == 512  # the rollout in which it came is dropped
    assert not stopped.run.final.exists()
    done = go_on(tmp_path / "run")
    assert not done.interrupted
    assert done.decisions == 1024
    assert evaluated(done.run) == [0, 512, 1024]
    assert column(done.run.metrics, "time/total_timesteps") == list(range(ROLLOUT, 1025, ROLLOUT))
    assert [int(path.stem) for path in done.run.past()] == [0, 512, 1024]
    assert load_checkpoint(done.run.final).training["decisions"] == 1024


def test_a_run_stopped_in_its_first_rollout_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call_at(monkeypatch, 1, interrupt)
    stopped = begin(tmp_path / "run")
    assert stopped.interrupted
    assert stopped.decisions == 0
    done = go_on(tmp_path / "run")
    assert evaluated(done.run) == [0, 512, 1024]


def test_a_run_may_be_stopped_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call_at(monkeypatch, 300, interrupt)
    assert begin(tmp_path / "run").decisions == 256
    call_at(monkeypatch, 800, interrupt)
    assert go_on(tmp_path / "run").decisions == 768
    done = go_on(tmp_path / "run")
    assert done.decisions == 1024
    assert evaluated(done.run) == [0, 512, 1024]


def test_a_second_interrupt_does_not_wait_and_the_last_checkpoint_is_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice() -> None:
        interrupt()
        interrupt()

    call_at(monkeypatch, 700, twice)
    with pytest.raises(KeyboardInterrupt):
        begin(tmp_path / "run")
    assert go_on(tmp_path / "run").decisions == 1024


def test_an_interrupted_final_evaluation_has_lost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def evaluate(self: Any, deals: int) -> Any:
        if deals == 20:
            raise KeyboardInterrupt
        return real(self, deals)

    with monkeypatch.context() as patch:
        from german_whist.training.learner import Learner

        real = Learner.evaluate
        patch.setattr(Learner, "evaluate", evaluate)
        with pytest.raises(KeyboardInterrupt):
            begin(tmp_path / "run", checkpoint_every=10**6)
    done = go_on(tmp_path / "run")
    assert done.decisions == 1024
    assert column(done.run.metrics, "time/total_timesteps") == list(range(ROLLOUT, 1025, ROLLOUT))


def test_a_killed_run_goes_on_from_its_last_checkpoint(
    finished: TrainingOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A run killed after 896 decisions has saved at 512; what it recorded later is recorded anew.
    def kill() -> None:
        raise RuntimeError("killed")

    call_at(monkeypatch, 896, kill)
    with pytest.raises(RuntimeError, match="killed"):
        begin(tmp_path / "run", evaluate_every=256)
    run = RunDirectory(tmp_path / "run")
    assert evaluated(run) == [0, 256, 512, 768]
    with run.metrics.open("a") as file:
        file.write("89")
    done = go_on(tmp_path / "run")
    assert evaluated(done.run) == [0, 256, 512, 768, 1024]
    assert column(done.run.metrics, "time/total_timesteps") == list(range(ROLLOUT, 1025, ROLLOUT))


def test_resuming_a_finished_run_does_no_harm(finished: TrainingOutcome, tmp_path: Path) -> None:
    shutil.copytree(finished.run.path, tmp_path / "run")
    before = everything(tmp_path / "run")
    again = go_on(tmp_path / "run")
    assert again.decisions == finished.decisions
    assert again.results == finished.results
    after = everything(tmp_path / "run")
    for name in before:
        if name != "curve.png" and not name.startswith("tensorboard"):
            assert after[name] == before[name], name
    assert not [name for name in after if "tmp" in name]


def test_a_longer_run_may_follow_a_finished_one(finished: TrainingOutcome, tmp_path: Path) -> None:
    shutil.copytree(finished.run.path, tmp_path / "run")
    config = tmp_path / "run" / "config.yaml"
    config.write_text(config.read_text().replace("decisions: 1024", "decisions: 1500"))
    done = go_on(tmp_path / "run")
    assert done.decisions == 1024 + 4 * ROLLOUT
    assert max(evaluated(done.run)) == done.decisions


def test_evaluations_and_checkpoints_come_in_the_rollout_after_each_multiple(tmp_path: Path) -> None:
    done = begin(tmp_path / "run", evaluate_every=300, checkpoint_every=300)
    assert evaluated(done.run) == [0, 384, 640, 1024]
    assert [int(path.stem) for path in done.run.past()] == [0, 384, 640, 1024]


def test_the_weight_of_entropy_falls_as_the_run_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights: list[float] = []
    update = MaskablePPO.train

    def watched(self: MaskablePPO) -> None:
        weights.append(self.ent_coef)
        update(self)

    monkeypatch.setattr(MaskablePPO, "train", watched)
    begin(tmp_path / "run", entropy=0.8, entropy_end=0.0)
    assert weights == pytest.approx([0.8 - 0.1 * rollout for rollout in range(8)])


def test_past_selves_and_bots_may_be_the_opponents(tmp_path: Path) -> None:
    opponents = {"self": 0.25, "pool": 0.25, "heuristic": 0.25, "random": 0.25}
    done = begin(tmp_path / "run", opponents=opponents, checkpoint_every=256, pool_size=2)
    assert done.decisions == 1024
    assert len(done.run.past()) == 5


def test_a_checkpoint_may_be_opponent_and_judge(finished: TrainingOutcome, tmp_path: Path) -> None:
    name = f"checkpoint:{finished.run.final},temperature=1"
    done = begin(tmp_path / "run", opponents={"self": 1, name: 1}, evaluate_against=[name])
    assert [result.second for result in done.results] == [name]
    assert {row["opponent"] for row in done.run.read_evaluations()} == {name}


@pytest.mark.parametrize(
    ("reward", "per_trick"), [("margin", True), ("margin", False), ("win", False), ("points", False)]
)
def test_every_reward_can_be_trained_on(tmp_path: Path, reward: str, per_trick: bool) -> None:
    rules = "classic:ranks=8,hand=7,stock=18,points=over_half"
    done = begin(tmp_path / "run", rules=rules, reward=reward, per_trick=per_trick, decisions=256, evaluate_deals=2)
    assert done.decisions == 256


@pytest.mark.parametrize(
    ("changes", "culprit"),
    [
        ({"learning_rate": 1e30, "evaluate_every": 10**6}, r"features_extractor.*"),
        # One huge step leaves weights that are numbers, and outputs that are none.
        ({"learning_rate": 1e30, "max_grad_norm": 1e30, "batch_size": 128, "evaluate_every": 10**6}, "logits"),
    ],
)
def test_a_run_that_diverges_says_so_and_keeps_what_was_good(
    tmp_path: Path, changes: dict[str, Any], culprit: str
) -> None:
    message = rf"^training diverged before decision \d+: {culprit} is not finite; the checkpoints before it are in "
    with pytest.raises(FloatingPointError, match=message):
        begin(tmp_path / "run", **changes)
    run = RunDirectory(tmp_path / "run")
    assert [int(path.stem) for path in run.past()] == [0]
    load_checkpoint(run.past()[0])
    assert not run.final.exists()
    assert RunDirectory.open(tmp_path / "run")[1] == tiny_config(**changes)


def fail_writing(monkeypatch: pytest.MonkeyPatch, name: str, after: int = 0) -> None:
    """Let the disk be full when a file of this name is written for the (after + 1)-th time."""
    write, left = Path.write_bytes, [after]

    def cut(self: Path, content: bytes) -> int:
        if name not in self.name:
            return write(self, content)
        left[0] -= 1
        if left[0] >= 0:
            return write(self, content)
        write(self, content[:5])
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", cut)


@pytest.mark.parametrize("name", ["000000000000.safetensors", "resume.safetensors"])
def test_a_disk_that_is_full_at_once_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fail_writing(monkeypatch, name)
    with pytest.raises(OSError, match="No space left"):
        begin(tmp_path / "some" / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "after"),
    [("000000000512.safetensors", 0), ("resume.safetensors", 1), ("curve.png", 1), ("evaluations.csv", 1)],
)
def test_a_disk_that_fills_up_leaves_no_half_file_and_a_run_that_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, after: int
) -> None:
    with monkeypatch.context() as patch:
        fail_writing(patch, name, after)
        with pytest.raises(OSError, match="No space left"):
            begin(tmp_path / "run")
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if "tmp" in path.name or path.stat().st_size == 5]
    done = go_on(tmp_path / "run")
    assert done.decisions == 1024
    assert evaluated(done.run) == [0, 512, 1024]


def test_a_device_that_is_not_there_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    for device in ("quantum", "meta", "cpu:x"):
        with pytest.raises(ValueError, match=rf"^device: '{device}' cannot be used: ") as caught:
            begin(tmp_path / "run", device=device)
        assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_network_too_large_for_the_machine_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^the network cannot be made: "):
        begin(tmp_path / "run", hidden=[10**12])
    assert list(tmp_path.iterdir()) == []


def test_an_opponents_share_of_less_than_a_row_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="less than one row of 8"):
        begin(tmp_path / "run", opponents={"self": 99, "random": 1})
    assert list(tmp_path.iterdir()) == []


def test_progress_is_shown_on_standard_error_and_nothing_when_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tiny_config(decisions=128)
    train(config, RunDirectory.create(config, "a", tmp_path / "a"))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"training in {tmp_path / 'a'}\n")
    train(config, RunDirectory.create(config, "a", tmp_path / "b"), quiet=True)
    assert capsys.readouterr() == ("", "")

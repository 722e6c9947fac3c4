"""``german_whist.train``: what a run leaves, how it is stopped and resumed, and what is left of one that fails."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import german_whist as gw
from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.evaluation import plots
from german_whist.training.config import TrainConfig
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.networks import Batch, Networks
from german_whist.training.recipes import load_config
from german_whist.training.run import progress
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.records import EVALUATION_SEED
from german_whist.training.run.version import code_version
from german_whist.training.sb3_config import SB3Config
from german_whist.training.train import run_training
from tests.training.policy_iteration_runs import FINISHED, ROLLOUT, SMALL_SETTINGS, small_config, train_small
from tests.training.sb3_runs import tiny_config
from tests.training.whole_runs import at, column, evaluated, interrupt, kill, resume_run

CONFIGS = {"policy_iteration": small_config(decisions=256), "sb3": tiny_config(decisions=256)}
both_trainers = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
FEW = {**SMALL_SETTINGS, "hidden": [8, 8, 8], "value_hidden": [8, 8], "decisions": 256, "processes": 1}


def begin(config: TrainConfig, folder: Path, **settings: Any) -> TrainingOutcome:
    return run_training(config, RunDirectory.create("mine", folder), quiet=True, **settings)


# Other people's settings of the process


@contextmanager
def double_precision() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        (double_precision, "float64"),
        (lambda: torch.device("meta"), "meta"),
        (torch.no_grad, "grad"),
        (torch.inference_mode, "grad|inference"),
        (lambda: torch.autocast("cpu"), "autocast.*cpu"),
    ],
)
def test_torch_settings_of_the_process(
    setting: Callable[[], AbstractContextManager[Any]], named: str, tmp_path: Path
) -> None:
    with setting(), pytest.raises(ValueError, match=named):
        gw.train(out=tmp_path / "run", quiet=True, **FEW)
    assert not (tmp_path / "run").exists()


@both_trainers
def test_picture_that_cannot_be_drawn(
    config: TrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def draw(*_: Any) -> None:
        raise RuntimeError("no font\nof this name")

    monkeypatch.setattr(plots, "draw_curve", draw)
    outcome = run_training(config, RunDirectory.create("mine", tmp_path / "run"))
    assert outcome.win_rates
    lines = [line for line in capsys.readouterr().err.splitlines() if "no font of this name" in line]
    assert len(lines) == len({row["decisions"] for row in outcome.run.read_evaluations()})


# What a run leaves


def test_run_leaves_its_files(finished: TrainingOutcome) -> None:
    run = finished.run
    assert {path.name for path in run.path.iterdir()} == {
        *("config.yaml", "metrics.csv", "evaluations.csv", "curve.png", "checkpoints", "tensorboard"),
        *("final.safetensors", "distilled.safetensors", "snapshot.safetensors"),
    }
    assert load_config(run.config) == small_config(**FINISHED)
    assert [int(path.stem) for path in run.checkpoint_paths()] == [0, 256, 512, 768, 1024]


def test_evaluations_are_logged(finished: TrainingOutcome) -> None:
    rows = finished.run.read_evaluations()
    assert [(row["decisions"], row["opponent"], row["deals"]) for row in rows] == [
        (decisions, name, deals)
        for decisions, deals in ((0, 10), (512, 10), (1024, 20))
        for name in ("random", "greedy")
    ]
    assert all(row["low"] <= row["win_rate"] <= row["high"] for row in rows)


def test_final_checkpoint_says_how_it_was_trained(finished: TrainingOutcome) -> None:
    made = load_checkpoint(finished.run.final)
    assert made.training["decisions"] == finished.decisions == 1024
    assert PolicyIterationConfig(**made.training["config"]) == small_config(**FINISHED)
    assert made.training["code"] == code_version()
    assert set(made.results) == {"random", "greedy"} == set(finished.win_rates)
    for result in finished.results:
        assert made.results[result.second]["win_rate"] == result.win_rate
        again = gw.play_match(
            finished.agent, result.second, deals=20, seed=EVALUATION_SEED, rules="tiny", endgame="exact"
        )
        assert (again.wins, again.losses, again.margin) == (result.wins, result.losses, result.margin)


def test_seed_repeats_training(finished: TrainingOutcome, tmp_path: Path) -> None:
    again = train_small(tmp_path / "again", **FINISHED)
    other = train_small(tmp_path / "other", **FINISHED, seed=1)
    layers = [load_checkpoint(outcome.run.final).layers for outcome in (finished, again, other)]
    for (weight, _), (same, _) in zip(layers[0], layers[1], strict=True):
        np.testing.assert_array_equal(weight, same)
    assert any((weight != new).any() for (weight, _), (new, _) in zip(layers[0], layers[2], strict=True))


def test_opponents_of_every_kind_train(finished: TrainingOutcome, tmp_path: Path) -> None:
    name = f"checkpoint:{finished.run.final},temperature=1"
    opponents = {"self": 0.25, "pool": 0.25, "heuristic": 0.25, name: 0.25}
    done = train_small(tmp_path / "run", opponents=opponents, evaluate_against=[name], pool_size=2)
    assert done.decisions >= 1024  # the learner's own: how many a rollout has depends on the opponents
    assert [result.second for result in done.results] == [name]


def test_quiet_prints_no_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PLAIN_EVERY", 0.0)
    gw.train(out=tmp_path / "a", **FEW)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert str(tmp_path / "a") in printed.err
    assert re.search(r"\d+ of \d+ decisions", printed.err)
    gw.train(out=tmp_path / "b", quiet=True, **FEW)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("config", "decisions"),
    [
        (SB3Config(rules="tiny", decisions=300, num_envs=256), 312),
        (SB3Config(rules="tiny", decisions=30, opponents={"self": 0.8, "pool": 0.1, "random": 0.1}), 36),
        (PolicyIterationConfig(rules="tiny", decisions=300, opponents={"self": 0.6, "pool": 0.4}), 330),
        (PolicyIterationConfig(games={"tiny": 1, "tiny:trump=none": 1}, inputs="universal", decisions=40), 60),
    ],
)
def test_short_runs_end_after_their_decisions(config: TrainConfig, decisions: int, tmp_path: Path) -> None:
    few: dict[str, Any] = {"hidden": [8], "evaluate_deals": 2, "final_deals": 2, "evaluate_against": ["random"]}
    if isinstance(config, PolicyIterationConfig):
        few |= {"value_hidden": [8]}
    trained = begin(config.replace(**few), tmp_path / "run").decisions
    assert config.decisions <= trained <= decisions
    assert trained < resume_run(tmp_path / "run", decisions=trained + 1).decisions <= 2 * decisions


# Stopping and resuming


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_run_resumes(tmp_path: Path, number: int) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    stopped = train_small(tmp_path / "run", callback=at(600, lambda: interrupt(number)))
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert stopped.interrupted
    assert stopped.decisions == 640  # the rollout was finished when it came
    assert not stopped.run.final.exists()
    done = resume_run(tmp_path / "run")
    assert not done.interrupted
    assert done.decisions == 1024
    assert evaluated(done.run) == [0, 512, 1024]
    assert column(done.run.metrics, "decisions") == list(range(ROLLOUT, 1025, ROLLOUT))
    assert [int(path.stem) for path in done.run.checkpoint_paths()] == [0, 256, 512, 768, 1024]


def test_stop_in_last_update(tmp_path: Path) -> None:
    stopped = train_small(tmp_path / "run", callback=at(1024, interrupt))
    assert (stopped.interrupted, stopped.decisions, stopped.run.final.exists()) == (True, 1024, False)
    assert evaluated(resume_run(tmp_path / "run").run) == [0, 512, 1024]


def test_stop_in_final_evaluation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def stop(decisions: int, numbers: dict[str, float]) -> None:
        if decisions == 1024 and "evaluation/win_rate_random" in numbers:
            interrupt()
            time.sleep(0.5)  # another thread prints the line

    config, folder = small_config(), RunDirectory.create("mine", tmp_path / "run")
    assert not run_training(config, folder, callback=stop).interrupted
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("stopping after")]
    assert ["evaluation" in line for line in said] == [True]


def test_killed_run_resumes(tmp_path: Path) -> None:
    # It has saved at 768.
    with pytest.raises(SystemExit):
        train_small(tmp_path / "run", callback=at(896, kill), evaluate_every=256)
    run = RunDirectory(tmp_path / "run")
    with run.metrics.open("a") as file:
        file.write("89")
    done = resume_run(tmp_path / "run")
    assert evaluated(done.run) == [0, 256, 512, 768, 1024]
    assert column(done.run.metrics, "decisions") == list(range(ROLLOUT, 1025, ROLLOUT))


# Failing


@both_trainers
def test_run_goes_on_after_a_callback_raised(config: TrainConfig, tmp_path: Path) -> None:
    def prune(decisions: int, numbers: dict[str, Any]) -> None:
        if decisions:
            raise RuntimeError("pruned")

    with pytest.raises(RuntimeError, match="pruned"):
        begin(config, tmp_path / "run", callback=prune)
    assert resume_run(tmp_path / "run").decisions == config.decisions


@pytest.mark.parametrize("factor", [float("nan"), 1e9])
def test_exploding_loss_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    update = Networks.update

    def spoilt(self: Networks, batch: Batch, *args: Any, **settings: Any) -> dict[str, float]:
        targets = batch.q_targets * (factor if self.updates >= 5 else 1)
        return update(self, replace(batch, q_targets=targets), *args, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(Networks, "update", spoilt)
        with pytest.raises(FloatingPointError, match="768"):
            train_small(tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    assert [int(path.stem) for path in run.checkpoint_paths()] == [0, 256, 512]
    assert evaluated(resume_run(tmp_path / "run").run) == [0, 512, 1024]  # whatever it was has passed


BAD: list[tuple[dict[str, Any], str]] = [
    ({"device": "cuda:77"}, "cuda:77"),
    ({"opponents": {"self": 99, "random": 1}}, "1 of 100"),
    ({"init": "small", "suit_layers": 1}, "suit_layers"),
    ({"resume": "nowhere"}, "nowhere"),
    ({"resume": "nowhere", "out": "here"}, "out"),
    ({"config": {"decisions": 99}}, "config.*'decisions': 99"),
    ({"out": 5}, "out.*5"),
    ({"resume": 5}, "resume.*5"),
]


@pytest.mark.parametrize(("settings", "named"), BAD, ids=str)
def test_run_that_cannot_begin(
    settings: dict[str, Any], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=named):
        gw.train(**{**({} if "resume" in settings else {"out": "run"}), **FEW, **settings})
    assert list(tmp_path.iterdir()) == []

"""A run is a guest in the process and the folder that it is given: what it needs of them, and how it leaves them."""

from __future__ import annotations

import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.distributions import Distribution

from german_whist.training.config import PolicyIterationConfig, SB3Config, TrainConfig
from german_whist.training.run import RunDirectory
from german_whist.training.train import train
from tests.training.policy_iteration_runs import small_config
from tests.training.sb3_runs import tiny_config

CONFIGS = {"policy_iteration": small_config(decisions=256), "sb3": tiny_config(decisions=256)}
both_trainers = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def begin(config: TrainConfig, folder: Path, **settings: Any) -> int:
    return train(config, RunDirectory.create("mine", folder), quiet=True, **settings).decisions


@both_trainers
def test_a_run_trains_in_a_thread_without_handlers(config: TrainConfig, tmp_path: Path) -> None:
    handlers = []

    def look(decisions: int, numbers: dict[str, float]) -> None:
        handlers.append(signal.getsignal(signal.SIGINT))

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(begin, config, tmp_path / "run", callback=look).result() == 256
    assert set(handlers) == {signal.default_int_handler}
    assert (tmp_path / "run" / "final.safetensors").exists()


def fail(decisions: int, numbers: dict[str, float]) -> None:
    raise RuntimeError("invalid name")


FAILURES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a tracker that refuses the first numbers": ({}, {"callback": fail}),
    "a network that is too large": ({"hidden": [10**12]}, {}),
    "a device that is not there": ({"device": "cuda:77"}, {}),
}


@both_trainers
@pytest.mark.parametrize(("changes", "settings"), FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("is_there", [False, True])
def test_what_fails_at_the_start_leaves_nothing(
    config: TrainConfig, changes: dict[str, Any], settings: dict[str, Any], is_there: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "runs" / "mine"
    if is_there:
        folder.mkdir(parents=True)
    before = list(tmp_path.rglob("*"))
    with pytest.raises((ValueError, RuntimeError)):
        begin(config.replace(**changes), folder, **settings)
    assert list(tmp_path.rglob("*")) == before
    assert begin(config, folder) == 256


def test_a_run_that_has_begun_is_not_begun_again(tmp_path: Path) -> None:
    run = RunDirectory.create("mine", tmp_path / "run")
    train(CONFIGS["sb3"], run, quiet=True)
    files = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"is not empty: choose another, or resume it"):
        train(CONFIGS["sb3"], run, quiet=True)
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == files


def test_runs_of_one_name_that_begin_at_once_get_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    together = threading.Barrier(8)

    def create(_: int) -> Path:
        together.wait()
        return RunDirectory.create("mine").path

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(create, range(8)))) == 8


@both_trainers
def test_the_process_is_afterwards_as_it_was(config: TrainConfig, tmp_path: Path) -> None:
    Distribution.set_default_validate_args(True)
    torch.set_num_threads(2)
    try:
        random.seed(1)
        np.random.seed(2)
        torch.manual_seed(3)
        expected = random.random(), np.random.rand(), torch.rand(1)
        random.seed(1)
        np.random.seed(2)
        torch.manual_seed(3)
        begin(config, tmp_path / "run")
        assert (random.random(), np.random.rand(), torch.rand(1)) == expected
        assert torch.get_num_threads() == 2
        with pytest.raises(ValueError, match="invalid values"):
            torch.distributions.Categorical(probs=torch.tensor([-1.0, 2.0]))
    finally:
        torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("config", "decisions"),
    [
        (SB3Config.of(rules="tiny", decisions=300, num_envs=256), 312),
        (SB3Config.of(rules="tiny", decisions=30, opponents={"self": 0.8, "pool": 0.1, "random": 0.1}), 36),
        (PolicyIterationConfig.of(rules="tiny", decisions=300), 312),
        (PolicyIterationConfig.of(rules="tiny", decisions=300, opponents={"self": 0.6, "pool": 0.4}), 330),
        (PolicyIterationConfig.of(games={"tiny": 1, "tiny:trump=none": 1}, inputs="universal", decisions=40), 60),
    ],
)
def test_a_run_shorter_than_a_rollout_trains_on_about_what_is_asked(
    config: TrainConfig, decisions: int, tmp_path: Path
) -> None:
    few = {"hidden": [8], "evaluate_deals": 2, "final_deals": 2, "evaluate_against": ["random"]}
    if isinstance(config, PolicyIterationConfig):
        few |= {"value_hidden": [8], "value_deals": 0}
    trained = begin(config.replace(**few), tmp_path / "run")
    assert config.decisions <= trained <= decisions
    run, own = RunDirectory.open(tmp_path / "run", {"decisions": str(trained + 1)})
    assert trained < train(own, run, resume=True, quiet=True).decisions <= 2 * decisions

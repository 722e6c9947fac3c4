"""Runs of ``trainer: sb3``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common import base_class

import german_whist as gw
from german_whist.agents.forms import as_agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.records import Callback
from german_whist.training.train import run_training
from tests.training.sb3_runs import ROLLOUT, tiny_config
from tests.training.whole_runs import at, column, evaluated, kill, resume_run


def run(folder: Path, callback: Callback | None = None, **changes: Any) -> TrainingOutcome:
    return run_training(tiny_config(**changes), RunDirectory.create("mine", folder), quiet=True, callback=callback)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    return run(tmp_path_factory.mktemp("sb3") / "run", opponents={"self": 2, "pool": 1, "heuristic": 1})


def test_run_leaves_its_files(finished: TrainingOutcome) -> None:
    assert {path.name for path in finished.run.path.iterdir()} == {
        *("config.yaml", "metrics.csv", "evaluations.csv", "curve.png"),
        *("checkpoints", "tensorboard", "final.safetensors", "model.zip"),
    }
    assert column(finished.run.metrics, "decisions") == list(range(ROLLOUT, 1025, ROLLOUT))
    assert evaluated(finished.run) == [0, 512, 1024]
    assert [int(path.stem) for path in finished.run.checkpoint_paths()] == [0, 512, 1024]
    assert load_checkpoint(finished.run.final).results.keys() == {"random"}


def test_checkpoint_plays_as_model(finished: TrainingOutcome) -> None:
    model = MaskablePPO.load(finished.run.model, device="cpu")

    class Player:
        canonical = True
        rules = "tiny"

        def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
            return model.predict(observations, action_masks=action_masks, deterministic=True)[0]

    decisions = gw.DealBatch("tiny", 200).decisions()
    expected = as_agent(Player()).act(decisions)
    found = PolicyAgent(load_checkpoint(finished.run.final)).act(decisions)
    assert np.array_equal(found, expected)


def test_resumes_on_the_device_of_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path / "run", callback=at(896, kill))
    asked = set()

    def device(name: str = "auto") -> torch.device:
        asked.add(str(name))
        return torch.device("cpu")

    monkeypatch.setattr(base_class, "get_device", device)
    assert resume_run(tmp_path / "run").decisions == 1024
    assert asked == {"cpu"}


def test_killed_while_it_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save = MaskablePPO.save

    def killed(self: MaskablePPO, *words: Any) -> None:
        save(self, *words)
        if self.num_timesteps:
            kill()

    with monkeypatch.context() as patch:
        patch.setattr(MaskablePPO, "save", killed)
        with pytest.raises(SystemExit):
            run(tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir() if path.name.startswith(".")] == []
    assert resume_run(tmp_path / "run").decisions == 1024


def test_killed_run_resumes(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path / "run", callback=at(896, kill), evaluate_every=256)
    assert evaluated(RunDirectory(tmp_path / "run")) == [0, 256, 512, 768]
    done = resume_run(tmp_path / "run")
    assert evaluated(done.run) == [0, 256, 512, 768, 1024]
    assert column(done.run.metrics, "decisions") == list(range(ROLLOUT, 1025, ROLLOUT))

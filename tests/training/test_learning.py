"""Self-play learns to play."""

from __future__ import annotations

from pathlib import Path

import pytest

import german_whist as gw
from german_whist.training.run.directory import RunDirectory
from german_whist.training.train import run_training
from tests.training.sb3_runs import tiny_config


def test_quickstart_beats_greedy(tmp_path: Path) -> None:
    """On the deck of 28 cards, with smaller networks than the recipe's."""
    networks = {"hidden": [48, 48, 64, 64, 48, 48], "value_hidden": [32, 32, 64, 32], "stock_rotations": 1}
    length = {"decisions": 50_000, "num_envs": 256, "batch_size": 512, "processes": 1}
    no_more = {"evaluate_every": 10**9, "checkpoint_every": 10**9, "evaluate_deals": 2, "final_deals": 2}
    trained = gw.train("quickstart", rules="small", out=tmp_path / "run", quiet=True, **networks, **length, **no_more)
    result = gw.play_match(trained.agent, "greedy", deals=1000, seed=5, rules="small", endgame="exact")
    assert result.interval[0] > 0.55  # 61.9 % ± 1.8


def test_sb3_beats_random(tmp_path: Path) -> None:
    config = tiny_config(
        decisions=36_000,
        seed=1,
        num_envs=64,
        hidden=[64],
        batch_size=256,
        epochs=4,
        learning_rate=3e-3,
        evaluate_every=10**9,
        checkpoint_every=10**9,
        evaluate_deals=300,
        final_deals=1500,
    )
    outcome = run_training(config, RunDirectory.create("mine", tmp_path / "run"), quiet=True)
    assert outcome.run.read_evaluations()[0]["win_rate"] == pytest.approx(0.5, abs=0.05)
    result = outcome.results[0]
    # The heuristic bot wins 57 % and 0.28 tricks a deal, measured on 3,000 deals.
    assert result.interval[0] > 0.54
    assert result.margin_interval[0] > 0.18

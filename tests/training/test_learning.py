"""Self-play learns to play: on a deck of eight cards, where luck decides most deals."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.training.run import RunDirectory
from german_whist.training.train import run_training
from tests.training.sb3_runs import tiny_config


@pytest.mark.parametrize("reward", ["margin", "win"])  # paid trick by trick, and at the end
def test_a_few_seconds_of_self_play_beat_the_random_bot_clearly(tmp_path: Path, reward: str) -> None:
    config = tiny_config(
        reward=reward,
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
    untrained = outcome.run.read_evaluations()[0]
    assert untrained["decisions"] == 0
    assert untrained["win_rate"] == pytest.approx(0.5, abs=0.05)
    result = outcome.results[0]
    # The heuristic bot wins 57 % and 0.28 tricks a deal, measured on 3,000 deals.
    assert result.interval[0] > 0.54
    assert result.margin_interval[0] > 0.18

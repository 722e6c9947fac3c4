"""Whole runs of a second: what they leave behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from german_whist.training.config import PolicyIterationConfig
from german_whist.training.load_config import load_config
from german_whist.training.records import EVALUATION_SEED, TrainingOutcome
from german_whist.training.run import RunDirectory, code_version
from german_whist.training.train import train
from tests.training.policy_iteration_runs import small_config as tiny_config
from tests.training.policy_iteration_runs import train_small as begin
from tests.training.whole_runs import evaluated


def test_a_run_leaves_everything_that_the_docs_promise(finished: TrainingOutcome) -> None:
    run = finished.run
    assert {path.name for path in run.path.iterdir()} == {
        *("config.yaml", "metrics.csv", "evaluations.csv", "curve.png", "checkpoints", "tensorboard"),
        *("final.safetensors", "distilled.safetensors", "snapshot"),
    }
    assert load_config(run.config) == tiny_config(evaluate_against=["random", "greedy"])
    assert [int(path.stem) for path in run.checkpoint_paths()] == [0, 256, 512, 768, 1024]


def test_evaluations_run_at_the_start_periodically_and_at_the_end(finished: TrainingOutcome) -> None:
    rows = finished.run.read_evaluations()
    assert [(row["decisions"], row["opponent"], row["deals"]) for row in rows] == [
        (decisions, name, deals)
        for decisions, deals in ((0, 10), (512, 10), (1024, 20))
        for name in ("random", "greedy")
    ]
    assert all(row["low"] <= row["win_rate"] <= row["high"] for row in rows)


def test_the_final_checkpoint_records_its_origin_and_results(finished: TrainingOutcome) -> None:
    made = load_checkpoint(finished.run.final)
    assert made.rules.to_dict() == {**made.rules.to_dict(), "suits": 2, "ranks": 4, "hand": 2, "stock": 4}
    assert made.training["decisions"] == finished.decisions == 1024
    assert PolicyIterationConfig.of(**made.training["config"]) == tiny_config(evaluate_against=["random", "greedy"])
    assert made.training["code"] == code_version()
    assert "policy iteration" in made.training["algorithm"]
    assert set(made.results) == {"random", "greedy"}
    for result in finished.results:
        assert made.results[result.second]["win_rate"] == result.win_rate
        assert result.first == "policy"


def test_recorded_results_match_the_checkpoint_file(finished: TrainingOutcome) -> None:
    agent = make_agent(f"checkpoint:{finished.run.final}")
    for result in finished.results:
        again = play_match(agent, result.second, deals=20, seed=EVALUATION_SEED, rules="tiny", endgame="exact")
        assert (again.wins, again.draws, again.losses, again.margin) == (
            *(result.wins, result.draws, result.losses),
            result.margin,
        )


def test_the_checkpoint_of_the_end_is_the_final_network(finished: TrainingOutcome) -> None:
    last = load_checkpoint(finished.run.checkpoint_paths()[-1])
    final = load_checkpoint(finished.run.final)
    first = load_checkpoint(finished.run.checkpoint_paths()[0])
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


def test_evaluations_and_checkpoints_come_in_the_rollout_after_each_multiple(tmp_path: Path) -> None:
    done = begin(tmp_path / "run", evaluate_every=300, checkpoint_every=300)
    assert evaluated(done.run) == [0, 384, 640, 1024]
    assert [int(path.stem) for path in done.run.checkpoint_paths()] == [0, 384, 640, 1024]


def test_past_selves_and_bots_may_be_the_opponents(tmp_path: Path) -> None:
    opponents = {"self": 0.25, "pool": 0.25, "heuristic": 0.25, "random": 0.25}
    done = begin(tmp_path / "run", opponents=opponents, checkpoint_every=256, pool_size=2)
    assert done.decisions >= 1024  # the learner's own: how many a rollout has depends on the opponents
    assert len(done.run.checkpoint_paths()) == 5


def test_a_checkpoint_can_be_opponent_and_baseline(finished: TrainingOutcome, tmp_path: Path) -> None:
    name = f"checkpoint:{finished.run.final},temperature=1"
    done = begin(tmp_path / "run", opponents={"self": 1, name: 1}, evaluate_against=[name])
    assert [result.second for result in done.results] == [name]
    assert {row["opponent"] for row in done.run.read_evaluations()} == {name}


def test_progress_is_shown_on_standard_error_and_nothing_when_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tiny_config(decisions=128)
    train(config, RunDirectory.create("a", tmp_path / "a"))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"training in {tmp_path / 'a'}\n")
    train(config, RunDirectory.create("a", tmp_path / "b"), quiet=True)
    assert capsys.readouterr() == ("", "")

"""Stable-Baselines3: the environment that it learns on, and runs of ``trainer: sb3``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor

import german_whist as gw
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.canonical import canonical_views
from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.envs.agent import Agent
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.records import TrainingOutcome
from german_whist.training.sb3 import GermanWhistVecEnv, ScaledObservations, policy_checkpoint
from german_whist.training.train import train
from tests.training.sb3_runs import ROLLOUT, tiny_config
from tests.training.whole_runs import call_at, column, evaluated, interrupt, resume_run


def run(folder: Path, **changes: Any) -> TrainingOutcome:
    return train(tiny_config(**changes), RunDirectory.create("mine", folder), quiet=True)


def play(envs: GermanWhistVecEnv, steps: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Observations, rewards and ends of random legal play."""
    rng, seen = np.random.default_rng(seed), []
    envs.reset()
    for _ in range(steps):
        masks = envs.action_masks()
        observations, rewards, ends, _ = envs.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        seen.append((observations, rewards, ends))
    return seen


@pytest.mark.parametrize("rules", ["classic", "draft", "high_low", "humbug", "race"])
def test_observations_fit_their_space_and_margins_add_up_to_wins(rules: str) -> None:
    won, paid = (
        play(GermanWhistVecEnv(gw.make_agent("greedy"), 8, rules, reward=reward, seed=3), 80)
        for reward in ("win", "margin")
    )
    envs = GermanWhistVecEnv(gw.make_agent("greedy"), 8, rules)
    total, ended = np.zeros(8), 0
    for (observations, wins, ends), (same, margins, also) in zip(won, paid, strict=True):
        assert (observations == same).all()
        assert (ends == also).all()
        assert all(envs.observation_space.contains(row) for row in observations)
        total += margins
        assert (np.sign(total[ends]) == wins[ends]).all()
        assert not wins[~ends].any()
        total[ends], ended = 0.0, ended + int(ends.sum())
    assert ended > 8
    assert np.abs(total).max() <= 1


def test_it_shows_the_deals_of_the_vector_environment_in_canonical_suits() -> None:
    envs = GermanWhistVecEnv(gw.make_agent("greedy"), 6, seed=5)
    batch = gw.DealBatch(size=6, seed=5)
    found = envs.reset()
    lead = batch.turn == envs.learners
    expected = gw.observe(canonical_views(batch.views())[0])
    assert lead.any()
    assert not lead.all()
    assert (found[lead] == expected[lead]).all()


def test_the_opponent_may_change_between_steps_and_may_ask_for_histories() -> None:
    class Reads(Agent):
        uses_games, asked = True, 0

        def act(self, views: Any, rng: Any, games: Any = None) -> Any:
            self.asked += len(games.histories()[1])
            return gw.make_agent("greedy").act(views, rng)

    envs, reads = GermanWhistVecEnv(gw.make_agent("random"), 4, "tiny", history=True), Reads()
    play(envs, 5)
    envs.opponent = reads
    play(envs, 5)
    assert reads.asked >= 20


def test_maskable_ppo_learns_on_it_as_it_is() -> None:
    envs = GermanWhistVecEnv(gw.make_agent("heuristic"), 8, "tiny")
    envs.reset()
    assert is_masking_supported(envs)
    assert get_action_masks(envs) is not None
    model = MaskablePPO("MlpPolicy", VecMonitor(VecCheckNan(envs, raise_exception=True)), n_steps=16, device="cpu")
    assert model.learn(256).num_timesteps == 256


def test_a_checkpoint_plays_as_the_policy() -> None:
    rules, hidden = gw.rules("classic"), [32, 16]
    envs = GermanWhistVecEnv(gw.make_agent("greedy"), 40, rules)
    scale = torch.rand(envs.observation_space.shape or ())
    policy = {
        "features_extractor_class": ScaledObservations,
        "features_extractor_kwargs": {"scale": scale},
        "net_arch": hidden,
        "activation_fn": torch.nn.ReLU,
    }
    model = MaskablePPO("MlpPolicy", envs, policy_kwargs=policy, device="cpu")
    checkpoint = policy_checkpoint(model.policy, rules, {})
    assert checkpoint.sizes[1:-1] == hidden
    observations = envs.reset()
    chosen, _ = model.predict(observations, action_masks=envs.action_masks(), deterministic=True)
    batch = envs._episodes.batch
    expected = PolicyAgent(checkpoint, rules=rules).act(batch.views(), None)
    from german_whist.agents.policy.canonical import decode_actions

    assert (decode_actions(np.asarray(chosen), envs._relabeling) == expected).all()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    return run(tmp_path_factory.mktemp("sb3") / "run", opponents={"self": 2, "pool": 1, "heuristic": 1})


def test_a_run_leaves_what_others_do(finished: TrainingOutcome) -> None:
    assert {path.name for path in finished.run.path.iterdir()} == {
        *("config.yaml", "version.json", "metrics.csv", "evaluations.csv", "curve.png"),
        *("checkpoints", "tensorboard", "final.safetensors", "model.zip"),
    }
    assert column(finished.run.metrics, "decisions") == list(range(ROLLOUT, 1025, ROLLOUT))
    assert evaluated(finished.run) == [0, 512, 1024]
    assert [int(path.stem) for path in finished.run.checkpoint_paths()] == [0, 512, 1024]
    assert load_checkpoint(finished.run.final).results.keys() == {"random"}


def test_the_same_seed_makes_the_same_agent(finished: TrainingOutcome, tmp_path: Path) -> None:
    again = run(tmp_path / "run", opponents={"self": 2, "pool": 1, "heuristic": 1})
    for (weight, _), (same, _) in zip(
        load_checkpoint(finished.run.final).layers, load_checkpoint(again.run.final).layers, strict=True
    ):
        np.testing.assert_array_equal(weight, same)


def test_a_stopped_run_goes_on_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call_at(monkeypatch, 600, interrupt)
    stopped = run(tmp_path / "run")
    assert (stopped.interrupted, stopped.decisions) == (True, 512)  # the rollout in which it came is dropped
    done = resume_run(tmp_path / "run", decisions="1536")
    assert (done.interrupted, done.decisions) == (False, 1536)
    assert column(done.run.metrics, "decisions") == list(range(ROLLOUT, 1537, ROLLOUT))
    assert evaluated(done.run) == [0, 512, 1024, 1536]


def test_other_layers_or_a_damaged_file_are_refused(finished: TrainingOutcome, tmp_path: Path) -> None:
    stopped = run(tmp_path / "run", decisions=256)
    with pytest.raises(ValueError, match=r"cannot be resumed: its hidden layers are \[16\]"):
        resume_run(tmp_path / "run", hidden="[17]", decisions="512")
    stopped.run.model.write_bytes(b"PK")
    with pytest.raises(ValueError, match="cannot be resumed"):
        resume_run(tmp_path / "run", decisions="512")


def test_the_entropy_coefficient_is_annealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights: list[float] = []
    update = MaskablePPO.train

    def watched(self: MaskablePPO) -> None:
        weights.append(self.ent_coef)
        update(self)

    monkeypatch.setattr(MaskablePPO, "train", watched)
    run(tmp_path / "run", ent_coef=0.8, ent_coef_end=0.0)
    assert weights == pytest.approx([0.8 - 0.1 * rollout for rollout in range(8)])


def test_a_diverging_run_stops_and_keeps_its_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(FloatingPointError, match=r"^training diverged before decision \d+: .* is not finite"):
        run(tmp_path / "run", learning_rate=1e30, evaluate_every=10**6)
    assert [int(path.stem) for path in RunDirectory(tmp_path / "run").checkpoint_paths()] == [0]

"""A stopped learner goes on as if it had not been stopped."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from stable_baselines3.common.logger import Logger

from german_whist.training.config import SB3Config
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.snapshot import Snapshot
from german_whist.training.sb3.trainer import SB3Learner
from tests.training.sb3_runs import ROLLOUT, tiny_config


def new_run(tmp_path: Path, config: SB3Config) -> RunDirectory:
    run = RunDirectory.create("mine", tmp_path / "run")
    run.begin(config)
    return run


def trained(config: SB3Config, run: RunDirectory, decisions: int = 2 * ROLLOUT) -> SB3Learner:
    learner = SB3Learner(config, run)
    learner.model.set_logger(Logger(None, []))
    learner.begin()
    learner.model.learn(decisions, reset_num_timesteps=False)
    learner.save(1.5)
    return learner


def begun(config: SB3Config, run: RunDirectory) -> SB3Learner:
    learner = SB3Learner(config, run)
    learner.begin()
    return learner


def resumed(config: SB3Config, run: RunDirectory) -> SB3Learner:
    learner = SB3Learner(config, run)
    assert learner.resume() >= 0
    learner.model.set_logger(Logger(None, []))
    return learner


@pytest.mark.parametrize("hidden", [[16], [16, 8]])
def test_weights_moments_and_count_are_restored_exactly(tmp_path: Path, hidden: list[int]) -> None:
    config = tiny_config(hidden=hidden)
    run = new_run(tmp_path, config)
    before = trained(config, run)
    after = resumed(config, run)
    assert after.decisions == before.decisions == 2 * ROLLOUT
    weights = dict(after.model.policy.named_parameters())
    assert weights.keys() == dict(before.model.policy.named_parameters()).keys()
    for name, weight in before.model.policy.named_parameters():
        assert torch.equal(weights[name], weight)
    moments = [learner.model.policy.optimizer.state_dict()["state"] for learner in (before, after)]
    assert moments[0].keys() == moments[1].keys()
    assert len(moments[0]) == len(weights)
    for number, state in moments[0].items():
        assert set(state) == {"step", "exp_avg", "exp_avg_sq"}
        for key, value in state.items():
            assert torch.equal(moments[1][number][key], value)
        assert state["step"] > 0


def test_a_resumed_run_takes_the_same_next_update(tmp_path: Path) -> None:
    config = tiny_config()
    run = new_run(tmp_path, config)
    before = trained(config, run)
    after = resumed(config, run)
    after.model.rollout_buffer = before.model.rollout_buffer
    after.model._current_progress_remaining = before.model._current_progress_remaining
    for learner in (before, after):
        np.random.seed(3)  # Stable-Baselines3 shuffles with it
        learner.model.train()
    for old, new in zip(before.model.policy.parameters(), after.model.policy.parameters(), strict=True):
        assert torch.equal(old, new)


def test_a_run_saved_before_its_first_update_can_be_resumed(tmp_path: Path) -> None:
    config = tiny_config()
    run = new_run(tmp_path, config)
    begun(config, run)
    after = resumed(config, run)
    assert after.decisions == 0
    after.model.learn(ROLLOUT)


def test_the_pool_is_the_newest_checkpoints(tmp_path: Path) -> None:
    config = tiny_config(opponents={"pool": 1}, pool_size=2)
    run = new_run(tmp_path, config)
    learner = begun(config, run)
    for decisions in (128, 256):
        learner.model.num_timesteps = decisions
        with torch.no_grad():
            learner.model.policy.action_net.bias.fill_(decisions)
        learner.save(0.0)
    for some in (learner, resumed(config, run)):
        assert [agent.checkpoint.layers[-1][1][0] for agent in some._pool] == [128, 256]
        assert all(agent.temperature == 1 for agent in some._pool)


@pytest.mark.parametrize("opponents", [{"pool": 1}, {"self": 1}])
def test_a_pool_whose_files_are_gone_is_refused_where_it_plays(tmp_path: Path, opponents: dict[str, float]) -> None:
    config = tiny_config(opponents=opponents)
    run = new_run(tmp_path, config)
    begun(config, run)
    for path in run.checkpoint_paths():
        path.unlink()
    if "pool" in opponents:
        with pytest.raises(ValueError, match=r"cannot be resumed: checkpoint 000000000000\.safetensors is missing"):
            resumed(config, run)
    else:
        resumed(config, run).model.learn(ROLLOUT)


def test_a_resumed_run_goes_on_with_the_same_deals_opponents_and_random_numbers(tmp_path: Path) -> None:
    config = tiny_config(seed=2**32 - 1, opponents={"self": 1, "pool": 1, "random": 2})
    run = new_run(tmp_path, config)
    before = trained(config, run)
    after = resumed(config, run)
    for learner in (before, after):  # each with random numbers of its own
        torch.manual_seed(id(learner) % 2**32)
        learner.begin_rollout()
        learner.model.learn(ROLLOUT, reset_num_timesteps=False)
    for name, array in before.env.state().items():
        np.testing.assert_array_equal(after.env.state()[name], array)
    for old, new in zip(before.model.policy.parameters(), after.model.policy.parameters(), strict=True):
        assert torch.equal(old, new)


def test_an_interrupted_rollout_is_dropped_with_its_deals(tmp_path: Path) -> None:
    config = tiny_config()
    learner = trained(config, new_run(tmp_path, config))
    start = learner.env.state()
    learner.begin_rollout()
    for _ in range(5):
        learner.env.step(learner.env.action_masks().argmax(axis=1))
    learner.model.num_timesteps += 40
    learner.drop_rollout()
    assert learner.decisions == 2 * ROLLOUT
    for name, array in learner.env.state().items():
        np.testing.assert_array_equal(array, start[name])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("not a file of tensors\n" * 50)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def foreign(path: Path) -> None:
    safetensors.torch.save_file({"weight": torch.zeros(3)}, path)


def a_checkpoint(path: Path) -> None:
    path.write_bytes(sorted((path.parent / "checkpoints").iterdir())[-1].read_bytes())


def changed(path: Path, name: str, tensor: torch.Tensor | None) -> None:
    snapshot = Snapshot.load(path)
    tensors = snapshot.deals[0] if name in snapshot.deals[0] else snapshot.learner
    assert name in tensors
    if tensor is None:
        del tensors[name]
    else:
        tensors[name] = tensor
    snapshot.save(path)


def no_weight(path: Path) -> None:
    changed(path, "policy.value_net.bias", None)


def no_moment(path: Path) -> None:
    changed(path, "optimizer.1.exp_avg", None)


def wide_weight(path: Path) -> None:
    changed(path, "policy.action_net.bias", torch.zeros(1))  # one number would fit every cell


def wrong_moment(path: Path) -> None:
    changed(path, "optimizer.1.exp_avg_sq", torch.zeros(3))


def no_count(path: Path) -> None:
    changed(path, "updates", None)


def endless_updates(path: Path) -> None:
    changed(path, "updates", torch.tensor(float("inf")))


def deals_without_a_numpy_type(path: Path) -> None:
    changed(path, "counts", torch.zeros((1, 2), dtype=torch.bfloat16))


def no_deals(path: Path) -> None:
    changed(path, "states", None)


def other_deals(path: Path) -> None:
    changed(path, "states", torch.zeros((8, 3), dtype=torch.uint8))


def impossible_deals(path: Path) -> None:
    states = Snapshot.load(path).deals[0]["states"]
    changed(path, "states", torch.full_like(states, 77))


def two_processes(path: Path) -> None:
    snapshot = Snapshot.load(path)
    other = {name: tensor.clone() for name, tensor in snapshot.deals[0].items()}
    dataclasses.replace(snapshot, deals=[*snapshot.deals, other]).save(path)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (cut, "."),
        (empty, "."),
        (text, "."),
        (folder, "."),
        (foreign, "it is not a german-whist-snapshot file"),
        (a_checkpoint, "it is not a german-whist-snapshot file"),
        (no_weight, "it has no policy.value_net.bias"),
        (no_moment, "it has no optimizer.1.exp_avg"),
        (wide_weight, r"policy.action_net.bias has shape \[1\], the network of config.yaml needs \[52\]"),
        (wrong_moment, r"optimizer.1.exp_avg_sq has shape \[3\]"),
        (no_count, "it has no updates"),
        (endless_updates, "its updates inf are not a number of updates"),
        (deals_without_a_numpy_type, "."),
        (no_deals, "its states are not those of 8 environments of this version"),
        (other_deals, "its states are not those of 8 environments of this version"),
        (impossible_deals, "."),
        (two_processes, "it is of 2 processes, and sb3 runs in one"),
    ],
)
def test_a_damaged_resume_file_is_refused_in_one_line(tmp_path: Path, damage: object, reason: str) -> None:
    config = tiny_config()
    run = new_run(tmp_path, config)
    trained(config, run, ROLLOUT)
    damage(run.resume)  # type: ignore[operator]
    with pytest.raises(ValueError, match=rf"^'{run.resume}' cannot be resumed: {reason}") as caught:
        SB3Learner(config, run).resume()
    assert "\n" not in str(caught.value)


def test_the_resume_file_of_another_network_is_refused(tmp_path: Path) -> None:
    run = new_run(tmp_path, tiny_config(hidden=[16]))
    trained(tiny_config(hidden=[16]), run, ROLLOUT)
    for hidden in ([8], [16, 16]):
        with pytest.raises(ValueError, match="cannot be resumed: "):
            SB3Learner(tiny_config(hidden=hidden), run).resume()

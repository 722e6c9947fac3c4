"""Resuming trusts nothing: flipped bits, edited settings and impossible numbers are refused, and delete nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.run import directory
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.provenance import Provenance
from german_whist.training.run.records import TrainingOutcome
from german_whist.training.run.snapshot import FORMAT, read_resume_file
from tests.training.policy_iteration_runs import small_config as config
from tests.training.policy_iteration_runs import train_small
from tests.training.run.snapshots import WITH_POOL, files, refused, rewrite
from tests.training.whole_runs import resume_run


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change."""
    return train_small(tmp_path_factory.mktemp("original") / "run", **WITH_POOL)


@pytest.fixture
def own(tmp_path: Path, original: TrainingOutcome) -> RunDirectory:
    """A copy of the run."""
    shutil.copytree(original.run.path, tmp_path / "run")
    return RunDirectory(tmp_path / "run")


def test_no_flipped_bit_passes_in_silence(own: RunDirectory, original: TrainingOutcome) -> None:
    content = own.resume.read_bytes()
    tensors, texts = read_resume_file(own.resume, FORMAT)
    rng = np.random.default_rng(5)
    refusals = 0
    header = int.from_bytes(content[:8], "little")
    for place in [*rng.integers(0, 8 + header, 60), *rng.integers(8 + header, len(content), 60)]:
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(rng.integers(8))
        own.resume.write_bytes(flipped)
        try:
            found, about = read_resume_file(own.resume, FORMAT)
        except Exception:
            refusals += 1
        else:
            assert about == texts
            assert all(torch.equal(found[name], tensor) for name, tensor in tensors.items())
    assert refusals > 100


def test_a_flipped_bit_is_refused_in_one_line(own: RunDirectory) -> None:
    content = bytearray(own.resume.read_bytes())
    content[-3] ^= 1
    own.resume.write_bytes(content)
    refused(own, "cannot be resumed: it is damaged: its checksum is wrong$")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", 3),
        ("decisions", 2048),
        ("num_steps", 8),
        ("learning_rate", 0.5),
        ("opponents", {"self": 1.0}),
        ("opponents", {"pool": 0.5, "self": 0.5}),
        ("evaluate_every", 100),
        ("pool_size", 1),
        ("rules", "six_cards"),
    ],
)
def test_an_edited_setting_is_refused_by_name(own: RunDirectory, key: str, value: object) -> None:
    settings = {**yaml.safe_load(own.config.read_text()), key: value}
    own.config.write_text(yaml.safe_dump(settings, sort_keys=False))
    refused(own, rf"cannot be resumed: {key} is .*, and the run was trained with ")


def test_an_intended_change_is_made_by_name_and_recorded(own: RunDirectory) -> None:
    done = resume_run(own.path, decisions="1500", learning_rate="1e-4")
    assert done.decisions >= 1500
    settings = yaml.safe_load(own.config.read_text())
    assert (settings["decisions"], settings["learning_rate"]) == (1500, 1e-4)
    training = load_checkpoint(own.final).training
    changes = {change["key"]: change["after"] for change in training["changes"]}
    assert changes == {"decisions": 1500, "learning_rate": 1e-4}
    assert training["config"]["decisions"] == 1500
    again = resume_run(own.path)  # nothing differs any more
    assert again.decisions == done.decisions


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"rules": "six_cards"}, "rules is six_cards, and .*: it cannot change within a run"),
        ({"init": "small", "hidden": "[16]"}, "init is small, and .*: it cannot change within a run"),
        ({"decisions": "100"}, "decisions is 100, .*: 10.. decisions are trained on already"),
        ({"hidden": "[8]"}, ""),
        ({"num_envs": "16"}, ""),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_changes_nothing(
    own: RunDirectory, overrides: dict[str, str], reason: str
) -> None:
    before = files(own)
    with pytest.raises(ValueError, match=f"cannot be resumed: {reason}"):
        resume_run(own.path, **overrides)
    assert files(own) == before


@pytest.mark.parametrize("change", [{"games": {"small": 1.0}}, {"rules": "small"}, {"inputs": "observation"}])
def test_a_run_goes_on_with_its_own_games_and_inputs(change: dict[str, Any]) -> None:
    settings = {"games": {"tiny": 1.0}, "inputs": "universal"}
    provenance = Provenance(config(**settings).to_dict())
    assert not provenance.take_changes(config(**settings), (), 100)
    with pytest.raises(ValueError, match=f"{next(iter(change))} is .*: it cannot change within a run"):
        provenance.take_changes(config(**{**settings, **change}), list(change), 100)


@pytest.mark.parametrize("decisions", [-5, 0.5, 10**30, True, None, "many"])
def test_impossible_decisions_delete_nothing(own: RunDirectory, decisions: object) -> None:
    def change(tensors: dict[str, torch.Tensor], about: dict[str, Any]) -> None:
        (about if "decisions" in about else about["about"])["decisions"] = decisions

    rewrite(own.resume, change)
    refused(own, "cannot be resumed: ")


@pytest.mark.parametrize("name", ["metrics.csv", "evaluations.csv"])
@pytest.mark.parametrize("content", [b"\xff\xfe", b'"' + b"x" * 200_000])
def test_records_that_cannot_be_read_are_refused_before_anything_is_deleted(
    own: RunDirectory, name: str, content: bytes
) -> None:
    (own.path / name).write_bytes(content)
    refused(own, rf"{name}' cannot be read: ")


def test_evaluations_that_make_no_sense_are_refused_before_anything_is_deleted(own: RunDirectory) -> None:
    own.checkpoint_path(10**6).write_bytes(b"later")
    own.evaluations.write_text(own.evaluations.read_text().replace("random,10,", "random,ten,", 1))
    refused(own, r"evaluations.csv' cannot be read: could not convert string to float: 'ten'$")


def test_a_changed_past_self_is_refused(own: RunDirectory) -> None:
    path = own.checkpoint_paths()[-1]
    shutil.copy(own.checkpoint_paths()[0], path)
    refused(own, rf"cannot be resumed: {path.name} is not the checkpoint that the run has written")


@pytest.mark.parametrize("which", [0, -1])
def test_a_missing_past_self_is_refused(own: RunDirectory, which: int) -> None:
    path = own.checkpoint_paths()[which]
    path.unlink()
    refused(own, rf"cannot be resumed: checkpoint {path.name} is missing, and the run needs its last 8$")


def test_a_checkpoint_that_the_run_has_not_written_is_refused(own: RunDirectory) -> None:
    shutil.copy(own.checkpoint_paths()[0], own.checkpoint_path(100))
    refused(own, r"cannot be resumed: 000000000100.safetensors is not the checkpoint that the run has written$")


def test_only_the_newest_checkpoints_must_be_there(tmp_path: Path) -> None:
    paths = [tmp_path / f"{decisions:012d}.safetensors" for decisions in (0, 100, 20, 3)]
    provenance = Provenance({})
    for path in paths:
        path.write_bytes(path.name.encode())
        provenance.add_checkpoint(path)
    for newest in range(5):
        for gone in paths:
            left = [path for path in paths if path != gone]
            if gone in sorted(paths)[4 - newest :]:
                with pytest.raises(ValueError, match=f"checkpoint {gone.name} is missing"):
                    provenance.check_checkpoints(left, newest)
            else:
                provenance.check_checkpoints(left, newest)


def test_damaged_past_selves_are_refused_before_later_checkpoints_are_deleted(own: RunDirectory) -> None:
    own.checkpoint_paths()[-1].write_bytes(b"damaged")
    own.checkpoint_path(10**6).write_bytes(b"later")
    refused(own, "is not the checkpoint that the run has written")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="elsewhere root can write to any folder")
def test_a_folder_for_tensorboard_that_takes_no_file_is_refused(own: RunDirectory) -> None:
    shutil.rmtree(own.tensorboard)
    own.tensorboard.symlink_to("/proc/self")
    refused(own, "tensorboard: cannot be written: ")


@pytest.mark.parametrize(
    "name", ["metrics.csv", "evaluations.csv", "final.safetensors", "curve.png", "checkpoints/000000000000.safetensors"]
)
def test_a_pipe_in_the_folder_is_refused_without_waiting(own: RunDirectory, name: str) -> None:
    (own.path / name).unlink()
    os.mkfifo(own.path / name)
    refused(own, "is not a file$")


@pytest.mark.parametrize("name", ["metrics.csv", "evaluations.csv"])
def test_records_that_are_too_large_are_refused(own: RunDirectory, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MAX_METRICS", 5000)
    monkeypatch.setattr(directory, "MAX_EVALUATIONS", 5000)
    (own.path / name).write_bytes(b"x" * 5001)
    refused(own, rf"{name}: has 5001 bytes, and at most 5000 are read$")


def test_a_change_recorded_by_a_run_that_was_killed_then_can_be_repaired(
    own: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as killed:
        killed.setattr(RunDirectory, "write_config", kill)
        with pytest.raises(SystemExit):
            resume_run(own.path, decisions="1500")
    refused(own, "cannot be resumed: decisions is 1024, and the run was trained with 1500")
    resume_run(own.path, decisions="1500")
    assert yaml.safe_load(own.config.read_text())["decisions"] == 1500
    assert resume_run(own.path).decisions >= 1500


def test_what_a_run_killed_before_its_first_snapshot_left_is_removed(tmp_path: Path) -> None:
    run = RunDirectory.create("mine", tmp_path / "run")
    run.begin(config())
    left = [run.path / ".resume.safetensors.1.tmp", run.checkpoints / ".000000000000.safetensors.1.tmp"]
    for path in left:
        path.touch()
    resume_run(run.path)
    assert not any(path.exists() for path in left)

"""Targets of training: the folder of a stopped run, in which files are changed, removed, added and replaced."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.run import provenance
from german_whist.training.run.directory import RunDirectory
from german_whist.training.train import train
from tests.fuzz.contract import BrokenError, refused_or
from tests.fuzz.mutations import Rng, mutate_bytes
from tests.training.policy_iteration_runs import train_small
from tests.training.whole_runs import begin as begin_sb3

Case = Callable[[Rng], None]

SETTINGS: dict[str, Any] = {"opponents": {"self": 0.5, "pool": 0.5}, "decisions": 512, "final_deals": 4}


def resumed_runs(folder: Path) -> Case:
    """Files of a stopped run: refused with every file as it was, or resumed to the weights of the run itself."""
    runs = [
        train_small(folder / "policy_iteration", **SETTINGS).run,
        begin_sb3(folder / "sb3", **SETTINGS).run,
    ]
    wanted = [_weights(run) for run in runs]
    copy = folder / "copy"

    def resume() -> list[bytes]:
        run, config = RunDirectory.open(copy)
        train(config, run, resume=True, quiet=True)
        return _weights(run)

    def case(rng: Rng) -> None:
        which = int(rng.integers(len(runs)))
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(runs[which].path, copy)
        (copy / "final.safetensors").unlink()
        done = mutate_folder(rng, copy)
        before = _files(copy)
        no_git = mock.patch.object(provenance, "_checkout", return_value=(None, None))  # it would start a process
        with no_git, contextlib.redirect_stderr(io.StringIO()):
            found = refused_or(resume)
        if found is None and _files(copy) != before:
            raise BrokenError(f"after {done} the run is refused with other files")
        if found is not None and found != wanted[which]:
            raise BrokenError(f"after {done} the run ends with other weights")

    return case


def mutate_folder(rng: Rng, folder: Path) -> str:
    """Change, remove or replace one file of a run, or add one, and say what was done."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "tensorboard" not in path.parts]
    path = paths[int(rng.integers(len(paths)))]
    match int(rng.integers(8)):
        case 0:
            path.unlink()
            return f"removing {path.name}"
        case 1:
            path.unlink()
            os.mkfifo(path)
            return f"a pipe for {path.name}"
        case 2:
            path.unlink()
            path.mkdir()
            return f"a folder for {path.name}"
        case 3:
            added = folder / "checkpoints" / f"{int(rng.integers(1000)):012d}.safetensors"
            checkpoint = sorted((folder / "checkpoints").iterdir())[0]
            if int(rng.integers(3)):
                shutil.copy(checkpoint, added)
            elif not added.exists():
                added.mkdir()
            return f"adding {added.name}"
        case 4:
            other = paths[int(rng.integers(len(paths)))]
            path.write_bytes(other.read_bytes())
            return f"{other.name} for {path.name}"
        case _:
            path.write_bytes(mutate_bytes(rng, path.read_bytes()))
            return f"a mutation of {path.name}"


def _files(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name != ".lock"
    }


def _weights(run: RunDirectory) -> list[bytes]:
    return [np.asarray(array).tobytes() for layer in load_checkpoint(run.final).layers for array in layer]

"""The snapshot that a stopped run of ``trainer: sb3`` resumes from: weights and Adam's moments, without pickles."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO

from german_whist.envs.utils.checks import is_whole_number
from german_whist.training.config.fields import LARGEST
from german_whist.training.run.provenance import Provenance
from german_whist.training.run.resume_file import (
    UNREADABLE,
    cannot_resume,
    read_resume_file,
    tensor_of_shape,
    write_resume_file,
)

FORMAT = "german-whist-sb3-snapshot-2"


def save_learner(model: MaskablePPO, path: Path, provenance: Provenance) -> None:
    """Write the policy, the optimiser, the number of decisions and the settings of the run, atomically."""
    tensors = {f"policy.{name}": weight.detach() for name, weight in model.policy.named_parameters()}
    for number, state in model.policy.optimizer.state_dict()["state"].items():
        for name, value in state.items():
            tensors[f"optimizer.{number}.{name}"] = torch.as_tensor(value)
    texts = {"decisions": json.dumps(model.num_timesteps), "provenance": provenance.to_text()}
    write_resume_file(path, FORMAT, tensors, texts)


def load_learner(model: MaskablePPO, path: Path) -> Provenance:
    """Restore a learner, and return the settings of its run.

    Raises:
        ValueError: when the file is damaged or belongs to another network.
    """
    try:
        tensors, metadata = read_resume_file(path, FORMAT)
        with torch.no_grad():
            for name, weight in model.policy.named_parameters():
                weight.copy_(tensor_of_shape(tensors, f"policy.{name}", weight.shape))
        optimizer = model.policy.optimizer.state_dict()
        for number, weight in enumerate(model.policy.parameters()):
            shapes = {"step": torch.Size(()), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
            # A learner saved before its first update has no moments.
            if any(f"optimizer.{number}.{key}" in tensors for key in shapes):
                optimizer["state"][number] = {
                    key: tensor_of_shape(tensors, f"optimizer.{number}.{key}", shape) for key, shape in shapes.items()
                }
        model.policy.optimizer.load_state_dict(optimizer)
        decisions = int(metadata["decisions"])
        if not is_whole_number(decisions, 0, LARGEST):
            raise ValueError(f"its decisions {decisions!r:.60} are not a number of decisions")
        model.num_timesteps = decisions
        return Provenance.from_text(metadata.get("provenance"))
    except UNREADABLE as error:
        raise cannot_resume(path, error) from None

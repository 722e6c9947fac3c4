"""What a stopped run goes on from: the learner's weights and Adam's moments, in safetensors, without pickles."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from sb3_contrib import MaskablePPO

from german_whist.agents.checkpoint import write_atomically

FORMAT = "german-whist-resume"


def save_learner(model: MaskablePPO, path: Path) -> None:
    """Write the learner's policy, optimiser and count of decisions, atomically."""
    tensors = {f"policy.{name}": weight.detach().contiguous() for name, weight in model.policy.named_parameters()}
    for number, state in model.policy.optimizer.state_dict()["state"].items():
        for name, value in state.items():
            tensors[f"optimizer.{number}.{name}"] = torch.as_tensor(value).contiguous()
    metadata = {"format": FORMAT, "decisions": json.dumps(model.num_timesteps)}
    write_atomically(path, save(tensors, metadata=metadata))


def load_learner(model: MaskablePPO, path: Path) -> None:
    """Restore a learner of the same settings.

    Raises:
        ValueError: when the file is damaged or belongs to another network.
    """
    try:
        with safe_open(str(path), framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
        if metadata.get("format") != FORMAT:
            raise ValueError("it is not a resume file")
        with torch.no_grad():
            for name, weight in model.policy.named_parameters():
                weight.copy_(tensors[f"policy.{name}"])
        optimizer = model.policy.optimizer.state_dict()
        for name, tensor in tensors.items():
            if name.startswith("optimizer."):
                _, number, key = name.split(".")
                optimizer["state"].setdefault(int(number), {})[key] = tensor
        model.policy.optimizer.load_state_dict(optimizer)
        model.num_timesteps = int(metadata["decisions"])
    except KeyError as error:
        raise ValueError(f"{str(path)!r} cannot be resumed: it has no {error.args[0]}") from None
    except (SafetensorError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{str(path)!r} cannot be resumed: {reason}") from None

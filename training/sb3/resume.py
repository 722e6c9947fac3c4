"""What a stopped run goes on from: the learner's weights and Adam's moments, in safetensors, without pickles."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from sb3_contrib import MaskablePPO

from german_whist.envs.utils.atomic_file import write_atomically

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
                weight.copy_(_of_shape(tensors, f"policy.{name}", weight.shape))
        optimizer = model.policy.optimizer.state_dict()
        for number, weight in enumerate(model.policy.parameters()):
            shapes = {"step": torch.Size(()), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
            # A learner that was saved before its first update has no moments.
            if any(f"optimizer.{number}.{key}" in tensors for key in shapes):
                optimizer["state"][number] = {
                    key: _of_shape(tensors, f"optimizer.{number}.{key}", shape) for key, shape in shapes.items()
                }
        model.policy.optimizer.load_state_dict(optimizer)
        model.num_timesteps = int(metadata["decisions"])
    except KeyError as error:
        raise ValueError(f"{str(path)!r} cannot be resumed: it has no {error.args[0]}") from None
    except (SafetensorError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{str(path)!r} cannot be resumed: {reason}") from None


def _of_shape(tensors: dict[str, torch.Tensor], name: str, shape: torch.Size) -> torch.Tensor:
    tensor = tensors[name]
    if tensor.shape != shape:
        raise ValueError(f"{name} has shape {list(tensor.shape)}, the network of config.yaml needs {list(shape)}")
    return tensor

"""Checkpoints of the user's own torch modules: weights in safetensors, with a model card that names their class.

Reading one imports nothing. Its agent is ``python:FILE:CLASS,checkpoint=PATH``, which the class makes of the path.
"""

from __future__ import annotations

import inspect
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.agents.policy.checkpoint import (
    FORMAT_VERSION,
    MODULE_FORMAT,
    Checkpoint,
    checkpoint_file,
    module_class,
)
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.utils.files import write_atomically

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class ModuleCheckpoint:
    """A torch module that is an agent, and its model card.

    Attributes:
        module: the module, with ``act``; its class takes ``checkpoint=PATH`` and loads the file's tensors.
        rules: the rules that it was trained for.
        training: its origin: configuration, number of training decisions, code version.
        results: measured strength by opponent.
        endgame: ``"played"`` by the module, or ``"exact"`` by the solver.
    """

    module: torch.nn.Module
    rules: Rules
    training: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    endgame: Endgame = PLAYED

    def save(self, path: str | Path) -> None:
        """Write the file atomically, with the module's ``state_dict``."""
        from safetensors.torch import save

        card = {
            "format": MODULE_FORMAT,
            "version": FORMAT_VERSION,
            "class": _class_name(self.module),
            "rules": self.rules.to_dict(),
            "endgame": self.endgame,
            "training": self.training,
            "results": self.results,
        }
        tensors = {name: tensor.contiguous() for name, tensor in self.module.state_dict().items()}
        write_atomically(path, save(tensors, metadata={"card": json.dumps(card)}))


def load_weights(module: torch.nn.Module, path: str | os.PathLike[str]) -> None:
    """Load into a module the weights of another of its class.

    Args:
        module: the module.
        path: a file of weights, or the folder of a run, which stands for its newest checkpoint. No code in it is run.

    Raises:
        ValueError: if there is no such file, or its weights are of another class.
    """
    from safetensors.torch import load_file

    file = checkpoint_file(path)
    if (found := module_class(file)) != (own := _class_name(module)):
        raise ValueError(f"checkpoint {str(path)!r} holds weights of {found or 'the package'}, not of {own}")
    module.load_state_dict(load_file(file))


def _class_name(module: torch.nn.Module) -> str:
    kind = type(module)
    return f"{Path(inspect.getfile(kind)).name}:{kind.__qualname__}"


AnyCheckpoint = Checkpoint | ModuleCheckpoint

"""Checkpoint files: a policy network's weights in safetensors with a JSON model card. Loading one runs no code.

The tensors ``layer.…`` (see ``layers``) are a multilayer perceptron with ReLU between its layers. It maps the inputs
from a canonical view (see ``canonical`` and ``input_kernels``) to one logit per canonical action. The tensors
``value.…`` are the optional *value* network, which maps the same inputs to the expected margin and the logit of the
chance to win. The file's metadata hold the model card as JSON text under ``card``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from german_whist.agents.policy.network.layers import (
    INPUTS,
    OBSERVATION,
    Layer,
    layer_shapes,
    layer_tensors,
    sizes_of,
)
from german_whist.game.endgame_setting import PLAYED, Endgame, check_endgame
from german_whist.game.rules import Rules, rules_from_dict
from german_whist.game.utils.files import write_atomically
from german_whist.simulator.observation.views import NAMED, RANK_NAMINGS

if TYPE_CHECKING:
    from german_whist.agents.policy.network.forward import PackedNetwork

FORMAT, FORMAT_VERSION = "german-whist-policy", 1
MODULE_FORMAT = "german-whist-module"  # format of the user's own torch modules, see ``agents/module_checkpoint.py``
NETWORK = {"type": "mlp", "activation": "relu", "suits": "canonical"}
VALUE_OUTPUTS = ["margin", "win_logit"]


@dataclass(frozen=True)
class Checkpoint:
    """A policy network and its model card.

    Attributes:
        layers: weight float32[out, in] and bias float32[out] of each layer.
        rules: the rules that the network was trained for.
        training: its origin: configuration, number of training decisions, code version.
        results: measured strength by opponent.
        logits_per_trick: scale of the logits where they are action values: a logit is this factor times the expected
            margin in tricks, plus a constant per position. ``None`` where logits only define a policy. The model card
            calls it ``logits_a_trick``.
        endgame: how an agent of the checkpoint plays the endgame: ``"played"`` by the network, or ``"exact"`` by the
            solver, for a network that was never trained on endgames.
        ranks: how the network sees ranks: ``"named"`` as they are, or ``"live"``, counted among the unplayed cards.
        inputs: encoding: ``"observation"``, the observation of its game, or ``"universal"``, the encoding
            of every game with an open endgame.
        value: layers of the value network, as ``layers``; empty without one. Its outputs are the expected margin of the
            deal in tricks for the seat to act, and the logit of the chance to win it, a draw counting half.
        suit_layers: number of first layers whose weights the suits share, in both networks; 0 for plain multilayer
            perceptrons.
    """

    layers: tuple[Layer, ...]
    rules: Rules
    training: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    logits_per_trick: float | None = None
    endgame: Endgame = PLAYED
    ranks: str = NAMED
    inputs: str = OBSERVATION
    value: tuple[Layer, ...] = ()
    suit_layers: int = 0

    @property
    def sizes(self) -> list[int]:
        """Sizes of the policy network: number of inputs, then of units in each layer."""
        return sizes_of(self.layers, self.suit_layers)

    @cached_property
    def packed(self) -> PackedNetwork:
        """The policy network as kernels evaluate it, shared by all agents with this checkpoint."""
        from german_whist.agents.policy.network.forward import PackedNetwork  # loads the compiler

        return PackedNetwork.create(self.layers, self.suit_layers)

    @cached_property
    def packed_value(self) -> PackedNetwork | None:
        """The value network as kernels evaluate it; ``None`` without one."""
        from german_whist.agents.policy.network.forward import PackedNetwork

        return PackedNetwork.create(self.value, self.suit_layers) if self.value else None

    @property
    def value_sizes(self) -> list[int]:
        """Sizes of the value network; empty without one."""
        return sizes_of(self.value, self.suit_layers) if self.value else []

    def model_card(self) -> dict[str, Any]:
        """Return the model card as plain data."""
        from german_whist.simulator.observation.vector import (
            OBSERVATION_VERSION,  # loads the compiler; reading a model card does not
        )

        network: dict[str, Any] = {**NETWORK, "ranks": self.ranks, "sizes": self.sizes}
        if self.inputs != OBSERVATION:
            network["inputs"] = self.inputs
        if self.suit_layers:
            network["suit_layers"] = self.suit_layers
        value = {"value": {"sizes": self.value_sizes, "outputs": VALUE_OUTPUTS}} if self.value else {}
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "network": network,
            **value,
            "rules": self.rules.to_dict(),
            "observation_version": OBSERVATION_VERSION,
            "logits_a_trick": self.logits_per_trick,
            "endgame": self.endgame,
            "training": self.training,
            "results": self.results,
        }

    def save(self, path: str | Path, *, half: bool = False) -> None:
        """Write the checkpoint file atomically.

        Args:
            path: the file.
            half: write float16, which halves the file and rounds the weights.

        Raises:
            OSError: when the file cannot be written.
        """
        tensors = layer_tensors(self.layers, "layer", half=half) | layer_tensors(self.value, "value", half=half)
        write_atomically(path, save(tensors, metadata={"card": json.dumps(self.model_card())}))


def checkpoint_file(path: str | os.PathLike[str]) -> Path:
    """Return the file of a checkpoint: for a run's folder or its ``checkpoints/``, the one with the most decisions.

    Raises:
        ValueError: when a folder has none.
    """
    folder = Path(path)
    if not folder.is_dir():
        return folder
    numbered = [*folder.glob("*.safetensors"), *folder.glob("checkpoints/*.safetensors")]
    last = max((path for path in numbered if path.stem.isdecimal()), key=lambda path: int(path.stem), default=None)
    final = folder / "final.safetensors"
    if not final.is_file():
        if last is None:
            raise ValueError(f"{str(folder)!r} has no checkpoints of a run: name a file, such as final.safetensors")
        return last
    if last is None or read_model_card(final)["training"]["decisions"] >= int(last.stem):
        return final
    return last  # the run was resumed


@contextmanager
def _opened(path: str | Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Open a checkpoint file and read its model card; errors inside the ``with`` block name the file.

    Raises:
        ValueError: when the file is missing, truncated or not a checkpoint.
    """
    try:
        with safe_open(str(path), framework="numpy") as file:
            model_card = json.loads((file.metadata() or {}).get("card", "{}"))
            if model_card["format"] not in (FORMAT, MODULE_FORMAT):
                raise ValueError(f"format {model_card['format']!r} is not {FORMAT!r}")
            yield file, model_card
    except (OSError, SafetensorError) as error:
        raise ValueError(f"checkpoint {str(path)!r}: {error}") from None
    # LookupError, TypeError: a model card with other fields; AttributeError: a dtype that numpy does not have.
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"checkpoint {str(path)!r} does not fit this version: {error}") from None


def read_model_card(path: str | Path) -> dict[str, Any]:
    """Read the model card of a checkpoint file, without its weights.

    Raises:
        ValueError: when the file is missing, truncated or not a checkpoint.
    """
    with _opened(path) as (_, model_card):
        return model_card


def module_class(path: str | Path) -> str | None:
    """Return ``FILE:CLASS`` of a checkpoint whose weights belong to a class of the user's own; ``None`` for others.

    Raises:
        ValueError: when the file is missing, truncated or not a checkpoint.
    """
    card = read_model_card(path)
    return str(card["class"]) if card["format"] == MODULE_FORMAT else None


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint file.

    Raises:
        ValueError: when the file is missing, truncated, not a checkpoint, made for another observation layout, or holds
            weights of a class of the user's own.
    """
    if own := module_class(path):
        raise ValueError(
            f"checkpoint {str(path)!r} holds weights of the class {own}: "
            f"write python:FILE:CLASS,checkpoint={path} with the file and the name of that class"
        )
    from german_whist.agents.policy.inputs import input_high, num_outputs
    from german_whist.simulator.observation.vector import OBSERVATION_VERSION

    with _opened(path) as (file, model_card):
        versions = model_card["version"], model_card["observation_version"]
        if versions != (FORMAT_VERSION, OBSERVATION_VERSION):
            raise ValueError(
                f"version and observation_version must be {FORMAT_VERSION, OBSERVATION_VERSION}, got {versions}"
            )
        rules, network = rules_from_dict(dict(model_card["rules"])), dict(model_card["network"])
        sizes, ranks = network.pop("sizes"), network.pop("ranks")
        inputs, suit_layers = network.pop("inputs", OBSERVATION), network.pop("suit_layers", 0)
        if network != NETWORK or ranks not in RANK_NAMINGS or inputs not in INPUTS:
            raise ValueError(f"network must be {NETWORK} with known ranks and inputs, got {model_card['network']}")
        features, outputs = input_high(rules, inputs).size, num_outputs(rules, inputs)
        logits_per_trick = model_card["logits_a_trick"]
        if logits_per_trick is not None and not 0 < logits_per_trick <= 1e6:
            raise ValueError(f"logits_a_trick must be above 0 and at most 1e6, got {logits_per_trick!r}")
        value = model_card.get("value")
        if value and value["outputs"] != VALUE_OUTPUTS:
            raise ValueError(f"outputs of the value network must be {VALUE_OUTPUTS}, got {value['outputs']!r}")
        return Checkpoint(
            _layers(file, "layer", sizes, (features, outputs), suit_layers),
            rules,
            dict(model_card["training"]),
            dict(model_card["results"]),
            logits_per_trick,
            check_endgame(model_card["endgame"]),
            ranks,
            inputs,
            _layers(file, "value", value["sizes"], (features, len(VALUE_OUTPUTS)), suit_layers) if value else (),
            suit_layers,
        )


def _layers(file: Any, prefix: str, sizes: list[int], ends: tuple[int, int], suit_layers: int) -> tuple[Layer, ...]:
    """Read the layers of a network as float32.

    Raises:
        ValueError: when sizes and tensors do not fit together, do not fit ``ends``, or a number is not finite.
    """
    if (sizes[0], sizes[-1]) != ends:
        raise ValueError(f"sizes must be {ends[0]}, ..., {ends[1]} for these rules, got {sizes}")
    layers = []
    for i, shape in enumerate(layer_shapes(sizes, suit_layers)):
        weight, bias = (file.get_tensor(f"{prefix}.{i}.{name}").astype(np.float32) for name in ("weight", "bias"))
        if (weight.shape, bias.shape) != (shape, shape[:1]):
            raise ValueError(f"{prefix} {i} must have shape {shape}, got {weight.shape} and a bias {bias.shape}")
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise ValueError(f"{prefix} {i} must be finite, got infinity or NaN")
        layers.append((weight, bias))
    return tuple(layers)

"""Checkpoint files: a policy network's weights in safetensors with a JSON model card. Loading one runs no code.

The tensors ``layer.…`` (see ``layers``) are a multilayer perceptron with ReLU between its layers. It maps the inputs
from a canonical view (see ``canonical`` and ``input_kernels``) to one logit per canonical action. The tensors
``value.…`` are the optional *value* network, which maps the same inputs to the expected margin and the logit of the
chance to win. The file's metadata hold the model card as JSON text under ``card``, and the SHA-256 of the card and the
tensors under ``sha256``.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.agents.policy.network.layers import (
    INPUTS,
    OBSERVATION,
    Layer,
    layer_shapes,
    layer_tensors,
    sizes_of,
)
from german_whist.agents.policy.tensor_file import (
    FORMAT,
    TensorFile,
    check_sizes,
    file_metadata,
    open_checkpoint,
    tensor_bytes,
)
from german_whist.envs.engine.endgame_hook import PLAYED, check_endgame
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.observation.views import NAMED, RANKS
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.specs import must_be, short_repr, unknown_name_error

if TYPE_CHECKING:
    from german_whist.agents.policy.network.forward import Forward

FORMAT_VERSION = 1
NETWORK = {"type": "mlp", "activation": "relu", "suits": "canonical"}

VALUE_OUTPUTS = ["margin", "win_logit"]
MAX_LOGITS_PER_TRICK = 1e6


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
        inputs: what the network sees: ``"observation"``, the observation of its game, or ``"universal"``, the encoding
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
    endgame: str = PLAYED
    ranks: str = NAMED
    inputs: str = OBSERVATION
    value: tuple[Layer, ...] = ()
    suit_layers: int = 0

    @property
    def sizes(self) -> list[int]:
        """Sizes of the policy network: number of inputs, then of units in each layer."""
        return sizes_of(self.layers, self.suit_layers)

    @cached_property
    def forward(self) -> Forward:
        """The forward pass of the policy network, shared by all agents with this checkpoint."""
        from german_whist.agents.policy.network.forward import Forward  # loads the compiler

        return Forward(self.layers, self.suit_layers)

    @cached_property
    def value_forward(self) -> Forward | None:
        """The forward pass of the value network; ``None`` without one."""
        from german_whist.agents.policy.network.forward import Forward

        return Forward(self.value, self.suit_layers) if self.value else None

    @property
    def value_sizes(self) -> list[int]:
        """Sizes of the value network; empty without one."""
        return sizes_of(self.value, self.suit_layers) if self.value else []

    def model_card(self) -> dict[str, Any]:
        """Return the model card as plain data."""
        from german_whist.envs.observation.vector import (
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
            ValueError: when a weight is too large for float16.
            OSError: when the file cannot be written.
        """
        tensors = layer_tensors(self.layers, "layer", half=half) | layer_tensors(self.value, "value", half=half)
        write_atomically(path, tensor_bytes(tensors, file_metadata(self.model_card(), tensors)))


def write_results(path: str | Path, results: dict[str, Any]) -> None:
    """Replace the results, by opponent, in the model card of a checkpoint file, and keep its weights.

    Raises:
        ValueError: when the file is not a checkpoint.
        OSError: when it cannot be written.
    """
    with open_checkpoint(path) as file:
        _from_model_card(str(path), file)
        tensors = {name: file.tensor(name) for name in file.names}
    write_atomically(path, tensor_bytes(tensors, file_metadata({**file.model_card, "results": results}, tensors)))


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint file.

    Raises:
        ValueError: when the file is missing, damaged, not a checkpoint, or made for another observation layout.
    """
    with open_checkpoint(path) as file:
        return _from_model_card(str(path), file)


def newest_checkpoint(folder: str | os.PathLike[str]) -> Path:
    """Return the file of the checkpoint with the most decisions in a run's folder or its ``checkpoints/``.

    Raises:
        ValueError: when there is none.
    """
    run = Path(folder)
    numbered = [*run.glob("*.safetensors"), *run.glob("checkpoints/*.safetensors")]
    last = max((path for path in numbered if path.stem.isdecimal()), key=lambda path: int(path.stem), default=None)
    final = run / "final.safetensors"
    if not final.is_file():
        if last is None:
            raise ValueError(f"{str(run)!r} has no checkpoints of a run: name a file, such as final.safetensors")
        return last
    training = read_model_card(final).get("training", {})
    decisions = training.get("decisions") if isinstance(training, dict) else None
    is_older = last is not None and isinstance(decisions, int) and decisions < int(last.stem)  # the run was resumed
    return last if last is not None and is_older else final


def read_model_card(path: str | Path) -> dict[str, Any]:
    """Read the model card of a checkpoint file, without its weights.

    Raises:
        ValueError: when the file is missing, truncated or not a checkpoint.
    """
    with open_checkpoint(path) as file:
        return file.model_card


def _from_model_card(path: str, file: TensorFile) -> Checkpoint:
    from german_whist.agents.policy.inputs import input_high, num_outputs
    from german_whist.envs.observation.vector import OBSERVATION_VERSION

    model_card = file.model_card
    if model_card.get("version") != FORMAT_VERSION or model_card.get("observation_version") != OBSERVATION_VERSION:
        raise ValueError(
            f"checkpoint {path!r} has format {short_repr(model_card.get('version'))} and observation layout "
            f"{short_repr(model_card.get('observation_version'))}: "
            f"this version reads {FORMAT_VERSION} and {OBSERVATION_VERSION}"
        )
    try:
        rules = rules_from_dict(dict(model_card["rules"]))
        network = dict(model_card["network"])
        sizes = [operator.index(size) for size in network.pop("sizes")]
        ranks = network.pop("ranks")
        inputs = network.pop("inputs", OBSERVATION)
        suit_layers = operator.index(network.pop("suit_layers", 0))
        training, results = dict(model_card.get("training") or {}), dict(model_card.get("results") or {})
        logits_per_trick = _logits_per_trick(model_card.get("logits_a_trick"))
        endgame = check_endgame(model_card["endgame"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"checkpoint {path!r} has a damaged model card: {error!s:.300}") from None
    if network != NETWORK or ranks not in RANKS:
        raise ValueError(
            f"checkpoint {path!r} has the network {short_repr(model_card['network'])}: this version reads {NETWORK}"
        )
    if inputs not in INPUTS:
        raise ValueError(f"checkpoint {path!r}: {unknown_name_error('inputs', inputs, INPUTS)}")
    high = input_high(rules, inputs)
    ends = [high.size, num_outputs(rules, inputs)]
    if len(sizes) < 2 or [sizes[0], sizes[-1]] != ends:
        needed = f"{ends[0]}, ..., {ends[1]} for these rules"
        raise ValueError(must_be(f"checkpoint {path!r}: the sizes of the layers", needed, sizes))
    read = partial(_layers, path, suit_layers=suit_layers, largest=float(high.max()))
    layers, value = read(file, "layer", sizes), _value(path, file, sizes[0], read)
    file.check_sum()
    return Checkpoint(layers, rules, training, results, logits_per_trick, endgame, ranks, inputs, value, suit_layers)


def _logits_per_trick(number: object) -> float | None:
    """Return the scale of the logits in a model card, or ``None`` where it is absent.

    Raises:
        ValueError: when it is not a positive number, or too large.
    """
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number <= MAX_LOGITS_PER_TRICK:
        raise ValueError(must_be("logits_a_trick", f"a positive number up to {MAX_LOGITS_PER_TRICK:g}", number))
    return float(number)


def _layers(
    path: str, file: TensorFile, prefix: str, sizes: list[int], *, suit_layers: int, largest: float
) -> tuple[Layer, ...]:
    check_sizes(sizes, f"checkpoint {path!r}")
    try:
        shapes = layer_shapes(sizes, suit_layers)
    except ValueError as error:
        raise ValueError(f"checkpoint {path!r}: {error}") from None
    return file.layers(prefix, shapes, largest)


def _value(path: str, file: TensorFile, features: int, read: Callable[..., tuple[Layer, ...]]) -> tuple[Layer, ...]:
    """Return the layers of the value network; empty where a checkpoint has none."""
    about = file.model_card.get("value")
    if about is None:
        return ()
    try:
        sizes = [operator.index(size) for size in about["sizes"]]
        outputs = list(about["outputs"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"checkpoint {path!r} has a damaged model card: value: {error!s:.300}") from None
    if outputs != VALUE_OUTPUTS:
        raise ValueError(
            f"checkpoint {path!r} has a value network of {outputs!r:.100}: this version reads {VALUE_OUTPUTS}"
        )
    if len(sizes) < 2 or [sizes[0], sizes[-1]] != [features, len(VALUE_OUTPUTS)]:
        ends = f"{features}, ..., {len(VALUE_OUTPUTS)}"
        raise ValueError(must_be(f"checkpoint {path!r}: the sizes of the value layers", ends, sizes))
    return read(file, "value", sizes)

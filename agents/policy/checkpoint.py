"""The checkpoint file: a policy network's weights in safetensors, with a JSON model card. Loading runs no code from it.

The tensors are ``layer.0.weight`` (out, in), ``layer.0.bias`` (out,), ``layer.1.weight``, …, all float32 or all
float16: a multilayer perceptron with ReLU between its layers, from the observation vector of a canonical view (see
``canonical``) to one logit per role. If the foreplay is divided into *phases*, each has its own network of the same
sizes, stacked along an extra first dimension of every tensor. The file's metadata hold the model card, JSON text under
``card``, and a SHA-256 of card and tensors under ``sha256``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from german_whist.agents.policy.tensor_file import FORMAT, TensorFile, check_outputs, file_metadata, open_checkpoint
from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.endgame_hook import ENDGAMES, PLAYED, canonical_endgame
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.utils.atomic_file import write_atomically
from german_whist.envs.utils.specs import shown, unknown_name

FORMAT_VERSION = 1
NETWORK = {"type": "mlp", "activation": "relu", "suits": "canonical"}
NAMED, LIVE = "named", "live"
RANKS = (NAMED, LIVE)
MAX_LAYERS = 20
MAX_UNITS = 65_536  # in a layer
MAX_LOGITS_PER_TRICK = 1e6

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Checkpoint:
    """A policy network and its model card.

    Attributes:
        layers: weight float32[out, in] and bias float32[out] of each layer; with phases, float32[phases, out, in] and
            float32[phases, out].
        rules: the rules it was trained for.
        training: its origin: configuration, decisions seen, code version.
        results: measured strength by opponent.
        logits_per_trick: scale of the logits where they are action values: a logit is this many times the expected
            margin in tricks, plus a constant for each position. ``None`` where logits only define a policy. The model
            card calls it ``logits_a_trick``.
        endgame: how the agent made from it plays the endgame: ``"played"`` by the network, or ``"exact"`` by the solver
            for a network that was never trained on endgames. Old cards say ``"solved"`` for ``"exact"``.
        ranks: how it sees ranks: ``"named"`` as they are, or ``"live"``, counted among the cards in play.
        phases: numbers of cards left in the stock, decreasing, from which on the second network plays, the third, and
            so on; empty for a single network.
    """

    layers: tuple[Layer, ...]
    rules: Rules
    training: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    logits_per_trick: float | None = None
    endgame: str = PLAYED
    ranks: str = NAMED
    phases: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Replace an alias of the endgame by its canonical name."""
        object.__setattr__(self, "endgame", canonical_endgame(self.endgame))

    @property
    def sizes(self) -> list[int]:
        """Number of inputs, then of units in each layer."""
        return [int(self.layers[0][0].shape[-1]), *(int(bias.shape[-1]) for _, bias in self.layers)]

    @property
    def networks(self) -> list[tuple[Layer, ...]]:
        """The layers of each phase's network: weight float32[out, in], bias float32[out]."""
        if not self.phases:
            return [self.layers]
        numbers = range(len(self.phases) + 1)
        return [tuple((weight[phase], bias[phase]) for weight, bias in self.layers) for phase in numbers]

    def card(self) -> dict[str, Any]:
        """Return the model card as plain data."""
        from german_whist.envs.observation.vector import (
            OBSERVATION_VERSION,  # loads the compiler; reading a card does not
        )

        network = {**NETWORK, "ranks": self.ranks, "sizes": self.sizes}
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "network": {**network, "phases": list(self.phases)} if self.phases else network,
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
            half: write float16: half the size, rounded weights.

        Raises:
            ValueError: when a weight is too large for float16.
            OSError: when the folder cannot be written.
        """
        tensors = {}
        for i, layer in enumerate(self.layers):
            for name, array in zip(("weight", "bias"), layer, strict=True):
                if half and float(np.abs(array).max(initial=0)) > float(np.finfo(np.float16).max):
                    raise ValueError(f"layer {i}: a {name} is too large for float16")
                tensors[f"layer.{i}.{name}"] = np.ascontiguousarray(array, np.float16 if half else np.float32)
        write_atomically(path, save(tensors, metadata=file_metadata(self.card(), tensors)))


def write_results(path: str | Path, results: dict[str, Any]) -> None:
    """Replace the results, by opponent, in a checkpoint file's card; its weights stay as they are.

    Raises:
        ValueError: when the file is no checkpoint.
        OSError: when it cannot be written.
    """
    with open_checkpoint(path) as file:
        _from_card(str(path), file)
        tensors = {name: file.tensor(name) for name in file.names}
    write_atomically(path, save(tensors, metadata=file_metadata({**file.card, "results": results}, tensors)))


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint file.

    Raises:
        ValueError: when the file is missing, truncated, not a checkpoint, or made for another observation layout.
    """
    with open_checkpoint(path) as file:
        return _from_card(str(path), file)


def read_card(path: str | Path) -> dict[str, Any]:
    """Read only the model card of a checkpoint file.

    Raises:
        ValueError: when the file is missing, truncated or not a checkpoint.
    """
    with open_checkpoint(path) as file:
        return file.card


def _from_card(path: str, file: TensorFile) -> Checkpoint:
    from german_whist.envs.observation.vector import OBSERVATION_VERSION, observation_high

    card = file.card
    if card.get("version") != FORMAT_VERSION or card.get("observation_version") != OBSERVATION_VERSION:
        raise ValueError(
            f"checkpoint {path!r} has format {card.get('version')!s:.20} and observation layout "
            f"{card.get('observation_version')!s:.20}: this version reads {FORMAT_VERSION} and {OBSERVATION_VERSION}"
        )
    try:
        rules = rules_from_dict(dict(card["rules"]))
        network = dict(card["network"])
        sizes = [operator.index(size) for size in network.pop("sizes")]
        ranks = network.pop("ranks", NAMED)
        phases = tuple(operator.index(stock) for stock in network.pop("phases", ()))
        training, results = dict(card.get("training") or {}), dict(card.get("results") or {})
        logits_per_trick = _positive(card.get("logits_a_trick"))
        endgame = check_endgame(card.get("endgame", PLAYED))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"checkpoint {path!r} has a damaged card: {error!s:.300}") from None
    if network != NETWORK or ranks not in RANKS:
        raise ValueError(f"checkpoint {path!r} has the network {card['network']!s:.150}: this version reads {NETWORK}")
    high = observation_high(rules)
    ends = [high.size, rules.num_actions]
    if len(sizes) < 2 or [sizes[0], sizes[-1]] != ends:
        given = shown(sizes)
        raise ValueError(f"checkpoint {path!r} has layers of sizes {given}: these rules need {ends[0]}, …, {ends[1]}")
    if len(sizes) > MAX_LAYERS + 1 or not all(1 <= size <= MAX_UNITS for size in sizes):
        raise ValueError(
            f"checkpoint {path!r} has layers of sizes {shown(sizes)}: at most {MAX_LAYERS} of 1 to {MAX_UNITS} units"
        )
    check_phases(phases, f"checkpoint {path!r}: phases")
    layers = []
    first = (len(phases) + 1,) if phases else ()
    for i in range(len(sizes) - 1):
        names = f"layer.{i}.weight", f"layer.{i}.bias"
        shapes = (*first, sizes[i + 1], sizes[i]), (*first, sizes[i + 1])
        about = [file.about(name) for name in names if name in file.names]
        if [shape for shape, _ in about] != list(shapes):
            raise ValueError(f"checkpoint {path!r}: layer {i} is missing or has another shape than its card says")
        kinds = [kind for _, kind in about]
        if kinds not in (["F32", "F32"], ["F16", "F16"]):
            raise ValueError(f"checkpoint {path!r}: layer {i} is {' and '.join(kinds)}, not both F32 or both F16")
        weight, bias = (file.tensor(name) for name in names)
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise ValueError(f"checkpoint {path!r}: layer {i} holds numbers that are not finite")
        layers.append((weight.astype(np.float32), bias.astype(np.float32)))
    file.check_sum()
    try:
        check_outputs(layers, float(high.max()))
    except ValueError as error:
        raise ValueError(f"checkpoint {path!r}: {error}") from None
    return Checkpoint(tuple(layers), rules, training, results, logits_per_trick, endgame, ranks, phases)


def check_phases(phases: Sequence[int], whose: str) -> None:
    """Refuse phases that are not decreasing positive numbers.

    Args:
        phases: numbers of cards left in the stock from which on each network after the first plays.
        whose: how the message begins.

    Raises:
        ValueError: when they do not decrease, or one is below 1.
    """
    if sorted(set(phases), reverse=True) != list(phases) or any(not 1 <= stock < NUM_CARDS for stock in phases):
        raise ValueError(
            f"{whose} {shown(list(phases))} is not allowed: cards left in the stock, each above 0 and fewer than before"
        )


def check_endgame(given: object) -> str:
    """Return the canonical name of an endgame setting: ``"played"`` or ``"exact"``.

    Raises:
        ValueError: when there is no such endgame.
    """
    endgame = canonical_endgame(given) if isinstance(given, str) else given
    if not isinstance(endgame, str) or endgame not in ENDGAMES:
        raise unknown_name("endgame", given, ENDGAMES)
    return endgame


def _positive(number: object) -> float | None:
    """Return a positive number from a card, or ``None`` where it is absent."""
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number <= MAX_LOGITS_PER_TRICK:
        raise ValueError(f"logits_a_trick {shown(number)} is not a positive number up to {MAX_LOGITS_PER_TRICK:g}")
    return float(number)

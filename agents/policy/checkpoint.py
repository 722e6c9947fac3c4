"""The checkpoint file: a policy network's weights in safetensors, with a JSON card. Loading runs no code from the file.

Layout: tensors ``layer.0.weight`` (out, in), ``layer.0.bias`` (out,), ``layer.1.weight``, …, all float32 or, in half
the space, all float16, of a multilayer perceptron with ReLU between the layers, from the observation vector of a view
with its cards by role (see ``canonical``) to one logit per role. Where the foreplay has *phases*, each with a network
of its own, all of the same sizes, tensors have one dimension more, the first. The model card is the JSON text under
``card`` in the file's metadata.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from german_whist.envs.engine.endgame_hook import PLAYED, SOLVED
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.utils.atomic_file import write_atomically
from german_whist.envs.utils.specs import unknown_name

FORMAT = "german-whist-policy"
FORMAT_VERSION = 1
NETWORK = {"type": "mlp", "activation": "relu", "suits": "canonical"}
ENDGAMES = (PLAYED, SOLVED)
NAMED, LIVE = "named", "live"
RANKS = (NAMED, LIVE)

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Checkpoint:
    """A policy network and what is known of it.

    Attributes:
        layers: weight float32[out, in] and bias float32[out] of each layer; with phases, float32[phases, out, in] and
            float32[phases, out].
        rules: the rules it was trained for.
        training: where it comes from: configuration, decisions seen, code version.
        results: measured strength, by opponent.
        logits_a_trick: where a logit is the worth of a card, up to a constant for each position, how much of it a trick
            makes; ``None`` where logits mean nothing but chances.
        endgame: how the agent comes to the end of a deal: ``"played"`` by the network, or ``"solved"`` where the
            opponent's hand is known, for a network that was never shown an endgame.
        ranks: how it sees ranks: ``"named"`` as they are, or ``"live"``, counted among the cards in play.
        phases: cards left in the stock, falling, from which on the second network plays, the third, and so on; none
            where one network plays always.
    """

    layers: tuple[Layer, ...]
    rules: Rules
    training: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    logits_a_trick: float | None = None
    endgame: str = PLAYED
    ranks: str = NAMED
    phases: tuple[int, ...] = ()

    @property
    def sizes(self) -> list[int]:
        """Sizes of the layers, inputs first."""
        return [int(self.layers[0][0].shape[-1]), *(int(bias.shape[-1]) for _, bias in self.layers)]

    @property
    def networks(self) -> list[tuple[Layer, ...]]:
        """Layers of each phase's network: weight float32[out, in], bias float32[out]."""
        if not self.phases:
            return [self.layers]
        numbers = range(len(self.phases) + 1)
        return [tuple((weight[phase], bias[phase]) for weight, bias in self.layers) for phase in numbers]

    def card(self) -> dict[str, Any]:
        """Return the model card."""
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
            "logits_a_trick": self.logits_a_trick,
            "endgame": self.endgame,
            "training": self.training,
            "results": self.results,
        }

    def save(self, path: str | Path, *, half: bool = False) -> None:
        """Write the file: to a temporary name first, then renamed, so that no half-written file is left behind.

        Args:
            path: the file.
            half: write float16, which takes half the space and rounds the weights.

        Raises:
            ValueError: when a weight is too large for float16.
            OSError: when the folder cannot be written.
        """
        tensors = {}
        for i, layer in enumerate(self.layers):
            for name, array in zip(("weight", "bias"), layer, strict=True):
                if half and float(np.abs(array).max(initial=0)) > float(np.finfo(np.float16).max):
                    raise ValueError(f"layer {i} has a {name} that is too large for float16")
                tensors[f"layer.{i}.{name}"] = np.ascontiguousarray(array, np.float16 if half else np.float32)
        write_atomically(path, save(tensors, metadata={"card": json.dumps(self.card())}))


def write_results(path: str | Path, results: dict[str, Any]) -> None:
    """Put measured strength, by opponent, into a checkpoint file's card; its weights stay as they are.

    Raises:
        ValueError: when the file is no checkpoint.
        OSError: when it cannot be written.
    """
    card, tensors = _read(path)
    _from_card(str(path), card, tensors)
    write_atomically(path, save(tensors, metadata={"card": json.dumps({**card, "results": results})}))


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint file.

    Raises:
        ValueError: when the file is missing, cut, foreign, or made for another observation layout; one line says which.
    """
    card, tensors = _read(path)
    return _from_card(str(path), card, tensors)


def read_card(path: str | Path) -> dict[str, Any]:
    """Read a checkpoint's model card alone.

    Raises:
        ValueError: when the file is missing, cut or foreign.
    """
    return _read(path, with_tensors=False)[0]


def _read(path: str | Path, *, with_tensors: bool = True) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            names = file.keys() if with_tensors else ()
            tensors = {name: file.get_tensor(name) for name in names}
    except FileNotFoundError:
        raise ValueError(f"checkpoint {str(path)!r}: there is no such file") from None
    except (SafetensorError, OSError, TypeError, AttributeError) as error:  # the latter two for types numpy has not
        reason = " ".join(str(error).split())
        raise ValueError(f"checkpoint {str(path)!r} is not a readable safetensors file: {reason}") from None
    try:
        card = json.loads(metadata["card"])
        if card["format"] != FORMAT:
            raise KeyError(card["format"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise ValueError(
            f"checkpoint {str(path)!r} has no card of a {FORMAT}: it was not made by german-whist"
        ) from None
    return card, tensors


def _from_card(path: str, card: dict[str, Any], tensors: dict[str, npt.NDArray[Any]]) -> Checkpoint:
    from german_whist.envs.observation.vector import OBSERVATION_VERSION, observation_high

    if card.get("version") != FORMAT_VERSION or card.get("observation_version") != OBSERVATION_VERSION:
        raise ValueError(
            f"checkpoint {path!r} has format {card.get('version')} and observation layout "
            f"{card.get('observation_version')}: this version reads {FORMAT_VERSION} and {OBSERVATION_VERSION}"
        )
    try:
        game = rules_from_dict(dict(card["rules"]))
        network = dict(card["network"])
        sizes = [operator.index(size) for size in network.pop("sizes")]
        ranks = network.pop("ranks", NAMED)
        phases = tuple(operator.index(stock) for stock in network.pop("phases", ()))
        training, results = dict(card.get("training") or {}), dict(card.get("results") or {})
        logits_a_trick = _positive(card.get("logits_a_trick"))
        endgame = check_endgame(card.get("endgame", PLAYED))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"checkpoint {path!r} has a damaged card: {error}") from None
    if network != NETWORK or ranks not in RANKS:
        raise ValueError(f"checkpoint {path!r} has the network {card['network']}: this version reads {NETWORK}")
    ends = [observation_high(game).size, game.num_actions]
    if len(sizes) < 2 or [sizes[0], sizes[-1]] != ends:
        raise ValueError(f"checkpoint {path!r} has layers of sizes {sizes}: this game needs {ends[0]}, …, {ends[1]}")
    check_phases(phases, f"checkpoint {path!r}: phases")
    layers = []
    first = (len(phases) + 1,) if phases else ()
    for i in range(len(sizes) - 1):
        weight, bias = tensors.get(f"layer.{i}.weight"), tensors.get(f"layer.{i}.bias")
        shapes = (*first, sizes[i + 1], sizes[i]), (*first, sizes[i + 1])
        if weight is None or bias is None or (weight.shape, bias.shape) != shapes:
            raise ValueError(f"checkpoint {path!r}: layer {i} is missing or has another shape than its card says")
        if weight.dtype != bias.dtype or weight.dtype not in (np.float32, np.float16):
            raise ValueError(
                f"checkpoint {path!r}: layer {i} is {weight.dtype} and {bias.dtype}, not both float32 or both float16"
            )
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise ValueError(f"checkpoint {path!r}: layer {i} holds numbers that are not finite")
        layers.append((weight.astype(np.float32), bias.astype(np.float32)))
    return Checkpoint(tuple(layers), game, training, results, logits_a_trick, endgame, ranks, phases)


def check_phases(phases: Sequence[int], whose: str) -> None:
    """Refuse phases that cannot follow each other.

    Args:
        phases: cards left in the stock from which on each network after the first plays.
        whose: how the message begins.

    Raises:
        ValueError: when they do not fall from one to the next, or one is not above 0.
    """
    if sorted(set(phases), reverse=True) != list(phases) or any(stock < 1 for stock in phases):
        raise ValueError(
            f"{whose} {list(phases)} is not allowed: cards left in the stock, each above 0 and fewer than before"
        )


def check_endgame(given: object) -> str:
    """Return how an agent comes to the end of a deal, if that is one of the ways.

    Raises:
        ValueError: when it is not.
    """
    if not isinstance(given, str) or given not in ENDGAMES:
        raise unknown_name("endgame", given, ENDGAMES)
    return given


def _positive(number: object) -> float | None:
    """Return a number of a card that is above 0, or ``None`` where there is none."""
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < float("inf"):
        raise ValueError(f"logits_a_trick {number!r} is not a positive number")
    return float(number)

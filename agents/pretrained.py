"""Pretrained agents. Each has one network for all games with an open endgame: ``agents/weights/NAME.safetensors``."""

from __future__ import annotations

import dataclasses
import os
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint, checkpoint_file, load_checkpoint, read_model_card
from german_whist.agents.policy.network.layers import Layer
from german_whist.game.utils.names import unknown_name_error

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FILE_SUFFIX = ".safetensors"
CHAMPION, SMALL = "champion", "small"
DESCRIPTIONS = {CHAMPION: "the strongest", SMALL: "fast, 210 kB"}
PRETRAINED_NAMES = tuple(DESCRIPTIONS)
BASELINE = "heuristic+exact"  # the opponent that strength is quoted against
BASELINE_GAME = "classic"  # the game of results that name none

_LARGEST = 127  # absolute value of a rounded weight, at most


class PretrainedNetwork(NamedTuple):
    """Description of a pretrained agent's network.

    Attributes:
        name: name of the agent.
        model_card: the model card.
        size: size of the checkpoint file in bytes.
    """

    name: str
    model_card: dict[str, Any]
    size: int

    @property
    def endgame(self) -> str:
        """How the agent plays the endgame by default: ``"played"`` by the network, or ``"exact"`` by the solver."""
        return str(self.model_card["endgame"])


def weights_folder() -> Traversable:
    """Return the folder of the checkpoint files."""
    return resources.files("german_whist.agents") / "weights"


@lru_cache
def load_pretrained(name: str) -> Checkpoint:
    """Return the checkpoint of a pretrained agent; it is read once."""
    with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
        return load_checkpoint(path)


@lru_cache
def rounded_network(name: str) -> Checkpoint:
    """Return a pretrained network with weights as the page has them: int8, with a scale for each input.

    The weights of counts are much smaller than those of cards, so a scale per unit would round them to 0.
    """
    checkpoint = load_pretrained(name)
    layers, value = (
        tuple(_restored(*rounded_layer(one)) for one in part) for part in (checkpoint.layers, checkpoint.value)
    )
    return dataclasses.replace(checkpoint, layers=layers, value=value)


def rounded_layer(layer: Layer) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Quantize a layer: return its weights as int8[in, out], the scale of each input, and the bias."""
    weight, bias = layer
    largest = np.abs(weight).max(axis=0)
    scale = np.where(largest > 0, largest / _LARGEST, 1).astype(np.float32)
    return np.rint(weight / scale).clip(-_LARGEST, _LARGEST).astype(np.int8).T, scale, bias.astype(np.float32)


def _restored(rounded: npt.NDArray[np.int8], scale: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> Layer:
    return rounded.T.astype(np.float32) * scale, bias


def pretrained_networks() -> tuple[PretrainedNetwork, ...]:
    """Return descriptions of the pretrained networks; only their model cards are read, not their weights."""
    found = []
    for name in PRETRAINED_NAMES:
        with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
            found.append(PretrainedNetwork(name, read_model_card(path), path.stat().st_size))
    return tuple(found)


def find_network(name: str | Path) -> Checkpoint:
    """Return the checkpoint of a pretrained agent or of a file.

    Args:
        name: ``"champion"``, ``"small"`` or a path; a run's folder stands for its newest checkpoint.

    Raises:
        ValueError: when ``name`` is neither a pretrained agent nor a readable checkpoint.
    """
    if str(name) in PRETRAINED_NAMES:
        return load_pretrained(str(name))
    if not os.path.exists(name):
        raise unknown_name_error("network or file", name, PRETRAINED_NAMES)
    return load_checkpoint(checkpoint_file(name))


def win_rate(result: dict[str, Any]) -> str:
    """Return a result's win rate with half the width of its interval as text, such as ``67.4 % ± 0.6``.

    Args:
        result: ``win_rate`` (or ``None``) and ``interval``, as shares of the games.
    """
    if result["win_rate"] is None:
        return "—"
    low, high = result["interval"] or (None, None)
    spread = "" if low is None else f" ± {50 * (high - low):.1f}"
    return f"{100 * result['win_rate']:.1f} %{spread}"

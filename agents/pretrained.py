"""Pretrained agents: ``agents/weights/NAME.safetensors`` holds one network for every game with an open endgame."""

from __future__ import annotations

import difflib
import hashlib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint, newest_checkpoint, read_model_card

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FILE_SUFFIX = ".safetensors"
CHAMPION, SMALL = "champion", "small"
DESCRIPTIONS = {CHAMPION: "the strongest", SMALL: "fast, 210 kB"}
PRETRAINED_NAMES = tuple(DESCRIPTIONS)
BASELINE = "heuristic+exact"  # the opponent that strength is quoted against
BASELINE_GAME = "classic"  # the game of results that name no other


class PretrainedNetwork(NamedTuple):
    """Description of the network of a pretrained agent.

    Attributes:
        name: its name, that of the agent.
        model_card: its model card.
        size: size of its file in bytes.
    """

    name: str
    model_card: dict[str, Any]
    size: int

    @property
    def endgame(self) -> str:
        """How it plays the endgame by default: ``"played"`` by the network, or ``"exact"`` by the solver."""
        return str(self.model_card["endgame"])


def weights_folder() -> Traversable:
    """Return the folder of the networks' files."""
    return resources.files("german_whist.agents") / "weights"


@lru_cache
def load_pretrained(name: str) -> Checkpoint:
    """Return the checkpoint of a pretrained agent."""
    with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
        return load_checkpoint(path)


def pretrained_networks() -> tuple[PretrainedNetwork, ...]:
    """Describe the networks of the pretrained agents; reads their model cards, not their weights."""
    found = []
    for name in PRETRAINED_NAMES:
        with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
            found.append(PretrainedNetwork(name, read_model_card(path), path.stat().st_size))
    return tuple(found)


def file_sha256(name: str) -> str:
    """Return the SHA-256 of a network's file, in hexadecimal."""
    return hashlib.sha256((weights_folder() / f"{name}{FILE_SUFFIX}").read_bytes()).hexdigest()


def find_network(name: str | Path) -> Checkpoint:
    """Return the checkpoint of a pretrained agent, or of a file.

    Args:
        name: ``"champion"`` or ``"small"``, or a path; that of a run's folder is its newest checkpoint.

    Raises:
        ValueError: when there is no such network and no such checkpoint file.
    """
    if str(name) in PRETRAINED_NAMES:
        return load_pretrained(str(name))
    try:
        return load_checkpoint(newest_checkpoint(name) if Path(name).is_dir() else name)
    except ValueError as error:
        near = difflib.get_close_matches(str(name), PRETRAINED_NAMES, n=1)
        if near and not Path(name).exists():
            raise ValueError(f"{error}: did you mean the network {near[0]!r}?") from None
        raise


def win_rate(result: dict[str, Any], sign: str = "") -> str:
    """Format a win rate with half the width of its interval: ``67.4 % ± 0.6``; ``sign="+"`` shows the sign."""
    if result["win_rate"] is None:
        return "—"
    low, high = result["interval"] or (None, None)
    spread = "" if low is None else f" ± {50 * (high - low):.1f}"
    return f"{100 * result['win_rate']:{sign}.1f} %{spread}"

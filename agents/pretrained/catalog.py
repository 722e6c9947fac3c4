"""Pretrained agents, and the networks that ship with the package for them.

``agents/weights/NAME.safetensors`` holds the network of the agent's own game; ``NAME-every.safetensors`` one with
universal inputs, for every other game with an open endgame.
"""

from __future__ import annotations

import difflib
import hashlib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint, read_model_card
from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.text.rules_text import rules_spec

if TYPE_CHECKING:
    from importlib.abc import Traversable

FILE_SUFFIX = ".safetensors"
CHAMPION, SMALL = "champion", "small"
DESCRIPTIONS = {CHAMPION: "the strongest", SMALL: "fast, 400 kB"}
PRETRAINED_NAMES = tuple(DESCRIPTIONS)
BASELINE = "heuristic+exact"  # the opponent that strength is quoted against


def every_network(agent: str) -> str:
    """Return the name of the network with which a pretrained agent plays other games than its own."""
    return f"{agent}-every"


NETWORK_NAMES = tuple(network for agent in PRETRAINED_NAMES for network in (agent, every_network(agent)))


class PretrainedNetwork(NamedTuple):
    """Description of a network that ships with the package.

    Attributes:
        name: its name.
        model_card: its model card.
        size: size of its file in bytes.
    """

    name: str
    model_card: dict[str, Any]
    size: int

    @property
    def rules(self) -> str:
        """The rules that it plays, as a specification string, or in words where they are many."""
        if self.model_card["network"].get("inputs") == UNIVERSAL:
            return "every game with an open endgame"
        return rules_spec(rules_from_dict(self.model_card["rules"]))

    @property
    def endgame(self) -> str:
        """How it plays the endgame by default: ``"played"`` by the network, or ``"exact"`` by the solver."""
        return str(self.model_card["endgame"])


def weights_folder() -> Traversable:
    """Return the folder of the networks' files."""
    return resources.files("german_whist.agents") / "weights"


@lru_cache
def load_pretrained(name: str) -> Checkpoint:
    """Return the checkpoint of a network that ships with the package."""
    with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
        return load_checkpoint(path)


def network_for(agent: str, rules: Rules | None) -> Checkpoint:
    """Return the network with which a pretrained agent plays a game: that of its own game by default."""
    own = load_pretrained(agent)
    return own if rules is None or own.rules.plays_like(rules) else load_pretrained(every_network(agent))


def pretrained_networks() -> tuple[PretrainedNetwork, ...]:
    """Describe every network that ships with the package; reads their model cards, not their weights."""
    found = []
    for name in NETWORK_NAMES:
        with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
            found.append(PretrainedNetwork(name, read_model_card(path), path.stat().st_size))
    return tuple(found)


def file_sha256(name: str) -> str:
    """Return the SHA-256 of a network's file, in hexadecimal."""
    return hashlib.sha256((weights_folder() / f"{name}{FILE_SUFFIX}").read_bytes()).hexdigest()


def find_network(name: str | Path) -> Checkpoint:
    """Return the checkpoint of a network that ships with the package, or of a file.

    Args:
        name: the name of a network, such as ``"champion"`` or ``"champion-every"``, or a path.

    Raises:
        ValueError: when there is no such network and no such checkpoint file.
    """
    if str(name) in NETWORK_NAMES:
        return load_pretrained(str(name))
    try:
        return load_checkpoint(name)
    except ValueError as error:
        near = difflib.get_close_matches(str(name), NETWORK_NAMES, n=1)
        if near and not Path(name).exists():
            raise ValueError(f"{error}: did you mean the network {near[0]!r}?") from None
        raise

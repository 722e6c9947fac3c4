"""Pretrained agents: the checkpoints that ship with the package, named after their files.

``agents/weights/champion.safetensors`` is the agent ``champion``; every other checkpoint in that folder is an agent
too. ``NAME-every.safetensors`` holds a network with universal inputs, with which ``NAME`` plays every game but its own;
``NAME-every-GAME.safetensors`` holds that network trained on in one game, which ``NAME`` then plays with it;
``NAME-value.safetensors`` holds the value network of ``NAME``. ``champion-v1``, the first ``champion``, is kept to
measure against.
"""

from __future__ import annotations

import difflib
import hashlib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from german_whist.agents.policy.checkpoint import VALUE_SUFFIX, Checkpoint, load_checkpoint, read_card
from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.envs.engine.endgame_hook import PLAYED, canonical_endgame
from german_whist.envs.engine.rules import rules_from_dict
from german_whist.envs.text.rules_text import rules_spec

if TYPE_CHECKING:
    from importlib.abc import Traversable

FILE_SUFFIX = ".safetensors"
CHAMPION = "champion"
EVERY_SUFFIX = "-every"  # ``champion-every`` is the network of ``champion`` in games other than its own
FIRST_CHAMPION = "champion-v1"
BASELINE = "heuristic+exact"  # the opponent that strength is quoted against


class PretrainedAgent(NamedTuple):
    """Description of a pretrained agent.

    Attributes:
        name: its name.
        card: its model card.
        size: size of its file in bytes.
    """

    name: str
    card: dict[str, Any]
    size: int

    @property
    def rules(self) -> str:
        """The rules that it plays, as a specification string, or in words where they are many."""
        game = self.name.partition(f"{EVERY_SUFFIX}-")[2]
        if game:
            return game
        if self.card["network"].get("inputs") == UNIVERSAL:
            return "every game with an open endgame"
        return rules_spec(rules_from_dict(self.card["rules"]))

    @property
    def endgame(self) -> str:
        """How it plays the endgame by default: ``"played"`` by the network, or ``"exact"`` by the solver."""
        return canonical_endgame(str(self.card.get("endgame", PLAYED)))

    @property
    def strength(self) -> dict[str, Any] | None:
        """Its result against ``heuristic+exact``, else against the first opponent in its card, if any."""
        results = self.card["results"]
        known = [name for name in (BASELINE, f"{BASELINE}, classic") if name in results]
        opponent = next(iter([*known, *results]), None)
        return None if opponent is None else {"opponent": opponent, **results[opponent]}


def weights_folder() -> Traversable:
    """Return the folder of the pretrained agents' files."""
    return resources.files("german_whist.agents") / "weights"


@lru_cache
def pretrained_names() -> tuple[str, ...]:
    """Return the names of the pretrained agents, in alphabetical order."""
    folder = weights_folder()
    if not folder.is_dir():
        return ()
    names = [file.name.removesuffix(FILE_SUFFIX) for file in folder.iterdir() if file.name.endswith(FILE_SUFFIX)]
    return tuple(sorted(name for name in names if not name.endswith(VALUE_SUFFIX)))


def networks_by_game(name: str) -> dict[str, str]:
    """Return the networks that a pretrained agent plays single games with, beside its own, by preset."""
    prefix = f"{name}{EVERY_SUFFIX}-"
    return {other.removeprefix(prefix): other for other in pretrained_names() if other.startswith(prefix)}


@lru_cache
def load_pretrained(name: str) -> Checkpoint:
    """Return the checkpoint of a pretrained agent."""
    with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
        return load_checkpoint(path)


def pretrained_agents() -> tuple[PretrainedAgent, ...]:
    """Describe every pretrained agent; reads their model cards, not their weights."""
    found = []
    for name in pretrained_names():
        with resources.as_file(weights_folder() / f"{name}{FILE_SUFFIX}") as path:
            found.append(PretrainedAgent(name, read_card(path), path.stat().st_size))
    return tuple(found)


def file_sha256(name: str) -> str:
    """Return the SHA-256 of a pretrained agent's file, in hexadecimal."""
    return hashlib.sha256((weights_folder() / f"{name}{FILE_SUFFIX}").read_bytes()).hexdigest()


def find_network(name: str | Path) -> Checkpoint:
    """Return the checkpoint of a pretrained agent or of a file.

    Args:
        name: a pretrained agent's name, such as ``"champion"``, or a path.

    Raises:
        ValueError: when there is no such agent and no such checkpoint file.
    """
    if str(name) in pretrained_names():
        return load_pretrained(str(name))
    try:
        return load_checkpoint(name)
    except ValueError as error:
        near = difflib.get_close_matches(str(name), pretrained_names(), n=1)
        if near and not Path(name).exists():
            raise ValueError(f"{error}: did you mean the agent {near[0]!r}?") from None
        raise

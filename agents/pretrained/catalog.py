"""Trained agents in the box: the checkpoints that the package brings, by the names of their files.

``agents/weights/champion.safetensors`` is the agent ``champion``; whatever other file lies there is an agent too.
"""

from __future__ import annotations

import difflib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint, read_card
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import rules_from_dict
from german_whist.envs.text.rules_text import rules_spec

if TYPE_CHECKING:
    from importlib.abc import Traversable

ENDING = ".safetensors"
YARDSTICK = "heuristic+exact"  # the opponent that strength is told against


class PretrainedAgent(NamedTuple):
    """What is known of a boxed agent.

    Attributes:
        name: what it is called.
        card: its model card.
        size: bytes of its file.
    """

    name: str
    card: dict[str, Any]
    size: int

    @property
    def rules(self) -> str:
        """The game that it plays, as a specification string."""
        return rules_spec(rules_from_dict(self.card["rules"]))

    @property
    def endgame(self) -> str:
        """How it comes to the end of a deal by itself: ``"played"`` or ``"solved"``."""
        return str(self.card.get("endgame", PLAYED))

    @property
    def strength(self) -> dict[str, Any] | None:
        """How it did against ``heuristic+exact``, or else what it was measured against first; ``None`` for nothing."""
        results = self.card["results"]
        opponent = YARDSTICK if YARDSTICK in results else next(iter(results), None)
        return None if opponent is None else {"opponent": opponent, **results[opponent]}


def weights_folder() -> Traversable:
    """Return the folder that the boxed agents' files lie in."""
    return resources.files("german_whist.agents") / "weights"


@lru_cache
def pretrained_names() -> tuple[str, ...]:
    """Return the names of the boxed agents."""
    folder = weights_folder()
    if not folder.is_dir():
        return ()
    return tuple(sorted(file.name.removesuffix(ENDING) for file in folder.iterdir() if file.name.endswith(ENDING)))


@lru_cache
def load_pretrained(name: str) -> Checkpoint:
    """Return the network of a boxed agent."""
    with resources.as_file(weights_folder() / f"{name}{ENDING}") as path:
        return load_checkpoint(path)


def pretrained_agents() -> tuple[PretrainedAgent, ...]:
    """Return what is known of every boxed agent."""
    found = []
    for name in pretrained_names():
        with resources.as_file(weights_folder() / f"{name}{ENDING}") as path:
            found.append(PretrainedAgent(name, read_card(path), path.stat().st_size))
    return tuple(found)


def find_network(name: str | Path) -> Checkpoint:
    """Return the network of a boxed agent, or of a checkpoint file.

    Args:
        name: ``"champion"``, or a path.

    Raises:
        ValueError: when there is neither, or the file is no checkpoint.
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

"""``champion`` or ``checkpoint:PATH``: a trained network as an agent, one forward pass for a whole batch of views."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import Actions, Agent, Views
from german_whist.agents.boxed import load_boxed
from german_whist.agents.canonical import canonical_views, true_cards
from german_whist.agents.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.forward import Network
from german_whist.agents.same_game import check_same_game
from german_whist.envs.names import split_spec, unknown_name
from german_whist.envs.observation import observe, write_masks
from german_whist.envs.rules import Rules


class PolicyAgent:
    """Plays a policy network, its best card or a sample of its distribution.

    Attributes:
        name: what it is called.
        checkpoint: the network and its card.
        temperature: 0 plays the most likely card; T > 0 samples from the logits divided by T.
    """

    def __init__(self, checkpoint: Checkpoint, temperature: float = 0.0, name: str = "policy") -> None:
        """Take a network.

        Raises:
            ValueError: when the temperature is negative or not finite.
        """
        if not 0 <= temperature < float("inf"):
            raise ValueError(f"temperature {temperature} is not allowed: 0 (best card) or a positive number")
        self.name = name
        self.checkpoint = checkpoint
        self.temperature = temperature
        self._rules: Rules = checkpoint.rules
        self._network = Network(checkpoint.layers)

    @classmethod
    def from_spec(cls, settings: str) -> PolicyAgent:
        """Make the agent of ``PATH[,temperature=T]``.

        Raises:
            ValueError: when the file is no checkpoint or a setting is wrong.
        """
        path, _, rest = settings.partition(",")
        if not path:
            raise ValueError("agent 'checkpoint' needs a file: checkpoint:PATH[,temperature=T]")
        return cls(load_checkpoint(path), _temperature("checkpoint", rest), name=Path(path).stem)

    @classmethod
    def boxed(cls, name: str, settings: str = "") -> PolicyAgent:
        """Make the boxed agent of a name, with ``temperature=T`` as its settings or none.

        Raises:
            ValueError: when a setting is wrong.
        """
        temperature = _temperature(name, settings)
        return cls(load_boxed(name), temperature, name)

    def _look(self, views: Views) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Return the masked logits by role, float32[n, num_actions], −inf for illegal actions, and the suits by role.

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        check_same_game(self.name, self._rules, views)
        renamed, suits = canonical_views(views)
        masks = np.empty((len(views), self._rules.num_actions), np.int8)
        write_masks(np.ascontiguousarray(renamed["legal"]), masks)
        logits = self._network.logits(observe(renamed, self._rules))
        logits[masks == 0] = -np.inf
        return logits, suits

    def probabilities(self, views: Views) -> npt.NDArray[np.float64]:
        """Return the chance of each action at temperature 1, float64[n, num_actions].

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        logits, suits = self._look(views)
        return _by_name(_softmax(logits), suits)

    def worth(self, views: Views) -> npt.NDArray[np.float64] | None:
        """Return how many tricks each action is worth less than the best, float64[n, num_actions].

        It is 0 for the best action and −inf for those that are not legal; ``None`` for a network whose logits tell no
        worth.

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        if self.checkpoint.logits_a_trick is None:
            return None
        logits, suits = self._look(views)
        below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
        return _by_name(below / self.checkpoint.logits_a_trick, suits)

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one card per view, int64[n].

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        logits, suits = self._look(views)
        if self.temperature == 0:
            return true_cards(np.argmax(logits, axis=1), suits)
        weights = _softmax(logits, self.temperature).cumsum(axis=1)
        thresholds = rng.random(len(views)) * weights[:, -1]
        return true_cards(np.argmax(weights > thresholds[:, None], axis=1), suits)


def _softmax(logits: npt.NDArray[np.float32], temperature: float = 1.0) -> npt.NDArray[np.float64]:
    below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
    with np.errstate(over="ignore"):  # a low temperature leaves the best card alone
        weights = np.exp(below / temperature)
    chances: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return chances


def rules_of(agent: Agent) -> Rules | None:
    """Return the game that an agent was trained for, whatever endgame it plays; ``None`` for other agents."""
    policy = getattr(agent, "agent", agent)
    return policy.checkpoint.rules if isinstance(policy, PolicyAgent) else None


def _by_name(numbers: npt.NDArray[np.float64], suits: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """Return numbers by role, float64[n, num_actions], by the true names of the cards."""
    cells = 13 * suits[:, :, None].astype(np.int64) + np.arange(13)
    named: npt.NDArray[np.float64] = numbers.copy()  # actions that are not cards stay where they are
    np.put_along_axis(named, cells.reshape(len(numbers), -1), numbers[:, :52], axis=1)
    return named


def _temperature(name: str, settings: str) -> float:
    """Return the temperature that an agent's settings say, 0 by default."""
    temperature = 0.0
    for key, value in split_spec(f"{name}:{settings}", "agent")[1].items():
        if key != "temperature":
            raise unknown_name(f"{name} setting", key, ["temperature"])
        try:
            temperature = float(value)
        except ValueError:
            raise ValueError(f"temperature {value!r} is not a number") from None
    return temperature

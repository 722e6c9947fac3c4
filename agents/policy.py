"""``checkpoint:PATH``: a trained policy network as an agent, one forward pass for a whole batch of views."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import Actions, Views
from german_whist.agents.canonical import canonical_views, true_cards
from german_whist.agents.checkpoint import Checkpoint, Layer, load_checkpoint
from german_whist.envs.names import split_spec, unknown_name
from german_whist.envs.observation import observe, write_masks
from german_whist.envs.rules import Rules


def forward(layers: tuple[Layer, ...], observations: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return the logits of a multilayer perceptron with ReLU, float32[rows, actions]."""
    hidden = observations.astype(np.float32)
    for weight, bias in layers[:-1]:
        hidden = np.maximum(hidden @ weight.T + bias, 0)
    weight, bias = layers[-1]
    logits: npt.NDArray[np.float32] = hidden @ weight.T + bias
    return logits


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

    @classmethod
    def from_spec(cls, settings: str) -> PolicyAgent:
        """Make the agent of ``PATH[,temperature=T]``.

        Raises:
            ValueError: when the file is no checkpoint or a setting is wrong.
        """
        path, _, rest = settings.partition(",")
        if not path:
            raise ValueError("agent 'checkpoint' needs a file: checkpoint:PATH[,temperature=T]")
        temperature = 0.0
        for key, value in split_spec(f"checkpoint:{rest}", "agent")[1].items():
            if key != "temperature":
                raise unknown_name("checkpoint setting", key, ["temperature"])
            try:
                temperature = float(value)
            except ValueError:
                raise ValueError(f"temperature {value!r} is not a number") from None
        return cls(load_checkpoint(path), temperature, name=Path(path).stem)

    def _logits(self, views: Views) -> npt.NDArray[np.float32]:
        """Return the masked logits of views with renamed suits, float32[n, num_actions]; illegal ones are −inf."""
        masks = np.empty((len(views), self._rules.num_actions), np.int8)
        write_masks(np.ascontiguousarray(views["legal"]), masks)
        logits = forward(self.checkpoint.layers, observe(views, self._rules))
        logits[masks == 0] = -np.inf
        return logits

    def probabilities(self, views: Views) -> npt.NDArray[np.float64]:
        """Return the chance of each action at temperature 1, float64[n, num_actions]."""
        renamed, suits = canonical_views(views)
        chances = _softmax(self._logits(renamed))
        cells = 13 * suits[:, :, None].astype(np.int64) + np.arange(13)
        probabilities: npt.NDArray[np.float64] = chances.copy()  # actions that are not cards stay where they are
        np.put_along_axis(probabilities, cells.reshape(len(views), -1), chances[:, :52], axis=1)
        return probabilities

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one card per view, int64[n]."""
        renamed, suits = canonical_views(views)
        logits = self._logits(renamed)
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

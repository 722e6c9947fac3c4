"""``champion`` or ``checkpoint:PATH``: a trained network as an agent, one forward pass for a whole batch of views.

A network that was never shown an endgame, as its card says, leaves it to the exact solver, as any ``NAME+exact`` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Actions, Agent, Views
from german_whist.agents.endgame.exact_agent import ExactEndgame, exact_where_open
from german_whist.agents.policy.canonical import by_name, canonical_views, true_cards
from german_whist.agents.policy.checkpoint import Checkpoint, check_endgame, load_checkpoint
from german_whist.agents.policy.game_check import check_same_game
from german_whist.agents.policy.mlp_forward import PhasedNetwork
from german_whist.envs.engine.endgame_hook import PLAYED, SOLVED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.vector import observe
from german_whist.envs.observation.vector_kernels import write_masks
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.specs import split_spec, unknown_name

_SETTINGS = ("temperature", "endgame")


class PolicyAgent:
    """Plays a policy network, its best card or a sample of its distribution.

    Attributes:
        name: what it is called.
        checkpoint: the network and its card.
        temperature: 0 plays the most likely card; T > 0 samples from the logits divided by T.
        endgame: ``"played"`` by the network, or ``"solved"``: perfect where the opponent's hand is known.
    """

    def __init__(
        self, checkpoint: Checkpoint, temperature: float = 0.0, name: str = "policy", endgame: str = PLAYED
    ) -> None:
        """Take a network, whatever its card says of endgames.

        Raises:
            ValueError: when the temperature is negative or not finite, or there is no such endgame.
        """
        if not 0 <= temperature < float("inf"):
            raise ValueError(f"temperature {temperature} is not allowed: 0 (best card) or a positive number")
        self.name = name
        self.checkpoint = checkpoint
        self.temperature = temperature
        self.endgame = check_endgame(endgame)
        self._rules: Rules = checkpoint.rules
        self._network = PhasedNetwork(checkpoint)

    @classmethod
    def from_spec(cls, settings: str) -> PolicyAgent:
        """Make the agent of ``PATH[,temperature=T][,endgame=HOW]``; its card says how it ends a deal by itself.

        Raises:
            ValueError: when the file is no checkpoint or a setting is wrong.
        """
        path, _, rest = settings.partition(",")
        if not path:
            raise ValueError("agent 'checkpoint' needs a file: checkpoint:PATH[,temperature=T][,endgame=HOW]")
        return cls.from_settings(load_checkpoint(path), Path(path).stem, "checkpoint", rest)

    @classmethod
    def from_settings(cls, checkpoint: Checkpoint, name: str, kind: str, settings: str) -> PolicyAgent:
        """Make the agent ``name`` with the settings that its specification, which begins with ``kind``, ends in."""
        given = split_spec(f"{kind}:{settings}", "agent")[1]
        for key in given:
            if key not in _SETTINGS:
                raise unknown_name(f"{kind} setting", key, _SETTINGS)
        return cls(checkpoint, _number(given.get("temperature", "0")), name, given.get("endgame", checkpoint.endgame))

    def _look(self, views: Views) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Return the masked logits by role, float32[n, num_actions], −inf for illegal actions, and the roles.

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        check_same_game(self.name, self._rules, views)
        return self._logits(views)

    def _logits(self, views: Views) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        renamed, roles = canonical_views(views, self.checkpoint.ranks)
        masks = np.empty((len(views), self._rules.num_actions), np.int8)
        write_masks(np.ascontiguousarray(renamed["legal"]), masks)
        logits = self._network.logits(observe(renamed, self._rules))
        logits[masks == 0] = -np.inf
        return logits, roles

    def probabilities(self, views: Views) -> npt.NDArray[np.float64]:
        """Return the network's chance of each action at temperature 1, float64[n, num_actions].

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        logits, roles = self._look(views)
        return by_name(_softmax(logits), roles)

    def worth(self, views: Views) -> npt.NDArray[np.float64] | None:
        """Return how many tricks each action is worth less than the best, float64[n, num_actions].

        It is 0 for the best action and −inf for those that are not legal; ``None`` for a network whose logits tell no
        worth.

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        if self.checkpoint.logits_a_trick is None:
            return None
        logits, roles = self._look(views)
        below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
        return by_name(below / self.checkpoint.logits_a_trick, roles)

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one card per view, int64[n].

        Raises:
            ValueError: when a view is of another game than the network was trained for.
        """
        check_same_game(self.name, self._rules, views)
        if self.endgame == SOLVED:
            return exact_where_open(self._by_network, views, rng)
        return self._by_network(views, rng)

    def _by_network(self, views: Views, rng: Any) -> Actions:
        logits, roles = self._logits(views)
        if self.temperature == 0:
            return true_cards(np.argmax(logits, axis=1), roles)
        weights = _softmax(logits, self.temperature).cumsum(axis=1)
        thresholds = rng.random(len(views)) * weights[:, -1]
        return true_cards(np.argmax(weights > thresholds[:, None], axis=1), roles)


def _softmax(logits: npt.NDArray[np.float32], temperature: float = 1.0) -> npt.NDArray[np.float64]:
    below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
    with np.errstate(over="ignore"):  # a low temperature leaves the best card alone
        weights = np.exp(below / temperature)
    chances: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return chances


def rules_of(agent: Agent) -> Rules | None:
    """Return the game that an agent was trained for, whatever endgame it plays; ``None`` for other agents."""
    policy = _network_of(agent)
    return policy.checkpoint.rules if policy else None


def check_trained_for(agent: Agent, rules: Rules) -> None:
    """Refuse an agent whose network was trained for another game, before a deal of this one is played.

    Raises:
        ValueError: when its first views of some deals are not of the game that it was trained for.
    """
    policy = _network_of(agent)
    if policy:
        # Half the deals of ``high_low`` are low: by 64 of them every game has shown how it begins.
        check_same_game(policy.name, policy.checkpoint.rules, DealBatch(rules, 64, seed=0).views())


def _network_of(agent: Agent) -> PolicyAgent | None:
    policy = getattr(agent, "agent", agent)
    return policy if isinstance(policy, PolicyAgent) else None


def solves_endgame(agent: Agent) -> bool:
    """Return whether an agent's endgame is perfect already."""
    return isinstance(agent, ExactEndgame) or (isinstance(agent, PolicyAgent) and agent.endgame == SOLVED)


def _number(temperature: str) -> float:
    try:
        return float(temperature)
    except ValueError:
        raise ValueError(f"temperature {temperature!r} is not a number") from None

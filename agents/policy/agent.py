"""The agent of a policy network, as in ``champion`` or ``checkpoint:PATH``: one forward pass per batch of decisions.

Here the network plays the endgame, too. ``registry.make_agent`` adds an exact endgame where the model card or the
specification string says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import (
    ACTION_VALUES,
    POLICY,
    VALUES,
    ActionValues,
    Agent,
    Evaluation,
    Field,
    StateValues,
)
from german_whist.agents.bots.base import check_open_endgame
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.policy.network.forward import forward
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL
from german_whist.game.cards import NUM_ACTIONS
from german_whist.game.rules import Rules
from german_whist.game.utils.backend import Array
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.text.rules_text import rules_spec

if TYPE_CHECKING:
    from torch import Tensor

    from german_whist.agents.policy.network.mlp import FrozenMLP


# Assumed standard deviation of the error of a network's advantages, in tricks. The less a network is trusted, the more
# a search gains against the heuristic bot, and the less against the network itself.
NETWORK_SD = 0.3
# Gain in chance to win per expected trick of margin, in an even deal: agents with mean margins of 0.35 and 2.16 tricks
# win 53.2 % and 67.6 %.
WIN_PER_TRICK = 0.08


class PolicyAgent(Agent):
    """Plays a policy network: the action with the highest logit, or a sample from the softmax.

    Attributes:
        name: the agent's name in results and errors.
        checkpoint: the network and its model card.
        temperature: 0 plays the most likely action; T > 0 samples from the softmax of the logits divided by T.
        rules: the rules of the game that the agent plays.
    """

    takes_tensors = True
    rules: Rules

    def __init__(
        self, checkpoint: Checkpoint, temperature: float = 0.0, name: str = "policy", rules: Rules | None = None
    ) -> None:
        """Make an agent of a network; the endgame setting of its model card is ignored.

        Args:
            checkpoint: the network.
            temperature: 0 or a positive number.
            name: the agent's name in results and errors.
            rules: the rules of the game; by default those that the network was trained for. Only a network with
                universal inputs can play others.

        Raises:
            ValueError: when the temperature is negative or not finite, or the network cannot play these rules.
        """
        if not 0 <= temperature < float("inf"):
            raise ValueError(f"temperature must be 0 (best card) or a positive number, got {temperature}")
        self.name = name
        self.checkpoint = checkpoint
        self.temperature = temperature
        self.rules = checkpoint.rules if rules is None else rules
        if checkpoint.inputs == UNIVERSAL:
            check_open_endgame(name, self.rules)
        elif not checkpoint.rules.plays_like(self.rules):
            raise ValueError(
                f"agent {name!r} was trained for {rules_spec(checkpoint.rules)!r} and plays no other game, "
                f"not {rules_spec(self.rules)!r}"
            )
        self.evaluates = frozenset({POLICY, ACTION_VALUES, *([VALUES] if checkpoint.value else [])})
        self._modules: dict[Any, FrozenMLP] = {}  # keys: torch.device

    @property
    def prior(self) -> PolicyAgent:
        """The agent itself."""
        return self

    def act(self, decisions: Decisions) -> Array:
        """Return one legal action per decision, int64[n]; at a temperature above 0, random numbers are drawn.

        On a GPU, see :meth:`act_with_torch`.
        """
        if decisions.backend.is_gpu:
            return self.act_with_torch(decisions)
        seen, logits = self._logits(decisions)
        if self.temperature == 0:
            actions = np.argmax(logits, axis=1)
        else:
            weights = _softmax(logits, self.temperature).cumsum(axis=1)
            thresholds = decisions.rng.random(len(decisions)) * weights[:, -1]
            actions = np.argmax(weights > thresholds[:, None], axis=1)
        found: Array = decisions.backend.array(seen.decode(actions))
        return found

    def act_with_torch(self, decisions: Decisions[Any]) -> Tensor:
        """Return one legal action per decision, int64[n], for decisions in tensors; torch evaluates the network.

        Its rounding differs from that of the compiled forward pass, so another of several nearly equal actions may be
        chosen.
        """
        import torch

        device = decisions.backend.torch_device
        if device not in self._modules:
            from german_whist.agents.policy.network.mlp import FrozenMLP, mlp_of

            self._modules[device] = FrozenMLP(mlp_of(self.checkpoint.layers, self.checkpoint.suit_layers).to(device))
        seen: Decisions[Tensor] = decisions.canonical(self.checkpoint.ranks)
        views: Any = seen.views  # a ``StructTensor`` there
        outputs = self._modules[device](network_inputs(views, self.rules, self.checkpoint.inputs))
        masks = seen.action_masks
        logits = outputs[:, : masks.shape[1]].masked_fill(~masks, -torch.inf)
        if self.temperature == 0:
            actions = logits.argmax(1)
        else:
            weights = torch.softmax(logits.double() / self.temperature, 1).cumsum(1)
            thresholds = torch.as_tensor(decisions.rng.random(len(decisions)), device=device) * weights[:, -1]
            actions = (weights > thresholds[:, None]).int().argmax(1)
        found: Tensor = seen.decode(actions)
        return found

    def evaluate(self, decisions: Decisions, *fields: Field) -> Evaluation:
        """Return what is asked for.

        - The policy is that of :meth:`act`, at its temperature.
        - Action values are the network's advantages over its best action: its estimates of Q(s, a) − max Q(s, ·) in
          tricks of margin. Of a network whose logits are not action values (from ``trainer: sb3``), an action that is e
          times as likely counts as ``1 / LOGITS_PER_TRICK`` tricks better.
        - Values are the value network's, for deals in which both seats play this policy.
        """
        policy = values = action_values = None
        seen, logits = self._logits(decisions)
        if POLICY in fields:
            policy = seen.decode_values(self._probabilities(logits))
        if ACTION_VALUES in fields or VALUES in fields:
            action_values = self._action_values(seen, logits)
        if VALUES in fields and self.checkpoint.packed_value is not None:
            inputs = network_inputs(seen.views, self.rules, self.checkpoint.inputs)
            outputs = forward(self.checkpoint.packed_value, inputs).astype(np.float64)
            assert action_values is not None
            values = StateValues(action_values.actions, outputs[:, 0].copy(), 1 / (1 + np.exp(-outputs[:, 1])))
        return Evaluation(policy, values, action_values if ACTION_VALUES in fields else None)

    def _logits(self, decisions: Decisions) -> tuple[Decisions, npt.NDArray[np.float32]]:
        """Return the decisions as the network sees them, and its logits, float32[n, num_actions], −∞ for illegal."""
        seen = decisions.on_host().canonical(self.checkpoint.ranks)
        logits = forward(self.checkpoint.packed, network_inputs(seen.views, self.rules, self.checkpoint.inputs))
        masks = seen.action_masks
        logits = logits[:, : masks.shape[1]]  # later actions are not legal in this game
        logits[~masks] = -np.inf
        return seen, logits

    def _probabilities(self, logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Return the probability with which :meth:`act` plays each canonical action."""
        if self.temperature > 0:
            return _softmax(logits, self.temperature)
        chances = np.zeros(logits.shape)
        chances[np.arange(len(logits)), np.argmax(logits, axis=1)] = 1.0
        return chances

    def _action_values(self, seen: Decisions, logits: npt.NDArray[np.float32]) -> ActionValues:
        if self.checkpoint.logits_per_trick is None:
            chances = seen.decode_values(_softmax(logits))
            with np.errstate(divide="ignore"):
                advantages = np.log(chances / chances.max(axis=1, keepdims=True)) / LOGITS_PER_TRICK
        else:
            below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
            advantages = seen.decode_values(below / self.checkpoint.logits_per_trick)
        gains = np.full((len(logits), NUM_ACTIONS), np.nan)
        gains[:, : advantages.shape[1]] = np.where(np.isfinite(advantages), advantages, np.nan)
        errors = np.where(np.isnan(gains), np.nan, NETWORK_SD)
        best = np.nanargmax(gains, axis=1)
        errors[np.arange(len(gains)), best] = 0.0
        return ActionValues(best, gains, errors, np.full(gains.shape, np.nan), errors * WIN_PER_TRICK)


def _softmax(logits: npt.NDArray[np.float32], temperature: float = 1.0) -> npt.NDArray[np.float64]:
    below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
    with np.errstate(over="ignore"):  # a very low temperature makes quotients −∞, weights 0
        weights = np.exp(below / temperature)
    probabilities: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return probabilities

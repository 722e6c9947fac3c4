"""The agent of a policy network, as in ``champion`` or ``checkpoint:PATH``: one forward pass per batch of views.

Here the network plays the endgame, too. ``registry.make_agent`` adds an exact endgame where the model card or the
specification string says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import Actions, ActionValues, Agent, Evaluation, Histories
from german_whist.agents.bots.base import check_open_endgame
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.input_kernels import write_network_inputs
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL
from german_whist.game.cards import NUM_ACTIONS
from german_whist.game.rules import Rules
from german_whist.game.utils.backend import StructTensor, TorchBackend
from german_whist.simulator.observation.canonical import (
    canonical_views,
    canonical_views_on,
    decode_actions,
    decode_actions_on,
    decode_values,
)
from german_whist.simulator.observation.vector_kernels import write_masks, write_view_masks
from german_whist.simulator.observation.views import Views, check_view_array
from german_whist.simulator.text.rules_text import rules_spec

if TYPE_CHECKING:
    from torch import Tensor


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
        self._network, self._value = checkpoint.forward, checkpoint.value_forward
        self._on_gpu: dict[Any, _GpuNetwork] = {}  # by torch.device

    rules: Rules

    @property
    def network(self) -> PolicyAgent:
        """The agent itself."""
        return self

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one legal action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,).
            rng: a generator with a method ``random``, such as ``numpy.random.Generator``; may be ``None`` at
                temperature 0.

        Raises:
            ValueError: when ``views`` is not an array of views.
        """
        logits, relabeling = self._logits(views)
        if self.temperature == 0:
            return decode_actions(np.argmax(logits, axis=1), relabeling)
        weights = _softmax(logits, self.temperature).cumsum(axis=1)
        thresholds = rng.random(len(views)) * weights[:, -1]
        return decode_actions(np.argmax(weights > thresholds[:, None], axis=1), relabeling)

    def act_on(self, device: TorchBackend, views: StructTensor, rng: Any = None) -> Tensor:
        """Return one legal action per view, int64[n]; on a GPU torch evaluates the network in float32.

        Its rounding differs from that of ``act``, so another of several nearly equal actions may be chosen.
        """
        if not device.is_gpu:
            return super().act_on(device, views, rng)
        if device.torch_device not in self._on_gpu:
            self._on_gpu[device.torch_device] = _GpuNetwork(self.checkpoint, self.rules, device)
        return self._on_gpu[device.torch_device].act(views, self.temperature, rng)

    def probabilities(self, views: Views) -> npt.NDArray[np.float64]:
        """Return the probability of each action at temperature 1, float64[n, num_actions]; 0 for illegal actions.

        Args:
            views: ``VIEW`` array of shape (n,).
        """
        logits, relabeling = self._logits(views)
        return decode_values(_softmax(logits), relabeling)

    def policy(self, views: Views) -> npt.NDArray[np.float64]:
        """Return the probability with which :meth:`act` plays each action, float64[n, num_actions].

        Args:
            views: ``VIEW`` array of shape (n,).
        """
        logits, relabeling = self._logits(views)
        if self.temperature > 0:
            return decode_values(_softmax(logits, self.temperature), relabeling)
        chances = np.zeros(logits.shape)
        chances[np.arange(len(views)), np.argmax(logits, axis=1)] = 1.0
        return decode_values(chances, relabeling)

    def advantages(self, views: Views) -> npt.NDArray[np.float64] | None:
        """Return the advantage of each action over the best one, in tricks of margin, float64[n, num_actions].

        That is the network's estimate of Q(s, a) − max Q(s, ·): 0 for the best action, negative for others, −∞ for
        illegal ones.

        Args:
            views: ``VIEW`` array of shape (n,).

        Returns:
            The advantages, or ``None`` for a network whose logits are not action values (from ``trainer: sb3``).
        """
        if self.checkpoint.logits_per_trick is None:
            return None
        logits, relabeling = self._logits(views)
        below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
        return decode_values(below / self.checkpoint.logits_per_trick, relabeling)

    def estimated_advantages(self, views: Views) -> npt.NDArray[np.float64]:
        """Return :meth:`advantages`, or for a network without action values what its probabilities say.

        An action that is e times as likely then counts as ``1 / LOGITS_PER_TRICK`` tricks better.
        """
        known = self.advantages(views)
        if known is not None:
            return known
        chances = self.probabilities(views)
        with np.errstate(divide="ignore"):
            relative: npt.NDArray[np.float64] = np.log(chances / chances.max(axis=1, keepdims=True))
        return relative / LOGITS_PER_TRICK

    def action_values(self, views: Views, rng: Any = None, histories: Histories | None = None) -> ActionValues:
        """Return the network's best actions, and the estimated advantages of all actions over them."""
        gains = np.full((len(views), NUM_ACTIONS), np.nan)
        known = self.estimated_advantages(views)
        gains[:, : known.shape[1]] = np.where(np.isfinite(known), known, np.nan)
        errors = np.where(np.isnan(gains), np.nan, NETWORK_SD)
        best = np.nanargmax(gains, axis=1)
        errors[np.arange(len(views)), best] = 0.0
        return ActionValues(best, gains, errors, np.full(gains.shape, np.nan), errors * WIN_PER_TRICK)

    def values(self, views: Views) -> Evaluation | None:
        """Return the value network's estimates for deals in which both seats play this policy.

        Args:
            views: ``VIEW`` array of shape (n,), each of a seat to act.

        Returns:
            Expected margins and chances to win, float64[n] each, or ``None`` for a checkpoint without a value network.
        """
        check_view_array(views)
        if self._value is None:
            return None
        canonical, _ = canonical_views(views, self.checkpoint.ranks)
        outputs = self._value.logits(network_inputs(canonical, self.rules, self.checkpoint.inputs)).astype(np.float64)
        return Evaluation(outputs[:, 0].copy(), 1 / (1 + np.exp(-outputs[:, 1])))

    def _logits(self, views: Views) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Return the logits of canonical actions, float32[n, num_actions], −∞ for illegal ones, and the relabeling."""
        check_view_array(views)
        canonical, relabeling = canonical_views(views, self.checkpoint.ranks)
        masks = np.empty((len(views), self.checkpoint.sizes[-1]), np.int8)
        write_masks(len(canonical), np.ascontiguousarray(canonical["legal"]), masks)
        logits = self._network.logits(network_inputs(canonical, self.rules, self.checkpoint.inputs))
        logits[masks == 0] = -np.inf
        return logits, relabeling


class _GpuNetwork:
    def __init__(self, checkpoint: Checkpoint, rules: Rules, device: TorchBackend) -> None:
        from german_whist.agents.policy.network.mlp import FrozenMLP, mlp_of

        self._device, self._rules = device, rules
        self._network = FrozenMLP(mlp_of(checkpoint.layers, checkpoint.suit_layers).to(device.torch_device))
        self._features, *_, self._actions = checkpoint.sizes
        self._is_universal = checkpoint.inputs == UNIVERSAL
        self._ranks = checkpoint.ranks

    def act(self, views: StructTensor, temperature: float, rng: Any) -> Tensor:
        """Return one legal action per view, int64[n]; see :class:`PolicyAgent`."""
        import torch

        device, count = self._device, len(views.bytes)
        canonical, relabeling = canonical_views_on(device, views, self._ranks)
        features = device.zeros((count, self._features), "int8")
        device.launch(write_network_inputs, count, self._rules.record, canonical, self._is_universal, features)
        masks = device.zeros((count, self._actions), "int8")
        device.launch(write_view_masks, count, canonical, masks)
        logits = self._network(features).masked_fill(masks == 0, -torch.inf)
        if temperature == 0:
            chosen = logits.argmax(1)
        else:
            weights = torch.softmax(logits.double() / temperature, 1).cumsum(1)
            thresholds = torch.as_tensor(rng.random(count), device=device.torch_device) * weights[:, -1]
            chosen = (weights > thresholds[:, None]).int().argmax(1)
        actions: Tensor = decode_actions_on(device, chosen, relabeling)
        return actions


def _softmax(logits: npt.NDArray[np.float32], temperature: float = 1.0) -> npt.NDArray[np.float64]:
    below = (logits - logits.max(axis=1, keepdims=True)).astype(np.float64)
    with np.errstate(over="ignore"):  # at a very low temperature the quotient is −∞ and the weight 0
        weights = np.exp(below / temperature)
    probabilities: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return probabilities

"""Proximal policy optimisation for self-play: the whole algorithm.

Where its details come from:

- Clipped surrogate objective: Schulman et al., arXiv 1707.06347. Orthogonal weights, Adam's epsilon of 1e-5, normalised
  advantages, joint clipping of gradients, linear schedules: Huang et al., "The 37 Implementation Details of Proximal
  Policy Optimization" (ICLR blog track 2022), as in their CleanRL, ``ppo.py``.
- Illegal actions are masked before the softmax: Huang and Ontañón, arXiv 2006.14171.
- Generalised advantage estimation, arXiv 1506.02438, seat by seat: ``training/rollouts/return_kernels.py``.
- A critic that sees what the actor cannot: Pinto et al., arXiv 1710.06542.
- Divergence from a magnet policy: Sokota et al., "A Unified Approach to Reinforcement Learning, Quantal Response
  Equilibria, and Two-Player Zero-Sum Games", arXiv 2206.05825. The magnet is the moving average of the policy's own
  weights: Maidment et al., "EMAgnet", arXiv 2606.23995.
- Advantages are normalised over the whole rollout, not each minibatch, so that they do not depend on how the
  minibatches fall, nor on the number of processes; the value loss is not clipped, which Andrychowicz et al.,
  arXiv 2006.05990, found to do no good.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

from german_whist.agents.policy.checkpoint import Layer
from german_whist.training.config.schema import PPOConfig
from german_whist.training.networks.mlp import ACTOR_GAIN, CRITIC_GAIN, MLP, compute_dtype
from german_whist.training.networks.optimizer import Optimizer, tensor_of_shape
from german_whist.training.rollouts.collector import Rollout
from german_whist.training.rollouts.return_kernels import seat_advantages
from german_whist.training.run.distributed import Processes

VALUES_AT_ONCE = 16384  # decisions that the critic looks at together after a rollout
MASKED = -1e9  # logit of an illegal action; finite, so that 0 * log 0 is 0


class PPO:
    """Actor, critic, their optimiser, and one update.

    Attributes:
        actor: logits from an observation.
        critic: value to the seat to act, from an observation and, if it is so set, from what is hidden.
        magnet: moving average of the actor.
        optimizer: over actor and critic.
        updates: updates made so far.
    """

    def __init__(
        self, config: PPOConfig, scale: torch.Tensor, num_observations: int, actions: int, processes: Processes
    ) -> None:
        """Build the networks.

        Args:
            config: the settings.
            scale: what each cell is multiplied by, float32[cells].
            num_observations: the first cells, which the actor sees.
            actions: size of the action space.
            processes: those that learn together.
        """
        self.config = config
        self.device = torch.device(config.device)
        self.processes = processes
        self.num_observations = num_observations
        self.updates = 0
        torch.manual_seed(config.seed)
        self.actor = MLP(scale[:num_observations], config.hidden, actions, ACTOR_GAIN)
        self.critic = MLP(scale, config.critic_hidden, 1, CRITIC_GAIN)
        for network in (self.actor, self.critic):
            network.to(self.device)
            network.compute_dtype = compute_dtype(config.precision, self.device)
        self.magnet = copy.deepcopy(self.actor).requires_grad_(False)
        self.optimizer = Optimizer(config.optimizer, [self.actor, self.critic], config.learning_rate)

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the actor, and the magnet, from a checkpoint's layers.

        Raises:
            ValueError: when their sizes are others.
        """
        for network in (self.actor, self.magnet):
            network.load_raw_layers(layers, name)

    def layers(self) -> tuple[Layer, ...]:
        """Return the actor's layers, as they act on unscaled cells, for a checkpoint."""
        return self.actor.raw_layers()

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the learnt weights and what they are called."""
        for kind, network in (("actor", self.actor), ("critic", self.critic)):
            for name, weight in network.named_parameters():
                yield f"{kind}.{name}", weight

    @torch.inference_mode()
    def policy(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the actor's logits on the processor, float32[rows, actions], of cells int8[rows, num_observations]."""
        logits: torch.Tensor = self.actor(cells.to(self.device)).cpu()
        return logits

    @torch.inference_mode()
    def values(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the critic's values on the processor, float32[...], of cells int8[..., cells]."""
        flat = cells.reshape(-1, cells.shape[-1])
        parts = [self.critic(part.to(self.device)).cpu() for part in flat.split(VALUES_AT_ONCE)]
        values: torch.Tensor = torch.cat(parts).reshape(cells.shape[:-1])
        return values

    def update(self, rollout: Rollout, progress: float, warming_up: bool = False) -> dict[str, float]:
        """Learn from a rollout and return its metrics.

        Args:
            rollout: what the actor as it is now has played.
            progress: the share of the run that is done, for the schedules.
            warming_up: teach the critic alone.
        """
        config = self.config
        left = max(1.0 - progress, 0.0)
        rate = config.learning_rate_end + (config.learning_rate - config.learning_rate_end) * left
        entropy_weight = config.ent_coef_end + (config.ent_coef - config.ent_coef_end) * left
        batch = self._batch_of(rollout)
        parts = max(rollout.learnt.numel() // config.batch_size, 1)  # the same number in every process
        sums: dict[str, torch.Tensor] = {}
        largest = -(-len(batch["cells"]) // parts)
        cells = torch.empty((largest, batch["cells"].shape[1]), dtype=self.actor.compute_dtype, device=self.device)
        for epoch in range(config.epochs):
            for rows in self._minibatches(len(batch["advantages"]), parts, epoch):
                part = {name: entry.index_select(0, rows) for name, entry in batch.items()}
                # Converted once for both networks, into memory that stays: fresh pages cost more than the numbers.
                part["cells"] = cells[: len(rows)].copy_(part["cells"])
                losses = self._losses(part)
                loss = config.vf_coef * losses["value_loss"]
                if not warming_up:
                    loss = loss + losses["policy_loss"] - entropy_weight * losses["entropy"]
                    loss = loss + config.magnet * losses["magnet_kl"]
                self._step(loss, len(rows), rate)
                for name, value in {**losses, "loss": loss}.items():
                    sums[name] = sums.get(name, torch.zeros((), device=self.device)) + value.detach()
        self.updates += 1
        metrics = {f"losses/{name}": float(value) / (parts * config.epochs) for name, value in sums.items()}
        metrics["losses/explained_variance"] = _explained_variance(batch["values"], batch["returns"])
        metrics["charts/learning_rate"] = rate
        metrics["charts/entropy_weight"] = entropy_weight
        return metrics

    def _batch_of(self, rollout: Rollout) -> dict[str, torch.Tensor]:
        """Return the learner's decisions of a rollout with their values and advantages, first dimension decisions."""
        values = self.values(rollout.cells)
        advantages = np.empty(rollout.actions.shape, np.float32)
        seat_advantages(
            values[:-1].numpy(),
            rollout.seats[:-1].numpy(),
            rollout.ends.numpy(),
            rollout.rewards.numpy(),
            values[-1].numpy(),
            rollout.seats[-1].numpy(),
            self.config.gamma,
            self.config.gae_lambda,
            advantages,
        )
        batch = {
            "cells": rollout.cells[:-1],
            "masks": rollout.masks[:-1],
            "actions": rollout.actions,
            "log_probs": rollout.log_probs,
            "values": values[:-1],
            "advantages": torch.from_numpy(advantages),
        }
        batch = {name: entry.flatten(0, 1) for name, entry in batch.items()}
        if not bool(rollout.learnt.all()):
            learnt = rollout.learnt.flatten().nonzero().squeeze(1)
            batch = {name: entry.index_select(0, learnt) for name, entry in batch.items()}
        batch = {name: entry.to(self.device) for name, entry in batch.items()}
        batch["returns"] = batch["values"] + batch["advantages"]
        batch["advantages"] = self._normalised(batch["advantages"])
        return batch

    def _normalised(self, advantages: torch.Tensor) -> torch.Tensor:
        """Return advantages with mean 0 and standard deviation 1 over the rollouts of all processes."""
        exact = advantages.double()
        ones = torch.ones_like(exact)
        count, total, squares = self.processes.add(torch.stack([ones.sum(), exact.sum(), (exact * exact).sum()]))
        mean = total / count
        deviation = (squares / count - mean * mean).clamp(min=0).sqrt()
        normalised: torch.Tensor = ((exact - mean) / (deviation + 1e-8)).float()
        return normalised

    def _minibatches(self, decisions: int, parts: int, epoch: int) -> tuple[torch.Tensor, ...]:
        """Return the decisions of each minibatch, int64, in an order that depends on seed, update and epoch alone."""
        seed = np.random.SeedSequence([self.config.seed, self.processes.rank, self.updates, epoch])
        order = torch.from_numpy(np.random.default_rng(seed).permutation(decisions))
        return order.to(self.device).tensor_split(parts)

    def _losses(self, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return the means over a minibatch that make up the loss, and what tells how it goes."""
        config = self.config
        cells = batch["cells"]
        log_policy, chances = self._policy_of(self.actor, batch)
        chosen = log_policy.gather(1, batch["actions"][:, None]).squeeze(1)
        log_ratio = chosen - batch["log_probs"]
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        advantages = batch["advantages"]
        magnet_kl = torch.zeros((), device=self.device)
        if config.magnet:
            with torch.no_grad():
                log_magnet, _ = self._policy_of(self.magnet, batch)
            magnet_kl = (chances * (log_policy - log_magnet)).sum(1).mean()
        value_error = self.critic(cells).squeeze(1) - batch["returns"]
        with torch.no_grad():
            approx_kl = (ratio - 1 - log_ratio).mean()  # Schulman, "Approximating KL divergence" (2020), k3
            clip_fraction = ((ratio - 1).abs() > config.clip).float().mean()
        return {
            "policy_loss": -torch.minimum(ratio * advantages, clipped * advantages).mean(),
            "value_loss": 0.5 * (value_error * value_error).mean(),
            "entropy": -(chances * log_policy).sum(1).mean(),
            "magnet_kl": magnet_kl,
            "approx_kl": approx_kl,
            "clipfrac": clip_fraction,
        }

    def _policy_of(self, actor: nn.Module, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log probabilities and probabilities of the actions, float32[decisions, actions] each."""
        logits = torch.where(batch["masks"], actor(batch["cells"][:, : self.num_observations]), MASKED)
        return torch.log_softmax(logits, dim=1), torch.softmax(logits, dim=1)

    def _step(self, loss: torch.Tensor, decisions: int, rate: float) -> None:
        """Take one step down the mean gradient of all processes' minibatches."""
        self.optimizer.zero_grad()
        loss.backward()
        self.processes.average_gradients(self.optimizer.parameters, decisions)
        self.optimizer.step(rate, self.config.max_grad_norm)
        pairs = zip(self.magnet.parameters(), self.actor.parameters(), strict=True)
        with torch.no_grad():
            for average, weight in pairs:
                average.lerp_(weight, 1 - self.config.magnet_decay)

    def state(self) -> dict[str, Any]:
        """Return all that the next update depends on, as tensors on the processor."""
        tensors: dict[str, torch.Tensor] = {}
        for kind, network in (("actor", self.actor), ("critic", self.critic), ("magnet", self.magnet)):
            for name, weight in network.named_parameters():
                tensors[f"{kind}.{name}"] = weight.detach().cpu().clone()
        tensors |= self.optimizer.state()
        tensors["updates"] = torch.tensor([self.updates])
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        with torch.no_grad():
            for kind, network in (("actor", self.actor), ("critic", self.critic), ("magnet", self.magnet)):
                for name, weight in network.named_parameters():
                    weight.copy_(tensor_of_shape(tensors, f"{kind}.{name}", weight.shape))
        self.optimizer.load_state(tensors)
        self.updates = int(tensor_of_shape(tensors, "updates", torch.Size((1,))))


def _explained_variance(values: torch.Tensor, returns: torch.Tensor) -> float:
    spread = returns.var(unbiased=False)
    return float(1 - (returns - values).var(unbiased=False) / spread) if spread > 0 else float("nan")

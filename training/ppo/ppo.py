"""Proximal policy optimisation (PPO) for self-play: the whole algorithm.

Sources of the details:

- Clipped surrogate objective: Schulman et al., arXiv 1707.06347. Orthogonal weights, Adam's epsilon of 1e-5, normalised
  advantages, joint clipping of gradients, linear schedules: Huang et al., "The 37 Implementation Details of Proximal
  Policy Optimization" (ICLR blog track 2022), as in their CleanRL, ``ppo.py``.
- Illegal actions are masked before the softmax: Huang and Ontañón, arXiv 2006.14171.
- Generalised advantage estimation, arXiv 1506.02438, seat by seat: ``training/rollouts/return_kernels.py``.
- A critic that sees what the actor cannot: Pinto et al., arXiv 1710.06542.
- Divergence from a magnet policy: Sokota et al., "A Unified Approach to Reinforcement Learning, Quantal Response
  Equilibria, and Two-Player Zero-Sum Games", arXiv 2206.05825. The magnet is the moving average of the policy's own
  weights: Maidment et al., "EMAgnet", arXiv 2606.23995.
- Advantages are normalised over the whole rollout, not per minibatch, so that they depend neither on the shuffle nor on
  the number of processes. The value loss is not clipped: Andrychowicz et al., arXiv 2006.05990, found no benefit.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

from german_whist.agents.policy.network.layers import Layer
from german_whist.training.config.schema import PPOConfig
from german_whist.training.networks.mlp import ACTOR_GAIN, CRITIC_GAIN, compute_dtype
from german_whist.training.networks.optimizer import Optimizer
from german_whist.training.networks.suit_mlp import new_mlp
from german_whist.training.rollouts.collector import Rollout
from german_whist.training.rollouts.return_kernels import seat_advantages
from german_whist.training.run.distributed import Processes
from german_whist.training.run.resume_file import tensor_of_shape

VALUE_BATCH_SIZE = 16384  # decisions per forward pass of the critic
MASKED = -1e9  # logit of an illegal action; finite, so that 0 * log 0 is 0


class PPO:
    """Actor, critic, their optimiser, and the update.

    Attributes:
        actor: logits from an observation.
        critic: value to the seat to act, from an observation and, with ``critic_sees: all``, from what is hidden.
        magnet: moving average of the actor.
        optimizer: optimiser of actor and critic.
        updates: number of updates so far.
    """

    def __init__(
        self, config: PPOConfig, scale: torch.Tensor, num_observations: int, actions: int, processes: Processes
    ) -> None:
        """Build the networks.

        Args:
            config: the configuration, of which the slices ``network``, ``optimizer`` and ``ppo`` are kept.
            scale: factor of each feature, float32[features].
            num_observations: leading features, which the actor sees.
            actions: size of the action space.
            processes: the processes that train together.
        """
        self.settings = config.ppo
        self.seed = config.run.seed
        self.device = torch.device(config.run.device)
        self.processes = processes
        self.num_observations = num_observations
        self.updates = 0
        torch.manual_seed(self.seed)
        self.actor = new_mlp(scale[:num_observations], config.network.hidden, actions, ACTOR_GAIN)
        self.critic = new_mlp(scale, config.ppo.critic_hidden, 1, CRITIC_GAIN)
        for network in (self.actor, self.critic):
            network.to(self.device)
            network.compute_dtype = compute_dtype(config.network.precision, self.device)
        self.magnet = copy.deepcopy(self.actor).requires_grad_(False)
        self.optimizer_settings = config.optimizer
        self.optimizer = Optimizer(config.optimizer, [self.actor, self.critic])

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the actor, and the magnet, from a checkpoint's layers.

        Raises:
            ValueError: when their sizes differ.
        """
        for network in (self.actor, self.magnet):
            network.load_raw_layers(layers, name)

    def layers(self) -> tuple[Layer, ...]:
        """Return the actor's layers for unscaled features, as a checkpoint stores them."""
        return self.actor.raw_layers()

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        for kind, network in (("actor", self.actor), ("critic", self.critic)):
            for name, weight in network.named_parameters():
                yield f"{kind}.{name}", weight

    @torch.inference_mode()
    def policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the actor's logits on the CPU, float32[rows, actions], for int8[rows, num_observations]."""
        logits: torch.Tensor = self.actor(features.to(self.device)).cpu()
        return logits

    @torch.inference_mode()
    def values(self, features: torch.Tensor) -> torch.Tensor:
        """Return the critic's values on the CPU, float32[...], for features int8[..., features]."""
        flat = features.reshape(-1, features.shape[-1])
        parts = [self.critic(part.to(self.device)).cpu() for part in flat.split(VALUE_BATCH_SIZE)]
        values: torch.Tensor = torch.cat(parts).reshape(features.shape[:-1])
        return values

    def update(self, batch: Rollout, progress: float, *, value_only: bool = False) -> dict[str, float]:
        """Learn from a rollout and return its metrics.

        Args:
            batch: a rollout of the current actor.
            progress: share of the run that is done, for the schedules.
            value_only: train the critic alone.
        """
        settings, epochs = self.settings, self.optimizer_settings.epochs
        rate = self.optimizer_settings.learning_rate_at(1.0 - progress)
        ent_coef = settings.ent_coef_at(1.0 - progress)
        decisions = self._decisions_of(batch)
        parts = max(batch.learner_mask.numel() // self.optimizer_settings.batch_size, 1)  # equal in all processes
        sums: dict[str, torch.Tensor] = {}
        largest = -(-len(decisions["features"]) // parts)
        width = decisions["features"].shape[1]
        features = torch.empty((largest, width), dtype=self.actor.compute_dtype, device=self.device)
        for epoch in range(epochs):
            for rows in self._minibatches(len(decisions["advantages"]), parts, epoch):
                part = {name: entry.index_select(0, rows) for name, entry in decisions.items()}
                # Converted once for both networks, into memory that is reused: fresh pages cost more than the copy.
                part["features"] = features[: len(rows)].copy_(part["features"])
                losses = self._losses(part)
                loss = settings.vf_coef * losses["value_loss"]
                if not value_only:
                    loss = loss + losses["policy_loss"] - ent_coef * losses["entropy"]
                    loss = loss + settings.magnet * losses["magnet_kl"]
                self._step(loss, len(rows), rate)
                for name, value in {**losses, "loss": loss}.items():
                    sums[name] = sums.get(name, torch.zeros((), device=self.device)) + value.detach()
        self.updates += 1
        metrics = {f"losses/{name}": float(value) / (parts * epochs) for name, value in sums.items()}
        metrics["losses/explained_variance"] = _explained_variance(decisions["values"], decisions["returns"])
        metrics["charts/learning_rate"] = rate
        metrics["charts/ent_coef"] = ent_coef
        return metrics

    def _decisions_of(self, rollout: Rollout) -> dict[str, torch.Tensor]:
        """Return the learner's decisions of a rollout with values and advantages, each [decisions, ...]."""
        values = self.values(rollout.features)
        advantages = np.empty(rollout.actions.shape, np.float32)
        seat_advantages(
            values[:-1].numpy(),
            rollout.seats[:-1].numpy(),
            rollout.ends.numpy(),
            rollout.rewards.numpy(),
            values[-1].numpy(),
            rollout.seats[-1].numpy(),
            self.settings.gamma,
            self.settings.gae_lambda,
            advantages,
        )
        batch = {
            "features": rollout.features[:-1],
            "masks": rollout.masks[:-1],
            "actions": rollout.actions,
            "log_probs": rollout.log_probs,
            "values": values[:-1],
            "advantages": torch.from_numpy(advantages),
        }
        batch = {name: entry.flatten(0, 1) for name, entry in batch.items()}
        if not bool(rollout.learner_mask.all()):
            rows = rollout.learner_mask.flatten().nonzero().squeeze(1)
            batch = {name: entry.index_select(0, rows) for name, entry in batch.items()}
        batch = {name: entry.to(self.device) for name, entry in batch.items()}
        batch["returns"] = batch["values"] + batch["advantages"]
        batch["advantages"] = self._normalised(batch["advantages"])
        return batch

    def _normalised(self, advantages: torch.Tensor) -> torch.Tensor:
        """Return advantages with mean 0 and standard deviation 1 over the rollouts of all processes."""
        exact = advantages.double()
        ones = torch.ones_like(exact)
        count, total, squares = self.processes.all_reduce(torch.stack([ones.sum(), exact.sum(), (exact * exact).sum()]))
        mean = total / count
        deviation = (squares / count - mean * mean).clamp(min=0).sqrt()
        normalised: torch.Tensor = ((exact - mean) / (deviation + 1e-8)).float()
        return normalised

    def _minibatches(self, decisions: int, parts: int, epoch: int) -> tuple[torch.Tensor, ...]:
        """Return the decisions of each minibatch, int64, shuffled by seed, update and epoch alone."""
        seed = np.random.SeedSequence([self.seed, self.processes.rank, self.updates, epoch])
        order = torch.from_numpy(np.random.default_rng(seed).permutation(decisions))
        return order.to(self.device).tensor_split(parts)

    def _losses(self, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return the terms of the loss and the diagnostics, as means over a minibatch."""
        clip_coef = self.settings.clip_coef
        features = batch["features"]
        log_policy, probabilities = self._policy_of(self.actor, batch)
        chosen = log_policy.gather(1, batch["actions"][:, None]).squeeze(1)
        log_ratio = chosen - batch["log_probs"]
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - clip_coef, 1 + clip_coef)
        advantages = batch["advantages"]
        magnet_kl = torch.zeros((), device=self.device)
        if self.settings.magnet:
            with torch.no_grad():
                log_magnet, _ = self._policy_of(self.magnet, batch)
            magnet_kl = (probabilities * (log_policy - log_magnet)).sum(1).mean()
        value_error = self.critic(features).squeeze(1) - batch["returns"]
        with torch.no_grad():
            approx_kl = (ratio - 1 - log_ratio).mean()  # Schulman, "Approximating KL divergence" (2020), k3
            clip_fraction = ((ratio - 1).abs() > clip_coef).float().mean()
        return {
            "policy_loss": -torch.minimum(ratio * advantages, clipped * advantages).mean(),
            "value_loss": 0.5 * (value_error * value_error).mean(),
            "entropy": -(probabilities * log_policy).sum(1).mean(),
            "magnet_kl": magnet_kl,
            "approx_kl": approx_kl,
            "clipfrac": clip_fraction,
        }

    def _policy_of(self, actor: nn.Module, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log probabilities and probabilities of the actions, float32[decisions, actions] each."""
        logits = torch.where(batch["masks"], actor(batch["features"][:, : self.num_observations]), MASKED)
        return torch.log_softmax(logits, dim=1), torch.softmax(logits, dim=1)

    def _step(self, loss: torch.Tensor, decisions: int, rate: float) -> None:
        """Take a gradient step on the mean loss of all processes' minibatches."""
        self.optimizer.zero_grad()
        loss.backward()
        self.processes.average_gradients(self.optimizer.parameters, decisions)
        self.optimizer.step(rate)
        pairs = zip(self.magnet.parameters(), self.actor.parameters(), strict=True)
        with torch.no_grad():
            for average, weight in pairs:
                average.lerp_(weight, 1 - self.settings.magnet_decay)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that the next update depends on, as tensors on the CPU."""
        tensors: dict[str, torch.Tensor] = {}
        for kind, network in (("actor", self.actor), ("critic", self.critic), ("magnet", self.magnet)):
            for name, weight in network.named_parameters():
                tensors[f"{kind}.{name}"] = weight.detach().cpu().clone()
        tensors |= self.optimizer.state()
        tensors["updates"] = torch.tensor([self.updates])
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned.

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

"""The learner of our own trainer: deals, networks, past selves, checkpoints, snapshots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, Layer, load_checkpoint
from german_whist.agents.pretrained.catalog import find_network
from german_whist.agents.registry import make_agent
from german_whist.arena.match_result import MatchResult
from german_whist.envs.engine.rules import rules
from german_whist.envs.observation.vector import observation_layout
from german_whist.training.config.schema import PPOConfig
from german_whist.training.networks.mlp import feature_scale
from german_whist.training.ppo.algorithm import Algorithm
from german_whist.training.ppo.ppo import PPO
from german_whist.training.ppo.snapshot import Snapshot, unusable
from german_whist.training.rollouts.collector import Collector, Rollout
from german_whist.training.rollouts.opponent_mix import POOL, SELF
from german_whist.training.run.device import check_device
from german_whist.training.run.directory import RunDirectory, code_version
from german_whist.training.run.distributed import Processes
from german_whist.training.run.evaluation import evaluate

EVALUATED = {"played": "played", "solved": "exact"}  # how endgames are played in evaluations
EXPLODED = 1e3  # a loss beyond this is lost: rewards are at most 1, so that usual losses are below 1


class PPOLearner:
    """Everything of a run but its records.

    Attributes:
        config: the settings.
        run: the folder that checkpoints go to.
        decisions: trained on so far, by all processes.
        collector: plays the deals.
        algorithm: the networks and how they learn.
    """

    METRICS: tuple[str, ...] = (
        "charts/SPS",
        "charts/seconds",
        "charts/learning_rate",
        "charts/entropy_weight",
        "losses/loss",
        "losses/policy_loss",
        "losses/value_loss",
        "losses/entropy",
        "losses/magnet_kl",
        "losses/approx_kl",
        "losses/clipfrac",
        "losses/explained_variance",
    )
    LOGITS_A_TRICK: float | None = None  # where logits tell what cards are worth

    algorithm: Algorithm

    def __init__(self, config: PPOConfig, run: RunDirectory, processes: Processes) -> None:
        """Build a new learner.

        Raises:
            ValueError: when the device does not exist, or the network is too large.
        """
        check_device(config.device)
        self.config = config
        self.run = run
        self.processes = processes
        self.rules = rules(config.rules)
        self.decisions = 0
        self._pool: list[PolicyAgent] = []
        self._judges = [(name, make_agent(name)) for name in config.evaluate_against]
        self.collector = self._make_collector({name: self._maker(name) for name in config.opponents if name != SELF})
        scale = feature_scale(self.collector.high, observation_layout(self.rules).get("low"))
        try:
            self.algorithm = self._make_algorithm(
                scale, self.collector.num_observations, self.collector.batch.num_actions
            )
        except RuntimeError as error:  # as torch says that memory is short
            raise ValueError(f"the network cannot be made: {str(error).splitlines()[0]}") from None

    def begin(self) -> None:
        """Start from ``config.init``, if there is one, and write the first checkpoint.

        Raises:
            ValueError: when there is no such network, or it is another.
        """
        config = self.config
        if config.init:
            try:
                start = find_network(config.init)
            except ValueError as error:
                raise ValueError(f"init: {error}") from None
            if start.ranks != config.ranks:
                raise ValueError(f"init: {config.init!r} sees ranks {start.ranks}: set ranks to {start.ranks}")
            phases = list(start.phases)
            if phases and phases != getattr(config, "phases", phases):
                raise ValueError(f"init: {config.init!r} has phases {phases}: set phases to {phases}")
            self.algorithm.start_from(start.layers, config.init)
        self.save(0.0)  # the first member of the pool

    def _make_collector(self, opponents: dict[str, Callable[[int], Agent]]) -> Collector:
        return Collector(self.config, opponents, self.processes.rank)

    def _make_algorithm(self, scale: torch.Tensor, num_observations: int, actions: int) -> Algorithm:
        return PPO(self.config, scale, num_observations, actions, self.processes)

    def _maker(self, name: str) -> Callable[[int], Agent]:
        """Return what gives the opponent of a name for a rollout's number."""
        if name == POOL:
            return self._past_self
        agent = make_agent(name)
        return lambda _: agent

    def _past_self(self, rollout: int) -> Agent:
        seed = np.random.SeedSequence([self.config.seed, self.processes.rank, rollout])
        return self._pool[np.random.default_rng(seed).integers(len(self._pool))]

    def train_once(self, progress: Callable[[int], None]) -> dict[str, float]:
        """Play a rollout, learn from it, and return the metrics.

        Args:
            progress: told of the decisions so far, with those of the rollout, once it is played.

        Raises:
            FloatingPointError: when a loss or a weight is not finite, or a loss has exploded.
            ConnectionError: when another process is gone.
        """
        rollout = self._collect()
        played = int(self.processes.add(rollout.learnt.sum()))
        progress(self.decisions + played)
        metrics = self.algorithm.update(
            rollout, self.decisions / self.config.decisions, self.decisions < self.config.critic_warmup
        )
        self.decisions += played
        self._check(metrics)
        return metrics

    def _collect(self) -> Rollout:
        try:
            return self.collector.collect(self.algorithm.policy)
        except FloatingPointError as error:
            raise self._diverged(str(error)) from None

    def _check(self, metrics: dict[str, float]) -> None:
        numbers = {name: value for name, value in metrics.items() if name.startswith("losses/")}
        # How well values explain returns is not defined where all returns are alike.
        wrong = [name for name, value in numbers.items() if not abs(value) < EXPLODED and not name.endswith("variance")]
        reason = f"{wrong[0]} is {numbers[wrong[0]]:g}" if wrong else None
        for name, weight in self.algorithm.named_parameters():
            if reason is None and not bool(torch.isfinite(weight).all()):
                reason = f"{name} is not finite"
        if reason is not None:
            raise self._diverged(reason)

    def _diverged(self, reason: str) -> FloatingPointError:
        return FloatingPointError(
            f"training diverged before decision {self.decisions}: {reason}; the checkpoints before it are in "
            f"{self.run.checkpoints}"
        )

    def checkpoint(self, results: dict[str, Any] | None = None) -> Checkpoint:
        """Return the actor as it is now."""
        return self._checkpoint_of(self.algorithm.layers(), results)

    def _checkpoint_of(self, layers: tuple[Layer, ...], results: dict[str, Any] | None = None) -> Checkpoint:
        training = {
            "algorithm": self.algorithm_name,
            "decisions": self.decisions,
            "config": self.config.to_dict(),
            "code": code_version(),
        }
        config = self.config
        phases = tuple(getattr(config, "phases", ())) if layers[0][0].ndim > 2 else ()
        return Checkpoint(
            layers, self.rules, training, results or {}, self.LOGITS_A_TRICK, config.endgame, config.ranks, phases
        )

    @property
    def algorithm_name(self) -> str:
        """How it learns, for the model card."""
        return "self-play PPO"

    def save(self, seconds: float) -> None:
        """Write a checkpoint, which joins the pool, and a snapshot."""
        made = self.checkpoint()
        if self.processes.is_first:
            made.save(self.run.checkpoint_path(self.decisions))
        self._pool.append(PolicyAgent(made, 1.0))
        del self._pool[: -self.config.pool_size]
        self.save_snapshot(seconds)

    def save_snapshot(self, seconds: float) -> None:
        """Write what a later run goes on from."""
        own = {name: torch.from_numpy(array) for name, array in self.collector.state().items()}
        deals = self.processes.gather(own)
        if self.processes.is_first:
            Snapshot(self.decisions, seconds, self.algorithm.state(), deals).save(self.run.resume)

    def conclude(self) -> None:
        """Take what the final checkpoint is to hold, once all is learnt and saved: what has been learnt."""

    def resume(self) -> float:
        """Go on from where the run stopped, and return the seconds it had taken.

        Raises:
            ValueError: when it cannot be resumed.
        """
        path = self.run.resume
        snapshot, past = self.processes.share(self._what_is_left() if self.processes.is_first else None)
        try:
            if len(snapshot.deals) != self.processes.size:
                raise ValueError(f"it is of {len(snapshot.deals)} processes, and these are {self.processes.size}")
            own = snapshot.deals[self.processes.rank]
            self.collector.load_state({name: tensor.numpy() for name, tensor in own.items()})
            self.algorithm.load_state(snapshot.learner)
        except (ValueError, KeyError) as error:
            raise unusable(path, error) from None
        self.decisions = snapshot.decisions
        self._pool = [PolicyAgent(checkpoint, 1.0) for checkpoint in past]
        return float(snapshot.seconds)

    def _what_is_left(self) -> tuple[Snapshot, list[Checkpoint]]:
        """Read the snapshot and the pool, and drop what a killed run recorded after it."""
        snapshot = Snapshot.load(self.run.resume)
        self.run.forget_after(snapshot.decisions)
        past = [load_checkpoint(path) for path in self.run.past()[-self.config.pool_size :]]
        if not past and POOL in self.config.opponents:
            raise ValueError(f"{str(self.run.checkpoints)!r} is empty: the pool's past selves are missing")
        return snapshot, past

    def evaluate(self, deals: int) -> tuple[MatchResult, ...]:
        """Play the policy's best cards against each judge, on the same mirrored deals every time."""
        return evaluate(self.checkpoint(), self._judges, deals, self.rules, EVALUATED[self.config.endgame])

    @property
    def is_done(self) -> bool:
        """Whether all decisions have been trained on."""
        return self.decisions >= self.config.decisions

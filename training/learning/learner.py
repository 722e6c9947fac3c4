"""The learner of our own trainers: deals, networks, past selves, checkpoints, snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.input_blocks import RULE_FLAGS
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.layers import OBSERVATION, UNIVERSAL, Layer
from german_whist.agents.registry import make_agent
from german_whist.arena.match_result import MatchResult
from german_whist.envs.engine.rules import rules
from german_whist.envs.opponent import uses_history
from german_whist.training.config.schema import PolicyIterationConfig, PPOConfig
from german_whist.training.learning.algorithm import Algorithm
from german_whist.training.learning.snapshot import Snapshot
from german_whist.training.learning.start import network_to_start_from
from german_whist.training.networks.mlp import feature_scale
from german_whist.training.rollouts.collector import DealCollector
from german_whist.training.rollouts.opponent_mix import POOL, SELF
from german_whist.training.run.code_version import code_version
from german_whist.training.run.device import check_device
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.distributed import Processes
from german_whist.training.run.evaluation import evaluate
from german_whist.training.run.provenance import Provenance
from german_whist.training.run.resume_file import UNREADABLE, cannot_resume
from german_whist.training.run.stopping import Stopped, StopRequest

EXPLODED = 1e3  # a loss this large means divergence: rewards are at most 1, and losses usually below 1

Batch = TypeVar("Batch")
Opponents = dict[str, Callable[[int], Agent]]


class Learner(ABC, Generic[Batch]):
    """A run without its records: deals, networks, past selves and checkpoints.

    Attributes:
        config: the configuration.
        run: the folder for checkpoints.
        processes: the processes that train together.
        decisions: learner decisions trained on so far, by all processes.
        collector: plays the deals.
        algorithm: the networks and their update.
        provenance: the settings of the run, their changes, and its checkpoints.
        stop: whether to give up rollouts, evaluations and the last steps of a run.
    """

    METRICS: ClassVar[tuple[str, ...]]
    LOGITS_PER_TRICK: ClassVar[float | None] = None  # scale of the logits if they are action values

    collector: DealCollector
    algorithm: Algorithm[Batch]

    def __init__(self, config: PPOConfig | PolicyIterationConfig, run: RunDirectory, processes: Processes) -> None:
        """Build a new learner.

        Raises:
            ValueError: when the device does not exist, or the network is too large.
        """
        check_device(config.run.device)
        self.config = config
        self.run = run
        self.processes = processes
        self.rules = rules(config.game.rules)
        self.decisions = 0
        self.stop = StopRequest()
        self.provenance = Provenance(config.to_dict())
        self._pool: list[PolicyAgent] = []
        self._baselines = [(name, make_agent(name)) for name in config.evaluation.evaluate_against]
        opponents = {name: self._maker(name) for name in config.rollouts.opponents if name != SELF}
        # Past selves are networks without lookahead: they use no histories.
        history = any(uses_history(make(0)) for name, make in opponents.items() if name != POOL)
        self.collector = self._make_collector(opponents, history)
        layout = input_layout(self.rules, self._inputs)
        flags = [layout[name] for name in RULE_FLAGS] if self._inputs == UNIVERSAL else []
        scale = feature_scale(self.collector.high, layout.get("low"), flags)
        try:
            self.algorithm = self._make_algorithm(scale, self.collector.num_observations, self.collector.num_actions)
        except RuntimeError as error:  # torch's error when memory is short
            raise ValueError(f"the network cannot be made: {str(error).splitlines()[0]}") from None

    @property
    @abstractmethod
    def algorithm_name(self) -> str:
        """How the network learns, for the model card."""

    @abstractmethod
    def _make_collector(self, opponents: Opponents, history: bool) -> DealCollector: ...

    @abstractmethod
    def _make_algorithm(self, scale: torch.Tensor, num_observations: int, actions: int) -> Algorithm[Batch]: ...

    @abstractmethod
    def _collect(self) -> tuple[Batch, int]:
        """Play a rollout; return the algorithm's training batch and the number of the learner's decisions."""

    @property
    @abstractmethod
    def _trains_value_only(self) -> bool:
        """Whether the next update leaves the policy unchanged."""

    @property
    @abstractmethod
    def _endgame(self) -> str:
        """How endgames are played in training and evaluation: ``"played"`` or ``"exact"``."""

    @property
    def _suit_layers(self) -> int:
        """Number of layers whose weights the suits share."""
        return 0

    @property
    def _inputs(self) -> str:
        """What the policy sees: ``"observation"`` or ``"universal"``."""
        return OBSERVATION

    @property
    def _newest_needed(self) -> int:
        """Number of the newest checkpoints without which a resumed run would be another."""
        rollouts = self.config.rollouts
        return rollouts.pool_size if POOL in rollouts.opponents else 0

    def begin(self) -> None:
        """Start from ``init``, if it is set, and write the first checkpoint.

        Raises:
            ValueError: when there is no such network, or it differs from the settings.
        """
        init = self.config.network.init
        if init:
            start = network_to_start_from(init, self.config.network.ranks, self._inputs, self._suit_layers)
            self._start_from(start, init)
        self.save(0.0)  # the first member of the pool

    def _start_from(self, start: Checkpoint, name: str) -> None:
        """Take what the algorithm can use of a checkpoint."""
        self.algorithm.start_from(start.layers, name)

    def _maker(self, name: str) -> Callable[[int], Agent]:
        """Return the function from the number of a rollout to its opponent of this name."""
        if name == POOL:
            return self._past_self
        agent = make_agent(name)
        return lambda _: agent

    def _past_self(self, rollout: int) -> Agent:
        seed = np.random.SeedSequence([self.config.run.seed, self.processes.rank, rollout])
        return self._pool[np.random.default_rng(seed).integers(len(self._pool))]

    def train_once(self, progress: Callable[[int], None]) -> dict[str, float]:
        """Play a rollout, learn from it, and return the metrics.

        Args:
            progress: called with the decisions so far, the rollout's included, once it is played.

        Raises:
            FloatingPointError: when a loss or a weight is not finite, or a loss has exploded.
            ConnectionError: when another process is gone.
            Stopped: when any process is to stop; the rollout is dropped, and nothing has changed.
        """
        before = self.collector.state()
        self._prepare()
        batch, own = None, 0
        try:
            batch, own = self._collect()
        except Stopped:
            pass
        except FloatingPointError as error:
            raise self._diverged(str(error)) from None
        played, stopping = self.processes.all_sum(own, self.stop.is_made or batch is None)
        if batch is None or stopping:
            self.collector.load_state(before)
            raise Stopped
        progress(self.decisions + played)
        metrics = self.algorithm.update(
            batch,
            self.decisions / self.config.run.decisions,
            value_only=self._trains_value_only,
        )
        self.decisions += played
        self._check(metrics)
        return metrics

    @property
    def is_stopping(self) -> bool:
        """Whether any process is to stop; all ask at the same time."""
        return any(self.processes.all_sum(self.stop.is_made))

    def _policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the policy's logits; a rollout, which asks at every step, is given up here."""
        self.stop.check()
        return self.algorithm.policy(features)

    def _prepare(self) -> None:
        """Prepare the next rollout."""

    def _check(self, metrics: dict[str, float]) -> None:
        losses = {name: value for name, value in metrics.items() if name.startswith("losses/")}
        # Explained variance is undefined if all returns are equal.
        wrong = [name for name, value in losses.items() if not abs(value) < EXPLODED and not name.endswith("variance")]
        reason = f"{wrong[0]} is {losses[wrong[0]]:g}" if wrong else None
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
        """Return a checkpoint of the current policy, with ``results`` in its card."""
        return self._checkpoint_of(self.algorithm.layers(), results)

    def _checkpoint_of(self, layers: tuple[Layer, ...], results: dict[str, Any] | None = None) -> Checkpoint:
        training = {
            "algorithm": self.algorithm_name,
            "decisions": self.decisions,
            "config": self.config.to_dict(),
            "code": code_version(),
        }
        if self.provenance.changes:
            training["changes"] = self.provenance.changes
        ranks = self.config.network.ranks
        return Checkpoint(
            layers,
            self.rules,
            training,
            results or {},
            self.LOGITS_PER_TRICK,
            self._endgame,
            ranks,
            self._inputs,
        )

    def save(self, seconds: float) -> None:
        """Write a checkpoint, which joins the pool, and a snapshot."""
        checkpoint = self.checkpoint()
        if self.processes.is_first:
            path = self.run.checkpoint_path(self.decisions)
            checkpoint.save(path)
            self.provenance.add_checkpoint(path)
        self._pool.append(PolicyAgent(checkpoint, 1.0))
        del self._pool[: -self.config.rollouts.pool_size]
        self.save_snapshot(seconds)

    def save_snapshot(self, seconds: float) -> None:
        """Write the snapshot to resume from."""
        own = {name: torch.from_numpy(array) for name, array in self.collector.state().items()}
        deals = self.processes.all_gather(own)
        if self.processes.is_first:
            Snapshot(self.decisions, seconds, self.algorithm.state(), deals, self.provenance).save(self.run.resume)

    def finalize(self, begin_phase: Callable[[str], None]) -> None:
        """Set the weights of the final checkpoint after training; by default they stay the last ones.

        Args:
            begin_phase: called with what is about to be done, if it takes seconds.

        Raises:
            Stopped: when the run is to stop.
        """

    def resume(self) -> float:
        """Restore the run where it stopped, and return its seconds of training so far.

        What a killed run recorded after the snapshot is dropped. Intended changes of settings are recorded.

        Raises:
            ValueError: when it cannot be resumed; then no file has changed.
        """
        path = self.run.resume
        snapshot, past = self.processes.broadcast(self._read_saved() if self.processes.is_first else None)
        try:
            if len(snapshot.deals) != self.processes.size:
                raise ValueError(f"it is of {len(snapshot.deals)} processes, and these are {self.processes.size}")
            is_changed = snapshot.provenance.take_changes(self.config, self.run.overrides, snapshot.decisions)
            own = snapshot.deals[self.processes.rank]
            self.collector.load_state({name: tensor.numpy() for name, tensor in own.items()})
            self.algorithm.load_state(snapshot.learner)
        except UNREADABLE as error:
            raise cannot_resume(path, error) from None
        self.decisions = snapshot.decisions
        self.provenance = snapshot.provenance
        self._pool = [PolicyAgent(checkpoint, 1.0) for checkpoint in past]
        if self.processes.is_first:
            self.run.drop_records_after(snapshot.decisions)
        if is_changed:
            self.save_snapshot(snapshot.seconds)
        if self.run.overrides and self.processes.is_first:
            # Also where a change was recorded, and the run killed before it wrote the settings.
            self.run.write_config(self.config)
        return float(snapshot.seconds)

    def _read_saved(self) -> tuple[Snapshot, list[Checkpoint]]:
        """Read the snapshot and the pool."""
        snapshot = Snapshot.load(self.run.resume)
        rollouts = self.config.rollouts
        paths = self.run.checkpoint_paths(snapshot.decisions)
        try:
            snapshot.provenance.check_checkpoints(paths, self._newest_needed)
        except ValueError as error:
            raise cannot_resume(self.run.resume, error) from None
        past = [load_checkpoint(path) for path in paths[-rollouts.pool_size :]]
        if not past and POOL in rollouts.opponents:
            raise ValueError(f"{str(self.run.checkpoints)!r} is empty: the pool's past selves are missing")
        return snapshot, past

    def evaluate(self, deals: int) -> tuple[MatchResult, ...]:
        """Play the policy, at its best action, against each baseline, on the same mirrored deals every time.

        Raises:
            Stopped: when the run is to stop.
        """
        checkpoint, games = self.checkpoint(), self.config.game.shares
        results: list[MatchResult] = []
        for game in games:
            matches = evaluate(checkpoint, self._baselines, deals, rules(game), self._endgame, self.stop)
            titles = [match.second if len(games) == 1 else f"{match.second}, {game}" for match in matches]
            results += [replace(match, second=title) for match, title in zip(matches, titles, strict=True)]
        return tuple(results)

    @property
    def is_done(self) -> bool:
        """Whether all decisions have been trained on."""
        return self.decisions >= self.config.run.decisions

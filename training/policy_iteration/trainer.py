"""Approximate policy iteration by regression on the value of every action, in self-play.

One update, for positions o in which the learner has a choice among the legal actions A(o):

1. Collect (``collector``): ``num_envs`` × ``num_steps`` decisions of the behaviour policy softmax(β · logits), with
   β = ``INVERSE_TEMPERATURE`` and logits = ``LOGITS_PER_TRICK`` · f(o, a), where the actor f estimates action values in
   tricks up to a constant per position.
2. Compute targets (``targets``): every a in A(o) is tried in the true deal and followed to the seat's next
   L = ``lookahead`` decisions o₁ … o_L, in R = ``stock_rotations`` orders of the unseen cards. With the value network
   v, Q(o, a) = 1/(R L) Σ_r Σ_l v(o_l), a mean of n-step returns. Once an endgame begins, its exact margin, squashed by
   ``margin_tanh_scale``, takes the place of v.
3. Compute returns: G(o), Watkins's Q(lambda) of Q along the learner's play (``return_kernels.watkins_q_lambda``).
4. Learn (``networks``): the actor minimises the mean over A(o) of (f − Q)², both centred over A(o), and the value
   network (v − G)². The rollout policy picks moves during lookahead: a small network that learns the actor's
   outputs, or the actor itself (``rollout_hidden``).

All actions of a position meet the same hidden cards, so luck cancels out of their differences. The actor does not see
those cards, so least squares makes it learn the mean over everything that they could be. The value at the next decision
is such a mean, too, and varies much less than the outcome of the deal.

Better play gives better targets: that is policy iteration. All targets belong to positions of the learner's own play,
so they correct its own errors (DAgger: Ross et al., arXiv 1011.0686; docs/explanation/learning.md names the closest
relatives).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from german_whist.agents.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.input_kernels import RULE_FLAGS
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL, Layer
from german_whist.agents.pretrained import find_network
from german_whist.agents.registry import make_agent
from german_whist.game.endgame_setting import EXACT
from german_whist.game.rules import Rules, rules
from german_whist.game.utils.backend import TorchBackend
from german_whist.simulator.observation.views import UNPLAYED
from german_whist.training.config import POOL, SELF
from german_whist.training.loop import Trainer
from german_whist.training.opponents import opponent
from german_whist.training.policy_iteration.collector import Collector
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.networks import Batch, Networks, feature_scale
from german_whist.training.policy_iteration.targets import ActionValueTargets
from german_whist.training.policy_iteration.value_fit import fit_value, self_play_outcomes
from german_whist.training.processes import Processes
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.snapshot import read_snapshot, write_snapshot

INVERSE_TEMPERATURE = 4.0  # values learn from the behaviour policy's returns, so exploration must cost little
VALUE_DEALS = 4096  # the final value network is fitted to them: about 100,000 positions in the classic game
_DISTILL_PASSES = 10  # over the first rollout of a run with ``init``
EXPLODED = 1e3  # a loss this large means divergence: in output units, targets are a few at most, losses mostly below 1


class PolicyIteration(Trainer[PolicyIterationConfig]):
    """The networks, the deals in progress and the pool of past checkpoints.

    Attributes:
        collectors: one for each game; they play the deals.
        networks: the networks and their update.
    """

    config_class = PolicyIterationConfig

    def __init__(self, config: PolicyIterationConfig, run: RunDirectory, processes: Processes) -> None:
        """Build the networks and deal the first deals.

        Raises:
            ValueError: if the device does not exist, or a share is less than one environment.
        """
        super().__init__(config, run, processes)
        TorchBackend(config.device)
        self._rules = rules(config.main_game)
        self._value: tuple[Layer, ...] = ()  # the value network of checkpoints, once fitted
        self._pool: list[Checkpoint] = []
        self._make_collectors()
        layout, first = input_layout(self._rules, config.inputs), self.collectors[0]
        flags = [layout[name] for name in RULE_FLAGS] if config.inputs == UNIVERSAL else []
        scale = feature_scale(first.high, layout.get("low"), flags)
        self.networks = Networks(config, scale, first.num_actions, processes)

    def _make_collectors(self) -> None:
        """Create a collector for each game, with its share of the environments."""
        config, (rank, size) = self.config, (self.processes.rank, self.processes.size)
        own = config.num_envs * (rank + 1) // size - config.num_envs * rank // size
        ends = np.round(np.cumsum([0.0, *config.shares.values()]) * own).astype(int)
        self.collectors: list[Collector] = []
        for (game, share), envs in zip(config.shares.items(), np.diff(ends), strict=True):
            if not envs:
                raise ValueError(
                    f"games: a share of {share:.3g} for {game!r} is less than one environment of "
                    f"{own} (num_envs / processes)"
                )
            makers = {name: self._maker(name, rules(game)) for name in config.opponents if name != SELF}
            self.collectors.append(
                Collector(
                    game,
                    int(envs),
                    config.num_steps,
                    config.opponents,
                    makers,
                    seed=config.seed,
                    inputs=config.inputs,
                    # Pool members are plain networks, which use no histories.
                    history=any(make(0).uses_histories for name, make in makers.items() if name != POOL),
                    rank=rank,
                    device=config.device,
                )
            )
        self._targets = [ActionValueTargets(collector, config) for collector in self.collectors]

    def _maker(self, name: str, game: Rules) -> Callable[[int], Agent]:
        """Return a function from a rollout's number to the opponent called ``name`` in that rollout."""
        if name == POOL:
            return lambda rollout: PolicyAgent(self._past_self(rollout), 1.0, rules=game)
        agent = make_agent(opponent(name), game)
        return lambda _: agent

    def _past_self(self, rollout: int) -> Checkpoint:
        # Keyed by the rollout instead of drawn from a stream: a snapshot then needs no random state.
        seed = np.random.SeedSequence([self.config.seed, self.processes.rank, rollout])
        return self._pool[np.random.default_rng(seed).integers(len(self._pool))]

    def begin(self) -> None:
        """Load ``init``, if it is set.

        Raises:
            ValueError: if there is no such network, or it does not match the settings.
        """
        init = self.config.init
        if init and not self.networks.start_from(self._start(), init):
            self.notes.append(
                f"{init} has no value network with hidden layers {self.config.value_hidden}: "
                "targets are poor until the run has learnt one"
            )

    def _start(self) -> Checkpoint:
        """Return the checkpoint that ``init`` names."""
        name, config = self.config.init, self.config
        start = find_network(name)
        if start.ranks != UNPLAYED:
            raise ValueError(f"init: {name!r} sees ranks {start.ranks}, not {UNPLAYED}")
        if start.inputs != config.inputs:
            raise ValueError(f"init: {name!r} has {start.inputs} inputs: set inputs to {start.inputs}")
        if start.suit_layers != config.suit_layers:
            raise ValueError(
                f"init: {name!r} has {start.suit_layers} suit layers: set suit_layers to {start.suit_layers}"
            )
        return start

    def update(self) -> tuple[int, dict[str, float]]:
        """Play a rollout of every game and learn from it.

        Raises:
            FloatingPointError: if logits, a loss or a weight are not finite, or a loss has exploded.
        """
        if self.config.init and self.networks.is_distilled and self.networks.rollout_policy.steps == 0:
            self.distill()  # until then, targets would rest on random replies
        batch, played = self.collect()
        metrics = self.networks.update(batch, self.decisions / self.config.decisions)
        self.decisions += played
        self._check_finite(metrics)
        return played, metrics

    def distill(self) -> None:
        """Train the rollout policy, which no checkpoint holds, on a rollout of the policy that was loaded."""
        batch, _ = self.collect()
        self.networks.distill(batch, _DISTILL_PASSES, self.config.learning_rate)

    def collect(self) -> tuple[Batch, int]:
        """Play a rollout of every game.

        Returns:
            This process's positions with their targets, and the number of the learner's decisions in all processes.

        Raises:
            FloatingPointError: if logits are not finite.
        """
        self.networks.freeze()
        played = [self._play(*pair) for pair in zip(self.collectors, self._targets, strict=True)]
        (total,) = self.processes.all_sum(sum(decisions for _, decisions in played))
        return Batch(*map(torch.cat, zip(*(positions for positions, _ in played), strict=True))), total

    def _play(self, collector: Collector, targets: ActionValueTargets) -> tuple[tuple[torch.Tensor, ...], int]:
        """Play one game's part of a rollout; return the columns of its ``Batch`` and the number of decisions."""
        networks, config, rollout = self.networks, self.config, collector.rollout
        lookahead = config.lookahead if self.decisions >= config.lookahead_start else 1
        collector.begin_rollout()
        for step in range(collector.num_steps):
            collector.observe(step)
            collector.choose(step, lambda features: networks.policy(features) * INVERSE_TEMPERATURE)
            targets.compute(step, networks.replies, networks.values, lookahead)
            collector.play(step)
        decisions = collector.learner_decisions()
        targets.write_returns()
        rows = collector.rows_with_several_legal()
        positions = (
            collector.features(rollout.views, rows),
            rollout.masks.flatten(0, 1)[rows],
            targets.q_targets.flatten(0, 1)[rows],
            rollout.logits.flatten(0, 1)[rows] / INVERSE_TEMPERATURE,
            targets.returns.flatten()[rows],
        )
        return positions, decisions

    def _check_finite(self, metrics: dict[str, float]) -> None:
        """Check that losses and weights are finite and that no loss has exploded.

        Raises:
            FloatingPointError: naming the loss or the weight.
        """
        losses = {name: value for name, value in metrics.items() if name.startswith("losses/")}
        # Explained variances may be NaN: they are undefined if all targets are equal. `not abs(x) <` catches NaN.
        wrong = [name for name, value in losses.items() if not abs(value) < EXPLODED and not name.endswith("variance")]
        reason = f"{wrong[0]} is {losses[wrong[0]]:g}" if wrong else None
        for name, weight in self.networks.named_parameters():
            if reason is None and not bool(torch.isfinite(weight).all()):
                reason = f"{name} is not finite"
        if reason is not None:
            raise FloatingPointError(reason)

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the current policy, with the value network once it has been fitted."""
        checkpoint = self._checkpoint_of(self.networks.layers())
        return replace(checkpoint, suit_layers=self.config.suit_layers, value=self._value)

    def _checkpoint_of(self, layers: tuple[Layer, ...]) -> Checkpoint:
        training = self.model_card(
            "approximate policy iteration: regression on action values, bootstrapped from its own value network"
        )
        return Checkpoint(
            layers,
            self._rules,
            training,
            logits_per_trick=LOGITS_PER_TRICK,
            endgame=EXACT,
            ranks=UNPLAYED,
            inputs=self.config.inputs,
        )

    def save(self) -> None:
        """Write a checkpoint, which joins the pool, the rollout policy's checkpoint, and a snapshot."""
        checkpoint = self.checkpoint()
        # A run that was killed after its last update saves twice.
        self._pool = [past for past in self._pool if past.training["decisions"] < self.decisions] + [checkpoint]
        del self._pool[: -self.config.pool_size]
        if self.processes.is_first:
            checkpoint.save(self.run.checkpoint_path(self.decisions))
            if self.networks.is_distilled:
                self._checkpoint_of(self.networks.rollout_policy_layers()).save(self.run.distilled)
        self.save_snapshot()

    def save_snapshot(self) -> None:
        """Write the snapshot to resume from: everything that the next update depends on.

        It holds no random state, because every random number is a function of the seed and the run's progress.
        """
        own = {
            f"{number}.{name}": torch.from_numpy(array)
            for number, collector in enumerate(self.collectors)
            for name, array in collector.state().items()
        }
        deals = self.processes.all_gather(own)
        if self.processes.is_first:
            tensors = {f"networks.{name}": tensor for name, tensor in self.networks.state().items()}
            for rank, of_process in enumerate(deals):
                tensors |= {f"deals.{rank}.{name}": tensor for name, tensor in of_process.items()}
            about = {
                "decisions": self.decisions,
                "processes": self.processes.size,
                "pool": [past.training["decisions"] for past in self._pool] if POOL in self.config.opponents else [],
            }
            write_snapshot(self.run.snapshot, about, tensors)

    def restore(self) -> None:
        """Restore the state from the snapshot and the pool from its checkpoints.

        Raises:
            ValueError: if the run cannot be resumed.
        """
        size, rank = self.processes.size, self.processes.rank
        try:
            saved = self.processes.broadcast(self._read_saved() if self.processes.is_first else None)
            about, tensors, self._pool = saved
            if about["processes"] != size:
                raise ValueError(f"the run was trained by {about['processes']} processes, and now there are {size}")
            self.decisions = about["decisions"]
            for number, collector in enumerate(self.collectors):
                own = _below(tensors, f"deals.{rank}.{number}.")
                collector.load_state({name: tensor.numpy() for name, tensor in own.items()})
            self.networks.load_state(_below(tensors, "networks."))
        except KeyError as error:
            raise ValueError(f"{self.run.snapshot} is damaged: it lacks {error}") from None

    def _read_saved(self) -> tuple[dict[str, Any], dict[str, torch.Tensor], list[Checkpoint]]:
        """Read the snapshot and the checkpoints of its pool."""
        about, tensors = read_snapshot(self.run.snapshot)
        return about, tensors, [load_checkpoint(self.run.checkpoint_path(decisions)) for decisions in about["pool"]]

    def finish(self) -> None:
        """Fit the value network that the final checkpoint holds to self-play of the current policy."""
        if not self.processes.is_first:
            return
        config = self.config
        self.networks.freeze()
        outcomes = self_play_outcomes(
            self.networks.policy, config.shares, VALUE_DEALS, config.seed, config.inputs, config.device
        )
        self._value = fit_value(self.networks.value.layers(), config.suit_layers, outcomes)


def _below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}

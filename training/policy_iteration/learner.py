"""The learner of ``trainer: policy_iteration``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, Layer
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.training.config.game_settings import PPOGameSettings
from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.config.settings import RolloutSettings
from german_whist.training.learning.learner import Learner, Opponents
from german_whist.training.policy_iteration.algorithm import ActionValueBatch, PolicyIteration
from german_whist.training.policy_iteration.collector import INVERSE_TEMPERATURE, ActionValueCollector
from german_whist.training.policy_iteration.collector_group import CollectorGroup
from german_whist.training.policy_iteration.opponent_model import OpponentActions
from german_whist.training.policy_iteration.value_fit import fit_value, self_play_outcomes


class PolicyIterationLearner(Learner[ActionValueBatch]):
    """A run of approximate policy iteration; see :class:`Learner`."""

    METRICS: ClassVar[tuple[str, ...]] = (
        *("charts/SPS", "charts/seconds", "charts/learning_rate"),
        *("losses/loss", "losses/explained_variance", "losses/value_explained_variance"),
    )
    LOGITS_PER_TRICK = LOGITS_PER_TRICK
    config: PolicyIterationConfig
    collector: ActionValueCollector | CollectorGroup
    algorithm: PolicyIteration
    _value: tuple[Layer, ...] = ()

    @property
    def algorithm_name(self) -> str:
        """How the network learns, for the model card."""
        source = "bootstrapped from its own value network"
        if self.config.policy_iteration.value_start and not self.config.network.init:
            source = f"from rollouts of the heuristic bot at first, then {source}"
        return f"approximate policy iteration: regression on action values, {source}"

    def _make_collector(self, opponents: Opponents, history: bool) -> ActionValueCollector | CollectorGroup:
        config = self.config

        def make(game: str, rollouts: RolloutSettings) -> ActionValueCollector:
            return ActionValueCollector(
                PPOGameSettings(game, endgame=EXACT),
                rollouts,
                config.policy_iteration,
                opponents,
                seed=config.run.seed,
                ranks=config.network.ranks,
                inputs=config.network.inputs,
                last_phase=config.network.phases[-1] if config.network.phases else None,
                threads=config.run.threads,
                history=history,
                rank=self.processes.rank,
            )

        shares = config.game.shares
        if len(shares) == 1:
            return make(next(iter(shares)), config.rollouts)
        return CollectorGroup(shares, config.rollouts, make)

    def _make_algorithm(self, scale: torch.Tensor, num_observations: int, actions: int) -> PolicyIteration:
        return PolicyIteration(self.config, scale, num_observations, actions, self.processes)

    def _prepare(self) -> None:
        algorithm, settings = self.algorithm, self.config.policy_iteration
        if self.decisions >= self.config.network.phases_start:
            algorithm.separate_phases()
        algorithm.freeze()
        if self.decisions >= settings.value_start or self._trains_value_only:
            starts = max(settings.lookahead_start, settings.value_start)
            lookahead = settings.lookahead if self.decisions >= starts else 1
            self.collector.bootstrap_from(algorithm.lookahead_policy, algorithm.values, lookahead)

    def _collect(self) -> tuple[ActionValueBatch, int]:
        self.collector.collect(self._policy)
        parts = self.collector.parts if isinstance(self.collector, CollectorGroup) else [self.collector]
        features, masks, targets, logits, returns, against = map(torch.cat, zip(*map(_targets_of, parts), strict=True))
        played = None
        if self.algorithm.opponent_model is not None:
            played = OpponentActions(*map(torch.cat, zip(*map(_opponent_actions_of, parts), strict=True)))
        decisions = sum(int(part.rollout.learner_mask.sum()) for part in parts)
        return ActionValueBatch(features, masks, targets, logits, returns, against, played), decisions

    @property
    def _inputs(self) -> str:
        return self.config.network.inputs

    @property
    def _trains_value_only(self) -> bool:
        # The network that a run starts from is better than its first targets.
        return bool(self.config.network.init) and self.decisions < self.config.policy_iteration.value_start

    @property
    def _endgame(self) -> str:
        return EXACT

    @property
    def _suit_layers(self) -> int:
        return self.config.network.suit_layers

    @property
    def _newest_needed(self) -> int:
        return max(super()._newest_needed, self.config.policy_iteration.average_last_checkpoints)

    def _start_from(self, start: Checkpoint, name: str) -> None:
        super()._start_from(start, name)
        if start.value and start.value_sizes[1:-1] == self.config.policy_iteration.value_hidden:
            self.algorithm.start_value_from(start.value, name)

    def save(self, seconds: float) -> None:
        """Write a checkpoint, which joins the pool, that of the distilled network, and a snapshot."""
        super().save(seconds)
        distilled = self.algorithm.distilled_layers()
        if distilled is not None and self.processes.is_first:
            self._checkpoint_of(distilled).save(self.run.distilled)

    def finalize(self, begin_phase: Callable[[str], None]) -> None:
        """Set the weights of the final checkpoint to the mean of the last checkpoints', and fit its value network.

        The mean tends to be nearer to the optimum than each of them (Vaswani et al., "Attention is all you need", 2017,
        section 6.1, average those of the last 20 checkpoints).
        """
        number = self.config.policy_iteration.average_last_checkpoints
        if number > 1:
            last = [load_checkpoint(path).layers for path in self.run.checkpoint_paths()[-number:]]
            self.algorithm.start_from(mean_layers(last), f"the mean of the last {number} checkpoints")
        if self.config.policy_iteration.value_deals:
            begin_phase("fitting the value network")
        self.fit_value()

    def fit_value(self) -> None:
        """Fit the value network of the checkpoints to come to self-play of the current policy."""
        config, deals = self.config, self.config.policy_iteration.value_deals
        if deals:
            network = config.network
            self.algorithm.freeze()
            outcomes = self_play_outcomes(
                self._policy, config.game.shares, deals, config.run.seed, network.ranks, network.inputs
            )
            self._value = fit_value(self.algorithm.value.layers(), self._suit_layers, outcomes)

    def checkpoint(self, results: dict[str, Any] | None = None) -> Checkpoint:
        """Return a checkpoint of the current policy, with the value network once it is fitted."""
        return replace(super().checkpoint(results), suit_layers=self._suit_layers, value=self._value)


def _targets_of(collector: ActionValueCollector) -> tuple[torch.Tensor, ...]:
    """Return the positions of a collector's last rollout that have targets, as :class:`ActionValueBatch` has them."""
    rollout, mask = collector.rollout, collector.target_mask
    return (
        rollout.features[:-1][mask],
        rollout.masks[:-1][mask],
        collector.q_targets[mask],
        rollout.logits[mask] / INVERSE_TEMPERATURE,
        collector.returns[mask],
        torch.from_numpy(collector.against_heuristic).expand(mask.shape)[mask],
    )


def _opponent_actions_of(collector: ActionValueCollector) -> tuple[torch.Tensor, ...]:
    """Return the opponents' decisions of a collector's last rollout, as :class:`OpponentActions` has them."""
    rollout = collector.rollout
    mask = ~rollout.learner_mask & (rollout.masks[:-1].sum(2) > 1)
    return rollout.features[:-1][mask], rollout.masks[:-1][mask], rollout.actions[mask]


def mean_layers(networks: Sequence[tuple[Layer, ...]]) -> tuple[Layer, ...]:
    """Return layers with the mean weights of networks of the same sizes."""
    return tuple(
        (_mean([weight for weight, _ in layer]), _mean([bias for _, bias in layer]))
        for layer in zip(*networks, strict=True)
    )


def _mean(arrays: list[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    mean: npt.NDArray[np.float64] = np.stack(arrays).mean(axis=0, dtype=np.float64)
    return mean.astype(np.float32)

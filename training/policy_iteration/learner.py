"""The learner of ``trainer: teacher``: that of self-play, with lessons for rollouts and regression for PPO."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.checkpoint import Layer, load_checkpoint
from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.policy_iteration.algorithm import LOGITS_A_TRICK, PolicyIteration
from german_whist.training.policy_iteration.collector import ActionValueCollector
from german_whist.training.ppo.learner import PPOLearner


class PolicyIterationLearner(PPOLearner):
    """Everything of a run but its records. ``decisions`` counts those of the learner."""

    METRICS = (
        *("charts/SPS", "charts/seconds", "charts/learning_rate"),
        *("losses/loss", "losses/explained_variance", "losses/value_explained_variance"),
    )
    LOGITS_A_TRICK = LOGITS_A_TRICK

    config: PolicyIterationConfig
    collector: ActionValueCollector
    algorithm: PolicyIteration

    def _make_collector(self, opponents: dict[str, Callable[[int], Agent]]) -> ActionValueCollector:
        return ActionValueCollector(self.config, opponents, self.processes.rank)

    def _make_algorithm(self, scale: torch.Tensor, num_observations: int, actions: int) -> PolicyIteration:
        return PolicyIteration(self.config, scale, num_observations, actions, self.processes)

    def train_once(self, progress: Callable[[int], None]) -> dict[str, float]:
        """Play a rollout, learn what the teacher says of its positions, and return the metrics.

        Args:
            progress: told of the decisions so far, with those of the rollout, once it is played.

        Raises:
            FloatingPointError: when a loss or a weight is not finite, or a loss has exploded.
            ConnectionError: when another process is gone.
        """
        algorithm, lessons = self.algorithm, self.collector
        if self.decisions >= self.config.phases_start:
            algorithm.set_apart()
        algorithm.fix()
        if self.decisions >= self.config.value_start:
            far = self.decisions >= self.config.lookahead_start
            lessons.bootstrap_from(algorithm.policy, algorithm.expected, self.config.lookahead if far else 1)
        rollout = self._collect()
        played = int(self.processes.add(rollout.learnt.sum()))
        progress(self.decisions + played)
        against_bot = torch.from_numpy(lessons.against_bot).expand(rollout.learnt.shape)
        entries = (rollout.cells[:-1], rollout.masks[:-1], lessons.worth, lessons.returns, against_bot)
        taught = (entry[lessons.taught] for entry in entries)
        # What a run starts from is better than the bot whose rollouts judge until the value does.
        warming_up = bool(self.config.init) and self.decisions < self.config.value_start
        metrics = algorithm.update(self.decisions / self.config.decisions, *taught, warming_up=warming_up)
        self.decisions += played
        self._check(metrics)
        return metrics

    def save(self, seconds: float) -> None:
        """Write a checkpoint, which joins the pool, the student's, and a snapshot."""
        super().save(seconds)
        student = self.algorithm.student_layers()
        if student is not None and self.processes.is_first:
            self._checkpoint_of(student).save(self.run.student)

    def conclude(self) -> None:
        """Take what the final checkpoint is to hold, once all is learnt and saved: the mean of the last checkpoints.

        It lies nearer to the best weights than each of them (Vaswani et al., "Attention is all you need", 2017, section
        6.1, average those of the last 20 checkpoints). One alone stays as it is.
        """
        number = self.config.average_last_checkpoints
        if number > 1:
            last = [load_checkpoint(path).layers for path in self.run.past()[-number:]]
            self.algorithm.start_from(mean_layers(last), f"the mean of the last {number} checkpoints")

    @property
    def algorithm_name(self) -> str:
        """How it learns, for the model card."""
        return "regression on what every card leads to: rollouts of the heuristic bot at first, then its own value"


def mean_layers(networks: Sequence[tuple[Layer, ...]]) -> tuple[Layer, ...]:
    """Return the layers of networks of the same sizes with the mean of their weights."""
    return tuple(
        (_mean([weight for weight, _ in layer]), _mean([bias for _, bias in layer]))
        for layer in zip(*networks, strict=True)
    )


def _mean(arrays: list[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    mean: npt.NDArray[np.float64] = np.stack(arrays).mean(axis=0, dtype=np.float64)
    return mean.astype(np.float32)

"""The learner of ``trainer: teacher``: that of self-play, with lessons for rollouts and regression for PPO."""

from __future__ import annotations

from collections.abc import Callable

import torch

from german_whist.agents.base import Agent
from german_whist.training.lessons import Lessons
from german_whist.training.selfplay_learner import SelfPlayLearner
from german_whist.training.settings import TeacherConfig
from german_whist.training.teacher import LOGITS_A_TRICK, Teacher, in_logits


class TeacherLearner(SelfPlayLearner):
    """Everything of a run but its records. ``decisions`` counts the positions that were taught."""

    METRICS = (
        *("charts/SPS", "charts/seconds", "charts/learning_rate"),
        *("losses/loss", "losses/explained_variance", "losses/value_explained_variance"),
    )
    LOGITS_A_TRICK = LOGITS_A_TRICK

    config: TeacherConfig
    collector: Lessons
    algorithm: Teacher

    def _make_collector(self, opponents: dict[str, Callable[[int], Agent]]) -> Lessons:
        return Lessons(self.config, opponents, self.processes.rank)

    def _make_algorithm(self, scale: torch.Tensor, num_observations: int, actions: int) -> Teacher:
        return Teacher(self.config, scale, num_observations, actions, self.processes)

    def train_once(self, progress: Callable[[int], None]) -> dict[str, float]:
        """Play a rollout, learn what the teacher says of all its positions, and return the metrics.

        Args:
            progress: told of the decisions so far, with those of the rollout, once it is played.

        Raises:
            FloatingPointError: when a loss or a weight is not finite, or a loss has exploded.
            ConnectionError: when another process is gone.
        """
        student = self.algorithm.student
        if student is not None and self.decisions >= self.config.playout_from:
            self.collector.play_on(*student.for_rollouts())
        rollout = self._collect()
        taught = int(self.processes.add(torch.tensor(rollout.actions.numel())))
        progress(self.decisions + taught)
        entries = (rollout.cells[:-1], rollout.masks[:-1], self.collector.worth[:-1], self.collector.outcomes[:-1])
        cells, masks, worth, outcomes = (entry.flatten(0, 1) for entry in entries)
        metrics = self.algorithm.update(cells, masks, worth, outcomes, self.decisions / self.config.decisions)
        self.decisions += taught
        self._check(metrics)
        return metrics

    def save(self, seconds: float) -> None:
        """Write a checkpoint, which joins the pool, the student's, and a snapshot."""
        super().save(seconds)
        student = self.algorithm.student
        if student is not None and self.processes.is_first:
            self._checkpoint_of(in_logits(student.layers())).save(self.run.student)

    @property
    def algorithm_name(self) -> str:
        """How it learns, for the model card."""
        return "regression on rollouts of the heuristic bot" + (
            ", later of its student" if self.config.playout_hidden else ""
        )

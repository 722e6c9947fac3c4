"""Rollouts in which a teacher says what every action of every position is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from german_whist.agents.base import Agent
from german_whist.envs.rules import Rules
from german_whist.envs.state import STATE
from german_whist.envs.views import VIEW
from german_whist.solver.search import new_memory
from german_whist.solver.tables import open_table
from german_whist.training.rollout import Collector
from german_whist.training.settings import TeacherConfig
from german_whist.training.teacher_kernels import write_worth

_PARTS = 16  # that the rows are shared out in among the threads


class Lessons(Collector):
    """Plays the learner's policy in many deals at once and asks the teacher in every position.

    Attributes:
        worth: float32[steps + 1, rows, actions], for each action the counted tricks of the seat to act minus the
            other's that it leads to, by role; 0 for those that are not legal.
    """

    def __init__(self, config: TeacherConfig, opponents: Mapping[str, Callable[[int], Agent]], rank: int = 0) -> None:
        """Deal the first deals; see :class:`Collector`.

        Raises:
            ValueError: when the teacher does not know the game.
        """
        super().__init__(config, opponents, rank)
        check_game(self.batch.rules)
        self.worth = torch.zeros(self.rollout.masks.shape, dtype=torch.float32)
        self._worth_by_name = np.zeros((config.rows, self.batch.num_actions), np.float32)
        self._parts = np.array_split(np.arange(config.rows), min(_PARTS, config.rows))
        self._threads = config.threads or None
        self._table = open_table(self.batch.rules.trump != "none", False)

    def _look(self, step: int) -> None:
        super()._look(step)
        if step == self._config.steps:
            return  # these positions come first in the next rollout
        with ThreadPoolExecutor(self._threads) as executor:
            list(executor.map(self._ask, self._parts))
        named = self._worth_by_name
        cells = 13 * self._suits[:, :, None].astype(np.int64) + np.arange(13)
        worth = self.worth[step].numpy()
        worth[:] = named  # actions that are not cards stay where they are
        worth[:, :52] = np.take_along_axis(named, cells.reshape(len(named), 52), axis=1)

    def _ask(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        part = slice(rows[0], rows[-1] + 1)
        write_worth(
            self.batch.rules.game,
            self.batch.states[part],
            self._table,
            new_memory(),
            np.zeros(1, STATE),
            np.zeros(1, VIEW),
            self._worth_by_name[part],
        )


def check_game(game: Rules) -> None:
    """Refuse a game that the teacher does not know.

    Raises:
        ValueError: when the game has no open endgame, is played low, or stops early.
    """
    for field, refused in (("humbug", game.humbug), ("high_low", game.high_low), ("race", game.race > 0)):
        if refused:
            raise ValueError(
                f"rules: the teacher knows no games with {field}: it needs an open endgame, played out high"
            )

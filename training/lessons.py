"""Rollouts in which a teacher says what every action of every position is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.base import Agent
from german_whist.agents.canonical import by_role
from german_whist.envs.randomness import RowRandom
from german_whist.solver.race_search import new_race_memory
from german_whist.solver.tables import open_table
from german_whist.training.opponents import SELF
from german_whist.training.playout_network import PlayoutNetwork, PlayoutStudent
from german_whist.training.rollout import Collector
from german_whist.training.settings import TeacherConfig
from german_whist.training.teacher_kernels import TriedWorlds, write_worth

HEURISTIC = "heuristic"
_NONE = np.zeros(0, np.float32)
_THE_OTHER = ~np.eye(2, dtype=np.bool_)
_WORLDS_STREAM = 2**21  # apart from those of opponents and of the learner's choices
_KEYS = 2**53
_PARTS = 16  # that the rows are shared out in among the threads


class Lessons(Collector):
    """Plays the learner's policy in many deals at once and asks the teacher in every position.

    Attributes:
        worth: float32[steps + 1, rows, actions], for each action the counted tricks of the seat to act minus the
            other's that it leads to, by role; 0 for those that are not legal.
        outcomes: float32[steps + 1, rows], what a rollout from the position itself leads to, where there is a choice.
    """

    def __init__(self, config: TeacherConfig, opponents: Mapping[str, Callable[[int], Agent]], rank: int = 0) -> None:
        """Deal the first deals; see :class:`Collector`.

        Raises:
            ValueError: when the game has no open endgame.
        """
        super().__init__(config, opponents, rank)
        names = [name for name in config.opponents if name != SELF]
        self._config: TeacherConfig = config
        self._is_heuristic = np.array([*(name.partition("+")[0] == HEURISTIC for name in names), False])
        self._by_rules = np.ones((config.rows, 2, 2), np.bool_)
        self._policy = PlayoutNetwork.empty(self.num_observations, self.batch.num_actions)
        self._value = PlayoutNetwork.empty(self.num_observations, 1)
        self.worth = torch.zeros(self.rollout.masks.shape, dtype=torch.float32)
        self.outcomes = torch.zeros(self.rollout.masks.shape[:2], dtype=torch.float32)
        self._worth_by_name = np.zeros((config.rows, self.batch.num_actions), np.float32)
        self._keys = np.zeros(config.rows, np.uint64)
        self._parts = np.array_split(np.arange(config.rows), min(_PARTS, config.rows))
        self._threads = config.threads or None
        trump = self.batch.rules.trump != "none"
        lows = (0, 1) if self.batch.rules.high_low else (0,)
        self._tables = [(low, open_table(trump, low == 1)) for low in lows]

    def play_on(self, policy: PlayoutNetwork, value: PlayoutNetwork | None = None) -> None:
        """Let a student play on in rollouts from now on.

        The seat whose actions are tried is the student's, and so is the other; but in rows against the heuristic bot
        the other is the bot's, whichever seat is to act, so that all that is taught there is taught against it.

        Args:
            policy: chooses actions.
            value: stands for the rest of a rollout after ``lookahead`` decisions; without it they go on to the endgame.
        """
        self._policy = policy
        self._value = self._value if value is None else value
        against_bot = self._is_heuristic[self._opponent_of]  # −1, the learner itself, is no bot
        self._by_rules[:] = against_bot[:, None, None] & _THE_OTHER

    def _look(self, step: int) -> None:
        super()._look(step)
        if step == self._config.steps:
            return  # these positions come first in the next rollout
        if self._config.worlds > 1:
            luck = RowRandom(self._config.seed, self._deals, stream=_WORLDS_STREAM, step=self._moves)
            self._keys[:] = luck.integers(_KEYS)
        with ThreadPoolExecutor(self._threads) as executor:
            list(executor.map(lambda rows: self._ask(step, rows), self._parts))
        self.worth[step].numpy()[:] = by_role(self._worth_by_name, self._roles)

    def _ask(self, step: int, rows: npt.NDArray[np.int64]) -> None:
        part = slice(rows[0], rows[-1] + 1)
        states, worth, by_rules = self.batch.states[part], self._worth_by_name[part], self._by_rules[part]
        worlds = TriedWorlds.of(self._config.worlds, self._config.worlds_stock, self._keys[part])
        lookahead = 0 if self._value.is_empty else self._config.lookahead
        outcomes = self.outcomes[step, part].numpy() if self._config.value_hidden else _NONE
        student = PlayoutStudent.of(self._policy, self._value, self._live, lookahead)
        for low, table in self._tables:
            write_worth(
                self.batch.rules.game,
                states,
                low,
                by_rules,
                student,
                table,
                new_race_memory(),
                self._config.utility,
                worlds,
                worth,
                outcomes,
            )

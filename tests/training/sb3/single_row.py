"""One row of the self-play environment, dealt and played on its own, to compare the batch with."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.policy.canonical import canonical_views, decode_actions
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.vector import observe
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.rollouts import first_training_deal
from german_whist.training.sb3.vec_env import SelfPlayVecEnv


class Table:
    """A single deal after another: the learner plays both seats, or with an opponent is dealer in every second deal.

    Attributes:
        deals: how many deals have begun.
        batch: the current deal.
        index: which deal of the seed it is.
        learner: the learner's seat, -1 for both.
    """

    def __init__(self, row: int, game: Rules, seed: int, opponent: Any = None) -> None:
        self.row = row
        self.opponent = opponent
        self.batch = DealBatch(game, 1, seed)
        self.deals = 0

    def deal(self, index: int) -> None:
        self.batch.reset(first_training_deal(0) + index)
        self.index = index
        learner_deals = (self.row + self.deals) % 2 == 1
        dealer = index % 2
        self.learner = -1 if self.opponent is None else dealer if learner_deals else 1 - dealer
        self.deals += 1
        self._play_opponent()

    def _play_opponent(self) -> None:
        while self.learner >= 0 and not self.batch.done[0] and self.batch.turn[0] != self.learner:
            self.batch.step(self.opponent.act(self.batch.views(), None))

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """What the learner is to see now: observation and mask with canonical suits."""
        canonical, _ = canonical_views(self.batch.views())
        cards = canonical["legal"][0] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        return observe(canonical, self.batch.rules)[0], cards == 1

    def last_seen(self, seat: int) -> np.ndarray:
        return observe(canonical_views(self.batch.views(seats=[seat]))[0], self.batch.rules)[0]

    def play(self, card: int) -> int:
        """Play the learner's card, a canonical one, and the opponent's after it; return who was to act."""
        seat = int(self.batch.turn[0])
        _, relabeling = canonical_views(self.batch.views())
        self.batch.step(decode_actions(np.array([card]), relabeling))
        self._play_opponent()
        return seat

    def counted(self) -> int:
        """Seat 0's counted tricks minus seat 1's so far."""
        tricks = self.batch.states["tricks"][0].astype(int)  # (stage, seat)
        counted = tricks.sum(axis=0) if self.batch.rules.counts == "all" else tricks[1]
        return int(counted[0] - counted[1])


def random_actions(env: SelfPlayVecEnv, rng: np.random.Generator) -> np.ndarray:
    """A random legal action in each row."""
    masks = env.action_masks()
    return (rng.random(masks.shape) * masks).argmax(axis=1)

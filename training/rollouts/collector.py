"""Rollouts of self-play: kernels step many deals and write what happens straight into tensors, without copies.

Suits are renamed by role (``agents.canonical``) before anything is written, so the policy is equivariant by
construction: renaming the plain suits of a deal renames its cards and changes nothing else. No augmentation is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.canonical_kernels import ROLES
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.observation.vector import observation_high
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.config.schema import PPOConfig
from german_whist.training.rollouts.opponent_mix import SELF, share_rows
from german_whist.training.rollouts.rollout_kernels import HIDDEN_CELLS, choose, look, margins

DEALS_OF_A_PROCESS = 2**40  # processes deal from ranges of their own


@dataclass
class Rollout:
    """What happened in ``steps`` decisions of every row; step ``steps`` holds the decisions that come next.

    Attributes:
        cells: int8[steps + 1, rows, cells], the observation of the seat to act, then what is hidden from it, if at all.
        masks: bool[steps + 1, rows, actions], legal actions.
        actions: int64[steps, rows], by role; where an opponent decided, what the learner would have done.
        log_probs: float32[steps, rows], of those actions when they were sampled.
        seats: int8[steps + 1, rows], who decides.
        ends: bool[steps, rows], whether the deal ended before the row's next decision.
        rewards: float32[steps, rows, 2], what each seat was paid in the step.
        learnt: bool[steps, rows], whether the learner decided, not an opponent.
    """

    cells: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    seats: torch.Tensor
    ends: torch.Tensor
    rewards: torch.Tensor
    learnt: torch.Tensor

    @classmethod
    def empty(cls, steps: int, rows: int, cells: int, actions: int) -> Rollout:
        """Return buffers that wait to be filled."""
        return cls(
            torch.zeros((steps + 1, rows, cells), dtype=torch.int8),
            torch.zeros((steps + 1, rows, actions), dtype=torch.bool),
            torch.zeros((steps, rows), dtype=torch.int64),
            torch.zeros((steps, rows), dtype=torch.float32),
            torch.zeros((steps + 1, rows), dtype=torch.int8),
            torch.zeros((steps, rows), dtype=torch.bool),
            torch.zeros((steps, rows, 2), dtype=torch.float32),
            torch.zeros((steps, rows), dtype=torch.bool),
        )


class Collector:
    """Plays the learner's policy in many deals at once and records its decisions.

    In some rows the learner holds both seats. In the others it is dealer and non-dealer in turn, and an opponent holds
    the other seat; decisions of opponents are recorded too, as not learnt from.

    Attributes:
        batch: the deals.
        num_observations: cells that the actor sees.
        high: largest value of each cell that is written, int8[cells].
    """

    def __init__(self, config: PPOConfig, opponents: Mapping[str, Callable[[int], Agent]], rank: int = 0) -> None:
        """Deal the first deals.

        Args:
            config: the settings.
            opponents: for each name in ``config.opponents`` but ``self``, what gives the agent for a rollout's number.
            rank: of this process, where there are several.
        """
        game: Rules = rules(config.rules)
        self.batch = DealBatch(game, config.num_envs, config.seed, endgame=config.endgame)
        self._config = config
        self._scale = np.float32(reward_limit(game.game, config.reward))
        self.num_observations = self.batch.num_observations
        self.high = observation_high(game)
        if config.critic_sees == "all":
            hidden = np.ones(HIDDEN_CELLS, np.int8)
            hidden[104:] = max(game.stock, 1)
            self.high = np.concatenate([self.high, hidden])
        rows = config.num_envs
        self._opponent_of = share_rows([(share, name == SELF) for name, share in config.opponents.items()], rows)
        self._makers = [opponents[name] for name in config.opponents if name != SELF]
        self._first_deal = rank * DEALS_OF_A_PROCESS
        self._next_deal = 0
        self._rollouts = 0
        self._deals = np.zeros(rows, np.uint64)
        self._moves = np.zeros(rows, np.int64)
        self._deals_of_row = np.zeros(rows, np.int64)
        self._learner_seat = np.full(rows, -1, np.int8)  # −1: both
        self._roles = np.zeros((rows, ROLES), np.int8)
        self._live = config.ranks == "live"
        self._views = np.zeros(2, VIEW)
        self._named = np.zeros(rows, np.int64)
        self._margin = np.zeros(rows, np.float32)
        self.rollout = Rollout.empty(config.num_steps, rows, len(self.high), self.batch.num_actions)
        self._deal(np.arange(rows))

    def _deal(self, rows: npt.NDArray[np.int64]) -> None:
        """Deal the next deals into some rows, and seat the learner."""
        deals = np.arange(self._next_deal, self._next_deal + len(rows), dtype=np.uint64) + np.uint64(self._first_deal)
        self._next_deal += len(rows)
        self._deals[rows] = deals
        self._moves[rows] = 0
        self.batch.deal_rows(rows, deals)
        # Neighbouring rows differ, so that the learner deals as often as not in few deals too.
        is_dealer = (rows + self._deals_of_row[rows]) % 2 == 1
        dealer = self.batch.states["dealer"][rows]
        self._learner_seat[rows] = np.where(self._opponent_of[rows] < 0, -1, np.where(is_dealer, dealer, 1 - dealer))
        self._deals_of_row[rows] += 1

    def collect(self, policy: Callable[[torch.Tensor], torch.Tensor]) -> Rollout:
        """Play ``steps`` decisions in every row and return what happened, in buffers that the next call fills anew.

        Args:
            policy: gives the logits float32[rows, actions] of cells int8[rows, num_observations].

        Raises:
            FloatingPointError: when logits are not finite.
        """
        opponents = [maker(self._rollouts) for maker in self._makers]
        self._rollouts += 1
        for step in range(self._config.num_steps):
            self._look(step)
            self._choose(step, policy, opponents)
            self._play(step)
        self._look(self._config.num_steps)
        return self.rollout

    def _look(self, step: int) -> None:
        made, batch = self.rollout, self.batch
        cells, masks = made.cells[step].numpy(), made.masks[step].numpy()
        look(batch.rules.game, batch.states, self._views, self.num_observations, cells, masks, self._roles, self._live)
        made.seats[step].numpy()[:] = batch.turn

    def _choose(self, step: int, policy: Callable[[torch.Tensor], torch.Tensor], opponents: list[Agent]) -> None:
        made = self.rollout
        logits = policy(made.cells[step][:, : self.num_observations]).numpy()
        choose(
            logits,
            made.masks[step].numpy(),
            self._roles,
            np.uint64(self._config.seed),
            self._deals,
            self._moves,
            made.actions[step].numpy(),
            made.log_probs[step].numpy(),
            self._named,
        )
        if (self._named < 0).any():
            raise FloatingPointError("logits are not finite")
        learnt = made.learnt[step].numpy()
        learnt[:] = (self._learner_seat < 0) | (self._learner_seat == self.batch.turn)
        for number, opponent in enumerate(opponents):
            rows = np.flatnonzero(~learnt & (self._opponent_of == number))
            if len(rows):
                luck = AgentRng(self._config.seed, self._deals[rows], stream=number, step=self._moves[rows])
                self._named[rows] = opponent.act(self.batch.views(rows), luck)

    def _play(self, step: int) -> None:
        made, batch, config = self.rollout, self.batch, self._config
        rewards = made.rewards[step].numpy()
        margins(batch.rules.game, batch.states, self._margin)
        rewards[:, 0] = -self._margin
        batch.step(self._named)
        self._moves += 1
        if config.per_trick:
            margins(batch.rules.game, batch.states, self._margin)
            rewards[:, 0] += self._margin
            rewards[:, 1] = -rewards[:, 0]
        else:
            rewards[:] = batch.returns(config.reward)
        rewards /= self._scale
        made.ends[step].numpy()[:] = batch.done
        finished = np.flatnonzero(batch.done)
        if len(finished):
            self._deal(finished)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return all that the next rollout depends on but the policy, as arrays with a row for each deal or one."""
        return {
            "states": self.batch.states.view(np.uint8).reshape(self.batch.size, -1).copy(),
            "deals": self._deals.astype(np.int64),
            "moves": self._moves.copy(),
            "deals_of_row": self._deals_of_row.copy(),
            "learner_seat": self._learner_seat.copy(),
            "counts": np.array([[self._next_deal, self._rollouts]], np.int64),
        }

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            ValueError: when it is of another number of rows or of another version of the engine.
        """
        for name, array in self.state().items():
            if name not in state or state[name].shape != array.shape or state[name].dtype != array.dtype:
                raise ValueError(f"its {name} are not those of {self.batch.size} rows of this version")
        self.batch.states[:] = np.ascontiguousarray(state["states"]).view(self.batch.states.dtype)[:, 0]
        self._deals[:] = state["deals"].astype(np.uint64)
        self._moves[:] = state["moves"]
        self._deals_of_row[:] = state["deals_of_row"]
        self._learner_seat[:] = state["learner_seat"]
        self._next_deal, self._rollouts = map(int, state["counts"][0])

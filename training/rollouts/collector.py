"""Self-play rollouts: kernels step many deals at once and write straight into tensors, without copies.

Cards are named by role (``agents/policy/canonical.py``) before anything is written, so the policy is equivariant by
construction: permuting the plain suits of a deal permutes its cards and changes nothing else. No augmentation is
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.canonical_kernels import ROLES
from german_whist.agents.policy.checkpoint import LIVE
from german_whist.agents.policy.inputs import input_high, num_outputs
from german_whist.agents.policy.network.layers import OBSERVATION, UNIVERSAL
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.observation.views import VIEW
from german_whist.envs.opponent import ask_opponent
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.config.game_settings import PPOGameSettings
from german_whist.training.config.settings import RolloutSettings
from german_whist.training.rollouts.opponent_mix import SELF, OpponentMix
from german_whist.training.rollouts.rollout_kernels import (
    HIDDEN_FEATURES,
    margins,
    observe_envs,
    sample_actions,
    write_roles,
)
from german_whist.training.rollouts.saved_deals import (
    DEALS_PER_PROCESS,
    IMPOSSIBLE,
    check_layout,
    first_training_deal,
    load_deals,
    save_deals,
)


@dataclass
class Rollout:
    """``num_steps`` decisions in every environment; index ``num_steps`` holds the decisions that come next.

    Attributes:
        features: int8[steps + 1, envs, features], the observation of the seat to act; then, for a critic, what is
            hidden from that seat.
        masks: bool[steps + 1, envs, actions], legal actions.
        actions: int64[steps, envs], by role.
        logits: float32[steps, envs, actions], the policy's where the learner had a choice; elsewhere 0.
        log_probs: float32[steps, envs], of the learner's actions when they were sampled.
        seats: int8[steps + 1, envs], the seat that decides.
        ends: bool[steps, envs], whether the deal ended before the environment's next decision.
        rewards: float32[steps, envs, 2], reward of each seat in the step.
        learner_mask: bool[steps, envs], whether the learner decided, not an opponent.
    """

    features: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    logits: torch.Tensor
    log_probs: torch.Tensor
    seats: torch.Tensor
    ends: torch.Tensor
    rewards: torch.Tensor
    learner_mask: torch.Tensor

    @classmethod
    def empty(cls, steps: int, envs: int, features: int, actions: int) -> Rollout:
        """Return buffers to be filled."""
        return cls(
            torch.zeros((steps + 1, envs, features), dtype=torch.int8),
            torch.zeros((steps + 1, envs, actions), dtype=torch.bool),
            torch.zeros((steps, envs), dtype=torch.int64),
            torch.zeros((steps, envs, actions), dtype=torch.float32),
            torch.zeros((steps, envs), dtype=torch.float32),
            torch.zeros((steps + 1, envs), dtype=torch.int8),
            torch.zeros((steps, envs), dtype=torch.bool),
            torch.zeros((steps, envs, 2), dtype=torch.float32),
            torch.zeros((steps, envs), dtype=torch.bool),
        )


class DealCollector(Protocol):
    """What a learner needs from a collector, apart from its rollouts; see :class:`Collector`."""

    high: npt.NDArray[np.int8]
    num_observations: int
    num_actions: int

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything but the policy that the next rollout depends on."""
        ...

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned."""
        ...


class Collector:
    """Plays the learner's policy in many deals at once and records its decisions.

    In some environments the learner holds both seats. In the others it is dealer and non-dealer in turn, and an
    opponent holds the other seat; its decisions are recorded too, but masked out of training.

    Attributes:
        batch: the deals.
        num_observations: features that the policy sees.
        num_actions: actions that the policy chooses from.
        high: largest value of each feature, int8[features].
        rollout: the buffers that :meth:`collect` fills.
    """

    def __init__(
        self,
        game: PPOGameSettings,
        rollouts: RolloutSettings,
        opponents: Mapping[str, Callable[[int], Agent]],
        *,
        seed: int,
        ranks: str,
        inputs: str = OBSERVATION,
        with_hidden: bool = False,
        history: bool = False,
        rank: int = 0,
    ) -> None:
        """Deal the first deals.

        Args:
            game: the game, its rewards and its endgames.
            rollouts: size of a rollout, and the opponents.
            opponents: for each name in ``rollouts.opponents`` except ``self``, a function from the number of a rollout
                to the agent.
            seed: seed of the deals and the sampled actions.
            ranks: ranks as the policy sees them, ``"named"`` or ``"live"``.
            inputs: what the policy sees, ``"observation"`` or ``"universal"``.
            with_hidden: also record what the seat to act cannot see, for a critic.
            history: keep event histories, for opponents that use them.
            rank: index of this process.
        """
        deal_rules: Rules = rules(game.rules)
        envs = rollouts.num_envs
        self.batch = DealBatch(deal_rules, envs, seed, history=history, endgame=game.endgame)
        self._reward, self._per_trick = game.reward, game.per_trick
        self._num_steps = rollouts.num_steps
        self._seed = seed
        self._scale = np.float32(reward_limit(deal_rules.game, game.reward))
        self.high = input_high(deal_rules, inputs)
        self.num_observations = self.high.size
        self.num_actions = num_outputs(deal_rules, inputs)
        if with_hidden:
            hidden = np.ones(HIDDEN_FEATURES, np.int8)
            hidden[104:] = max(deal_rules.stock, 1)
            self.high = np.concatenate([self.high, hidden])
        self._mix = OpponentMix(((share, name == SELF) for name, share in rollouts.opponents.items()), envs)
        self._makers = [opponents[name] for name in rollouts.opponents if name != SELF]
        self._first_deal = first_training_deal(rank)
        self._next_deal = 0
        self._rollouts = 0
        self._deals = np.zeros(envs, np.uint64)
        self._moves = np.zeros(envs, np.int64)
        self._roles = np.zeros((envs, ROLES), np.int8)
        self._live = ranks == LIVE
        self._universal = inputs == UNIVERSAL
        self._views = np.zeros(2, VIEW)
        self._true_actions = np.zeros(envs, np.int64)
        self._margin = np.zeros(envs, np.float32)
        self.rollout = Rollout.empty(rollouts.num_steps, envs, len(self.high), self.num_actions)
        self._deal(np.arange(envs))

    def _deal(self, envs: npt.NDArray[np.int64]) -> None:
        """Deal the next deals into some environments, and seat the learner."""
        deals = np.arange(self._next_deal, self._next_deal + len(envs), dtype=np.uint64) + np.uint64(self._first_deal)
        self._next_deal += len(envs)
        self._deals[envs] = deals
        self._moves[envs] = 0
        self.batch.deal_rows(envs, deals)
        self._mix.assign_seats(envs, self.batch.states["dealer"][envs])

    def collect(self, policy: Callable[[torch.Tensor], torch.Tensor]) -> Rollout:
        """Play ``num_steps`` decisions in every environment and return them, in buffers that the next call overwrites.

        Args:
            policy: function from observations int8[rows, num_observations] to logits float32[rows, actions].

        Raises:
            FloatingPointError: when logits are not finite.
        """
        opponents = [maker(self._rollouts) for maker in self._makers]
        self._rollouts += 1
        for step in range(self._num_steps):
            self._observe(step)
            self._choose(step, policy, opponents)
            self._play(step)
        self._observe(self._num_steps)
        return self.rollout

    def _observe(self, step: int) -> None:
        rollout, batch = self.rollout, self.batch
        features, masks = rollout.features[step].numpy(), rollout.masks[step].numpy()
        observe_envs(
            batch.rules.game,
            batch.states,
            self._views,
            self.num_observations,
            features,
            masks,
            self._roles,
            self._live,
            self._universal,
        )
        rollout.seats[step].numpy()[:] = batch.turn

    def _choose(self, step: int, policy: Callable[[torch.Tensor], torch.Tensor], opponents: list[Agent]) -> None:
        rollout = self.rollout
        masks = rollout.masks[step]
        learner_mask = rollout.learner_mask[step].numpy()
        learner_mask[:] = self._mix.learner_acts(self.batch.turn)
        choices = (rollout.learner_mask[step] & (masks.sum(1) > 1)).nonzero().squeeze(1)
        logits = rollout.logits[step].zero_()
        logits[choices] = policy(rollout.features[step, choices, : self.num_observations])
        sample_actions(
            logits.numpy(),
            masks.numpy(),
            self._roles,
            np.uint64(self._seed),
            self._deals,
            self._moves,
            rollout.actions[step].numpy(),
            rollout.log_probs[step].numpy(),
            self._true_actions,
        )
        if (self._true_actions < 0).any():
            raise FloatingPointError("logits are not finite")
        for number, opponent in enumerate(opponents):
            envs = np.flatnonzero(~learner_mask & (self._mix.opponent_of == number))
            if len(envs):
                rng = AgentRng(self._seed, self._deals[envs], stream=number, step=self._moves[envs])
                self._true_actions[envs] = ask_opponent(opponent, self.batch, envs, rng)
                write_roles(envs, self._true_actions, self._roles, rollout.actions[step].numpy())

    def _play(self, step: int) -> None:
        rollout, batch = self.rollout, self.batch
        rewards = rollout.rewards[step].numpy()
        margins(batch.rules.game, batch.states, self._margin)
        rewards[:, 0] = -self._margin
        batch.step(self._true_actions)
        self._moves += 1
        if self._per_trick:
            margins(batch.rules.game, batch.states, self._margin)
            rewards[:, 0] += self._margin
            rewards[:, 1] = -rewards[:, 0]
        else:
            rewards[:] = batch.returns(self._reward)
        rewards /= self._scale
        rollout.ends[step].numpy()[:] = batch.done
        finished = np.flatnonzero(batch.done)
        if len(finished):
            self._deal(finished)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything but the policy that the next rollout depends on, as arrays with one row per environment."""
        return save_deals(self.batch, self._mix, self._deals) | {
            "moves": self._moves.copy(),
            "counts": np.array([[self._next_deal, self._rollouts]], np.int64),
        }

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            ValueError: when it is of another number of environments or of another version of the engine.
        """
        check_layout(state, self.state())
        moves, counts = state["moves"], state["counts"]
        moves_are_possible = ((moves >= 0) & (moves < 2**16)).all()
        if not moves_are_possible or not ((counts >= 0) & (counts < DEALS_PER_PROCESS)).all():
            raise ValueError(IMPOSSIBLE)
        load_deals(state, self.batch, self._mix, self._deals)
        self._moves[:] = moves
        self._next_deal, self._rollouts = map(int, counts[0])

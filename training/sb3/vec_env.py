"""Self-play as a Stable-Baselines3 ``VecEnv`` on the batch kernels, with the rollout buffer that credits each seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.canonical import canonical_views, true_cards
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.engine.state import ENDGAME
from german_whist.envs.observation.vector import observation_high, observe
from german_whist.envs.observation.vector_kernels import write_masks
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.rollouts.opponent_mix import SELF, share_rows
from german_whist.training.rollouts.return_kernels import seat_advantages

_NO_INFO: dict[str, Any] = {}


class SelfPlayVecEnv(VecEnv):
    """Many deals stepped together; each row shows the decision of a seat that learns.

    In some rows the learner holds both seats: the row then shows whichever seat is to act. In the others it is dealer
    and non-dealer in turn, and an opponent plays the other seat inside the step. Suits are renamed as a policy
    network sees them (``agents.canonical``), in observations, masks and actions alike.

    Rewards are divided by the largest possible one. They are paid when the deal ends, or, with ``per_trick``, the
    margin as its tricks are taken, which adds up to the same. ``step`` reports the reward of the seat that acted, and
    ``seat_rewards`` both.

    Attributes:
        batch: the deals.
        acted: int8[rows], the seat whose action the last step played.
        ended: bool[rows], whether its deal ended in that step.
        seat_rewards: float32[rows, 2], what each seat got in that step.
    """

    def __init__(
        self,
        rules: Rules,
        rows: int,
        *,
        reward: str = "margin",
        per_trick: bool = False,
        seed: int = 0,
        opponents: Sequence[tuple[float, Callable[[], Agent] | str]] = ((1.0, SELF),),
    ) -> None:
        """Deal the first deals.

        Args:
            rules: the game.
            rows: deals stepped together.
            reward: ``"margin"``, ``"win"`` or ``"points"``.
            per_trick: pay the margin trick by trick.
            seed: of the deals and the opponents.
            opponents: shares of the rows and who plays in them: ``"self"`` (the learner holds both seats), or a
                function that gives the opponent, called whenever deals of its rows start anew.

        Raises:
            ValueError: when a reward is unknown, or cannot be paid trick by trick, or an opponent's share is less than
                a row.
        """
        self.batch = DealBatch(rules, rows, seed)
        if per_trick and reward != "margin":
            raise ValueError(f"per_trick: only the margin can be paid trick by trick, not reward={reward}")
        self._reward = reward
        self._per_trick = per_trick
        self._scale = reward_limit(rules.game, reward)
        self._next_deal = 0
        self._deal = np.zeros(rows, np.uint64)
        self._deals_of_row = np.zeros(rows, np.int64)
        self._opponent_of = share_rows([(share, isinstance(opponent, str)) for share, opponent in opponents], rows)
        self._makers = [opponent for _, opponent in opponents if not isinstance(opponent, str)]
        self._opponents: list[Agent | None] = [None] * len(self._makers)
        self._learner_seat = np.full(rows, -1, np.int8)  # −1: both
        self._step = 0
        self._actions = np.zeros(rows, np.int64)
        self.acted = np.zeros(rows, np.int8)
        self.ended = np.zeros(rows, np.bool_)
        self.seat_rewards = np.zeros((rows, 2), np.float32)
        self.render_mode = None
        super().__init__(
            rows,
            spaces.Box(0, observation_high(rules), dtype=np.int8),
            spaces.Discrete(rules.num_actions),
        )

    def deal_from(self, index: int) -> None:
        """Let the next new deal be deal ``index`` of the seed."""
        self._next_deal = index

    def _deal_rows(self, rows: npt.NDArray[np.int64]) -> None:
        """Start new deals in some rows and let opponents lead where it is their turn."""
        if not len(rows):
            return
        self._deal[rows] = np.uint64(self._next_deal) + np.arange(len(rows), dtype=np.uint64)
        self._next_deal += len(rows)
        self.batch.deal_rows(rows, self._deal[rows])
        for which in np.unique(self._opponent_of[rows]):
            if which >= 0:
                self._opponents[which] = self._makers[which]()
        # Neighbouring rows differ, so that the learner deals as often as not in few deals too.
        is_dealer = (rows + self._deals_of_row[rows]) % 2 == 1
        dealer = self.batch.states["dealer"][rows]
        self._learner_seat[rows] = np.where(self._opponent_of[rows] < 0, -1, np.where(is_dealer, dealer, 1 - dealer))
        self._deals_of_row[rows] += 1

    def _play_opponents(self) -> None:
        """Play the opponents' actions until every unfinished row shows a decision of the learner."""
        while True:
            waiting = (self._learner_seat >= 0) & (self.batch.turn != self._learner_seat) & ~self.batch.done
            if not waiting.any():
                return
            self._actions[:] = -1
            for which, opponent in enumerate(self._opponents):
                rows = np.flatnonzero(waiting & (self._opponent_of == which))
                if len(rows) and opponent is not None:
                    self._step += 1
                    rng = AgentRng(self.batch.seed, self._deal[rows], stream=which, step=self._step % 2**16)
                    self._actions[rows] = opponent.act(self.batch.views(rows), rng)
            self.batch.step(self._actions[waiting], np.flatnonzero(waiting))

    def reset(self) -> npt.NDArray[np.int8]:
        """Start new deals in every row and return the observations, int8[rows, n_obs]."""
        self._deal_rows(np.arange(self.num_envs))
        self._play_opponents()
        return self._observe()

    def _observe(self) -> npt.NDArray[np.int8]:
        """Look at the decisions to make, with renamed suits."""
        self._views, self._roles = canonical_views(self.batch.views())
        return observe(self._views, self.batch.rules)

    def _margin(self) -> npt.NDArray[np.float32]:
        """Return seat 0's counted tricks minus seat 1's so far, the other way round in low deals, float32[rows]."""
        tricks = self.batch.states["tricks"].astype(np.float32)  # (rows, stage, seat)
        counted = tricks.sum(axis=1) if self.batch.rules.counts == "all" else tricks[:, ENDGAME]
        sign = 1 - 2 * self.batch.states["low"].astype(np.float32)
        margin: npt.NDArray[np.float32] = sign * (counted[:, 0] - counted[:, 1])
        return margin

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take the actions of the next step, int64[rows]."""
        self._pending = np.asarray(actions, np.int64)

    def step_wait(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[Any]]:
        """Play the actions, then the opponents' until the learner is to act again; finished rows get new deals."""
        self.acted = self.batch.turn.copy()
        before = self._margin() if self._per_trick else None
        self.batch.step(true_cards(self._pending, self._roles))
        self._play_opponents()
        self.ended = self.batch.done.copy()
        if before is None:
            self.seat_rewards = self.batch.returns(self._reward) / np.float32(self._scale)
        else:
            gained = (self._margin() - before) / np.float32(self._scale)
            self.seat_rewards = np.stack([gained, -gained], axis=1)
        rewards = self.seat_rewards[np.arange(self.num_envs), self.acted]
        infos: list[Any] = [_NO_INFO] * self.num_envs
        finished = np.flatnonzero(self.ended)
        if len(finished):
            last = observe(canonical_views(self.batch.views(seats=self.acted))[0], self.batch.rules)
            for row in finished:
                infos[row] = {"terminal_observation": last[row]}
            self._deal_rows(finished)
            self._play_opponents()
        return self._observe(), rewards, self.ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions of the decisions shown, bool[rows, num_actions]."""
        masks = np.empty((self.num_envs, self.batch.num_actions), np.int8)
        write_masks(np.ascontiguousarray(self._views["legal"]), masks)
        return masks.astype(np.bool_)

    def close(self) -> None:
        """Nothing to release."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environment has an attribute; Stable-Baselines3 asks for ``action_masks``."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once for each row asked for."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the whole batch."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of the whole batch and return its result for each row asked for."""
        results = getattr(self, method_name)(*args, **kwargs)
        return [results[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """No row is wrapped."""
        return [False] * len(list(self._get_indices(indices)))


class SelfPlayRolloutBuffer(MaskableRolloutBuffer):
    """A rollout buffer that knows which seat decided, and credits each seat at its own next decision or the end."""

    def __init__(self, *args: Any, source: SelfPlayVecEnv, **kwargs: Any) -> None:
        """Take the environment whose steps fill the buffer."""
        self._source = source
        super().__init__(*args, **kwargs)

    def reset(self) -> None:
        """Empty the buffer."""
        shape = (self.buffer_size, self.n_envs)
        self.seats = np.zeros(shape, np.int8)
        self.ends = np.zeros(shape, np.bool_)
        self.seat_rewards = np.zeros((*shape, 2), np.float32)
        super().reset()

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Add a step of every row, just played by the source."""
        self.seats[self.pos] = self._source.acted
        self.ends[self.pos] = self._source.ended
        self.seat_rewards[self.pos] = self._source.seat_rewards
        super().add(*args, **kwargs)

    def compute_returns_and_advantage(self, last_values: Any, dones: npt.NDArray[np.bool_]) -> None:
        """Estimate advantages seat by seat; ``dones`` is known already."""
        seat_advantages(
            self.values,
            self.seats,
            self.ends,
            self.seat_rewards,
            last_values.clone().cpu().numpy().flatten(),
            self._source.batch.turn,
            self.gamma,
            self.gae_lambda,
            self.advantages,
        )
        self.returns = self.advantages + self.values

"""Self-play as a Stable-Baselines3 ``VecEnv`` on the batch kernels, with a rollout buffer that credits each seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from german_whist.agents.policy.canonical import canonical_views, decode_actions
from german_whist.envs.agent import Agent, as_agent, ask
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.observation.vector import observation_high, observe
from german_whist.envs.observation.vector_kernels import write_masks
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.rollout_kernels import margins
from german_whist.training.rollouts import (
    DEALS_PER_PROCESS,
    IMPOSSIBLE,
    OpponentSampler,
    check_layout,
    first_training_deal,
    load_deals,
    save_deals,
)
from german_whist.training.sb3.advantage_kernels import seat_advantages

_NO_INFO: dict[str, Any] = {}


class SelfPlayVecEnv(VecEnv):
    """Many deals stepped together; each environment shows the decision of a seat that learns.

    In some environments the learner holds both seats and sees whichever is to act. In the others it is dealer and
    non-dealer in turn, and an opponent plays the other seat inside the step. Observations,
    masks and actions are canonical, as a policy network sees them (``agents/policy/canonical.py``).

    Rewards are divided by the largest possible one. The margin is paid trick by trick, other rewards at the end of the
    deal. ``step`` returns the reward of the seat that acted, ``seat_rewards`` holds both.

    Attributes:
        batch: the deals.
        acted: int8[num_envs], the seat whose action the last step played.
        ended: bool[num_envs], whether its deal ended in that step.
        seat_rewards: float32[num_envs, 2], reward of each seat in that step.
    """

    def __init__(
        self,
        rules: Rules,
        num_envs: int,
        *,
        reward: str = "margin",
        seed: int = 0,
        opponents: Sequence[tuple[float, Callable[[], Agent] | None]] = ((1.0, None),),
        history: bool = False,
    ) -> None:
        """Deal the first deals.

        Args:
            rules: the rules of the deals.
            num_envs: deals stepped together.
            reward: ``"margin"``, ``"win"`` or ``"points"``.
            seed: seed of the deals and the opponents.
            opponents: shares of the environments and who plays there: ``None`` (the learner holds both seats), or a
                function that gives the opponent, called by :meth:`choose_opponents`.
            history: keep event histories, for opponents that use them.

        Raises:
            ValueError: when a reward is unknown, or a share is less than one environment.
        """
        self.batch = DealBatch(rules, num_envs, seed, history=history)
        self._reward = reward
        self._scale = reward_limit(rules.game, reward)
        self._next_deal = 0
        self._deal = np.zeros(num_envs, np.uint64)
        self._mix = OpponentSampler(((share, opponent is None) for share, opponent in opponents), num_envs)
        self._makers = [opponent for _, opponent in opponents if opponent is not None]
        self._opponents: list[Agent] = []
        self._step = 0
        self._actions = np.zeros(num_envs, np.int64)
        self._margins = np.zeros(num_envs, np.float32)
        self.acted = np.zeros(num_envs, np.int8)
        self.ended = np.zeros(num_envs, np.bool_)
        self.seat_rewards = np.zeros((num_envs, 2), np.float32)
        self.render_mode = None
        super().__init__(
            num_envs,
            spaces.Box(0, observation_high(rules), dtype=np.int8),
            spaces.Discrete(rules.num_actions),
        )

    def choose_opponents(self) -> None:
        """Take the opponents of the next rollout, who also take over the deals in progress."""
        self._opponents = [as_agent(make(), self.batch.rules) for make in self._makers]

    def _deal_envs(self, envs: npt.NDArray[np.int64]) -> None:
        """Start new deals in some environments."""
        if not len(envs):
            return
        self._deal[envs] = np.uint64(first_training_deal(0) + self._next_deal) + np.arange(len(envs), dtype=np.uint64)
        self._next_deal += len(envs)
        self.batch.deal_rows(envs, self._deal[envs])
        self._mix.assign_seats(envs, self.batch.states["dealer"][envs])

    def _play_opponents(self) -> None:
        """Play the opponents' actions until every unfinished environment shows a decision of the learner."""
        while True:
            waiting = ~self._mix.learner_acts(self.batch.turn) & ~self.batch.done
            if not waiting.any():
                return
            self._actions[:] = -1
            for which, opponent in enumerate(self._opponents):
                envs = np.flatnonzero(waiting & (self._mix.opponent_of == which))
                if len(envs):
                    self._step += 1
                    rng = AgentRng(self.batch.seed, self._deal[envs], stream=which, step=self._step % 2**16)
                    self._actions[envs] = ask(opponent, self.batch, envs, rng)
            self.batch.step(self._actions[waiting], np.flatnonzero(waiting))

    def reset(self) -> npt.NDArray[np.int8]:
        """Start new deals everywhere and return the observations, int8[num_envs, num_observations]."""
        self.choose_opponents()
        self._deal_envs(np.arange(self.num_envs))
        self._play_opponents()
        return self.observe()

    def observe(self) -> npt.NDArray[np.int8]:
        """Return the observations of the decisions to make, int8[num_envs, num_observations]."""
        self._views, self._relabeling = canonical_views(self.batch.views())
        return observe(self._views, self.batch.rules)

    def _margin(self) -> npt.NDArray[np.float32]:
        """Return seat 0's margin of counted tricks so far, float32[num_envs]; see :func:`margins`."""
        margins(self.batch.rules.game, self.batch.states, self._margins)
        margin: npt.NDArray[np.float32] = self._margins.copy()
        return margin

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take the actions of the next step, int64[num_envs]."""
        self._pending = np.asarray(actions, np.int64)

    def step_wait(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[Any]]:
        """Play the actions, then the opponents', until the learner is to act again; finished deals are replaced."""
        self.acted = self.batch.turn.copy()
        before = self._margin() if self._reward == "margin" else None
        self.batch.step(decode_actions(self._pending, self._relabeling))
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
            for env in finished:
                infos[env] = {"terminal_observation": last[env]}
            self._deal_envs(finished)
            self._play_opponents()
        return self.observe(), rewards, self.ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions of the decisions shown, bool[num_envs, num_actions]."""
        masks = np.empty((self.num_envs, self.batch.num_actions), np.int8)
        write_masks(np.ascontiguousarray(self._views["legal"]), masks)
        return masks.astype(np.bool_)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything but the policies that the next step depends on."""
        counts = np.array([[self._next_deal, self._step]], np.int64)
        return save_deals(self.batch, self._mix, self._deal) | {"counts": counts}

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned; :meth:`observe` shows the decisions to make.

        Raises:
            ValueError: when it is of another number of environments or of another version of the engine.
        """
        check_layout(state, self.state())
        if not ((state["counts"] >= 0) & (state["counts"] < DEALS_PER_PROCESS)).all():
            raise ValueError(IMPOSSIBLE)
        load_deals(state, self.batch, self._mix, self._deal)
        self._next_deal, self._step = map(int, state["counts"][0])

    def close(self) -> None:
        """Nothing to release."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environment has an attribute; Stable-Baselines3 asks for ``action_masks``."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, once for each environment asked for."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the whole batch."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of the whole batch and return its result for each environment asked for."""
        results = getattr(self, method_name)(*args, **kwargs)
        return [results[env] for env in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """No environment is wrapped."""
        return [False] * len(list(self._get_indices(indices)))


class SelfPlayRolloutBuffer(MaskableRolloutBuffer):
    """A rollout buffer that records which seat decided and estimates advantages seat by seat."""

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
        """Add a step of every environment, just played by the source."""
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

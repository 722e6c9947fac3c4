"""Stable-Baselines3 and sb3-contrib: a ``VecEnv`` that steps many deals in compiled kernels.

Example:
    >>> from german_whist.sb3 import GermanWhistVecEnv
    >>> model = MaskablePPO("MlpPolicy", GermanWhistVecEnv(256, opponent="heuristic"))
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.utils.libraries import explained

try:
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv
except ImportError as error:
    raise explained(error) from None

from german_whist.agents.base import Agent, AgentLike
from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv
from german_whist.envs.opponent import Seat
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward, reward_limit
from german_whist.simulator.batch import Score
from german_whist.simulator.endgame import EndgameHook
from german_whist.simulator.observation.spaces import ObservationKind

__all__ = ["GermanWhistVecEnv"]

Observations = npt.NDArray[np.int8] | dict[str, npt.NDArray[Any]]


class GermanWhistVecEnv(VecEnv):
    """Many deals at once, with the learner to act in each: the vector environment for Stable-Baselines3.

    * Observations: int8[num_envs, n_obs], or a dictionary with event histories, for a ``MultiInputPolicy``. Finished
      deals are dealt again in the same step.
    * Rewards: float32[num_envs] at the end of a deal, or trick by trick, divided by the largest possible reward.
    * Legal actions: ``action_masks()``, where MaskablePPO looks for them.

    ``seed(7)`` or ``set_options({"deal": (7, 100)})`` sets the deals that the next ``reset`` starts with.

    Attributes:
        rules: the rules of every deal.
        opponent: the agent in the other seats; it may be replaced between two steps, as in self-play.
    """

    def __init__(
        self,
        num_envs: int = 256,
        *,
        rules: str | Rules = "classic",
        opponent: AgentLike = "heuristic",
        reward: Reward | Score = "margin",
        seat: Seat = "alternate",
        endgame: Endgame | EndgameHook = PLAYED,
        observation: ObservationKind = "vector",
        canonical: bool = False,
        dense: bool = False,
    ) -> None:
        """Create the environments; ``reset`` deals.

        Args:
            num_envs: number of deals stepped together, at least 1.
            rules: a preset's name, optionally with settings, or ``Rules``.
            opponent: an agent's specification, an agent object, or shares, ``{"heuristic": 0.8, "random": 0.2}``: who
                plays a deal follows from its seed and index.
            reward: ``"margin"``, ``"win"``, ``"points"`` or a function, as in ``GermanWhistEnv``; it gets the whole
                batch, and only its values for finished deals are used.
            seat: the learner's seat, 0, 1 or ``"alternate"``.
            endgame: ``"played"`` or ``"exact"``.
            observation: ``"vector"``, ``"history"`` or ``"both"``, as in ``GermanWhistEnv``.
            canonical: whether observations, masks and actions are those of :func:`german_whist.canonical_views`, which
                relabels suits so that equivalent positions look the same. To play, wrap the trained policy in an agent
                with ``act(observations, action_masks)`` and ``canonical = True``.
            dense: whether to pay the margin trick by trick; it needs ``reward="margin"``.

        Raises:
            ValueError: if an argument is not allowed.
        """
        self._envs = GermanWhistVectorEnv(
            opponent,
            num_envs,
            rules,
            reward,
            seat,
            endgame=endgame,
            observation=observation,
            canonical=canonical,
            dense=dense,
        )
        self.rules, self.render_mode = self._envs.rules, None
        self._limit = reward_limit(self.rules.record, reward)
        super().__init__(num_envs, self._envs.single_observation_space, self._envs.single_action_space)

    @property
    def opponent(self) -> Agent:
        """The agent in the other seats."""
        return self._envs.opponent

    @opponent.setter
    def opponent(self, opponent: AgentLike) -> None:
        self._envs.opponent = opponent

    @property
    def deals(self) -> npt.NDArray[np.uint64]:
        """The address (seed, index) of the current deal in each row, uint64[num_envs, 2]."""
        deals: npt.NDArray[np.uint64] = self._envs.deals
        return deals

    @property
    def final_deals(self) -> npt.NDArray[np.uint64]:
        """The address (seed, index) of the last deal that ended in each row, uint64[num_envs, 2]; zeros before."""
        deals: npt.NDArray[np.uint64] = self._envs.final_deals
        return deals

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next ``reset``.

        Raises:
            ValueError: if they are neither a dictionary nor a list of one for each row.
        """
        if isinstance(options, list):
            is_allowed = len(options) == self.num_envs and all(isinstance(row, dict) for row in options)
        else:
            is_allowed = options is None or isinstance(options, dict)
        if not is_allowed:
            raise ValueError(f"options must be a dictionary, or a list of {self.num_envs} of them, got {options!r}")
        super().set_options(options)

    def reset(self) -> Observations:
        """Start a new deal in every row and return the observations.

        Raises:
            ValueError: if an option is not allowed, or the options differ between rows.
        """
        for options in self._options:
            if options != self._options[0]:
                raise ValueError(f"options must be the same for all rows, got {self._options[0]} and {options}")
        seen: Observations = self._envs.reset(seed=self._seeds[0], options=self._options[0])[0]
        self._reset_seeds()
        self._reset_options()
        return seen

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Keep the actions of the next step, int64[num_envs]."""
        self._actions = actions

    def step_wait(self) -> tuple[Observations, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions, then the opponent's until the learner is to act again.

        Returns:
            Observations, rewards float32[num_envs], whether each deal has ended, bool[num_envs],
            and an info per row. The info of a deal that has ended holds its last observation as
            ``"terminal_observation"``.
        """
        observations, rewards, ended, _, info = self._envs.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended):
            infos[row]["terminal_observation"] = info["final_obs"][row]
        return observations, (rewards / self._limit).astype(np.float32), ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, bool[num_envs, n_actions].

        Raises:
            ResetNeeded: before the first reset, and after an exception of the opponent.
        """
        masks: npt.NDArray[np.bool_] = self._envs.action_masks()
        return masks

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, once for each row asked for."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all rows."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method and return its result for each row asked for."""
        results = getattr(self, method_name)(*args, **kwargs)
        return [results[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return ``False`` for each row asked for: no row is wrapped."""
        return [False] * len(list(self._get_indices(indices)))

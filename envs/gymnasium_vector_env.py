"""The Gymnasium vector environment: a native batch of deals, stepped by compiled kernels instead of a Python loop.

Each row is an environment as in ``gymnasium_env``; one opponent plays in all rows at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import logger
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Dict, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from german_whist.agents.asking import play
from german_whist.agents.base import AgentLike
from german_whist.envs.opponent import PlaysOpponent, Seat, check_seat, learner_seats
from german_whist.envs.rendering.modes import FRAMES_PER_SECOND, Picture, RenderMode, check_render_mode
from german_whist.envs.rendering.renderer import load_drawing, render_rows
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.match_format import MatchFormat
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward, check_dense
from german_whist.game.utils.checks import check_int, whole_actions
from german_whist.game.utils.names import unknown_name_error
from german_whist.simulator.batch import Score
from german_whist.simulator.endgame import EndgameHook
from german_whist.simulator.episodes import Episodes, Seeds
from german_whist.simulator.observation.spaces import ObservationForm, ObservationKind

Bools = npt.NDArray[np.bool_]
Info = dict[str, Any]


class GermanWhistVectorEnv(PlaysOpponent, VectorEnv[Any, Any, Any]):
    """Many deals (or matches) at once, with the learner to act in each row.

    ``gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=4096)`` makes it with an opponent by name.

    * Observation space: int8[num_envs, n_obs]; action space: int64[num_envs]. ``GermanWhistEnv`` describes a row.
    * Rewards: float64[num_envs], 0.0 until the last step of a row's episode; with ``dense=True`` the margin of the
      tricks since the last step.
    * ``info["action_mask"]``: int8[num_envs, n_actions], all zeros in rows that are over. ``info["illegal"]``:
      bool[num_envs], rows whose episode was just ended by an illegal action, which pays the lowest reward possible.

    Gymnasium's ``AutoresetMode`` decides what happens to a row whose episode is over:

    * ``SAME_STEP`` (default): it is dealt again in the same step. The observation and the mask are those of the new
      deal; ``info["final_obs"]`` and ``info["final_info"]`` hold those of the old deal, for the rows in
      ``info["_final_obs"]`` (bool[num_envs]).
    * ``NEXT_STEP``: the observation is the last one of the old deal. The next step ignores the row's action, deals the
      row again and pays 0.0.
    * ``DISABLED``: the observation is the last one of the old deal, and the row must be reset by
      ``reset(options={"reset_mask": terminations})`` before the next step.

    With ``device="cuda"`` or ``"cpu"`` arrays are torch tensors on that device, as in ManiSkill and Isaac Lab: rewards
    are float32, and ``final_obs`` is int8[num_envs, n_obs], valid in the rows ``_final_obs``. Opponents that are
    networks or rule bots choose there, other agents on the host.

    Example:
        >>> envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=4096, opponent="heuristic")
        >>> observations, info = envs.reset(seed=0)
        >>> actions = info["action_mask"].argmax(axis=1)  # the lowest legal card in each row
        >>> observations, rewards, terminations, truncations, info = envs.step(actions)

    Attributes:
        rules: the rules of every deal.
        match: the ``MatchFormat`` of an episode; ``None`` if it is one deal.
        opponent: the agent that plays against the learner in all rows.
        device: the ``torch.device``; ``None`` for NumPy arrays.
        autoreset_mode: the ``AutoresetMode``, also in ``metadata``.
        render_size: width and height of pictures in pixels; may be set.
        learners: the learner's seat in each row, int64[num_envs].
        final_deals: the address (seed, index) of the last deal that ended in each row, uint64[num_envs, 2]; zeros
            before. In tensors int64, which holds the same bits.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's own form
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        opponent: AgentLike,
        num_envs: int = 1,
        rules: str | Rules = "classic",
        reward: Reward | Score = "margin",
        seat: Seat = "alternate",
        render_mode: RenderMode | None = None,
        match: str | MatchFormat | None = None,
        endgame: Endgame | EndgameHook = PLAYED,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        observation_keys: tuple[str, str] | None = None,
        *,
        observation: ObservationKind = "vector",
        canonical: bool = False,
        dense: bool = False,
        device: Any = None,
    ) -> None:
        """Create the environment; ``reset`` deals. ``GermanWhistEnv`` describes the arguments at length.

        Args:
            opponent: an agent's specification, an agent object, or shares, ``{"heuristic": 0.8, "random": 0.2}``: who
                plays a deal follows from its seed and index.
            num_envs: number of rows, at least 1.
            rules: a preset's name, optionally with settings, or ``Rules``.
            reward: ``"margin"``, ``"win"``, ``"points"`` or a function, as in ``GermanWhistEnv``; it gets the whole
                batch, and only its values for finished deals are used.
            seat: the learner's seat, 0, 1 or ``"alternate"``.
            render_mode: ``"ansi"`` (``render`` returns a text per row), ``"rgb_array"`` (a picture per row) or
                ``None``.
            endgame: ``"played"`` or ``"exact"``.
            match: ``None``, or the format of a match per episode: ``"first_to:25"`` or ``"best_of:3"``.
            autoreset_mode: an ``AutoresetMode``, or its name.
            observation_keys: ``None``, or the keys of observation and mask in a dictionary.
            observation: ``"vector"``, ``"history"`` or ``"both"``.
            canonical: whether observations, masks and the learner's actions have relabeled suits.
            dense: whether the margin is paid trick by trick.
            device: ``None`` for NumPy arrays; ``"cuda"`` or ``"cpu"`` for torch tensors on that device, of single deals
                with ``SAME_STEP``, without render modes.

        Raises:
            ValueError: if an argument is not allowed.
            ModuleNotFoundError: if a library is not installed: Pillow for ``"rgb_array"``, torch for a device,
                numba-cuda for a GPU.
        """
        check_seat(seat)
        check_render_mode(render_mode, tuple(self.metadata["render_modes"]))
        if render_mode == "rgb_array":
            load_drawing()
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._form = ObservationForm(observation, observation_keys)
        size = check_int("num_envs", num_envs, 1)
        in_arrays: dict[str, Any] = {"match": match, "render_mode": render_mode}
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            in_arrays["autoreset_mode"] = autoreset_mode
        if device is not None and any(value is not None for value in in_arrays.values()):
            raise ValueError(f"device={device!r} has single deals with SAME_STEP alone, got {in_arrays}")
        # In arrays the actions are kept in any case, for opponents that read histories.
        kept = device is None or self._form.has_history
        self._episodes = Episodes(rules, size, match, history=kept, endgame=endgame, canonical=canonical, device=device)
        if dense:
            check_dense(reward, match)
        self.canonical, self.dense = canonical, dense
        self._batch = self._episodes.batch
        self.device = self._batch.device
        self.num_envs = self._batch.size
        self.rules, self.match = self._episodes.rules, self._episodes.match
        self.opponent = opponent
        self.reward = reward
        self.seat = seat
        self.render_mode = render_mode
        self.render_size = (480, 320)
        self.learners = self._batch.backend.zeros(self.num_envs, np.int64)
        self.single_observation_space = self._form.space(self.rules, self.match)
        self.single_action_space = Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._limit = self._episodes.reward_limit(reward)
        self._reward_dtype = np.float64 if device is None else np.float32
        self.final_deals = self._no_deals()
        # The learner's, at its last decisions: already paid by dense rewards.
        self._margins = self._batch.backend.zeros(self.num_envs, self._reward_dtype)

    @property
    def deals(self) -> Any:
        """The address (seed, index) of the current deal in each row, uint64[num_envs, 2], as ``final_deals``."""
        deals = self._no_deals()
        deals[:, 0], deals[:, 1] = self._episodes.seeds, self._episodes.indices
        return deals

    def _no_deals(self) -> Any:
        return self._batch.backend.zeros((self.num_envs, 2), np.uint64 if self.device is None else np.int64)

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Start an episode in every row, or in some, and let the opponent play where it leads.

        Args:
            seed: one number for all rows: row j starts with deal (seed, j) and continues with (seed, j + num_envs),
                (seed, j + 2 num_envs), … after each episode and at each reset without a seed. Or one number per row:
                row j plays the deals (seed[j], 0), (seed[j], 1), …, as ``GermanWhistEnv.reset(seed[j])`` does; with
                ``None`` the row continues as before. If no seed was ever given, a random one is drawn.
            options: ``"reset_mask"``: the rows to reset, bool[num_envs], while the others continue (all by default);
                ``"deal"``: (seed, index) of row 0's deal, and row j gets (seed, index + j); ``"deck"``: the cards in
                dealing order, as text or numbers, for these deals; ``"dealer"``: 0 or 1, for these deals (0 by default
                for a given deck). If episodes are matches: ``"match"``: (seed, number) of row 0's match, and the
                ``"dealer"`` of the first deals. Other options are ignored, misspelt ones refused.

        Returns:
            The learner's observations, int8[num_envs, n_obs], and the info. Its ``"_action_mask"`` and ``"_illegal"``
            are the reset mask.

        Raises:
            TypeError: if the reset mask is not a NumPy array of bool.
            ValueError: if a seed or an option is not allowed. The current episodes then continue.
            ResetNeeded: if only some rows are reset after an exception of the opponent.
        """
        backend = self._batch.backend
        asked = _reset_mask(options, self.num_envs)
        if not asked.all() and not self._is_ready and self._episodes.is_dealt.all():
            raise ResetNeeded(f"after an exception every row has to be reset, got reset_mask {asked.tolist()}")
        mask = backend.array(asked)
        rows = backend.flatnonzero(mask)
        self._episodes.reset(seed, options, rows)
        self._is_ready = False
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        self._seat_learners(rows)
        for _ in play(self._episodes, (None, self.opponent), self.learners):
            pass
        if self.dense:
            self._margins = self._margins_so_far()
        self._is_ready = bool(self._episodes.is_dealt.all())
        return self._observe(), self._info(self._shown_masks, backend.zeros(self.num_envs, np.bool_), mask)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Play an action for the learner in every row, and let the opponent play until it is the learner's turn again.

        An illegal action, or one outside the action space, ends the episode of its row with the lowest reward possible.

        Args:
            actions: whole numbers, int[num_envs].

        Returns:
            Observations int8[num_envs, n_obs], rewards float64[num_envs] (float32 on a device), terminations
            bool[num_envs], truncations bool[num_envs] (all false), and the info.

        Raises:
            ValueError: if the actions are not whole numbers or have another shape, or a row is over and there is no
                autoreset. Nothing has changed then.
            ResetNeeded: before the first reset of a row, and after an exception of the opponent.
        """
        backend, episodes, size = self._batch.backend, self._episodes, self.num_envs
        given = (
            whole_actions(actions, size)
            if self.device is None
            else backend.integers("actions", actions, None, None, (size,))
        )
        self._check_ready("step")
        illegal, ended = backend.zeros(size, np.bool_), backend.zeros(size, np.bool_)
        rows = episodes.every_row
        restarting = rows[:0]
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            rows, restarting = backend.flatnonzero(~episodes.over), backend.flatnonzero(episodes.over)
        if len(restarting) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(f"rows {restarting.tolist()} are over: reset them first, with the option reset_mask")
        self._is_ready = False
        illegal[rows] = episodes.step(rows, self._batch.decoded(rows, given[rows]) if self.canonical else given[rows])
        episodes.over |= illegal
        if len(restarting):
            self._start_next(restarting)
        rewards = backend.zeros(size, self._reward_dtype)
        final_obs = self._no_observations()
        # With SAME_STEP a deal may end by the opponent's action, and the next one begin with its lead: both alternate
        # until every row waits for the learner.
        for _ in chain([None], play(episodes, (None, self.opponent), self.learners)):
            over = episodes.over & ~ended
            self._finish(backend.flatnonzero(over), rewards, final_obs)
            ended |= over
        rewards[illegal] = -self._limit
        if self.dense:
            before, self._margins = self._margins, self._margins_so_far()
            rewards += self._margins * ~ended - before  # what the deals that ended pay is their whole margin
        seen = self._observe()
        info = self._info(self._shown_masks, illegal, ~backend.zeros(size, np.bool_))
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            no_actions = backend.zeros((size, self.rules.num_actions), np.int8)
            info["final_obs"], info["_final_obs"] = final_obs, ended
            info["final_info"], info["_final_info"] = self._info(no_actions, illegal, ended), backend.copy(ended)
        self._is_ready = True
        return seen, rewards, backend.copy(ended), backend.zeros(size, np.bool_), info

    def _no_observations(self) -> Any:
        """Return room for last observations: Gymnasium's array of objects, or a tensor."""
        if self.device is None:
            return np.full(self.num_envs, None, object)

        def room(space: Any) -> Any:
            return self._batch.backend.empty(space.shape, space.dtype)

        space = self.observation_space
        return {name: room(part) for name, part in space.items()} if isinstance(space, Dict) else room(space)

    def _margins_so_far(self) -> Any:
        """Return the learner's margin in each row, float[num_envs]; 0 in rows that are over."""
        margins = self._batch.margins()[self._episodes.every_row, self.learners]
        margins[self._episodes.over] = 0.0
        return margins

    def _start_next(self, rows: Any) -> None:
        self._episodes.start_next(rows)
        self._seat_learners(rows)

    def _seat_learners(self, rows: Any) -> None:
        self.learners[rows] = learner_seats(self.seat, self._episodes.numbers[rows])

    def _finish(self, rows: Any, rewards: Any, final_obs: Any) -> None:
        """Write the rewards of rows whose episode has ended; with ``SAME_STEP`` start their next episodes."""
        if not len(rows):
            return
        learners = self.learners[rows]
        returns = self._episodes.returns(self.reward, rows)
        rewards[rows] = returns[self._episodes.every_row[: len(rows)], learners]
        self.final_deals[rows, 0], self.final_deals[rows, 1] = self._episodes.seeds[rows], self._episodes.indices[rows]
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return
        masks = self._batch.backend.zeros((len(rows), self.rules.num_actions), np.int8)
        seen: Any = self._form.of_rows(self._episodes, rows, learners, masks)
        is_dict = isinstance(seen, dict)
        if self.device is None:
            for number, row in enumerate(rows):
                final_obs[row] = {name: part[number] for name, part in seen.items()} if is_dict else seen[number]
        elif is_dict:
            for name, part in seen.items():
                final_obs[name][rows] = part
        else:
            final_obs[rows] = seen
        self._start_next(rows)

    def _observe(self) -> Any:
        """Return the learner's observations; ``_shown_masks`` are then their masks."""
        self._shown_masks = self._batch.action_mask()
        self._shown_masks[self._episodes.over] = 0
        to_act = self.match is None and not self._episodes.over.any()
        rows, seats = (None, None) if to_act else (self._episodes.every_row, self.learners)
        return self._form.of_rows(self._episodes, rows, seats, self._shown_masks)

    def _info(self, masks: Any, illegal: Any, rows: Any) -> Info:
        """Return an info that is valid in some rows, bool[num_envs]."""
        copy = self._batch.backend.copy
        return {"action_mask": masks, "_action_mask": copy(rows), "illegal": copy(illegal), "_illegal": copy(rows)}

    def action_masks(self) -> Any:
        """Return which actions are legal, bool[num_envs, n_actions].

        Raises:
            ResetNeeded: as :meth:`step` does.
        """
        self._check_ready("action_masks")
        return self._shown_masks == 1

    def render(self) -> tuple[str | Picture, ...] | None:
        """Render the learner's view of each row as text or a picture.

        Raises:
            ResetNeeded: as :meth:`step` does.
        """
        self._check_ready("render")
        if self.render_mode is None:
            logger.warn("render() was called without a render mode: choose 'ansi' or 'rgb_array'")
            return None
        size = self.render_size if self.render_mode == "rgb_array" else None
        scores = [None] * self.num_envs if self._episodes.match is None else self._episodes.scores.tolist()
        return render_rows(self._batch, self.learners, size, scores)


def _reset_mask(options: Any, size: int) -> Bools:
    """Return the option ``"reset_mask"`` of a vector environment: the rows to reset, bool[size]; all by default.

    Raises:
        TypeError: if it is not an array of dtype bool, as in Gymnasium's own vector environments.
        ValueError: if it has another shape, or selects no row.
    """
    mask = options.get("reset_mask") if isinstance(options, Mapping) else None
    if mask is None:
        return np.ones(size, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"option reset_mask must be a NumPy array of dtype bool, got {mask!r}")
    if mask.shape != (size,) or not mask.any():
        raise ValueError(f"option reset_mask must be bool[{size}] with a row to reset, got {mask.tolist()}")
    return mask


def _autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    """Return an autoreset mode by its name or value, such as ``"NEXT_STEP"`` or ``"NextStep"``.

    Raises:
        ValueError: if there is no such mode.
    """
    for known in AutoresetMode:
        if mode in (known, known.name, known.value):
            return known
    raise unknown_name_error("autoreset_mode", mode, [known.name for known in AutoresetMode])

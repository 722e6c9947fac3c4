"""The Gymnasium vector environment: a native batch of deals, stepped by compiled kernels instead of a Python loop.

The game is that of ``gymnasium_env``, with one opponent that plays in all rows at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import logger
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from german_whist.envs.engine.actions import actions_text
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import check_reward, reward_limit
from german_whist.envs.observation.vector import observation_high, observe
from german_whist.envs.opponent import Opponent, check_opponent, check_seat, learner_seats
from german_whist.envs.rendering.modes import FRAMES_PER_SECOND, Picture, check_render_mode
from german_whist.envs.rendering.renderer import load_drawing
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.batch_kernels import step_legal
from german_whist.envs.simulator.reset_options import DealSequence, read_options
from german_whist.envs.text.deal_text import deal_text

Bools = npt.NDArray[np.bool_]
Info = dict[str, Any]


class GermanWhistVectorEnv(VectorEnv[npt.NDArray[np.int8], npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many deals at once, the learner to act in each row.

    ``gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=4096)`` makes it with an opponent by name.

    * Observation space: int8[num_envs, n_obs]; action space: int64[num_envs]. Each row is as in ``GermanWhistEnv``.
    * Rewards: float64[num_envs], 0.0 until the last step of a row's episode.
    * A row whose deal is over is dealt again in the same step (``AutoresetMode.SAME_STEP``): the observation is that of
      the new deal, and ``info["final_obs"]`` and ``info["final_info"]`` hold those of the old one, for the rows in
      ``info["_final_obs"]`` (bool[num_envs]).
    * ``info["action_mask"]``: int8[num_envs, n_actions]. ``info["illegal"]``: bool[num_envs], rows whose episode was
      just ended by an illegal action.

    Example:
        >>> envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=4096, opponent="heuristic")
        >>> observations, info = envs.reset(seed=0)
        >>> actions = info["action_mask"].argmax(axis=1)  # the lowest legal card in each row
        >>> observations, rewards, terminations, truncations, info = envs.step(actions)

    Attributes:
        rules: the rules of every deal.
        opponent: the agent that plays against the learner in all rows.
        render_size: width and height of pictures in pixels; may be set.
        learners: the learner's seat in each row, int64[num_envs].
    """

    metadata = {  # noqa: RUF012 - Gymnasium's own form
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        opponent: Opponent,
        num_envs: int = 1,
        rules: str | Rules = "classic",
        reward: str = "margin",
        seat: int | str = "alternate",
        render_mode: str | None = None,
        endgame: str | EndgameHook = PLAYED,
    ) -> None:
        """Create the environment; ``reset`` deals. Arguments are those of ``GermanWhistEnv`` where not described.

        Args:
            opponent: an agent object, anything with ``act(views, rng)``. Names work in ``gymnasium.make_vec``.
            num_envs: number of rows, at least 1.
            rules: a preset's name, with settings if wanted, or ``Rules``.
            reward: ``"margin"``, ``"win"`` or ``"points"``.
            seat: the learner's seat, 0, 1 or ``"alternate"``.
            render_mode: ``"ansi"`` (``render`` returns a text per row), ``"rgb_array"`` (a picture per row) or
                ``None``.
            endgame: ``"played"`` or ``"exact"``.

        Raises:
            ValueError: if an argument is not allowed.
            ModuleNotFoundError: if the render mode is ``"rgb_array"`` and Pillow is not installed.
        """
        check_opponent(opponent)
        check_reward(reward)
        check_seat(seat)
        check_render_mode(render_mode, tuple(self.metadata["render_modes"]))
        if render_mode == "rgb_array":
            load_drawing()
        self._batch = DealBatch(rules, num_envs, endgame=endgame)
        self.num_envs = self._batch.size
        self.rules = self._batch.rules
        self.opponent = opponent
        self.reward = reward
        self.seat = seat
        self.render_mode = render_mode
        self.render_size = (480, 320)
        self.learners = np.zeros(self.num_envs, np.int64)
        high = observation_high(self.rules)
        self.single_observation_space = Box(np.zeros_like(high), high, dtype=np.int8)
        self.single_action_space = Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._limit = reward_limit(self.rules.game, reward)
        self._sequence = DealSequence(step=self.num_envs)
        self._rows = np.arange(self.num_envs, dtype=np.int64)
        self._indices = np.zeros(self.num_envs, np.uint64)
        self._plies = np.zeros(self.num_envs, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], Info]:
        """Deal in every row, and let the opponent play where it leads.

        Args:
            seed: one number for all rows. Row j starts with deal (seed, j) and continues with (seed, j + num_envs),
                (seed, j + 2 num_envs), … after each episode and at each reset without a seed. If no seed was ever
                given, one is drawn.
            options: ``"deal"``: (seed, index) of row 0's deal, from which the others follow; ``"deck"``: the cards in
                dealing order, as text or numbers, for this deal in all rows; ``"dealer"``: 0 or 1, for this deal in
                all rows (0 by default for a given deck). Other options are ignored.

        Returns:
            The learner's observations, int8[num_envs, n_obs], and the info.

        Raises:
            ValueError: if the seed or an option is not allowed; then the current episodes continue.
        """
        chosen = read_options(options, self.rules.cards)
        if seed is None and chosen.deal is None and self._sequence.seed is not None:
            self._indices += np.uint64(self.num_envs)
        else:
            self._batch.seed, first = self._sequence.advance(seed, chosen.deal)
            self._indices = np.uint64(first) + self._rows.astype(np.uint64)
        super().reset(seed=seed)
        self._deal(self._rows)
        if chosen.deck is not None:
            self._batch.deal_decks([chosen.deck] * self.num_envs, np.full(self.num_envs, chosen.dealer or 0))
        elif chosen.dealer is not None:
            decks = self._batch.states["deck"][:, : len(self.rules.cards)].tolist()
            self._batch.deal_decks(decks, np.full(self.num_envs, chosen.dealer))
        self._let_opponent_play()
        return self._batch.observe(), self._info(np.zeros(self.num_envs, np.bool_))

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64], Bools, Bools, Info]:
        """Play an action for the learner in every row, and let the opponent play until it is the learner's turn again.

        An illegal action, or one outside the action space, ends its row's episode with the lowest reward possible.

        Args:
            actions: int[num_envs].

        Returns:
            Observations int8[num_envs, n_obs], rewards float64[num_envs], terminations bool[num_envs], truncations
            bool[num_envs] (all false), and the info.

        Raises:
            ValueError: if the actions have another shape or are not integers, or before the first reset.
        """
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(f"actions of shape {given.shape} and dtype {given.dtype}: int[{self.num_envs}] is needed")
        if self._sequence.seed is None:
            raise ValueError("step was called before the first reset")
        illegal = self._play(self._rows, given)
        rewards = np.where(illegal, -self._limit, 0.0)
        ended = np.zeros(self.num_envs, np.bool_)
        final_obs = np.full(self.num_envs, None, object)
        over = illegal | self._batch.done
        while True:
            self._finish(np.flatnonzero(over), rewards, final_obs)
            ended |= over
            waiting = np.flatnonzero(self._batch.turn != self.learners)
            if not waiting.size:
                break
            self._opponent_plays(waiting)
            over = self._batch.done.copy()
        info = self._info(illegal)
        if ended.any():
            info["final_obs"], info["_final_obs"] = final_obs, ended
            info["final_info"], info["_final_info"] = self._final_info(ended, illegal), ended.copy()
        return self._batch.observe(), rewards, ended.copy(), np.zeros(self.num_envs, np.bool_), info

    def _deal(self, rows: npt.NDArray[np.int64]) -> None:
        """Deal the current deal of some rows."""
        self._batch.deal_rows(rows, self._indices[rows])
        self.learners[rows] = learner_seats(self.seat, self._indices[rows])
        self._plies[rows] = 0

    def _play(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[Any]) -> Bools:
        """Play an action in each of some rows and return where it was illegal, bool[len(rows)]."""
        refused = np.empty(len(rows), np.bool_)
        step_legal(self.rules.game, self._batch.states, rows, actions.astype(np.int64), self._plies, refused)
        self._batch.finish_endgames(rows)
        return refused

    def _opponent_plays(self, rows: npt.NDArray[np.int64]) -> None:
        """Let the opponent play one action in each of some rows.

        Raises:
            ValueError: if its actions are not one legal action per row.
        """
        rng = AgentRng(self._batch.seed, self._indices[rows], step=self._plies[rows])
        actions = np.asarray(self.opponent.act(self._batch.views(rows), rng))
        if actions.shape != rows.shape:
            raise ValueError(f"the opponent {self.opponent!r} chose {actions.shape} actions for {len(rows)} views")
        refused = self._play(rows, actions)
        if refused.any():
            first = int(np.argmax(refused))
            raise ValueError(
                f"action {actions[first]} is illegal: the opponent {self.opponent!r} may play "
                f"{actions_text(int(self._batch.legal()[rows[first]]), self.rules)}"
            )

    def _let_opponent_play(self) -> None:
        """Let the opponent play until it is the learner's turn in every row."""
        while (waiting := np.flatnonzero(self._batch.turn != self.learners)).size:
            self._opponent_plays(waiting)

    def _finish(
        self, rows: npt.NDArray[np.int64], rewards: npt.NDArray[np.float64], final_obs: npt.NDArray[Any]
    ) -> None:
        """Write the rewards and last observations of rows whose episode has ended, and deal them again."""
        if not rows.size:
            return
        batch = self._batch
        done = rows[batch.done[rows]]  # the others ended with an illegal action and have their reward already
        rewards[done] = batch.returns(self.reward)[done, self.learners[done]]
        for row, observation in zip(rows, observe(batch.views(rows, self.learners[rows]), self.rules), strict=True):
            final_obs[row] = observation
        self._indices[rows] += np.uint64(self.num_envs)
        self._deal(rows)

    def _info(self, illegal: Bools) -> Info:
        everywhere = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self._batch.action_mask(),
            "_action_mask": everywhere,
            "illegal": illegal,
            "_illegal": everywhere.copy(),
        }

    def _final_info(self, ended: Bools, illegal: Bools) -> Info:
        return {
            "action_mask": np.zeros((self.num_envs, self.rules.num_actions), np.int8),
            "_action_mask": ended.copy(),
            "illegal": illegal.copy(),
            "_illegal": ended.copy(),
        }

    def action_masks(self) -> Bools:
        """Return which actions are legal, bool[num_envs, n_actions]."""
        return self._batch.action_mask().astype(np.bool_)

    def render(self) -> tuple[str | Picture, ...] | None:
        """Return what the learner sees in each row, as text or a picture."""
        if self.render_mode is None:
            logger.warn("render() was called without a render mode: choose 'ansi' or 'rgb_array'")
            return None
        if self.render_mode == "rgb_array":
            draw = load_drawing().deal_picture
            return tuple(
                draw(self._batch, row, int(self.learners[row]), self.render_size) for row in range(self.num_envs)
            )
        return tuple(deal_text(self._batch, row, int(self.learners[row])) for row in range(self.num_envs))

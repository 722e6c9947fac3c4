"""German Whist for Gymnasium: one learner against any agent.

Observation: int8[n_obs], as ``observation_layout`` describes it. Action ``a`` plays card ``a``; ``info["action_mask"]``
says which actions are legal. The opponent plays until it is the learner's turn again, so a step runs from one decision
of the learner to its next, or to the end of the deal, whoever plays the last card. Reward: at the end of the deal.

Version history: v0 — first release.
"""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete

from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.match_format import Match, match_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import check_reward, reward_limit
from german_whist.envs.observation.vector import observation_high
from german_whist.envs.opponent import Opponent, check_opponent, check_seat, learner_seats
from german_whist.envs.rendering.modes import FRAMES_PER_SECOND, RENDER_MODES, Picture
from german_whist.envs.rendering.renderer import Renderer
from german_whist.envs.simulator.single_match import SingleMatch, one_table
from german_whist.envs.text.scene import PLAYERS
from german_whist.envs.utils.checks import check_seed

Step = tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]


class GermanWhistEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """One learner against an opponent.

    ``info`` holds ``"action_mask"``, int8[n_actions], all zeros when the deal is over, and ``"illegal"``: whether the
    episode ended by an illegal action of the learner, which costs the most that a deal can lose.

    Attributes:
        rules: the rules of the game.
        opponent: the agent that plays against the learner.
        match: what decides an episode, if it is a match.
        learner: the learner's seat in the current deal or match.
    """

    metadata = {  # noqa: RUF012 - Gymnasium's own form
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        opponent: Opponent,
        rules: str | Rules = "classic",
        reward: str = "margin",
        seat: int | str = "alternate",
        render_mode: str | None = None,
        match: str | Match | None = None,
        endgame: str | EndgameHook = PLAYED,
    ) -> None:
        """Set up the table; ``reset`` deals.

        Args:
            opponent: an agent object; ``gymnasium.make("german_whist:GermanWhist-v0", opponent=…)`` takes names too.
            rules: a preset's name, with settings if wanted, or ``Rules``.
            reward: ``"margin"`` (counted tricks, the learner's minus the opponent's), ``"win"`` (+1, 0, −1) or
                ``"points"`` (the rules' own scoring).
            seat: the learner's seat, 0, 1 or ``"alternate"``. The non-dealer leads, and the dealer alternates from
                deal to deal whatever the seat.
            render_mode: ``"ansi"`` (``render`` returns text), ``"rgb_array"`` (a picture, uint8[height, width, 3]),
                ``"human"`` (every step shows it in a window, or prints it where there is none) or ``None``.
            match: an episode is one deal, or with ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won) a whole
                match, with the scores at the end of the observation; its reward is the match's: with ``"win"`` +1, 0 or
                −1, otherwise the difference of the final scores.
            endgame: ``"played"``; or ``"solved"``: a deal ends with the last trick of the foreplay and pays what
                perfect play of both from there would.

        Raises:
            ValueError: when an argument is not allowed.
        """
        check_opponent(opponent)
        check_reward(reward)
        check_seat(seat)
        self._renderer = Renderer(render_mode)
        self.match = None if match is None else match_of(match)
        self._table = one_table(rules, self.match, endgame=endgame)
        self.rules = self._table.rules
        self.opponent = opponent
        self.reward = reward
        self.seat = seat
        self.render_mode = render_mode
        self.learner = 0
        high = observation_high(self.rules, self.match)
        self.observation_space = Box(np.zeros_like(high), high, dtype=np.int8)
        self.action_space = Discrete(self.rules.num_actions)
        self._limit = (
            self.match.reward_limit(self.rules, reward) if self.match else reward_limit(self.rules.game, reward)
        )
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Deal, and let the opponent play if it leads.

        Args:
            seed: leads to deal (seed, 0); later resets without a seed go on to (seed, 1), (seed, 2), …. When no seed
                was ever given, one is drawn.
            options: ``"deal"``: (seed, index) of the deal to play, from which later resets go on; ``"deck"``: the
                cards in dealing order, as text or numbers, for this deal; ``"dealer"``: 0 or 1, for this deal (a
                deck's dealer is 0 unless given). In matches: ``"match"``: (seed, number), and ``"dealer"`` of its first
                deal. Other options are ignored.

        Returns:
            The learner's observation, int8[n_obs], and the info.

        Raises:
            ValueError: when the seed or an option is not allowed; then the current deal goes on.
        """
        if seed is not None:
            check_seed(seed)
        self._table.reset(seed, options)
        super().reset(seed=seed)
        self._renderer.begin(self._table.batch)
        self.learner = int(learner_seats(self.seat, np.array([self._table.sequence.first], np.uint64))[0])
        self._over = False
        self._let_opponent_play()
        if self.render_mode == "human":
            self.render()
        return self._observe(illegal=False)

    def step(self, action: np.int64 | int) -> Step:
        """Play an action for the learner, and let the opponent play until it is the learner's turn again.

        An illegal action, or one outside the action space, ends the episode with the worst reward. After the end of
        an episode nothing happens until ``reset``.

        Returns:
            Observation int8[n_obs], reward, terminated, truncated (never), and the info.
        """
        if self._over:
            observation, info = self._observe(illegal=False)
            return observation, 0.0, True, False, info
        table = self._table
        illegal = not self._play(action)
        reward = 0.0
        if illegal:
            self._over, reward = True, -self._limit
        else:
            self._let_opponent_play()
            if not table.legal:
                self._over, reward = True, table.returns(self.reward)[self.learner]
        if self.render_mode == "human":
            self.render()
        observation, info = self._observe(illegal)
        return observation, reward, self._over, False, info

    def _play(self, action: object) -> bool:
        try:
            legal = self._table.play(operator.index(action))  # type: ignore[arg-type]
        except (TypeError, OverflowError):
            return False
        if legal:
            self._renderer.look(self._table.batch)
        return legal

    def _let_opponent_play(self) -> None:
        """Play for the opponent until it is the learner's turn or the deal is over.

        Raises:
            ValueError: when the opponent chooses an illegal action.
        """
        table = self._table
        while table.legal and table.turn != self.learner:
            rng = AgentRng(table.batch.seed, [table.index], step=table.plies)
            action = int(self.opponent.act(table.batch.views(), rng)[0])
            if not table.play(action):
                raise table.illegal(f"the opponent {self.opponent!r} at {PLAYERS[table.turn]}", action)
            self._renderer.look(table.batch)

    def _observe(self, illegal: bool) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        observation, mask = self._table.observe(self.learner)
        if self._over:
            mask[:] = 0
        return observation, {"action_mask": mask, "illegal": illegal}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, bool[n_actions], as sb3-contrib asks for it."""
        mask: npt.NDArray[np.int8] = self._observe(illegal=False)[1]["action_mask"]
        return mask.astype(np.bool_)

    @property
    def render_size(self) -> tuple[int, int]:
        """Width and height of pictures and of the window, in pixels; may be set."""
        return self._renderer.size

    @render_size.setter
    def render_size(self, size: tuple[int, int]) -> None:
        self._renderer.size = size

    @property
    def render_color(self) -> bool:
        """Whether the text of ``"ansi"`` has ANSI colours; may be set."""
        return self._renderer.color

    @render_color.setter
    def render_color(self, color: bool) -> None:
        self._renderer.color = color

    def render(self) -> str | Picture | None:
        """Return the table as the learner sees it as text or a picture, or show it, as the render mode says."""
        opponent = str(getattr(self.opponent, "name", "opponent"))
        names = ("learner", opponent) if self.learner == 0 else (opponent, "learner")
        scores = self._table.scores if isinstance(self._table, SingleMatch) else None
        return self._renderer.render(self._table.batch, self.learner, names, scores)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

"""The Gymnasium environment: one learner against any agent.

The opponent's actions are part of ``step``: a step runs from one decision of the learner to its next one, or to the
end of the episode.

Version history: v0 — first release.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from german_whist.agents.asking import play
from german_whist.agents.base import AgentLike, agent_name
from german_whist.envs.opponent import PlaysOpponent, Seat, check_seat, learner_seats
from german_whist.envs.rendering.modes import FRAMES_PER_SECOND, RENDER_MODES, Picture, RenderMode
from german_whist.envs.rendering.renderer import Renderer, RendererProperties
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.match_format import MatchFormat
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward, check_dense
from german_whist.game.utils.checks import whole_action
from german_whist.simulator.batch import Score
from german_whist.simulator.endgame import EndgameHook
from german_whist.simulator.episode import Episode
from german_whist.simulator.observation.spaces import ObservationForm, ObservationKind

Step = tuple[Any, float, bool, bool, dict[str, Any]]


class GermanWhistEnv(PlaysOpponent, RendererProperties, gymnasium.Env[Any, np.int64]):
    """A single-agent environment: one learner against an opponent, one deal (or match) per episode.

    ``gymnasium.make("german_whist:GermanWhist-v0", opponent="heuristic")`` makes it with an opponent by name.
    :func:`german_whist.env` describes the game in brief.

    * Observation space: ``Box`` int8[n_obs], laid out as ``german_whist.observation_layout`` describes (443 features in
      the classic game), from the learner's side. With ``observation_keys=("observations", "action_mask")`` it is a
      ``Dict`` of that vector and the mask, under these names; with ``observation="both"`` a ``Dict`` with the event
      history, too.
    * Action space: ``Discrete(n_actions)``. Action ``a`` < 52 plays or picks card ``a``; 52 and 53 are the choices of
      some rules.
    * Reward: 0.0 until the last step of the episode, which pays the return (see ``reward``). It is zero-sum: the
      opponent's return is the negative. With ``dense=True`` it is the margin of the tricks since the last step.
    * ``info["action_mask"]``: int8[n_actions], 1 for legal actions; all zeros when the episode is over.
    * ``info["illegal"]``: ``bool``, whether an illegal action of the learner ended the episode. That pays the lowest
      reward possible (−13 with ``"margin"`` in classic), so no legal play is worse; the opponent has not won.
    * :meth:`action_masks` returns the mask as sb3-contrib expects it.

    Example:
        >>> env = gymnasium.make("german_whist:GermanWhist-v0", opponent="heuristic")
        >>> observation, info = env.reset(seed=0)
        >>> action = env.action_space.sample(mask=info["action_mask"])
        >>> observation, reward, terminated, truncated, info = env.step(action)

    Attributes:
        rules: the rules of the game.
        opponent: the agent that plays against the learner; it may be replaced between two steps.
        match: the ``MatchFormat`` of an episode; ``None`` if it is one deal.
        learner: the learner's seat in the current episode.
    """

    metadata = {  # noqa: RUF012 - Gymnasium's own form
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        opponent: AgentLike,
        rules: str | Rules = "classic",
        reward: Reward | Score = "margin",
        seat: Seat = "alternate",
        render_mode: RenderMode | None = None,
        match: str | MatchFormat | None = None,
        endgame: Endgame | EndgameHook = PLAYED,
        observation_keys: tuple[str, str] | None = None,
        *,
        observation: ObservationKind = "vector",
        canonical: bool = False,
        dense: bool = False,
    ) -> None:
        """Create the environment; ``reset`` deals.

        Args:
            opponent: an agent's specification, an agent object, or shares, ``{"heuristic": 0.8, "random": 0.2}``: who
                plays a deal follows from its seed and index.
            rules: a preset's name, optionally with settings (``"classic:counts=all"``), or ``Rules``.
            reward: ``"margin"`` (counted tricks, the learner's minus the opponent's; negated in a low game), ``"win"``
                (+1, 0, −1), ``"points"`` (the rules' own scoring), or house rules: a function of a ``DealBatch`` of
                finished deals that returns both seats' rewards, float[n, 2]; an illegal action then pays the lowest
                margin.
            seat: the learner's seat, 0, 1 or ``"alternate"``. The dealer alternates from deal to deal in any case, and
                the non-dealer leads.
            render_mode: ``"ansi"`` (``render`` returns text), ``"rgb_array"`` (``render`` returns uint8[height, width,
                3]), ``"human"`` (every step updates a window, or prints text without a display) or ``None``.
            match: ``None`` for episodes of one deal, or a match format for episodes of a whole match:
                ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won). The observation then ends with the scores,
                and the reward is ±1 or 0 with ``"win"``, otherwise the difference of the final scores.
            endgame: ``"played"`` for the whole game, or ``"exact"``: a deal ends after the foreplay and pays the result
                of perfect play by both sides from there.
            observation_keys: ``None`` for plain vectors, or the keys of observation and mask in a dictionary:
                ``("observation", "action_mask")``, or what your library asks for.
            observation: ``"vector"``, ``"history"``, the events in order for recurrent and attention networks, or
                ``"both"``; histories are in a dictionary with their ``"length"``.
            canonical: whether to relabel suits so that equivalent positions look the same. Observations, masks and the
                learner's actions are then those of :func:`german_whist.canonical_views`; the opponent and ``render``
                see the true cards.
            dense: whether to pay the margin trick by trick instead of at the end; the sum is the same. It needs
                ``reward="margin"`` and episodes of one deal.

        Raises:
            ValueError: if an argument is not allowed.
            ModuleNotFoundError: if the render mode is ``"rgb_array"`` and Pillow is not installed.
        """
        check_seat(seat)
        self._renderer = Renderer(render_mode)
        self._form = ObservationForm(observation, observation_keys)
        self._episode = Episode(rules, match, history=True, endgame=endgame, canonical=canonical)
        if dense:
            check_dense(reward, match)
        self.canonical, self.dense = canonical, dense
        self._margin = 0.0  # the learner's margin at its last decision, which dense rewards have already paid
        self.rules, self.match = self._episode.rules, self._episode.match
        self.opponent = opponent
        self.reward = reward
        self.seat = seat
        self.render_mode = render_mode
        self.learner = 0
        self.observation_space = self._form.space(self.rules, self.match)
        self.action_space = Discrete(self.rules.num_actions)
        self._limit = self._episode.reward_limit(reward)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal, and let the opponent play if it leads.

        Args:
            seed: starts with deal (seed, 0); later resets without a seed continue with (seed, 1), (seed, 2), …. If no
                seed was ever given, a random one is drawn.
            options: ``"deal"``: (seed, index) of the deal to play, from which later resets continue; ``"deck"``: the
                cards in dealing order, as text or numbers, for this deal; ``"dealer"``: 0 or 1, for this deal (0 by
                default for a given deck). If episodes are matches: ``"match"``: (seed, number), and the ``"dealer"`` of
                its first deal. Other options are ignored, misspelt ones refused.

        Returns:
            The learner's observation, int8[n_obs], and the info.

        Raises:
            ValueError: if the seed or an option is not allowed. The current episode then continues.
        """
        is_first = not self._episode.is_dealt
        self._episode.reset(seed, options)
        if is_first or seed is not None:  # also a random seed, so that np_random_seed repeats the run
            super().reset(seed=self._episode.address[0])
        self._is_ready = False
        self._renderer.reset(self._episode.batch)
        self.learner = learner_seats(self.seat, self._episode.number)
        self._let_opponent_play()
        if self.dense:
            self._margin = self._margin_so_far()
        if self.render_mode == "human":
            self._render()
        self._is_ready = True
        return self._observe(illegal=False)

    def step(self, action: Any) -> Step:
        """Play an action for the learner, and let the opponent play until it is the learner's turn again.

        An illegal action, or one outside the action space, ends the episode with the lowest reward possible. Steps
        after the end of an episode do nothing.

        Args:
            action: a whole number: an int, an int scalar or array of shape () or (1,), or a whole float.

        Returns:
            Observation int8[n_obs], reward, terminated, truncated (always false), and the info.

        Raises:
            ValueError: if the action is not a whole number, such as 5.5, ``None`` or text. Nothing has changed then.
            ResetNeeded: before the first reset, and after an exception of the opponent.
        """
        chosen = whole_action(action)
        self._check_ready("step")
        if self._episode.is_over:
            observation, info = self._observe(illegal=False)
            return observation, 0.0, True, False, info
        self._is_ready = False
        illegal = not self._play(self._episode.decoded(chosen) if self.canonical else chosen)
        reward = 0.0
        if illegal:
            self._episode.end()
            reward = -self._limit
        else:
            self._let_opponent_play()
            if self._episode.is_over:
                reward = self._episode.returns(self.reward)[self.learner]
        if self.dense:
            before, self._margin = self._margin, self._margin_so_far()
            reward = (reward if self._episode.is_over else self._margin) - before
        if self.render_mode == "human":
            self._render()
        observation, info = self._observe(illegal)
        self._is_ready = True
        return observation, reward, self._episode.is_over, False, info

    @property
    def deal(self) -> tuple[int, int]:
        """The address (seed, index) of the current deal. A deck given as an option does not change it."""
        return self._episode.address

    def _margin_so_far(self) -> float:
        return float(self._episode.batch.margins()[0, self.learner])

    def _play(self, action: int) -> bool:
        legal = self._episode.play(action)
        if legal:
            self._renderer.update(self._episode.batch)
        return legal

    def _let_opponent_play(self) -> None:
        """Play for the opponent until it is the learner's turn or the deal is over.

        Raises:
            ValueError: if the opponent chooses an illegal action.
        """
        for _ in play(self._episode, (None, self.opponent), self.learner):
            self._renderer.update(self._episode.batch)

    def _observe(self, illegal: bool) -> tuple[Any, dict[str, Any]]:
        seen, mask = self._form.of_seat(self._episode, self.learner)
        return seen, {"action_mask": mask.copy(), "illegal": illegal}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, bool[n_actions], as sb3-contrib expects it.

        Raises:
            ResetNeeded: as :meth:`step` does.
        """
        self._check_ready("action_masks")
        mask: npt.NDArray[np.int8] = self._observe(illegal=False)[1]["action_mask"]
        return mask.astype(np.bool_)

    def render(self) -> str | Picture | None:
        """Render the learner's view as text or a picture, or show it, by the render mode.

        Raises:
            ResetNeeded: as :meth:`step` does.
        """
        self._check_ready("render")
        return self._render()

    def _render(self) -> str | Picture | None:
        opponent = agent_name(self.opponent)
        names = ("learner", opponent) if self.learner == 0 else (opponent, "learner")
        scores = None if self.match is None else self._episode.scores
        return self._renderer.render(self._episode.batch, self.learner, names, scores)

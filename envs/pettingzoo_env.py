"""The PettingZoo environment (AEC): two agents, ``player_0`` and ``player_1``, who act when it is their turn.

An episode is one deal, or a whole match with ``match``. :func:`env` describes observations, spaces and
rewards.

Version history: v0 — first release.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from pettingzoo import AECEnv

from german_whist.envs.pettingzoo_wrappers import AssertOutOfBounds, OrderEnforcing, TerminateIllegal
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
from german_whist.simulator.observation.full_state import state_high
from german_whist.simulator.observation.spaces import OBSERVATION_KEYS, ObservationForm, ObservationKind
from german_whist.simulator.text.scene import PLAYERS

_SEATS = {player: seat for seat, player in enumerate(PLAYERS)}


def env(
    rules: str | Rules = "classic",
    *,
    reward: Reward | Score = "margin",
    render_mode: RenderMode | None = None,
    observation: ObservationKind = "vector",
    match: str | MatchFormat | None = None,
    endgame: Endgame | EndgameHook = PLAYED,
    observation_keys: tuple[str, str] | None = OBSERVATION_KEYS,
    canonical: bool = False,
    dense: bool = False,
) -> OrderEnforcing:
    """Return the PettingZoo AEC environment of German Whist, with PettingZoo's usual wrappers.

    German Whist is a card game for two with hidden cards. In its first stage, the *foreplay*, the winner of a trick
    takes the face-up card of the stock and the loser the unseen card under it. In the second stage, the *endgame*, the
    hands are played out; in the classic game only these 13 tricks count. Two agents, ``player_0`` and ``player_1``, act
    when it is their turn.

    * Observation space of each agent: ``Dict`` with ``"observation"``, int8[n_obs] from the agent's own side, laid out
      as ``german_whist.observation_layout`` describes (443 features in the classic game), and ``"action_mask"``,
      int8[n_actions], 1 for legal actions and all zeros if the agent is not to act. The mask is also in
      ``infos[agent]["action_mask"]``, and ``action_masks()`` returns that of the agent to act, bool[n_actions].
    * Action space: ``Discrete(n_actions)``. Action ``a`` < 52 plays or picks card ``a``; 52 and 53 are the choices of
      some rules.
    * Rewards: zero-sum, paid to both agents at the last step of an episode, 0.0 before. With ``dense=True`` they are
      paid after every counted trick.
    * An illegal action ends the episode: the agent that chose it gets the lowest reward possible (−13 with ``"margin"``
      in classic), and the other agent 0.0, because it has won nothing. :func:`raw_env` raises ``ValueError`` instead.
      An action outside the action space raises ``AssertionError``.
    * ``env.unwrapped.state()``: the full state, int8[n_state], hidden cards included, for critics.

    Example:
        >>> env = german_whist.env(rules="classic", reward="margin")
        >>> env.reset(seed=0)
        >>> for agent in env.agent_iter():
        ...     observation, reward, terminated, truncated, info = env.last()
        ...     if terminated or truncated:
        ...         action = None
        ...     else:
        ...         action = env.action_space(agent).sample(observation["action_mask"])
        ...     env.step(action)

    Args:
        rules: a preset's name, optionally with settings (``"classic:counts=all"``), or ``Rules``.
        reward: ``"margin"`` (counted tricks, own minus the opponent's; negated in a low game), ``"win"`` (+1, 0, −1),
            ``"points"`` (the rules' own scoring), or house rules: a function of a ``DealBatch`` of finished deals that
            returns both seats' rewards, float[n, 2]; an illegal action then pays the lowest margin.
        render_mode: ``"ansi"`` (``render`` returns text, with letters for suits if standard output lacks the
            symbols), ``"rgb_array"`` (``render`` returns uint8[height, width, 3]), ``"human"`` (every step updates a
            window, or prints text without a display) or ``None``.
        observation: ``"vector"``; ``"history"`` for recurrent and attention networks: ``"observation"`` is then
            int8[max_events, 4], one row per event that the seat saw, ``"length"`` is int16[1], and in matches
            ``"match"`` holds the scores; or ``"both"``: the vector, and the history as ``"history"``.
        match: ``None`` for episodes of one deal, or a match format for episodes of a whole match: ``"first_to:25"``
            (points) or ``"best_of:3"`` (deals won). The reward is then ±1 or 0 with ``"win"``, otherwise the difference
            of the final scores.
        endgame: ``"played"`` for the whole game, or ``"exact"``: a deal ends after the foreplay and pays the result of
            perfect play by both sides from there.
        observation_keys: the keys of observation and mask in the dictionary, for example
            ``("observations", "action_mask")``, or ``None`` for observations without the mask, which is in ``infos``.
        canonical: whether to relabel suits so that equivalent positions look the same. Observations, masks and actions
            are then those of :func:`german_whist.canonical_views`; ``state()`` and ``render`` show the true cards.
        dense: whether to pay the margin trick by trick instead of at the end; the sum is the same. It needs
            ``reward="margin"`` and episodes of one deal.

    Raises:
        ValueError: if an argument is not allowed.
        ModuleNotFoundError: if the render mode is ``"rgb_array"`` and Pillow is not installed.
    """
    bare = raw_env(
        rules,
        reward=reward,
        render_mode=render_mode,
        observation=observation,
        match=match,
        endgame=endgame,
        observation_keys=observation_keys,
        canonical=canonical,
        dense=dense,
    )
    loses = TerminateIllegal(bare, illegal_reward=-bare.reward_limit)
    return OrderEnforcing(AssertOutOfBounds(loses, bare.rules.num_actions))


class raw_env(RendererProperties, AECEnv):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name for the bare environment
    """The environment of :func:`env` without wrappers: an illegal action raises ``ValueError`` and changes nothing.

    ``copy.deepcopy`` and ``pickle`` keep the position, of the wrapped environment as well. A copy is independent, and
    has no window until it is rendered.

    Example:
        >>> env = german_whist.raw_env(rules="small", reward="win")
        >>> env.reset(seed=7, options={"dealer": 1})
        >>> env.deal, env.agent_selection
        ((7, 0), 'player_0')

    Attributes:
        rules: the rules of the game.
        possible_agents: ``["player_0", "player_1"]``, the agents in seats 0 and 1.
        state_space: the space of ``state()``, a ``Box`` int8[n_state].
        match: the ``MatchFormat`` of an episode; ``None`` if it is one deal.
        reward_limit: the largest reward that an episode can pay.
        render_size: width and height of pictures and of the window in pixels; may be set.
    """

    metadata = {  # noqa: RUF012 - PettingZoo's own form
        "render_modes": list(RENDER_MODES),
        "name": "german_whist_v0",
        "is_parallelizable": False,
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        rules: str | Rules = "classic",
        *,
        reward: Reward | Score = "margin",
        render_mode: RenderMode | None = None,
        observation: ObservationKind = "vector",
        match: str | MatchFormat | None = None,
        endgame: Endgame | EndgameHook = PLAYED,
        observation_keys: tuple[str, str] | None = OBSERVATION_KEYS,
        canonical: bool = False,
        dense: bool = False,
    ) -> None:
        """Create the environment; ``reset`` deals. Arguments and errors are those of :func:`env`."""
        super().__init__()
        self._renderer = Renderer(render_mode)
        self._form = ObservationForm(observation, observation_keys)
        if dense:
            check_dense(reward, match)
        self.canonical, self.dense = canonical, dense
        self._episode = Episode(rules, match, history=self._form.has_history, endgame=endgame, canonical=canonical)
        self.rules, self.match = self._episode.rules, self._episode.match
        self.reward = reward
        self.render_mode = render_mode
        self.possible_agents = list(PLAYERS)
        self.reward_limit = self._episode.reward_limit(reward)
        self.observation_spaces = {agent: self._form.space(self.rules, self.match) for agent in PLAYERS}
        self.action_spaces = {agent: Discrete(self.rules.num_actions) for agent in PLAYERS}
        highest = state_high(self.rules, self.match)
        self.state_space = Box(np.zeros_like(highest), highest, dtype=np.int8)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the next episode.

        Args:
            seed: starts with deal (seed, 0); later resets without a seed continue with (seed, 1), (seed, 2), …. If no
                seed was ever given, a random one is drawn.
            options: ``"deal"``: (seed, index) of the deal to play, from which later resets continue; ``"deck"``: the
                cards in dealing order, as text or numbers, for this deal; ``"dealer"``: 0 or 1, for this deal (0 by
                default for a given deck). If episodes are matches, a seed starts with match (seed, 0), and the options
                are ``"match"``: (seed, number), and the ``"dealer"`` of its first deal. Other options are ignored,
                misspelt ones refused.

        Raises:
            ValueError: if the seed or an option is not allowed. The current episode then continues.
        """
        self._episode.reset(seed, options)
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self._margins = [0.0, 0.0]  # what dense rewards have paid so far
        self.infos = self._masks()
        self.agent_selection = PLAYERS[self._episode.turn]
        self._skip_agent_selection = None
        self._renderer.reset(self._episode.batch)
        if self.render_mode == "human":
            self.render()

    @property
    def deal(self) -> tuple[int, int]:
        """The address (seed, index) of the current deal. A deck given as an option does not change it."""
        return self._episode.address

    @property
    def scores(self) -> tuple[float, float]:
        """The match scores of seats 0 and 1, in points or deals won; zeros if an episode is one deal."""
        return self._episode.scores

    def _masks(self) -> dict[str, dict[str, Any]]:
        """Return each agent's info, with its ``"action_mask"``, int8[n_actions]: zeros if it is not to act."""
        first, second = self._episode.masks()
        return {PLAYERS[0]: {"action_mask": first}, PLAYERS[1]: {"action_mask": second}}

    def action_mask(self, agent: str) -> npt.NDArray[np.int8]:
        """Return an agent's action mask, int8[n_actions]; zeros if it is not to act."""
        return self._episode.masks()[_SEATS[agent]]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions the agent to act may choose, bool[n_actions], as sb3-contrib expects it."""
        return self.action_mask(self.agent_selection).astype(np.bool_)

    def observe(self, agent: str) -> Any:
        """Return an agent's observation, in new arrays."""
        return self._form.of_seat(self._episode, _SEATS[agent])[0]

    def state(self) -> npt.NDArray[np.int8]:
        """Return the full state of the deal, int8[n_state], hidden cards included."""
        return self._episode.full_state()

    def step(self, action: Any) -> None:
        """Play an action for the agent to act, or remove a terminated agent with ``None``.

        Args:
            action: a whole number: an int, an int scalar or array of shape () or (1,), or a whole float.

        Raises:
            ValueError: if the action is illegal or not a whole number. Nothing has changed then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        episode = self._episode
        chosen = whole_action(action)
        if not episode.play(episode.decoded(chosen) if self.canonical else chosen):
            raise episode.illegal_action_error(agent, chosen)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.agent_selection = PLAYERS[episode.turn]
        if self.dense:
            margins = episode.batch.margins()[0].tolist()
            self.rewards = {player: margins[seat] - self._margins[seat] for player, seat in _SEATS.items()}
            self._margins = margins
        if not episode.legal:  # over
            if not self.dense:
                self.rewards = dict(zip(PLAYERS, episode.returns(self.reward), strict=True))
            self.terminations = dict.fromkeys(PLAYERS, True)
        self._accumulate_rewards()
        self.infos = self._masks()
        self._renderer.update(episode.batch)
        if self.render_mode == "human":
            self.render()

    def end_illegally(self) -> None:
        """End the episode for an illegal action. It pays only the penalty: take back what dense rewards have paid."""
        self._episode.end()
        self.infos = self._masks()
        if self.dense:
            for agent, margin in zip(PLAYERS, self._margins, strict=True):
                self.rewards[agent] -= margin
                self._cumulative_rewards[agent] -= margin

    def render(self) -> str | Picture | None:
        """Return the deal with both hands visible, as text or a picture, or show it, depending on the render mode."""
        scores = self.scores if self.match is not None else None
        return self._renderer.render(self._episode.batch, scores=scores)

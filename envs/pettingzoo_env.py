"""German Whist for PettingZoo: two agents, ``player_0`` and ``player_1``, who move when it is their turn (AEC).

Observation: ``{"observation": int8[n_obs], "action_mask": int8[n_actions]}``, from the agent's own side, as
``observation_layout`` describes it; the mask of the agent not to move is all zeros. Action ``a`` plays card ``a``.
With ``observation="history"`` it is what the agent saw happen, event by event, as ``envs.history`` describes it.
An episode is one deal, or with ``match="first_to:25"`` and the like a whole match (``envs.matches``). Reward: paid to
both agents at the episode's last step, zero-sum. ``state()`` is the whole truth, for critics.

Version history: v0 — first release.
"""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.layout import highest_values
from german_whist.envs.engine.match_format import Match, match_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import check_reward, reward_limit
from german_whist.envs.observation.full_state import state_high
from german_whist.envs.observation.history import history_high
from german_whist.envs.observation.vector import observation_high
from german_whist.envs.pettingzoo_wrappers import AssertOutOfBounds, Observation, OrderEnforcing, TerminateIllegal
from german_whist.envs.rendering.modes import FRAMES_PER_SECOND, RENDER_MODES, Picture
from german_whist.envs.rendering.renderer import Renderer
from german_whist.envs.simulator.single_match import SingleMatch, one_table
from german_whist.envs.text.scene import PLAYERS
from german_whist.envs.utils.specs import unknown_name

OBSERVATIONS = ("vector", "history")

_SEATS = {player: seat for seat, player in enumerate(PLAYERS)}


def env(
    rules: str | Rules = "classic",
    reward: str = "margin",
    render_mode: str | None = None,
    observation: str = "vector",
    match: str | Match | None = None,
    endgame: str | EndgameHook = PLAYED,
) -> OrderEnforcing:
    """Return the environment with PettingZoo's usual wrappers: an illegal action loses the most an episode can lose.

    Args:
        rules: a preset's name, with settings if wanted (``"classic:counts=all"``), or ``Rules``.
        reward: ``"margin"`` (counted tricks, own minus the opponent's), ``"win"`` (+1, 0, −1) or ``"points"`` (the
            rules' own scoring).
        render_mode: ``"ansi"`` (``render`` returns text), ``"rgb_array"`` (a picture, uint8[height, width, 3]),
            ``"human"`` (every step shows it in a window, or prints it where there is none) or ``None``.
        observation: ``"vector"`` (one flat vector of what the seat knows) or ``"history"`` (what it saw happen, for
            recurrent and attention networks: ``"observation"`` is int8[max_events, 4], ``"length"`` int16[1], and in a
            match ``"match"`` has the scores).
        match: an episode is one deal, or with ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won) a whole match;
            its reward is the match's: with ``"win"`` +1, 0 or −1, otherwise the difference of the final scores.
        endgame: ``"played"``; or ``"solved"``: a deal ends with the last trick of the foreplay and pays what perfect
            play of both from there would.

    Raises:
        ValueError: when an argument is not allowed.
        ModuleNotFoundError: when pictures are wanted and Pillow is missing.
    """
    bare = raw_env(rules, reward, render_mode, observation, match, endgame)
    lost = TerminateIllegal(bare, illegal_reward=-bare.reward_limit)
    return OrderEnforcing(AssertOutOfBounds(lost, bare.rules.num_actions))


class raw_env(AECEnv, EzPickle):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name for the bare environment
    """The environment without wrappers; an illegal action raises ``ValueError``.

    Attributes:
        rules: the rules of the game.
        possible_agents: ``["player_0", "player_1"]``, the agents of seats 0 and 1.
        state_space: the space of ``state()``, int8[n_state], described by ``german_whist.envs.observation.full_state.state_layout``.
        deal: the pair (seed, index) of the current deal; with the option ``deck``, of the deal it stands in for.
        match: what decides an episode, if it is a match.
        scores: both seats' scores in the match.
        reward_limit: the most that an episode can pay.
        render_size: width and height of pictures and of the window; may be set.
        render_color: whether the text of ``"ansi"`` has ANSI colours; may be set.
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
        reward: str = "margin",
        render_mode: str | None = None,
        observation: str = "vector",
        match: str | Match | None = None,
        endgame: str | EndgameHook = PLAYED,
    ) -> None:
        """Set up the table; ``reset`` deals. The arguments are those of :func:`env`."""
        EzPickle.__init__(self, rules, reward, render_mode, observation, match, endgame)
        super().__init__()
        check_reward(reward)
        self._renderer = Renderer(render_mode)
        if observation not in OBSERVATIONS:
            raise unknown_name("observation", observation, OBSERVATIONS)
        self._is_history = observation == "history"
        self.match = None if match is None else match_of(match)
        self._table = one_table(rules, self.match, self._is_history, endgame)
        self.rules = self._table.rules
        self.reward = reward
        self.render_mode = render_mode
        self.possible_agents = list(PLAYERS)
        self.reward_limit = (
            self.match.reward_limit(self.rules, reward) if self.match else reward_limit(self.rules.game, reward)
        )
        self.observation_spaces = {agent: self._observation_space() for agent in PLAYERS}
        self.action_spaces = {agent: Discrete(self.rules.num_actions) for agent in PLAYERS}
        truth_high = state_high(self.rules, self.match)
        self.state_space = Box(np.zeros_like(truth_high), truth_high, dtype=np.int8)

    def _observation_space(self) -> Dict:
        """Return the space of what an agent sees."""
        spaces: dict[str, gymnasium.Space[Any]] = {"action_mask": Box(0, 1, (self.rules.num_actions,), np.int8)}
        if self._is_history:
            high = history_high(self.rules)
            spaces["length"] = Box(0, len(high), (1,), np.int16)
            if self.match is not None:
                most = highest_values(self.rules, self.match.kinds(self.rules))
                spaces["match"] = Box(np.zeros_like(most), most, dtype=np.int8)
        else:
            high = observation_high(self.rules, self.match)
        return Dict({"observation": Box(np.zeros_like(high), high, dtype=np.int8), **spaces})

    def observation_space(self, agent: str) -> Dict:
        """Return the agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal.

        Args:
            seed: leads to deal (seed, 0); later resets without a seed go on to (seed, 1), (seed, 2), …. When no seed
                was ever given, one is drawn.
            options: ``"deal"``: (seed, index) of the deal to play, from which later resets go on; ``"deck"``: the
                cards in dealing order, as text or numbers, for this deal; ``"dealer"``: 0 or 1, for this deal (a
                deck's dealer is 0 unless given). Where an episode is a match: ``"match"``: (seed, number) of the match
                to play, and ``"dealer"`` of its first deal; a seed leads to matches (seed, 0), (seed, 1), …. Other
                options are ignored.

        Raises:
            ValueError: when the seed or an option is not allowed; then the current deal goes on.
        """
        self._table.reset(seed, options)
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in PLAYERS}
        self.agent_selection = PLAYERS[self._table.turn]
        self._skip_agent_selection = None
        if self._renderer.watching:
            self._renderer.begin(self._table.batch)
            self._show()

    @property
    def deal(self) -> tuple[int, int]:
        """The address (seed, index) of the current deal."""
        if self._table.sequence.seed is None:
            raise AttributeError("deal cannot be accessed before reset")
        return self._table.batch.seed, self._table.index

    @property
    def scores(self) -> tuple[float, float]:
        """The scores of seats 0 and 1 in the match: points or deals won; zeros where an episode is one deal."""
        return self._table.scores if isinstance(self._table, SingleMatch) else (0.0, 0.0)

    def is_legal(self, action: int | None) -> bool:
        """Return whether the agent to act may play an action of the action space."""
        return action is not None and self._table.legal >> int(action) & 1 == 1

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, in arrays of its own."""
        seat = _SEATS[agent]
        observation, mask = self._table.observe(seat)
        if not self._is_history:
            return {"observation": observation, "action_mask": mask}
        tokens, length = self._table.history(seat)
        seen: Observation = {"observation": tokens, "length": np.array([length], np.int16), "action_mask": mask}
        if isinstance(self._table, SingleMatch):
            seen["match"] = self._table.score_cells(seat)
        return seen

    def state(self) -> npt.NDArray[np.int8]:
        """Return the whole truth of the deal, int8[n_state]."""
        return self._table.truth()

    def step(self, action: int | None) -> None:
        """Play an action for the agent to act, or take a dead agent off the table with ``None``.

        Raises:
            ValueError: when the action is illegal; then nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        table = self._table
        try:
            legal = table.play(operator.index(action))  # type: ignore[arg-type]
        except TypeError:
            legal = False
        if not legal:
            raise table.illegal(agent, action)
        # Rewards are paid at the last step only, so at any other the dictionaries of rewards are zero already.
        self.agent_selection = PLAYERS[table.turn]
        if not table.legal:
            self._pay()
        if self._renderer.watching:
            self._renderer.look(table.batch)
            self._show()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _pay(self) -> None:
        """End the episode: reward both agents."""
        returns = self._table.returns(self.reward)
        self.rewards = dict(zip(PLAYERS, returns, strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(PLAYERS, True)

    @property
    def render_size(self) -> tuple[int, int]:
        """Width and height of pictures, in pixels."""
        return self._renderer.size

    @render_size.setter
    def render_size(self, size: tuple[int, int]) -> None:
        self._renderer.size = size

    @property
    def render_color(self) -> bool:
        """Whether the text of ``"ansi"`` has ANSI colours."""
        return self._renderer.color

    @render_color.setter
    def render_color(self, color: bool) -> None:
        self._renderer.color = color

    def render(self) -> str | Picture | None:
        """Return the table with both hands open as text or a picture, or show it, as the render mode says."""
        scores = self.scores if self.match is not None else None
        return self._renderer.render(self._table.batch, scores=scores)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

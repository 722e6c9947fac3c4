"""Agents of this package as OpenSpiel bots, and OpenSpiel bots as agents of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyspiel

from german_whist.agents.asking import ask
from german_whist.agents.base import Actions, Agent, AgentLike
from german_whist.agents.inference.sampling import DealSampler
from german_whist.agents.registry import make_agent
from german_whist.game.agent_rng import AgentRng
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.scoring import Reward
from german_whist.game.utils.backend import HOST
from german_whist.game.utils.checks import check_seed
from german_whist.openspiel.game import GermanWhistGame, load_game
from german_whist.openspiel.state import GermanWhistState, state_of
from german_whist.simulator.deals import GameId
from german_whist.simulator.decisions import Decisions, Histories
from german_whist.simulator.observation.action_log import actions_told


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An OpenSpiel bot that plays like an agent. The agent gets the player's view; hidden cards are not read.

    Example:
        >>> bots = [german_whist.openspiel.AgentBot("heuristic"), german_whist.openspiel.AgentBot("random", seed=1)]
        >>> pyspiel.evaluate_bots(game.new_initial_state(), bots, 0)
    """

    def __init__(self, agent: AgentLike, seed: int = 0) -> None:
        """Wrap an agent.

        Args:
            agent: a specification (``german_whist.agent_names()`` lists them) or an agent object.
            seed: seed of the agent's randomness, 0 to 2**64 - 1.

        Raises:
            ValueError: if there is no such agent, or the seed is out of range.
        """
        super().__init__()
        make_agent(agent)  # a wrong name is refused here, not at the first step
        self._spec = agent
        self._agents: dict[Rules, Agent] = {}
        self._seed = check_seed(seed)
        self._number = -1  # number of the game
        self.restart()

    def restart(self) -> None:
        """Begin another game."""
        self._game, self._number, self._asked = GameId(), self._number + 1, 0

    def restart_at(self, state: Any) -> None:
        """Begin another game in the middle of a deal."""
        self.restart()

    def step(self, state: GermanWhistState) -> int:
        """Return the agent's action for the player to act.

        Raises:
            ValueError: if the agent does not play this game, or returns no legal action.
        """
        seat, deal, rules = state.current_player(), state.deal, state.deal.setup.rules
        if rules not in self._agents:
            self._agents[rules] = make_agent(self._spec, rules)

        def histories() -> Histories:
            tokens, length = deal.history(seat)
            return tokens[None], np.array([length], np.int16)

        rng = AgentRng(self._seed, [self._number], stream=seat, step=self._asked)
        self._asked = (self._asked + 1) % 2**16
        games = np.array([self._game], object)
        decisions = Decisions.made(rules, HOST, 1, deal.view(seat), rng, histories, games, has_deals=True)
        return int(ask(self._agents[rules], decisions)[0])


_KEYS = 2**53

MakeBot = Callable[[GermanWhistGame, int], Any]


class BotAgent(Agent):
    """An agent that plays like an OpenSpiel bot, in matches of this package.

    An information state includes the order of play, which a view does not; this agent takes it from the history. The
    bot gets a state with the true information state and with hidden cards sampled from all consistent deals (a
    determinization), so looking at them reveals nothing. Each game has its own bot. Only the bot's ``step`` is
    called, not ``inform_action``.

    In every state that a bot gets, player 1 is the dealer, whichever seat deals in the match. Information states name
    the players, so a policy that was learned on ``load_game(rules)``, in which player 1 deals, knows all of them.

    Example:
        >>> def make_bot(game, player):
        ...     return pyspiel.make_uniform_random_bot(player, seed=3)
        >>> agent = german_whist.openspiel.BotAgent(make_bot, rules="tiny", name="uniform")

    Attributes:
        name: what results call the agent.
        rules: the rules that it plays.
        make_bot: makes the bot of a game.
        game: the bots' OpenSpiel game, in which player 1 deals.
    """

    uses_histories = True
    rules: Rules

    def __init__(
        self, make_bot: MakeBot, rules: str | Rules = "classic", reward: Reward = "margin", name: str = "OpenSpiel bot"
    ) -> None:
        """Wrap bots.

        Args:
            make_bot: called with the game and the player, 1 for the seat that deals; returns a ``pyspiel.Bot`` for one
                deal.
            rules: the rules of the deals.
            reward: the reward of the bots' game.
            name: what results call the agent.

        Raises:
            ValueError: if the rules or the reward are unknown.
        """
        self.make_bot = make_bot
        self.rules = get_rules(rules)
        self.name = name
        self.game = load_game(self.rules, reward)
        self._bots: WeakKeyDictionary[GameId, Any] = WeakKeyDictionary()

    def act(self, decisions: Decisions) -> Actions:
        """Return one action per decision, int64[n]; random numbers are for the hidden cards of the bots' states.

        Raises:
            ValueError: if there are no histories, or no deal agrees with one.
        """
        tokens, lengths = map(np.asarray, decisions.histories)
        keys, actions = decisions.rng.integers(0, _KEYS, len(decisions)).tolist(), np.empty(len(decisions), np.int64)
        for row, game in enumerate(decisions.game_ids):
            seen, player = tokens[row, : lengths[row]], int(decisions.views["dealer"][row])
            if game not in self._bots:
                self._bots[game] = self.make_bot(self.game, player)
            deck = DealSampler(seen, self.rules).decks(1, keys[row])[0].tolist()
            actions[row] = self._bots[game].step(state_of(self.game, deck, actions_told(self.rules, deck, seen)))
        return actions

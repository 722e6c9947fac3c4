"""Agents of this package as bots of OpenSpiel, and bots of OpenSpiel as agents of this package."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, cast

import numpy as np
import pyspiel

from german_whist.agents.bots.base import Actions, Agent, Views
from german_whist.agents.inference.deck_sampling import DeckSampler
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.opponent import uses_history
from german_whist.openspiel.game import GermanWhistGame, load_game
from german_whist.openspiel.history_tracker import HistoryTracker
from german_whist.openspiel.state import GermanWhistState, state_of


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """Plays like an agent, from the view of the player to act; the hidden cards of the state are not read.

    Example:
        >>> bots = [german_whist.openspiel.AgentBot("heuristic"), german_whist.openspiel.AgentBot("random", seed=1)]
        >>> pyspiel.evaluate_bots(game.new_initial_state(), bots, 0)
    """

    def __init__(self, agent: str | Agent, seed: int = 0) -> None:
        """Wrap an agent.

        Args:
            agent: a specification (``german_whist.agent_names()`` lists them) or an agent object.
            seed: seed of the agent's randomness.

        Raises:
            ValueError: if there is no such agent.
        """
        super().__init__()
        self._agent = make_agent(agent)
        self._rng = np.random.default_rng(seed)

    def restart_at(self, state: Any) -> None:
        """Do nothing: agents decide from the view alone."""

    def step(self, state: GermanWhistState) -> int:
        """Return the agent's action for the player to act."""
        seat, act = state.current_player(), cast(Any, self._agent.act)
        if not uses_history(self._agent):
            return int(act(state.deal.view(seat), self._rng)[0])
        tokens, length = state.deal.history(seat)
        return int(act(state.deal.view(seat), self._rng, histories=(tokens[None], np.array([length], np.int16)))[0])

    def step_with_policy(self, state: GermanWhistState) -> tuple[list[tuple[int, float]], int]:
        """Return the policy and the action. Agents return only an action, so it has probability 1."""
        chosen = self.step(state)
        return [(action, float(action == chosen)) for action in state.legal_actions()], chosen


_SEEDS = 2**53

MakeBot = Callable[[GermanWhistGame, int], Any]


class _Seat:
    """One game of the agent: what it has seen, and its bot."""

    def __init__(self, agent: BotAgent) -> None:
        self._agent = agent
        self._tracker = HistoryTracker(agent.rules)
        self._bot: Any = None

    def act(self, view: Any, seed: int) -> int:
        """Return the bot's action."""
        tracker = self._tracker
        tracker.observe_view(view)
        if self._bot is None:
            self._bot = self._agent.make_bot(self._agent.game, int(tracker.is_dealer))
        deck = DeckSampler(tracker.history()[0], self._agent.rules).sample(Random(seed))
        state: GermanWhistState = state_of(self._agent.game, deck, tracker.actions)
        action = int(self._bot.step(state))
        tracker.record_own_action(action)
        return action


class BotAgent:
    """Plays as a bot of OpenSpiel does, in matches of this package.

    An information state includes the order of play, which a single view does not. So this agent remembers its views
    (see ``AgentWithMemory``): consecutive views tell all that has happened. The bot gets a state with the true
    information state and with hidden cards sampled from all consistent deals: looking at them reveals nothing. The
    bot's ``step`` is called; ``inform_action`` is not.

    In every state that a bot gets, player 1 is the dealer, whichever seat deals in the match. So a policy that was
    learned on ``load_game(rules)`` knows all its information states, which name the players.

    Example:
        >>> def make_bot(game, player):
        ...     return pyspiel.make_uniform_random_bot(player, seed=3)
        >>> agent = german_whist.openspiel.BotAgent(make_bot, rules="tiny", name="uniform")

    Attributes:
        name: what results call it.
        rules: the rules it plays.
        make_bot: makes the bot of a game.
        game: the bots' game, in which player 1 deals.
    """

    def __init__(
        self, make_bot: MakeBot, rules: str | Rules = "classic", reward: str = "margin", name: str = "OpenSpiel bot"
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
        self.rules = rules_named(rules)
        self.name = name
        self.game = load_game(self.rules, reward)

    def initial_memory(self, deals: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the memory of deals that begin, object[n]."""
        memory = np.empty(len(deals), object)
        for row in range(len(deals)):
            memory[row] = _Seat(self)
        return memory

    def act(self, views: Views, rng: Any, memory: np.ndarray[Any, Any] | None = None) -> Actions:
        """Return one action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,), each at the next decision of its game.
            rng: source of the hidden cards of the bots' states.
            memory: the rows of these games of what ``initial_memory`` returned.

        Raises:
            ValueError: if there is no memory, or no deal agrees with what the agent has seen.
        """
        if memory is None:
            raise ValueError(
                f"agent {self.name!r} needs its memory of the deal: the order of play is not in a view; "
                "it plays in matches, which keep it"
            )
        seeds = rng.integers(0, _SEEDS, len(views)).tolist()
        actions = [game.act(view, seed) for game, view, seed in zip(memory, views, seeds, strict=True)]
        return np.array(actions, np.int64)

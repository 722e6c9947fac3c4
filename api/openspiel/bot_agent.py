"""A bot of OpenSpiel as an agent of this package."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from german_whist.agents.bots.base import Actions, Views
from german_whist.agents.inference.deck_sampling import DeckSampler
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.openspiel.game import GermanWhistGame, load_game
from german_whist.openspiel.state import GermanWhistState, state_of
from german_whist.openspiel.watcher import Watcher

_SEEDS = 2**53

MakeBot = Callable[[GermanWhistGame, int], Any]


class _Seat:
    """One game of the agent: what it has seen, and its bot."""

    def __init__(self, agent: BotAgent, seat: int) -> None:
        self._agent = agent
        self._seat = seat
        self._watcher = Watcher(agent.rules)
        self._bot: Any = None

    def act(self, view: Any, seed: int) -> int:
        """Return the bot's action."""
        watcher = self._watcher
        watcher.see(view)
        if self._bot is None:
            self._game = self._agent.game(self._seat if watcher.is_dealer else 1 - self._seat)
            self._bot = self._agent.make_bot(self._game, self._seat)
        deck = DeckSampler(watcher.history()[0], self._agent.rules).sample(Random(seed))
        state: GermanWhistState = state_of(self._game, deck, watcher.actions)
        action = int(self._bot.step(state))
        watcher.choose(action)
        return action


class BotAgent:
    """Plays as a bot of OpenSpiel does, in matches of this package.

    An agent sees views, and a view does not tell the order of play that an information state has. So this agent
    remembers its views (see ``AgentWithMemory``): consecutive views tell all that has happened. From it a state is
    built whose information state for the player is the true one; the hidden cards are drawn at random from all deals
    that agree, so a bot that looks at them learns nothing. The bot's ``step`` is called; ``inform_action`` is not.

    Example:
        >>> def make_bot(game, player):
        ...     return pyspiel.make_uniform_random_bot(player, seed=3)
        >>> agent = german_whist.openspiel.BotAgent(make_bot, rules="tiny", name="uniform")

    Attributes:
        name: what results call it.
        rules: the rules it plays.
        make_bot: makes the bot of a game.
    """

    def __init__(
        self, make_bot: MakeBot, rules: str | Rules = "classic", reward: str = "margin", name: str = "OpenSpiel bot"
    ) -> None:
        """Wrap bots.

        Args:
            make_bot: called with the game and the player; returns a ``pyspiel.Bot`` for one deal.
            rules: the rules of the deals.
            reward: the reward of the bots' game.
            name: what results call the agent.

        Raises:
            ValueError: if the rules or the reward are unknown.
        """
        self.make_bot = make_bot
        self.rules = rules_named(rules)
        self.name = name
        self._games = [load_game(self.rules, reward, dealer) for dealer in (0, 1)]

    def game(self, dealer: int) -> GermanWhistGame:
        """Return the bots' game in which a seat deals."""
        return self._games[dealer]

    def initial_memory(self, deals: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the memory of deals that begin, object[n]; ``deals["seat"]`` is the seat in each, int8[n]."""
        memory = np.empty(len(deals), object)
        for row, seat in enumerate(deals["seat"].tolist()):
            memory[row] = _Seat(self, seat)
        return memory

    def act(self, views: Views, rng: Any, memory: np.ndarray[Any, Any] | None = None) -> Actions:
        """Return one action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,), each at the next decision of its game.
            rng: source of the hidden cards of the bots' states.
            memory: the rows of these games of what ``initial_memory`` returned.

        Raises:
            ValueError: if there is no memory, or a deal agrees with no history.
        """
        if memory is None:
            raise ValueError(
                f"agent {self.name!r} needs its memory of the deal: the order of play is not in a view; "
                "it plays in matches, which keep it"
            )
        seeds = rng.integers(0, _SEEDS, len(views)).tolist()
        actions = [game.act(view, seed) for game, view, seed in zip(memory, views, seeds, strict=True)]
        return np.array(actions, np.int64)

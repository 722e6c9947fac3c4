"""The game ``python_german_whist`` of OpenSpiel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyspiel

from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.observation.history import max_game_length
from german_whist.openspiel.deal import Deal, Setup
from german_whist.openspiel.observer import HistoryObserver, ViewObserver, make_observer
from german_whist.openspiel.parameters import SPECIFICATION, parameters_of, setup_of
from german_whist.openspiel.state import GermanWhistState

NAME = "python_german_whist"

GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="German Whist (Python)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=SPECIFICATION,
)


class GermanWhistGame(pyspiel.Game):  # type: ignore[misc]
    """A game of the German Whist family.

    Attributes:
        setup: the rules, the seat that deals and the kind of reward.
        opening: the deal before its first card.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Make the game of some parameters; missing ones are at their defaults.

        Raises:
            ValueError: if a value is not allowed.
        """
        self.setup: Setup = setup_of(params or {})
        self.opening = Deal(self.setup)
        limit = reward_limit(self.setup.rules.game, self.setup.reward)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.setup.rules.num_actions,
            max_chance_outcomes=max(self.setup.rules.cards) + 1,  # a chance outcome is a card's number
            num_players=2,
            min_utility=-limit,
            max_utility=limit,
            utility_sum=0.0,
            max_game_length=max_game_length(self.setup.rules),
        )
        super().__init__(GAME_TYPE, info, parameters_of(self.setup))

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of cards: each is named once at most."""
        return len(self.setup.rules.cards)

    def new_initial_state(self) -> GermanWhistState:
        """Return the state before the first card is dealt."""
        return GermanWhistState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> HistoryObserver | ViewObserver:
        """Return an observer: with perfect recall of the event history, without it of the observation vector.

        Raises:
            ValueError: if the kind of observation is not what a single player sees.
        """
        return make_observer(self.setup, iig_obs_type, params)


def load_game(spec: str | Rules = "classic", reward: str = "margin", dealer: int = 1) -> GermanWhistGame:
    """Return a game of any rules: ``pyspiel.load_game`` with the specification of rules that this package uses.

    Example:
        >>> str(german_whist.openspiel.load_game("tiny:ranks=3,stock=2", reward="win"))
        'python_german_whist(reward=win,rules=six_cards)'

    Args:
        spec: a preset's name, with settings if wanted, or ``Rules``.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
        dealer: the seat that deals; the other leads the first trick.

    Raises:
        ValueError: if an argument is not allowed.
    """
    setup = setup_of({"reward": reward, "dealer": dealer})._replace(rules=rules(spec))
    game: GermanWhistGame = pyspiel.load_game(NAME, parameters_of(setup))
    return game


def register() -> None:
    """Register the game with OpenSpiel."""
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(GAME_TYPE, GermanWhistGame)

"""The OpenSpiel game ``python_german_whist``, and rules as its parameters.

OpenSpiel's notation ``name(key=value,key=value)`` does not allow ``=`` or ``,`` inside a value, so the settings of
``tiny:ranks=3,stock=2`` are parameters, too: ``python_german_whist(rules=tiny,ranks=3,stock=2)``. Every
parameter has a type and a default; the default of a setting stands for the preset's value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pyspiel

from german_whist.game.rules import Rules, rule_names, rules, rules_from_dict
from german_whist.game.scoring import Reward, check_reward, reward_limit
from german_whist.openspiel.deal import Deal, Setup
from german_whist.openspiel.observer import HistoryObserver, ViewObserver, make_observer
from german_whist.openspiel.state import GermanWhistState
from german_whist.simulator.observation.history import max_game_length

_AS_IN_PRESET: dict[type, Any] = {int: -1, bool: False, str: ""}


def _defaults() -> dict[str, Any]:
    classic = rules("classic")
    fields = {field.name: getattr(classic, field.name) for field in dataclasses.fields(Rules)}
    # Among the fields of the classic game only book is None, a number elsewhere.
    return {name: _AS_IN_PRESET[int if value is None else type(value)] for name, value in fields.items()}


SETTINGS = _defaults()
SPECIFICATION = {"rules": "classic", "reward": "margin", "dealer": 1, **SETTINGS}


def setup_of(parameters: Mapping[str, Any]) -> Setup:
    """Return the setup that game parameters describe.

    Args:
        parameters: ``rules`` (a preset; from Python also with settings, such as ``"tiny:ranks=3,stock=2"``),
            ``reward``, ``dealer`` and the fields of ``Rules``. Missing ones have their defaults.

    Raises:
        ValueError: if a value is not allowed.
    """
    given = {**SPECIFICATION, **parameters}
    base = rules(given["rules"])
    settings = {name: given[name] for name, default in SETTINGS.items() if given[name] != default}
    check_reward(given["reward"])
    if given["dealer"] not in (0, 1):
        raise ValueError(f"dealer must be 0 or 1, got {given['dealer']!r}")
    changed = rules_from_dict({**base.to_dict(), **settings}) if settings else base
    return Setup(changed, int(given["dealer"]), given["reward"])


def parameters_of(setup: Setup) -> dict[str, Any]:
    """Return the shortest game parameters of a setup: the preset nearest to its rules, and what differs.

    Raises:
        ValueError: if the rules need a setting that game parameters cannot express, such as ``draft=false``, and no
            preset has it.
    """
    best: dict[str, Any] | None = None
    wanted = setup.rules.to_dict()
    for name in ("classic", *rule_names()):
        preset = rules(name).to_dict()
        settings = {key: value for key, value in wanted.items() if value != preset[key]}
        if any(value is None or value == SETTINGS[key] for key, value in settings.items()):
            continue  # these values mean "as in the preset"
        if best is None or len(settings) + 1 < len(best):
            best = {"rules": name, **settings}
    if best is None:
        raise ValueError(f"no game parameters describe the rules {wanted}")
    others = {"reward": setup.reward, "dealer": setup.dealer}
    return best | {key: value for key, value in others.items() if value != SPECIFICATION[key]}


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
        """Make the game of some parameters; missing ones have their defaults.

        Raises:
            ValueError: if a value is not allowed.
        """
        self.setup: Setup = setup_of(params or {})
        self.opening = Deal(self.setup)
        limit = reward_limit(self.setup.rules.record, self.setup.reward)
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
        """Return the number of cards: chance names each at most once."""
        return len(self.setup.rules.cards)

    def new_initial_state(self) -> GermanWhistState:
        """Return the state before the first card is dealt."""
        return GermanWhistState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> HistoryObserver | ViewObserver:
        """Return an observer of the event history if perfect recall is asked for, else of the observation vector.

        Raises:
            ValueError: if the kind of observation is not that of a single player.
        """
        return make_observer(self.setup, iig_obs_type, params)


def load_game(spec: str | Rules = "classic", reward: Reward = "margin", dealer: int = 1) -> GermanWhistGame:
    """Return the game of any rules: like ``pyspiel.load_game``, but rules are specified as in this package.

    Example:
        >>> str(german_whist.openspiel.load_game("tiny:ranks=3,stock=2", reward="win"))
        'python_german_whist(reward=win,rules=six_cards)'

    Args:
        spec: a preset's name, optionally with settings, or ``Rules``.
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

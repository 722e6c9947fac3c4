"""One decision of an explained deal: what the seat saw, its legal actions and their evaluations."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Values
from german_whist.agents.inference.belief import Belief
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import SUITS, card_text, cards_of, hand_text
from german_whist.envs.engine.rules import Rules


@dataclasses.dataclass(frozen=True)
class Option:
    """A legal action and its evaluations; ``None`` where one does not apply.

    Margins are those of the whole deal in counted tricks for this seat; in a low game, too, more is better.

    Attributes:
        action: the action's number.
        probability: probability under a network's policy at temperature 1.
        advantage: estimated margin relative to the best action in tricks, 0 or less, by a network of action values.
        rollouts: mean margin over sampled worlds in which the heuristic bot finishes the foreplay for both seats and
            the endgame is played perfectly.
        exact: margin with perfect play by both seats from here, where the opponent's hand is known.
        search: gain over the policy's action in tricks as a search estimates it, for actions that it tried; a win adds
            four, a loss takes as many.
    """

    action: int
    probability: float | None
    advantage: float | None
    rollouts: float | None
    exact: int | None
    search: float | None = None


@dataclasses.dataclass(frozen=True)
class Move:
    """One decision of an explained agent.

    Attributes:
        number: number of the move in the deal, from 1.
        trick: number of the trick in the deal, from 1.
        seat: the seat to act.
        agent: the agent's name.
        hand: the seat's cards, as a mask.
        face_up: the face-up cards of the stock, as a mask.
        led: the card led to the trick, −1 for none.
        stock: number of cards left in the stock.
        action: the action played.
        heuristic_action: the action that the heuristic bot would play.
        options: all legal actions: the one played, then the others from best to worst.
        expected: expected number of cards of suits C D H S in the opponent's hand, uniform over consistent hands.
        void: probability that the opponent is void in each suit.
        expected_margin: margin of the deal that the agent's network expects before the action; ``None`` without a value
            network.
        win_chance: likewise the chance to win the deal, a draw counting half.
    """

    number: int
    trick: int
    seat: int
    agent: str
    hand: int
    face_up: int
    led: int
    stock: int
    action: int
    heuristic_action: int
    options: tuple[Option, ...]
    expected: tuple[float, ...]
    void: tuple[float, ...]
    expected_margin: float | None
    win_chance: float | None

    @property
    def value(self) -> float | None:
        """The value of the action played: its exact margin where known, else that of its rollouts."""
        played = self.options[0]
        return played.rollouts if played.exact is None else played.exact

    def to_dict(self, rules: Rules) -> dict[str, Any]:
        """Return the move as plain data, cards as text, suits by their letters."""
        fields = dataclasses.asdict(self)
        fields["hand"] = hand_text(self.hand)
        fields["face_up"] = [card_text(card) for card in cards_of(self.face_up)]
        fields["led"] = None if self.led < 0 else card_text(self.led)
        for name in ("action", "heuristic_action"):
            fields[name] = action_text(fields[name], rules)
        fields["options"] = [
            {**dataclasses.asdict(option), "action": action_text(option.action, rules)} for option in self.options
        ]
        for name in ("expected", "void"):
            fields[name] = dict(zip(SUITS, fields[name], strict=True))
        return {**fields, "value": self.value}


def options_of(view: Any, played: int, evaluations: Sequence[npt.NDArray[np.float64]]) -> tuple[Option, ...]:
    """Return the legal actions: the one played, then the others from best to worst.

    Args:
        view: one row of a ``VIEW`` array.
        played: the action played.
        evaluations: probability, advantage, rollouts, exact margin and search gain of each action, float64[54] each,
            NaN for none.
    """
    found = []
    for action in cards_of(int(view["legal"])):
        probability, advantage, rollouts, exact, search = (float(column[action]) for column in evaluations)
        found.append(
            Option(
                action,
                None if math.isnan(probability) else probability,
                None if math.isnan(advantage) else advantage,
                None if math.isnan(rollouts) else rollouts,
                None if math.isnan(exact) else int(exact),
                None if math.isnan(search) else search,
            )
        )

    def rank(option: Option) -> tuple[float, ...]:
        known = (option.probability, option.exact, option.rollouts)
        return option.action != played, *(0.0 if number is None else -float(number) for number in known)

    return tuple(sorted(found, key=rank))


def move_of(
    view: Any,
    row: int,
    seat: int,
    agent: str,
    played: int,
    heuristic_action: int,
    options: tuple[Option, ...],
    belief: Belief,
    values: Values | None,
    i: int,
) -> Move:
    """Return a decision.

    Args:
        view: one row of a ``VIEW`` array.
        row: number of the decision in the deal, from 0.
        seat: the seat to act.
        agent: the agent's name.
        played: the action played.
        heuristic_action: the action that the heuristic bot would play.
        options: all legal actions, see :func:`options_of`.
        belief: what the seat can know of the opponent's hand, a row for each of several views.
        values: likewise what the agent's network expects; ``None`` without a value network.
        i: the row of this view in ``belief`` and ``values``.
    """
    tricks = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
    return Move(
        number=row + 1,
        trick=tricks if view["choice"] and tricks else tricks + 1,
        seat=seat,
        agent=agent,
        hand=int(view["hand"]),
        face_up=int(view["face_up"]),
        led=int(view["led"]),
        stock=int(view["stock"]),
        action=played,
        heuristic_action=heuristic_action,
        options=options,
        expected=tuple(belief.expected[i].tolist()),
        void=tuple(belief.void[i].tolist()),
        expected_margin=None if values is None else float(values.margin[i]),
        win_chance=None if values is None else float(values.win[i]),
    )

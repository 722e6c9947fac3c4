"""What agents think while they play a deal: chances, worth, belief and exact values, move by move."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent, Views
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.endgame.open_hands import NOT_LEGAL, card_margins, is_open, open_hands
from german_whist.agents.inference.belief import Belief, beliefs
from german_whist.agents.monte_carlo.bot import MonteCarloBot
from german_whist.agents.policy.agent import PolicyAgent, solves_endgame
from german_whist.agents.registry import make_agent
from german_whist.arena.recording import Result
from german_whist.arena.turns import play_turn
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import SUITS, card_text, cards_of, hand_text
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.simulator.batch import DealBatch

BESIDE = "heuristic"  # the agent whose choice stands beside the explained one's
DEFAULT_WORLDS = 100

_STREAM = 7  # of the worlds' randomness, apart from the players'
_ACTIONS = 54


@dataclasses.dataclass(frozen=True)
class Option:
    """A legal action and what is to be said for it; ``None`` where nothing is.

    Attributes:
        action: its number.
        chance: that a network's policy gives it at temperature 1.
        worth: how many tricks less than the best action a network takes it to be worth.
        rollouts: the deal's margin of counted tricks for this seat, on average over worlds that the view allows, when
            the heuristic bot plays on for both seats and the endgame is played perfectly.
        exact: the deal's margin when both seats play perfectly from here, where the opponent's hand is known.
    """

    action: int
    chance: float | None
    worth: float | None
    rollouts: float | None
    exact: int | None


@dataclasses.dataclass(frozen=True)
class Move:
    """One decision of an explained agent.

    Attributes:
        number: of the move in the deal, from 1.
        trick: of the deal, from 1.
        seat: who decides.
        agent: what the agent is called.
        hand: its cards, as a mask.
        face_up: the open cards of the stock, as a mask.
        led: the card led to the trick, −1 for none.
        stock: cards left in the stock.
        action: what it plays.
        beside: what the heuristic bot would play.
        options: all legal actions, what is played first, then the best ones.
        expected: cards of suits C D H S that the opponent holds, on average over all hands that the view allows.
        void: chance that it holds none of the suit.
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
    beside: int
    options: tuple[Option, ...]
    expected: tuple[float, ...]
    void: tuple[float, ...]

    @property
    def value(self) -> float | None:
        """What the move leads to: the exact margin where it is known, else that of the rollouts."""
        played = self.options[0]
        return played.rollouts if played.exact is None else played.exact

    def to_dict(self, rules: Rules) -> dict[str, Any]:
        """Return the move as plain data: cards as words, suits by their letters."""
        fields = dataclasses.asdict(self)
        fields["hand"] = hand_text(self.hand)
        fields["face_up"] = [card_text(card) for card in cards_of(self.face_up)]
        fields["led"] = None if self.led < 0 else card_text(self.led)
        for name in ("action", "beside"):
            fields[name] = action_text(fields[name], rules)
        fields["options"] = [
            {**dataclasses.asdict(option), "action": action_text(option.action, rules)} for option in self.options
        ]
        for name in ("expected", "void"):
            fields[name] = dict(zip(SUITS, fields[name], strict=True))
        return {**fields, "value": self.value}


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A deal as it was played.

    Attributes:
        rules: the game.
        deal: its seed and index.
        agents: who played, by seat.
        trump: suit, −1 for none.
        low: whether the fewest counted tricks win.
        moves: the decisions of the agents that are explained.
        result: what the deal came to.
        worlds: drawn for the rollouts of each move.
    """

    rules: Rules
    deal: tuple[int, int]
    agents: tuple[str, str]
    trump: int
    low: bool
    moves: tuple[Move, ...]
    result: Result
    worlds: int


def explain_deal(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    rules: str | Rules,
    seed: int,
    index: int,
    seats: tuple[int, ...] = (0, 1),
    worlds: int = DEFAULT_WORLDS,
) -> Explanation:
    """Play a deal and tell what is to be said of every move; it is played as in a match of these agents.

    Args:
        agents: by seat.
        names: what to call them.
        rules: the game.
        seed: of the deal and of the agents' randomness.
        index: of the deal.
        seats: whose moves are told.
        worlds: drawn for the rollouts of each move; 0 for none.

    Raises:
        ValueError: when something is not allowed, or an agent does not return a legal action.
    """
    if worlds < 0:
        raise ValueError(f"worlds {worlds!r} is not allowed: a whole number from 0")
    game = rules_named(rules)
    batch = DealBatch(game, 1, seed, index)
    address, first_seat = np.array([index], np.uint64), np.zeros(1, np.int8)
    seen: list[Views] = []
    acting: list[int] = []
    played: list[int] = []
    while not batch.done[0]:
        seen.append(batch.views())
        acting.append(int(batch.turn[0]))
        step = np.array([len(played)])
        played.append(int(play_turn(agents, names, batch, address, first_seat, step)[0]))
    views = np.concatenate(seen)
    moves: dict[int, Move] = {}
    for seat in seats:
        rows = np.array([row for row, actor in enumerate(acting) if actor == seat], np.int64)
        told = _numbers(agents[seat], views[rows], seed, rows, worlds)
        beside = make_agent(BESIDE).act(views[rows], None)
        belief = beliefs(views[rows])
        for i, row in enumerate(rows.tolist()):
            options = _options(views[row], played[row], [numbers[i] for numbers in told])
            moves[row] = _move(views[row], row, seat, names[seat], played[row], int(beside[i]), options, belief, i)
    states = batch.states
    return Explanation(
        rules=game,
        deal=(int(seed), int(index)),
        agents=names,
        trump=int(states["trump"][0]),
        low=bool(states["low"][0]),
        moves=tuple(moves[row] for row in sorted(moves)),
        result=Result.of(batch),
        worlds=worlds,
    )


def _numbers(
    agent: Agent, views: Views, seed: int, rows: npt.NDArray[np.int64], worlds: int
) -> list[npt.NDArray[np.float64]]:
    """Return chance, worth, rollouts and exact margin of each action, float64[n, 54], not a number for nothing."""
    chances, worth, rollouts, exact = (np.full((len(views), _ACTIONS), np.nan) for _ in range(4))
    is_known = is_open(views)
    policy = agent.agent if isinstance(agent, ExactEndgame) else agent
    asked = np.flatnonzero(~is_known) if solves_endgame(agent) else np.arange(len(views))
    if isinstance(policy, PolicyAgent) and len(asked):
        told = policy.probabilities(views[asked])
        chances[asked, : told.shape[1]] = told
        less = policy.worth(views[asked])
        if less is not None:
            worth[asked, : less.shape[1]] = less
    hidden = np.flatnonzero(~is_known)
    if worlds and len(hidden):
        rollouts[hidden] = MonteCarloBot(worlds).margins(views[hidden], AgentRng(seed, rows[hidden], _STREAM))
    known = np.flatnonzero(is_known)
    if len(known):
        margins = card_margins(open_hands(views[known])).astype(np.float64)
        margins[margins == NOT_LEGAL] = np.nan
        exact[known, :52] = margins + _taken(views[known])[:, None]
    return [chances, worth, rollouts, exact]


def _taken(views: Views) -> npt.NDArray[np.int64]:
    """Return the margin of the counted tricks taken so far, int64[n]; in a low game, too, more is better."""
    difference = views["tricks_self"].astype(np.int64) - views["tricks_opponent"]
    margin = difference[:, 1] + difference[:, 0] * views["all_count"]
    taken: npt.NDArray[np.int64] = np.where(views["low"] != 0, -margin, margin)
    return taken


def _options(view: Any, played: int, numbers: list[npt.NDArray[np.float64]]) -> tuple[Option, ...]:
    """Return the legal actions: what is played, then by what is known best of them, the best first."""
    found = []
    for action in cards_of(int(view["legal"])):
        chance, worth, rollouts, exact = (float(column[action]) for column in numbers)
        found.append(
            Option(
                action,
                None if math.isnan(chance) else chance,
                None if math.isnan(worth) else worth,
                None if math.isnan(rollouts) else rollouts,
                None if math.isnan(exact) else int(exact),
            )
        )

    def rank(option: Option) -> tuple[float, ...]:
        known = (option.chance, option.exact, option.rollouts)
        return option.action != played, *(0.0 if number is None else -float(number) for number in known)

    return tuple(sorted(found, key=rank))


def _move(
    view: Any,
    row: int,
    seat: int,
    agent: str,
    played: int,
    beside: int,
    options: tuple[Option, ...],
    belief: Belief,
    i: int,
) -> Move:
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
        beside=beside,
        options=options,
        expected=tuple(belief.expected[i].tolist()),
        void=tuple(belief.void[i].tolist()),
    )

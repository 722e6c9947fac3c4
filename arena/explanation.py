"""Explanations of a played deal, move by move: policy, advantages, rollouts, exact values and beliefs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.exact_agent import RowSubsetRng, solves_endgame
from german_whist.agents.endgame.open_hands import exact_margins, opponent_hand_known
from german_whist.agents.inference.belief import beliefs
from german_whist.agents.monte_carlo.bot import MonteCarloBot
from german_whist.agents.policy.agent import expected_values, network_of
from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import SearchAgent
from german_whist.arena.games import play_turn
from german_whist.arena.recording import DealResult
from german_whist.envs.agent import Agent, Histories, Views, for_match, uses_games
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import NUM_ACTIONS, SUITS, card_text, cards_of, hand_text
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import whole_number
from german_whist.solver.races import NOT_LEGAL_MARGIN

REFERENCE = "heuristic"  # the agent whose choice is shown for comparison
DEFAULT_WORLDS = 100

_STREAM = 7  # random stream of the rollouts, apart from the players'


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


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A played deal with explained moves.

    Attributes:
        rules: the rules.
        deal: seed and index; ``None`` for a deck that was given.
        agents: names of the agents by seat.
        trump: trump suit, −1 for none.
        low: whether the fewest counted tricks win.
        moves: the explained decisions.
        result: the result of the deal.
        worlds: number of worlds sampled for the rollouts of each move.
    """

    rules: Rules
    deal: tuple[int, int] | None
    agents: tuple[str, str]
    trump: int
    low: bool
    moves: tuple[Move, ...]
    result: DealResult
    worlds: int


def explain_deal(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    rules: str | Rules,
    seed: int,
    index: int,
    seats: tuple[int, ...] = (0, 1),
    worlds: int = DEFAULT_WORLDS,
    deck: str | Sequence[int] | None = None,
) -> Explanation:
    """Play a deal as in a match of these agents and explain the moves.

    Args:
        agents: the agents by seat.
        names: what to call them.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        seed: seed of the deal and of the agents' randomness.
        index: index of the deal.
        seats: the seats whose moves are explained.
        worlds: number of worlds sampled for the rollouts of each move; 0 for no rollouts.
        deck: the cards in dealing order, as text (``"C2 SA …"``) or card numbers, instead of those of the deal; seat 0
            deals.

    Raises:
        ValueError: when an argument is not allowed, or an agent does not return a legal action.
    """
    worlds = whole_number("worlds", worlds, 0)
    rules = rules_named(rules)
    agents = (for_match(make_agent(agents[0], rules)), for_match(make_agent(agents[1], rules)))
    batch = DealBatch(rules, 1, seed, index, history=any(map(uses_games, agents)))
    if deck is not None:
        batch.deal_decks([deck], [0])
    address, first_seat = np.array([index], np.uint64), np.zeros(1, np.int8)
    seen: list[Views] = []
    histories: list[Histories | None] = []
    acting: list[int] = []
    played: list[int] = []
    while not batch.done[0]:
        seen.append(batch.views())
        histories.append(None if batch.log is None else batch.history())
        acting.append(int(batch.turn[0]))
        step = np.array([len(played)])
        played.append(int(play_turn(agents, names, batch, address, first_seat, step)[0]))
    moves: list[Move] = []
    for seat in seats:
        rows = [row for row, actor in enumerate(acting) if actor == seat]
        views = np.concatenate([seen[row] for row in rows])
        numbers = np.array(rows, np.int64)
        evaluations = _evaluations(agents[seat], rules, views, seed, numbers, worlds)
        rng = AgentRng(batch.seed, np.repeat(2 * address, len(rows)), stream=seat, step=numbers)
        evaluations.append(_search_gains(agents[seat], views, rng, [histories[row] for row in rows]))
        moves += _moves(rules, seat, agents[seat], names[seat], views, rows, [played[row] for row in rows], evaluations)
    states = batch.states
    return Explanation(
        rules=rules,
        deal=(int(seed), int(index)) if deck is None else None,
        agents=names,
        trump=int(states["trump"][0]),
        low=bool(states["low"][0]),
        moves=tuple(sorted(moves, key=lambda move: move.number)),
        result=DealResult.of(batch),
        worlds=worlds,
    )


def _moves(
    rules: Rules,
    seat: int,
    agent: Agent,
    name: str,
    views: Views,
    rows: list[int],
    played: list[int],
    evaluations: list[npt.NDArray[np.float64]],
) -> Iterator[Move]:
    """Yield a seat's decisions.

    Args:
        rules: the rules.
        seat: the seat.
        agent: its agent.
        name: the agent's name.
        views: what it saw, ``VIEW`` array of shape (n,).
        rows: numbers of the decisions in the deal, from 0.
        played: the actions played.
        evaluations: probability, advantage, rollouts, exact margin and search gain of each action, float64[n, 54] each,
            NaN for none.
    """
    reference = make_agent(REFERENCE).act(views, None)
    belief = beliefs(views, rules)
    values = expected_values(agent, views)
    for i, view in enumerate(views):
        tricks = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
        yield Move(
            number=rows[i] + 1,
            trick=tricks if view["choice"] and tricks else tricks + 1,
            seat=seat,
            agent=name,
            hand=int(view["hand"]),
            face_up=int(view["face_up"]),
            led=int(view["led"]),
            stock=int(view["stock"]),
            action=played[i],
            heuristic_action=int(reference[i]),
            options=_options(view, played[i], [column[i] for column in evaluations]),
            expected=tuple(belief.expected[i].tolist()),
            void=tuple(belief.void[i].tolist()),
            expected_margin=None if values is None else float(values.margin[i]),
            win_chance=None if values is None else float(values.win[i]),
        )


def _options(view: Any, played: int, evaluations: Sequence[npt.NDArray[np.float64]]) -> tuple[Option, ...]:
    """Return the legal actions: the one played, then the others from best to worst.

    ``evaluations`` are probability, advantage, rollouts, exact margin and search gain of each action, NaN for none.
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


def _evaluations(
    agent: Agent, rules: Rules, views: Views, seed: int, rows: npt.NDArray[np.int64], worlds: int
) -> list[npt.NDArray[np.float64]]:
    """Return probability, advantage, rollouts and exact margin of each action, float64[n, 54] each, NaN for none."""
    probabilities, advantages, rollouts, exact = (np.full((len(views), NUM_ACTIONS), np.nan) for _ in range(4))
    is_known = opponent_hand_known(views)
    network = network_of(agent)
    decides = np.flatnonzero(~is_known) if solves_endgame(agent) else np.arange(len(views))
    if network is not None and len(decides):
        chances, relative = network.probabilities(views[decides]), network.advantages(views[decides])
        probabilities[decides, : chances.shape[1]] = chances
        if relative is not None:
            advantages[decides, : relative.shape[1]] = relative
    hidden = np.flatnonzero(~is_known)
    if worlds and len(hidden):
        rollouts[hidden] = MonteCarloBot(worlds, rules=rules).margins(
            views[hidden], AgentRng(seed, rows[hidden], _STREAM)
        )
    known = np.flatnonzero(is_known)
    if len(known):
        margins = exact_margins(views[known])
        exact[known, :52] = np.where(margins == NOT_LEGAL_MARGIN, np.nan, margins)
    return [probabilities, advantages, rollouts, exact]


def _search_gains(
    agent: Agent, views: Views, rng: AgentRng, histories: list[Histories | None]
) -> npt.NDArray[np.float64]:
    """Return the gains that a search estimated when it played, float64[n, 54]; NaN for none."""
    gains = np.full((len(views), NUM_ACTIONS), np.nan)
    searcher = getattr(agent, "agent", agent)
    hidden = np.flatnonzero(~opponent_hand_known(views))
    known = [history for history in histories if history is not None]
    if isinstance(searcher, SearchAgent) and len(hidden) and len(known) == len(views):
        tokens, lengths = (np.concatenate(column)[hidden] for column in zip(*known, strict=True))
        numbers: Any = RowSubsetRng(rng, len(views), hidden)
        gains[hidden] = searcher.search(views[hidden], numbers, (tokens, lengths))[1]
    return gains

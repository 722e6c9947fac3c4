"""Answers to the page's two questions about a decision: what an agent plays, and what each action is worth.

A question carries the event history of the seat to act (``envs/observation/history.py``), so the server stores nothing.
Every history is validated by replay: a deal that agrees with it is sampled, its actions are played, and the seat must
see exactly this history. Answers are computed in the sampled deal, so they cannot depend on a card that the seat has
not seen.
"""

from __future__ import annotations

import math
import threading
import zlib
from contextlib import nullcontext
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.sampling import DealSampler
from german_whist.agents.judge import advise
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent, ask
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state import KEEP, LEAVE, PICK, PICK_AFTER, PLAY, SWAP, TAKE
from german_whist.envs.observation.history import COLUMNS, EVENTS, history_high, max_events
from german_whist.envs.simulator.batch import DealBatch
from german_whist.table import catalogue
from german_whist.table.page_data import Offered, camel_case

_EVENT = {event.name: number for number, event in enumerate(EVENTS)}
_CHOICES = {"take": TAKE, "leave": LEAVE, "keep": KEEP, "swap": SWAP}
_CARDS = {PLAY: _EVENT["played"], PICK: _EVENT["took"], PICK_AFTER: _EVENT["took"]}  # the event that names the card
_ME = 0  # the asking seat, in the replayed deal
_SHORT = 80  # characters of a name in an error message
_CACHED = 32  # agents
_ROW = np.zeros(1, np.int64)

Answer = dict[str, Any]


class Thinker:
    """Answers questions about the page's games, with the page's agents and that of the command line.

    Attributes:
        offered: the options of the command line.
    """

    def __init__(self, offered: Offered) -> None:
        """Create the agent of the command line.

        Raises:
            ValueError: if there is no such game or agent, or it does not play the game.
        """
        self.offered = offered
        self._one_at_a_time = threading.Lock()  # of the command line's agent, whose code need not be safe in threads
        if offered.agent is not None:
            _agent(offered.agent, rules_named(offered.rules))

    def act(self, question: Any) -> Answer:
        """Return the action that an agent plays: ``{"action": "SA"}``.

        Args:
            question: ``rules``, ``agent`` and ``history``.

        Raises:
            ValueError: if the question is invalid, or the agent fails.
        """
        rules, agent, history = _read(question, ("rules", "agent", "history"))
        tokens, batch = _replayed(history, rules)
        if agent != self.offered.agent and all(one["spec"] != agent for one in catalogue.agents()):
            raise ValueError(f"agent: {agent[:_SHORT]!r} is not offered here: german-whist serve --agent adds one")
        player = _agent(agent, rules)
        rng = AgentRng(zlib.crc32(tokens.tobytes()), np.zeros(1, np.uint64), step=len(tokens))
        with self._one_at_a_time if agent == self.offered.agent else nullcontext():
            actions = ask(player, batch, _ROW, rng)
        return {"action": action_text(int(actions[0]), rules)}

    def advise(self, question: Any) -> Answer:
        """Return the value of each action of a decision, as judged for ``hint`` and ``review``.

        Args:
            question: ``rules`` and ``history``.

        Raises:
            ValueError: if the question is invalid.
        """
        rules, history = _read(question, ("rules", "history"))
        _, batch = _replayed(history, rules)
        (found,) = advise(batch.views(), rules, histories=batch.history(seats=[_ME]))
        actions = [action_text(action, rules) for action in found.actions]
        trick = [None if math.isnan(chance) else chance for chance in found.trick]
        return {**camel_case(found._asdict()), "actions": actions, "trick": trick}


def _read(question: Any, fields: tuple[str, ...]) -> list[Any]:
    """Return the fields of a question, with the rules as ``Rules``."""
    if not isinstance(question, dict) or set(question) != set(fields):
        raise ValueError(f"body must be an object with {', '.join(fields)}, got {question!r:.{_SHORT}}")
    for name in ("rules", "agent"):
        if name in fields and not isinstance(question[name], str):
            raise ValueError(f"{name} must be a specification, got {question[name]!r:.{_SHORT}}")
    return [rules_named(question["rules"]), *(question[name] for name in fields[1:])]


@lru_cache(_CACHED)
def _agent(spec: str, rules: Rules) -> Agent:
    """Return an agent, shared by all questions."""
    return make_agent(spec, rules)


def _replayed(history: Any, rules: Rules) -> tuple[npt.NDArray[np.int8], DealBatch]:
    """Return a history as an array, and a batch of one deal in which seat 0 has seen exactly this and is to act.

    Raises:
        ValueError: if it is not a history of these rules, cannot happen, or ends where the seat is not to act.
    """
    columns = len(COLUMNS)
    is_table = isinstance(history, list) and 0 < len(history) <= max_events(rules)
    if not is_table or not all(isinstance(row, list) and len(row) == columns for row in history):
        raise ValueError(f"history must be 1 to {max_events(rules)} rows of {columns}, got {history!r:.{_SHORT}}")
    most = history_high(rules)[: len(history)].tolist()
    for row, high in zip(history, most, strict=True):
        if not all(type(number) is int and 0 <= number <= top for number, top in zip(row, high, strict=True)):
            raise ValueError(f"history: {row!r:.{_SHORT}} is not an event of this game")
    tokens = np.array(history, np.int8)
    deck = DealSampler(tokens, rules).decks(1, 0)[0]
    batch = DealBatch(rules, history=True)
    is_dealer = tokens[0, 0] == _EVENT["dealer"] and tokens[0, 1] == 1
    batch.deal_decks([deck.tolist()], [_ME if is_dealer else 1 - _ME])
    events = iter(tokens.tolist())
    while (action := _next_action(batch, events)) is not None:
        try:
            batch.step([action])
        except ValueError as error:
            raise ValueError(f"history: {error}") from None
    seen, length = batch.history(seats=[_ME])
    if length[0] != len(tokens) or (seen[0, : len(tokens)] != tokens).any():
        raise ValueError("history: this is not what a seat sees of a deal")
    if batch.done[0] or batch.turn[0] != _ME:
        raise ValueError("history: the seat is not to act after it")
    return tokens, batch


def _next_action(batch: DealBatch, events: Any) -> int | None:
    """Return the history's next action, after those already played; ``None`` if there is none."""
    if batch.done[0]:
        return None
    wanted = _CARDS.get(int(batch.states["decision"][0]))
    for event, _, card, _ in events:
        if event == wanted:
            return int(card) - 1
        if wanted is None and (name := EVENTS[event].name) in _CHOICES:
            return _CHOICES[name]
    return None

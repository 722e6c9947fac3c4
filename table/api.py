"""The two requests of the page about a decision: the action that an agent plays, and the value of each action.

A request carries the history of the seat to act (``simulator/observation/history.py``), so the server stores nothing.
Every history is validated by replay: a deal that agrees with it is sampled, its actions are played, and the seat must
see exactly this history. Answers are computed in the sampled deal, so they cannot depend on a card that the seat has
not seen.
"""

from __future__ import annotations

import logging
import math
import threading
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.asking import ask
from german_whist.agents.base import POLICY, Agent
from german_whist.agents.inference.sampling import DealSampler
from german_whist.agents.judge import NETWORK, advise
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.registry import make_agent
from german_whist.game.actions import action_text
from german_whist.game.agent_rng import AgentRng
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.action_log import actions_told
from german_whist.simulator.observation.history import COLUMNS, EVENTS, history_high, max_events
from german_whist.simulator.text.rules_text import rules_spec
from german_whist.table import catalogue
from german_whist.table.page_data import ServeOptions, camel_case

_ME = 0  # the asking seat, in the replayed deal
_SHORT = 80  # characters of a name in an error message
_CACHED = 32  # agents
_LOG = logging.getLogger(__name__)

Answer = dict[str, Any]


class Api:
    """The requests of the page, answered with the catalogue's agents and those of the command line.

    Attributes:
        options: the options of the command line.
        is_warm: set once the kernels are loaded; the page decides by itself until then.
    """

    def __init__(self, options: ServeOptions) -> None:
        """Make the agents of the command line.

        Raises:
            ValueError: if there is no such game or agent, or it does not play the game.
        """
        self.options, self.is_warm = options, threading.Event()
        self._one_at_a_time = threading.Lock()  # agents of the command line need not be thread-safe
        for spec in options.agents:
            _agent(spec, get_rules(options.rules))

    def warm_up(self) -> None:
        """Decide once with every agent that the page suggests and with the judge, which loads or compiles kernels."""
        batch = DealBatch(self.options.rules, history=True)
        tokens, lengths = batch.history()
        asked = {"rules": rules_spec(batch.rules), "history": tokens[0, : lengths[0]].tolist()}
        for spec in dict.fromkeys((*self.options.agents, catalogue.default_agent(batch.rules))):
            try:
                self.act({**asked, "agent": spec})
            except Exception:  # raised by the user's own agent; the page shows it when the agent is asked again
                _LOG.exception("%s failed in the warm-up", spec)
        self.advise(asked)
        self.is_warm.set()

    def act(self, question: Any) -> Answer:
        """Return the action that an agent plays: ``{"action": "SA"}``.

        Args:
            question: ``rules``, ``agent`` and ``history``.

        Raises:
            ValueError: if the question is invalid, or the agent fails.
        """
        rules, agent, history = _read(question)
        if agent is None:
            raise ValueError("agent must be a specification, got None")
        tokens, batch = _replayed(history, rules)
        rng = AgentRng(zlib.crc32(tokens.tobytes()), np.zeros(1, np.uint64), step=len(tokens))
        with self._agent(agent, rules) as player:
            actions = ask(player, batch.decisions(rng=rng))
        return {"action": action_text(int(actions[0]), rules)}

    def advise(self, question: Any) -> Answer:
        """Return the value of each action of a decision, as judged for ``hint`` and ``review``.

        Args:
            question: ``rules`` and ``history``; with ``agent``, that agent is the judge, or ``network``, the page's. An
                agent's answer also has its policy.

        Raises:
            ValueError: if the question is invalid, or the agent has no values of actions.
        """
        rules, judge, history = _read(question)
        _, batch = _replayed(history, rules)
        asked: AbstractContextManager[Agent | str | None] = nullcontext(judge)
        if judge is not None and judge != NETWORK:
            asked = self._agent(judge, rules)
        decisions = batch.decisions()
        with asked as agent:
            (found,) = advise(decisions, judge=agent)
            chances = _policy(agent, decisions) if isinstance(agent, Agent) else None
        actions = [action_text(action, rules) for action in found.actions]
        trick = [None if math.isnan(chance) else chance for chance in found.trick]
        policy = None if chances is None else chances[0, list(found.actions)].tolist()
        return {**camel_case(found._asdict()), "actions": actions, "trick": trick, "policy": policy}

    @contextmanager
    def _agent(self, spec: str, rules: Rules) -> Iterator[Agent]:
        """Give an agent that is on offer."""
        is_own = spec in self.options.agents
        if not is_own and spec not in catalogue.specs():
            raise ValueError(f"agent: {spec[:_SHORT]!r} is not offered here: german-whist serve --agent adds one")
        with self._one_at_a_time if is_own else nullcontext():
            yield _agent(spec, rules)


def _policy(agent: Agent, decisions: Decisions) -> npt.NDArray[np.float64] | None:
    """Return the probability of each action, float64[n, num_actions], or ``None`` if the agent does not know it.

    A network that always plays its best action is asked at temperature 1: that action alone would say nothing.
    """
    prior = agent.prior
    if prior is not None:
        agent = PolicyAgent(prior.checkpoint, prior.temperature or 1.0, rules=prior.rules)
    return agent.evaluate(decisions, POLICY).policy


def _read(question: Any) -> tuple[Rules, str | None, Any]:
    """Return the rules, the agent and the history of a request."""
    if not isinstance(question, dict) or not {"rules", "history"} <= set(question) <= {"rules", "agent", "history"}:
        raise ValueError(f"body must be an object with rules, agent, history, got {question!r:.{_SHORT}}")
    rules, agent = question["rules"], question.get("agent")
    if not isinstance(rules, str):
        raise ValueError(f"rules must be a specification, got {rules!r:.{_SHORT}}")
    if not isinstance(agent, str | None):
        raise ValueError(f"agent must be a specification, got {agent!r:.{_SHORT}}")
    return get_rules(rules), agent, question["history"]


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
    highest = history_high(rules)[: len(history)].tolist()
    for row, high in zip(history, highest, strict=True):
        if not all(type(number) is int and 0 <= number <= top for number, top in zip(row, high, strict=True)):
            raise ValueError(f"history: {row!r:.{_SHORT}} is not an event of this game")
    tokens = np.array(history, np.int8)
    deck = DealSampler(tokens, rules).decks(1, 0)[0]
    batch = DealBatch(rules, history=True)
    is_dealer = EVENTS[tokens[0, 0]].name == "dealer" and tokens[0, 1] == 1
    batch.deal_decks([deck.tolist()], [_ME if is_dealer else 1 - _ME])
    for action in actions_told(rules, deck.tolist(), tokens):
        batch.step([action])
    seen, length = batch.history(seats=[_ME])
    if length[0] != len(tokens) or (seen[0, : len(tokens)] != tokens).any():
        raise ValueError("history: this is not what a seat sees of a deal")
    if batch.done[0] or batch.turn[0] != _ME:
        raise ValueError("history: the seat is not to act after it")
    return tokens, batch

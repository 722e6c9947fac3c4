"""Objects that play without being an ``Agent``: which form their ``act`` has, and an agent made of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from german_whist.agents.asking import checked
from german_whist.agents.base import Actions, Agent, Evaluation, Field, SupportsAct, agent_name
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.text.rules_text import rules_spec

if TYPE_CHECKING:
    from german_whist.simulator.decisions import Decisions

FORMS = "act(decisions) or act(observations, action_masks)"
_OBSERVATION_NAMES = {"obs", "observation", "observations"}


class WrappedObject(Agent):
    """An agent made of an object with ``act``. Only this class looks for the object's optional attributes."""

    def __init__(self, wrapped: SupportsAct, takes_observations: bool) -> None:
        """Wrap an object; its ``act`` takes observations and action masks, or else decisions."""
        self.wrapped: Any = wrapped
        self._takes_observations = takes_observations
        self.name = str(getattr(wrapped, "name", "") or type(wrapped).__name__)
        rules = getattr(wrapped, "rules", None)
        self.rules = None if rules is None else get_rules(rules)
        self.uses_histories = bool(getattr(wrapped, "uses_histories", False))
        self.evaluates = wrapped.evaluates if isinstance(wrapped, Agent) else frozenset()
        self._is_canonical = bool(getattr(wrapped, "canonical", False))

    def evaluate(self, decisions: Decisions, *fields: Field) -> Evaluation:
        """Return what the object knows, if it is an ``Agent``."""
        found: Evaluation = self.wrapped.evaluate(decisions, *fields) if self.evaluates else Evaluation()
        return found

    def act(self, decisions: Decisions) -> Actions:
        """Return the object's actions, int64[n]."""
        seen = decisions.canonical() if self._is_canonical else decisions
        inputs = (seen.observations, seen.action_masks) if self._takes_observations else (seen,)
        answer: Actions = self.wrapped.act(*inputs)
        # A canonical answer is checked before it is decoded, so that the message names the agent and its own action.
        return seen.decode(checked(self, answer, seen)) if self._is_canonical else answer


def as_agent(agent: Agent | SupportsAct, rules: Rules | None = None) -> Agent:
    """Return an :class:`Agent`.

    The positional parameters of ``act`` without a default are counted: one stands for :class:`Decisions`, two for
    observations int8[n, n_obs] and action masks bool[n, n_actions].

    Args:
        agent: an :class:`Agent`, or an object with ``act(decisions)`` or ``act(observations, action_masks)``, whose
            attributes ``name``, ``rules``, ``uses_histories`` and ``canonical`` are optional; ``make_agent`` takes
            names and shares, too.
        rules: the rules of the deals; ``None`` if they are not known here.

    Raises:
        ValueError: if it has no method ``act`` of one of these forms, or plays other rules than these.
    """
    act = getattr(agent, "act", None)
    if isinstance(agent, type) or not callable(act):
        if callable(getattr(agent, "predict", None)) and not isinstance(agent, type):
            raise ValueError(
                f"an agent must be an object with {FORMS}, got {type(agent).__name__!r} with predict alone: wrap it in "
                "a class whose act returns model.predict(observations, action_masks=action_masks, "
                "deterministic=True)[0], with canonical = True if it was trained so"
            )
        raise ValueError(f"an agent must be a name or an object with {FORMS}, got {agent!r}")
    takes_observations = _takes_observations(act)
    is_canonical = bool(getattr(agent, "canonical", False))
    if isinstance(agent, Agent) and agent.evaluates and is_canonical:
        raise ValueError(
            f"agent {agent_name(agent)!r} evaluates: it calls decisions.canonical() instead of canonical=True"
        )
    is_plain = isinstance(agent, Agent) and not takes_observations and not is_canonical
    found: Agent = agent if is_plain else WrappedObject(agent, takes_observations)  # type: ignore[assignment]
    if rules is not None and found.rules is not None and not found.rules.plays_like(rules):
        raise ValueError(
            f"agent {agent_name(found)!r} plays {rules_spec(found.rules)!r}, "
            f"but the deals are of {rules_spec(rules)!r}: make_agent(..., rules={rules_spec(rules)!r})"
        )
    return found


def _takes_observations(act: Any) -> bool:
    """Return whether a method takes observations and action masks instead of decisions. Names may refuse it only.

    Raises:
        ValueError: if it takes neither.
    """
    try:
        signature = inspect.signature(act)
    except ValueError:  # functions in other languages may have no signature
        raise ValueError(f"act must be {FORMS}, got {act!r}, whose parameters cannot be counted") from None
    parameters = [one for one in signature.parameters.values() if one.default is one.empty]
    names = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    form = f"act({', '.join(str(one) for one in parameters)})"
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        raise ValueError(f"{form} must be {FORMS}: its parameters cannot be counted; a decorator needs functools.wraps")
    is_wrong = len(names) not in (1, 2) or any(one.kind is one.KEYWORD_ONLY for one in parameters)
    is_old = bool({"views", "rng"} & set(names))  # before there were decisions
    is_swapped = len(names) == 2 and "mask" in names[0]
    has_no_masks = len(names) == 1 and names[0] in _OBSERVATION_NAMES
    if is_wrong or is_old or is_swapped or has_no_masks:
        raise ValueError(f"{form} must be {FORMS}")
    return len(names) == 2

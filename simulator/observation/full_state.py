"""The full state of a deal as one int8 vector, hidden cards included, for critics that may see more than the actor.

Unlike an observation it takes no side: its blocks are by seat number. It holds both hands and the order of the stock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.layout import Block, highest_values, layout_of
from german_whist.game.match_format import MatchFormat
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.observation.blocks import full_state_blocks
from german_whist.simulator.observation.full_state_kernels import write_full_states


def state_layout(rules: str | Rules = "classic", match: str | MatchFormat | None = None) -> dict[str, Block]:
    """Return the named blocks of the full state vector, in order.

    Every feature is int8 and at least 0; cards are numbered ``13 * suit + rank``.

    Args:
        rules: a preset's name, optionally with settings, or ``Rules``.
        match: the match format whose scores are appended; ``None`` for single deals.

    Raises:
        ValueError: if the rules or the match format are unknown.
    """
    rules = get_rules(rules)
    return layout_of(rules, full_state_blocks(rules, match))


def state_high(rules: str | Rules = "classic", match: str | MatchFormat | None = None) -> npt.NDArray[np.int8]:
    """Return the largest value of each feature, int8[n_state]; the smallest is 0."""
    rules = get_rules(rules)
    return highest_values(rules, full_state_blocks(rules, match))


def full_states(rules: str | Rules, states: np.ndarray[Any, Any]) -> npt.NDArray[np.int8]:
    """Return the full state vectors of a batch of states, int8[len(states), n_state].

    Args:
        rules: the rules of the deals.
        states: ``STATE`` array.
    """
    rules = get_rules(rules)
    out = np.zeros((len(states), state_high(rules).size), np.int8)
    write_full_states(rules.record, states, out)
    return out

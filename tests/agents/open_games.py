"""Games in which nothing is hidden, and their values by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state_kernels import legal_actions, play

# The whole stock lies face up, so the cards that a seat cannot see are the other's hand.
OPEN_GAME = Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=4, counts="all")


def minimax_margin(game: Any, state: np.ndarray[Any, Any]) -> int:
    """Return seat 0's margin with perfect play of both seats; ``state`` is an array of one."""
    if state["done"][0]:
        return signed_margin(game, state[0], 0)
    margins = []
    for action in cards_of(int(legal_actions(state[0]))):
        following = state.copy()
        play(game, following[0], action)
        margins.append(minimax_margin(game, following))
    return max(margins) if state["turn"][0] == 0 else min(margins)


def action_margins(rules: Rules, state: np.ndarray[Any, Any]) -> dict[int, int]:
    """Return the margin of the seat to act after each of its legal actions, with perfect play from then on."""
    game = rules.game.copy()[0]
    sign = 1 if state["turn"][0] == 0 else -1
    margins = {}
    for action in cards_of(int(legal_actions(state[0]))):
        following = state.copy()
        play(game, following[0], action)
        margins[action] = sign * minimax_margin(game, following)
    return margins

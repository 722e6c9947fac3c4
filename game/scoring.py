"""Rewards of a finished deal: the margin in tricks, win or loss, or the points of the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from german_whist.game.rules import POINTS
from german_whist.game.state_kernels import counted_tricks
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.names import unknown_name_error

Reward = Literal["margin", "win", "points"]
REWARDS: tuple[Reward, ...] = get_args(Reward)

_MARGIN, _WIN = REWARDS.index("margin"), REWARDS.index("win")
_DIFFERENCE, _OVER_BOOK = POINTS.index("difference"), POINTS.index("over_book")


def check_reward(reward: str) -> int:
    """Return the number by which kernels know a kind of reward.

    Raises:
        ValueError: if there is no such reward.
    """
    if reward not in REWARDS:
        raise unknown_name_error("reward", reward, REWARDS)
    return REWARDS.index(reward)


@kernel
def winner_points(rules: Any, margin: int) -> float:
    """Return the points for winning by ``margin`` counted tricks; ``rules`` is a ``RULES_RECORD`` record."""
    if rules.points == _DIFFERENCE:
        return float(margin)
    tricks = (rules.counted + margin) // 2  # the larger count: the winner's, or in a low game the loser's
    if rules.points == _OVER_BOOK:
        if rules.slam and margin == rules.counted:
            return float(rules.slam)
        return float(tricks - rules.book)
    return float(tricks - rules.counted / 2)


@kernel
def signed_margin(rules: Any, state: Any, seat: int) -> int:
    """Return a seat's counted tricks minus the other's, negated where the endgame is played low."""
    margin = counted_tricks(rules, state, seat) - counted_tricks(rules, state, 1 - seat)
    return int(-margin if state.low else margin)


@kernel
def seat_return(rules: Any, state: Any, reward: int) -> float:
    """Return what seat 0 gets for a finished deal; seat 1 gets the negative."""
    margin = signed_margin(rules, state, 0)
    if reward == _MARGIN:
        return float(margin)
    sign = 1.0 if margin > 0 else -1.0 if margin < 0 else 0.0  # numba has no np.sign on a GPU
    if reward == _WIN or margin == 0:
        return sign
    return float(sign * winner_points(rules, abs(margin)))


def check_dense(reward: object, match: object) -> None:
    """Check that an environment can pay trick by trick.

    Raises:
        ValueError: if the reward is not the margin, or episodes are matches.
    """
    if reward != "margin":
        raise ValueError(f"dense=True pays the margin trick by trick: it needs reward='margin', got {reward!r}")
    if match is not None:
        raise ValueError("dense=True pays the margin of one deal: leave match out")


def reward_limit(game: np.ndarray[Any, Any], reward: Reward | Callable[..., Any]) -> float:
    """Return the largest reward that a deal can pay, which is also the penalty for an illegal action.

    Args:
        game: ``Rules.record``, a ``RULES_RECORD`` array of shape (1,).
        reward: one of ``REWARDS``, or a function, whose limit is that of margins.

    Raises:
        ValueError: if there is no such reward.
    """
    kind = _MARGIN if callable(reward) else check_reward(reward)
    largest = int(game["race"][0]) or int(game["counted"][0])  # the margin of a seat that takes every counted trick
    if kind == _MARGIN:
        return float(largest)
    return 1.0 if kind == _WIN else float(winner_points(game[0], largest))

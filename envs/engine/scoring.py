"""What a finished deal pays: the tricks' margin, win or loss, or the points of the rules."""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.rules import POINTS
from german_whist.envs.engine.state_kernels import counted_tricks
from german_whist.envs.utils.jit import kernel
from german_whist.envs.utils.specs import unknown_name

REWARDS = ("margin", "win", "points")

_MARGIN, _WIN = REWARDS.index("margin"), REWARDS.index("win")
_DIFFERENCE, _OVER_BOOK = POINTS.index("difference"), POINTS.index("over_book")


def check_reward(reward: str) -> int:
    """Return the kernel's number of a kind of reward.

    Raises:
        ValueError: when there is no such kind.
    """
    if reward not in REWARDS:
        raise unknown_name("reward", reward, REWARDS)
    return REWARDS.index(reward)


@kernel
def winner_points(game, margin):
    """Return the points of a winner by so many counted tricks."""
    if game.points == _DIFFERENCE:
        return float(margin)
    tricks = (game.counted + margin) // 2  # all counted tricks are played out, in a low game by the other seat
    if game.points == _OVER_BOOK:
        if game.slam and margin == game.counted:
            return float(game.slam)
        return float(tricks - game.book)
    return tricks - game.counted / 2


@kernel
def seat_return(game, state, reward):
    """Return what seat 0 gets for a finished deal; seat 1 gets the negative."""
    margin = counted_tricks(game, state, 0) - counted_tricks(game, state, 1)
    if state.low:
        margin = -margin
    if reward == _MARGIN:
        return float(margin)
    sign = np.sign(float(margin))
    if reward == _WIN or margin == 0:
        return sign
    return sign * winner_points(game, abs(margin))


def reward_limit(rules_game: object, reward: str) -> float:
    """Return the largest reward that a seat can get for a deal, which is also what an illegal action loses."""
    game = rules_game[0]  # type: ignore[index]
    largest = int(game["race"]) or int(game["counted"])  # the margin of a seat that takes them all
    if check_reward(reward) == _MARGIN:
        return float(largest)
    if check_reward(reward) == _WIN:
        return 1.0
    return float(winner_points(game, largest))

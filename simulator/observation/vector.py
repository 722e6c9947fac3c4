"""The observation vector: a view as one int8 vector for a network, its layout, and the way back to a view.

Version history of the layout (checkpoints carry the number): 1 — first release.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.layout import Block, highest_values, layout_of
from german_whist.game.match_format import MatchFormat
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.observation.blocks import vector_blocks
from german_whist.simulator.observation.vector_kernels import read_observations, write_masks, write_observations
from german_whist.simulator.observation.views import VIEW, check_view_array

OBSERVATION_VERSION = 1


def observation_layout(rules: str | Rules = "classic", match: str | MatchFormat | None = None) -> dict[str, Block]:
    """Return the named blocks of the observation vector, in order.

    Every feature is int8 and at least 0. "Self" is the observing seat. Cards are numbered ``13 * suit + rank`` (suits
    C D H S, ranks 2 to A) in every deck.

    Example:
        >>> block = german_whist.observation_layout("classic")["own_hand"]
        >>> hand = observation[block.start : block.stop]  # int8[52]: 1 for each card that this seat holds

    Args:
        rules: a preset's name, optionally with settings, or ``Rules``.
        match: the match format whose scores are appended, such as ``"first_to:25"``; ``None`` for single deals.

    Returns:
        By name, each block as ``(start, stop, high, meaning)``: its range, the largest value of its features, and what
        they mean. Features divided by ``high`` are from 0 to 1.

    Raises:
        ValueError: if the rules or the match format are unknown.
    """
    rules = get_rules(rules)
    return layout_of(rules, vector_blocks(rules, match))


def observation_high(rules: str | Rules = "classic", match: str | MatchFormat | None = None) -> npt.NDArray[np.int8]:
    """Return the largest value of each feature, int8[n_obs]; the smallest is 0.

    Raises:
        ValueError: if the rules or the match format are unknown.
    """
    rules = get_rules(rules)
    return highest_values(rules, vector_blocks(rules, match))


def observe(views: np.ndarray[Any, Any], rules: str | Rules = "classic") -> npt.NDArray[np.int8]:
    """Return the observation vectors of a batch of views, int8[rows, n_obs].

    Example:
        >>> batch = german_whist.DealBatch("classic", size=256)
        >>> german_whist.observe(batch.views(), "classic").shape
        (256, 443)

    Args:
        views: ``VIEW`` array of shape (rows,), from ``DealBatch.views``, or ``decisions.views`` in an agent's ``act``.
        rules: the rules of the deals.

    Returns:
        The vectors, laid out as :func:`observation_layout` describes.

    Raises:
        ValueError: if the rules are unknown, or ``views`` is not an array of views.
    """
    rules = get_rules(rules)
    check_view_array(views)
    out = np.empty((len(views), observation_high(rules).size), np.int8)
    write_observations(len(views), rules.record, views, out)
    return out


def action_mask(views: np.ndarray[Any, Any], rules: str | Rules = "classic") -> npt.NDArray[np.bool_]:
    """Return the action masks of a batch of views, bool[rows, n_actions].

    Example:
        >>> batch = german_whist.DealBatch("classic", size=256)
        >>> german_whist.action_mask(batch.views(), "classic").shape
        (256, 52)

    Args:
        views: ``VIEW`` array of shape (rows,), from ``DealBatch.views``, or ``decisions.views`` in an agent's ``act``.
        rules: the rules of the deals.

    Returns:
        True for legal actions; all false in rows where the seat is not to act.

    Raises:
        ValueError: if the rules are unknown, or ``views`` is not an array of views.
    """
    rules = get_rules(rules)
    check_view_array(views)
    masks = np.empty((len(views), rules.num_actions), np.int8)
    write_masks(len(views), np.ascontiguousarray(views["legal"]), masks)
    return masks.view(np.bool_)


def view_from_observation(
    observation: npt.ArrayLike, rules: str | Rules = "classic", match: str | MatchFormat | None = None
) -> np.ndarray[Any, Any]:
    """Return the views that observation vectors encode: the inverse of :func:`observe`.

    With it, any agent of this package can play in someone else's PettingZoo loop.

    Example:
        >>> observation, reward, terminated, truncated, info = env.last()
        >>> views = german_whist.view_from_observation(observation["observation"], "classic")
        >>> action = int(agent.act(german_whist.Decisions(views, "classic"))[0])

    Args:
        observation: one vector (n_obs,) or a batch (rows, n_obs), of whole numbers in any dtype.
        rules: the rules of the deals that were observed.
        match: their match format, if any. Its scores are dropped: views do not hold them.

    Returns:
        A ``VIEW`` array, of shape (1,) for one vector and (rows,) for a batch.

    Raises:
        ValueError: if the vectors have another length or were normalised, or the rules or the match format are unknown.
    """
    rules = get_rules(rules)
    numbers = np.atleast_2d(np.asarray(observation))
    rows = numbers.astype(np.int8)
    size = observation_high(rules, match).size
    if rows.ndim != 2 or rows.shape[1] != size:
        raise ValueError(f"observation must have shape ({size},) or (rows, {size}), got {np.shape(observation)}")
    if not (rows == numbers).all():
        raise ValueError("observation must hold the whole numbers of observe(), before any normalisation")
    views = np.zeros(len(rows), VIEW)
    read_observations(rules.record, rows, views)
    return views

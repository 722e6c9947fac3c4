"""Check that a view is of the game that a network was trained for.

A network trained for other rules would play without an error, and badly. A view shows almost all of its rules, so every
view for a network is checked. Two kinds of differences are allowed: settings that only affect scoring (``points``,
``book``, ``slam``), and those that a view does not show. So a network for ``high_low`` plays ``classic``, whose deals
look like its high deals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Views
from german_whist.agents.inference.world_sampling_kernels import is_humbug
from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.view_kernels import cards_of_view
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel

# What differs, by the number that the kernel returns.
_DIFFERENCES = (
    "",
    "its deck (suits, ranks)",
    "its hands or stock (hand, stock)",
    "how many cards lie open (open_stock)",
    "trump",
    "being played low (high_low)",
    "draft",
    "race",
    "which tricks count (counts)",
    "a choice that is not a card (draft, open_stock, humbug)",
)


@kernel
def _difference(game: Any, stock: int, view: Any) -> int:
    """Return the number of the first difference between a view and a ``GAME`` record, 0 for none."""
    if cards_of_view(view) != game.deck:
        return 1
    if popcount(view.hand) > game.hand or view.stock > stock:
        return 2
    if not view.choice and popcount(view.face_up) != min(np.int64(game.open_stock), np.int64(view.stock)):
        return 3
    if (view.trump >= 0) != (game.has_trump != 0):
        return 4
    if view.low and not game.high_low:
        return 5
    if view.draft != game.draft:
        return 6
    if view.race != game.race:
        return 7
    if view.all_count != game.all_count:
        return 8
    if view.legal >> np.uint64(NUM_CARDS) and not (game.draft or game.humbug):
        return 9
    return 9 if view.choice and not game.has_choices else 0


@kernel
def _first_difference(game: Any, stock: int, views: Views) -> int:
    for i in range(views.shape[0]):
        found = _difference(game[0], stock, views[i])
        if found:
            return found
    return 0


@kernel
def _write_same_game(game: Any, stock: int, views: Views, same: Any) -> None:
    for i in range(views.shape[0]):
        same[i] = _difference(game[0], stock, views[i]) == 0


def is_same_game(rules: Rules, views: Views) -> npt.NDArray[np.bool_]:
    """Return which views could be of a game, bool[n]; differences that do not show are not seen.

    Args:
        rules: the rules of the game.
        views: ``VIEW`` array of shape (n,).
    """
    same = np.empty(len(views), np.bool_)
    _write_same_game(rules.game, rules.stock, views, same)
    return same


def check_same_game(name: str, rules: Rules, views: Views) -> None:
    """Refuse views of a game that a network was not trained for.

    Args:
        name: name of the agent, for the message.
        rules: the rules that it was trained for.
        views: ``VIEW`` array of shape (n,).

    Raises:
        ValueError: when a view is of another game; the message says what differs.
    """
    found = _first_difference(rules.game, rules.stock, views)
    if found:
        raise ValueError(
            f"agent {name!r} was trained for {rules_spec(rules)!r} and plays no other game: "
            f"this deal differs in {_DIFFERENCES[found]}"
        )


@kernel
def _any_humbug(views: Views) -> bool:
    found = False
    for i in range(views.shape[0]):
        found |= is_humbug(views[i])
    return found


def check_open_endgame(name: str, views: Views) -> None:
    """Refuse views of a game whose endgame is not open: no network with universal inputs plays it.

    Args:
        name: name of the agent, for the message.
        views: ``VIEW`` array of shape (n,).

    Raises:
        ValueError: when a view is of humbug.
    """
    if _any_humbug(views):
        raise ValueError(f"agent {name!r} plays every game with an open endgame, and humbug has none: try 'heuristic'")

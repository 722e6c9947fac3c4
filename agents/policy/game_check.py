"""Whether a view is of the game that a network was trained for.

A network trained for other rules would play on without a word, and badly. A view tells almost all of the rules that it
stands under, so this is asked of every view that a network is shown, wherever it comes from. What only scores
(``points``, ``book`` and ``slam``) may differ, and so may what does not show: a network for ``high_low`` plays deals of
``classic``, which are its high deals.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.base import Views
from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.view_kernels import cards_of_view
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel

# What the kernel finds to differ, by its number.
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
def _difference(game, stock, view):
    """Return the number of what a view shows to differ from a game; 0 for nothing."""
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
def _first_difference(game, stock, views):
    for i in range(views.shape[0]):
        found = _difference(game[0], stock, views[i])
        if found:
            return found
    return 0


def check_same_game(name: str, rules: Rules, views: Views) -> None:
    """Refuse views of a game that a network was not trained for.

    Args:
        name: of the agent.
        rules: what it was trained for.
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

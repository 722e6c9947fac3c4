"""Canonical views: cards by role instead of by name, so that a network learns a strategy once for all suits.

The rules treat suits alike except trumps. So before a network sees a view, its suits are renamed: trumps become spades,
and the plain suits become clubs, diamonds and hearts in order of length in the own hand (ties: by ranks held, ranks
unseen, then everything else the view tells about them). All 24 suit permutations of a view become the same view. The
chosen card is renamed back.

Optionally (``"live"``) ranks are counted among the unplayed cards from the top: the highest unplayed card of a suit is
its ace, and played cards take the lowest ranks. This makes more views with the same best play identical.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.canonical_kernels import ROLES, rename_views, write_true_actions
from german_whist.agents.policy.checkpoint import NAMED, RANKS, UNPLAYED
from german_whist.envs.agent import Actions, Views
from german_whist.envs.observation.views import VIEW, check_view_array
from german_whist.envs.utils.specs import unknown_name_error

Number = TypeVar("Number", bound=np.generic)


def canonical_views(views: Views, ranks: str = NAMED) -> tuple[Views, npt.NDArray[np.int8]]:
    """Rename the cards of views by role, as policy networks see them.

    Args:
        views: ``VIEW`` array of shape (n,), as ``DealBatch.views()`` or ``view_from_observation`` returns it.
        ranks: ``"named"`` keeps ranks; ``"live"`` counts them among the unplayed cards. A checkpoint says which
            one its network needs (``checkpoint.ranks``).

    Returns:
        A new ``VIEW`` array of shape (n,), to be passed to ``observe``; and the roles, int8[n, 108], to be passed to
        :func:`true_cards`: the true card behind each of 52 roles, the role of each of 52 cards, and the suit behind
        each of the slots C D H S.

    Raises:
        ValueError: when ``ranks`` is neither ``"named"`` nor ``"live"``, or ``views`` is not an array of views.
    """
    check_view_array(views)
    if ranks not in RANKS:
        raise unknown_name_error("ranks", ranks, RANKS)
    renamed = np.array(views, VIEW)
    roles = np.zeros((len(views), ROLES), np.int8)
    rename_views(np.ascontiguousarray(views), renamed, roles, ranks == UNPLAYED)
    return renamed, roles


def true_cards(chosen: npt.NDArray[np.int64], roles: npt.NDArray[np.int8]) -> Actions:
    """Return the actions behind roles, int64[n]: the true cards; actions that are not cards stay.

    Args:
        chosen: actions by role, int64[n], such as the argmax of a network's masked logits.
        roles: int8[n, 108], from :func:`canonical_views`.
    """
    actions = np.empty(len(chosen), np.int64)
    write_true_actions(np.asarray(chosen, np.int64), roles, actions)
    return actions


def by_name(numbers: npt.NDArray[Number], roles: npt.NDArray[np.int8]) -> npt.NDArray[Number]:
    """Reorder numbers per role, [n, num_actions], to numbers per true card; other actions stay.

    Args:
        numbers: [n, num_actions].
        roles: int8[n, 108], from :func:`canonical_views`.
    """
    named: npt.NDArray[Number] = numbers.copy()
    np.put_along_axis(named, roles[:, :52].astype(np.int64), numbers[:, :52], axis=1)
    return named


def by_role(numbers: npt.NDArray[Number], roles: npt.NDArray[np.int8]) -> npt.NDArray[Number]:
    """Reorder numbers per true card, [n, num_actions], to numbers per role: the inverse of :func:`by_name`."""
    placed: npt.NDArray[Number] = numbers.copy()
    placed[:, :52] = np.take_along_axis(numbers, roles[:, :52].astype(np.int64), axis=1)
    return placed

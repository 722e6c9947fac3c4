"""Canonical views: cards relabeled so that a network learns a strategy once for all suits.

Apart from trumps, the rules treat all suits alike. So before a network sees a view, its suits are relabeled: trumps
become spades, and the plain suits become clubs, diamonds and hearts in order of their length in the seat's own hand
(ties: by ranks held, ranks unseen, then everything else that the view tells about them). All 24 suit permutations of a
view become the same view. The card that the network chooses is decoded to the true card before it is played.

Optionally (``ranks="live"``) ranks are counted among the unplayed cards from the top: the highest unplayed card of a
suit becomes its ace, and played cards take the lowest ranks. This makes more views with the same best play identical.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.game.utils.backend import NumpyBackend
from german_whist.game.utils.names import unknown_name_error
from german_whist.simulator.observation.canonical_kernels import RELABELING_SIZE, relabel_views, write_decoded_actions
from german_whist.simulator.observation.views import NAMED, RANK_NAMINGS, UNPLAYED, check_view_array

Views = np.ndarray[Any, Any]
Actions = npt.NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


def canonical_views(views: Views, ranks: str = NAMED) -> tuple[Views, npt.NDArray[np.int8]]:
    """Return the canonical form of views, as policy networks see them.

    Suits are relabeled so that views that differ only in the names of suits become the same view.

    Args:
        views: ``VIEW`` array of shape (n,), as ``DealBatch.views()`` or ``view_from_observation`` returns it.
        ranks: ``"named"`` keeps ranks; ``"live"`` counts them among the unplayed cards. A checkpoint says which
            one its network needs (``checkpoint.ranks``).

    Returns:
        A new ``VIEW`` array of shape (n,), to be passed to ``observe``; and the relabeling, int8[n, 108], to be passed
        to :func:`decode_actions`. A relabeling holds the true card of each of the 52 canonical cards, the canonical
        card of each of the 52 true cards, and the true suit of each of the canonical suits C D H S.

    Raises:
        ValueError: if ``ranks`` is neither ``"named"`` nor ``"live"``, or ``views`` is not an array of views.
    """
    check_view_array(views)
    if ranks not in RANK_NAMINGS:
        raise unknown_name_error("ranks", ranks, RANK_NAMINGS)
    return canonical_views_on(NumpyBackend(), np.ascontiguousarray(views), ranks)


def decode_actions(chosen: npt.NDArray[np.int64], relabeling: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Translate canonical actions back into true ones, int64[n]; actions that are not cards stay the same.

    Args:
        chosen: canonical actions, int64[n], such as the argmax of a network's masked logits.
        relabeling: int8[n, 108], from :func:`canonical_views`.
    """
    actions: npt.NDArray[np.int64] = decode_actions_on(NumpyBackend(), np.asarray(chosen, np.int64), relabeling)
    return actions


def canonical_views_on(device: Any, views: Any, ranks: str = NAMED) -> tuple[Any, Any]:
    """Return what :func:`canonical_views` does, for n views on a device: n records, and int8[n, 108]."""
    canonical = views.copy()
    relabeling = device.zeros((len(views), RELABELING_SIZE), np.int8)
    device.launch(relabel_views, len(views), views, canonical, relabeling, ranks == UNPLAYED)
    return canonical, relabeling


def decode_actions_on(device: Any, chosen: Any, relabeling: Any) -> Any:
    """Return what :func:`decode_actions` does, for actions on a device: int64[n]."""
    actions = device.empty(len(chosen), np.int64)
    device.launch(write_decoded_actions, len(chosen), chosen, relabeling, actions)
    return actions


def decode_values(values: npt.NDArray[Number], relabeling: npt.NDArray[np.int8]) -> npt.NDArray[Number]:
    """Reorder values of canonical actions into the order of the true actions, [n, num_actions].

    Args:
        values: any numbers by canonical action, [n, num_actions].
        relabeling: int8[n, 108], from :func:`canonical_views`.
    """
    decoded: npt.NDArray[Number] = values.copy()
    np.put_along_axis(decoded, relabeling[:, :52].astype(np.int64), values[:, :52], axis=1)
    return decoded

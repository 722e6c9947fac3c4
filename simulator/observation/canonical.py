"""Canonical views: cards relabeled so that a network learns a strategy once for all suits.

Apart from trumps, the rules treat all suits alike. So before a network sees a view, its suits are relabeled: trumps
become spades, and the plain suits become clubs, diamonds and hearts in order of their length in the seat's own hand
(ties: by ranks held, ranks unseen, then everything else that the view tells about them). All 24 suit permutations of a
view become the same view. The card that the network chooses is decoded to the true card before it is played.

Optionally (``ranks="live"``) ranks are counted among the unplayed cards from the top: the highest unplayed card of a
suit becomes its ace, and played cards take the lowest ranks. This makes more views with the same best play identical.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import NUM_CARDS
from german_whist.game.utils.backend import Array, Records, StructTensor, backend_holding
from german_whist.game.utils.names import unknown_name_error
from german_whist.simulator.observation.canonical_kernels import RELABELING_SIZE, relabel_views, write_decoded_actions
from german_whist.simulator.observation.views import NAMED, RANK_NAMINGS, UNPLAYED, Views, check_view_array

if TYPE_CHECKING:
    from torch import Tensor

Number = TypeVar("Number", bound=np.generic)


@overload
def canonical_views(views: Views, ranks: str = NAMED) -> tuple[Views, npt.NDArray[np.int8]]: ...
@overload
def canonical_views(views: StructTensor, ranks: str = NAMED) -> tuple[StructTensor, Tensor]: ...
def canonical_views(views: Records, ranks: str = NAMED) -> tuple[Records, Array]:
    """Return the canonical form of views, as policy networks see them.

    Suits are relabeled so that views that differ only in the names of suits become the same view.

    Args:
        views: ``VIEW`` array of shape (n,), as ``DealBatch.views()`` or ``view_from_observation`` returns it, or
            ``StructTensor`` on a device.
        ranks: ``"named"`` keeps ranks; ``"live"`` counts them among the unplayed cards. A checkpoint says which
            one its network needs (``checkpoint.ranks``).

    Returns:
        New views of shape (n,), to be passed to ``observe``; and the relabeling, int8[n, 108], to be passed to
        :func:`decode_actions`. A relabeling holds the true card of each of the 52 canonical cards, the canonical
        card of each of the 52 true cards, and the true suit of each of the canonical suits C D H S.

    Raises:
        ValueError: if ``ranks`` is neither ``"named"`` nor ``"live"``, or ``views`` is not an array of views.
    """
    if ranks not in RANK_NAMINGS:
        raise unknown_name_error("ranks", ranks, RANK_NAMINGS)
    if not isinstance(views, StructTensor):
        check_view_array(views)
        views = np.ascontiguousarray(views)
    backend = backend_holding(views)
    canonical = views.copy()
    relabeling = backend.zeros((len(views), RELABELING_SIZE), np.int8)
    backend.launch(relabel_views, len(views), views, canonical, relabeling, ranks == UNPLAYED)
    return canonical, relabeling


@overload
def decode_actions(chosen: npt.NDArray[np.integer[Any]], relabeling: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]: ...
@overload
def decode_actions(chosen: Tensor, relabeling: Tensor) -> Tensor: ...
def decode_actions(chosen: Array, relabeling: Array) -> Array:
    """Translate canonical actions back into true ones, int64[n]; actions that are not cards stay the same.

    Args:
        chosen: canonical actions, int64[n], such as the argmax of a network's masked logits.
        relabeling: int8[n, 108], from :func:`canonical_views`.

    Raises:
        ValueError: if the actions are not n whole numbers.
    """
    backend = backend_holding(relabeling)
    given = backend.integers("chosen", chosen, None, None, (len(relabeling),))
    actions: Array = backend.empty(len(given), np.int64)
    backend.launch(write_decoded_actions, len(given), given, relabeling, actions)
    return actions


def decode_values(values: npt.NDArray[Number], relabeling: npt.NDArray[np.int8]) -> npt.NDArray[Number]:
    """Reorder values of canonical actions into the order of the true actions, [n, num_actions].

    Args:
        values: any numbers by canonical action, [n, num_actions].
        relabeling: int8[n, 108], from :func:`canonical_views`.
    """
    decoded: npt.NDArray[Number] = values.copy()
    np.put_along_axis(decoded, relabeling[:, :NUM_CARDS].astype(np.int64), values[:, :NUM_CARDS], axis=1)
    return decoded

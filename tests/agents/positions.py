"""Views set up by hand, as the engine would write them; positions from play, and what searchers try there."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.inference.sampling import write_states
from german_whist.agents.registry import make_agent
from german_whist.agents.search.rollout_kernels import distinct_actions
from german_whist.envs.engine.cards import SUIT_MASKS, SUITS, card_text, parse_card, parse_hand
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.jit import kernel

CLASSIC = 2**52 - 1
HEURISTIC = make_agent("heuristic")


def view(
    hand: str,
    trump: str | None,
    *,
    face_up: str | None = None,
    led: str | None = None,
    known: str = "...",
    played: str = "...",
    opponent: str | None = None,
    opponent_void: str = "",
    deck: int = CLASSIC,
    low: bool = False,
    blinds: bool = False,
) -> np.ndarray[Any, Any]:
    """The view of a seat that is to act, as an array of one.

    Hands are written as ``S.H.D.C``. Cards not named are unseen: in the opponent's hand or face down. ``opponent``
    names the unseen cards instead, and then all others have been played. ``known`` are cards the opponent was seen to
    take, ``opponent_void`` suits it did not follow in the first trick, since when it has drawn nothing. With ``blinds``
    there is no stock, and the unseen cards that the opponent does not hold lie in blind hands.
    """
    own, seen_taken = parse_hand(hand), parse_hand(known)
    turned = 0 if face_up is None else 1 << parse_card(face_up)
    on_table = 0 if led is None else 1 << parse_card(led)
    held = own | turned | on_table | seen_taken
    unseen = deck & ~held & ~parse_hand(played) if opponent is None else parse_hand(opponent)
    assert not unseen & held
    hidden = own.bit_count() - on_table.bit_count() - seen_taken.bit_count()
    stock = 0 if blinds else unseen.bit_count() - hidden + turned.bit_count()
    assert stock % 2 == 0
    assert (stock > 0) == (face_up is not None)
    following = own & SUIT_MASKS[parse_card(led) // 13] if led is not None else 0
    row = np.zeros(1, VIEW)
    row["hand"], row["legal"] = own, following or own
    row["played_opponent"] = deck & ~unseen & ~held | on_table
    row["opponent_known"], row["unseen"] = seen_taken, unseen
    row["face_up"] = turned
    row["led"] = -1 if led is None else parse_card(led)
    row["trump"] = -1 if trump is None else SUITS.index(trump)
    row["stock"], row["turn"], row["low"] = stock, 1, low
    for suit in opponent_void:
        row["void_opponent"][0, SUITS.index(suit)] = 1
    return row


def choice(bot: Any, row: np.ndarray[Any, Any]) -> str:
    """The card a bot plays."""
    [card] = bot.act(row, None)
    return card_text(card)


def draw(rules: Rules, view: Any, keys: list[int], worlds: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The game, and worlds of a view as states."""
    states = np.zeros((len(keys), worlds), STATE)
    for key, row in zip(keys, states, strict=True):
        write_states(rules.game, np.array([view]), np.uint64(key), row)
    return rules.game, states.ravel()


class Fixed:
    """Randomness that gives every row the same key."""

    def __init__(self, key: int) -> None:
        self.key = key

    def integers(self, low: int, high: int, size: int) -> np.ndarray[Any, Any]:
        return np.full(size, self.key)


@kernel
def distinct(views, masks):
    for row in range(views.shape[0]):
        masks[row] = distinct_actions(views[row])


def tried_actions(row: Any) -> list[int]:
    masks = np.zeros(1, np.uint64)
    distinct(np.array([row]), masks)
    return [action for action in range(54) if int(masks[0]) >> action & 1]


def some_positions(game: str | Rules, size: int, steps: int, seed: int = 1) -> DealBatch:
    """Deals after some actions of the heuristic bot."""
    batch = DealBatch(game, size, seed)
    for _ in range(steps):
        live = ~batch.done
        actions = np.zeros(size, np.int64)
        actions[live] = HEURISTIC.act(batch.views()[live])
        batch.step(actions)
    return batch

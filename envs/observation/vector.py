"""A network's encoding of a view: one int8 vector, its layout, and the way back.

Version history of the layout (checkpoints carry the number): 1 — first release.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.layout import Block, Kind, highest_values, layout_of
from german_whist.envs.engine.match_format import Match, match_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state_kernels import ENDGAME, FOREPLAY, suit_mask, suit_of
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.bit_kernels import write_cards
from german_whist.envs.utils.jit import kernel

OBSERVATION_VERSION = 1

_ONE = np.uint64(1)

# name, cells, largest value (a field of Rules or a number), meaning. The order is that of ``write_observation``.
_BLOCKS: tuple[Kind, ...] = (
    ("own_hand", NUM_CARDS, 1, "cell c is 1 when this seat holds card c"),
    ("face_up", NUM_CARDS, 1, "1 for the face-up card of the stock, or for each of several"),
    ("led", NUM_CARDS, 1, "1 for the card led to the current trick, by either seat"),
    ("played_self", NUM_CARDS, 1, "1 for every card this seat has played, the card it has led included"),
    ("played_opponent", NUM_CARDS, 1, "1 for every card the opponent has played, the card it has led included"),
    ("opponent_known", NUM_CARDS, 1, "1 for cards the opponent was seen to get and still holds"),
    ("own_known", NUM_CARDS, 1, "1 for own cards that the opponent saw this seat get"),
    ("unseen", NUM_CARDS, 1, "1 for cards that are in the opponent's hand or face down, unknown where"),
    ("trump", 4, 1, "1 for the trump suit, in the order C D H S; all 0 without trumps"),
    ("void_self", 4, "tricks", "by suit C D H S: trick (from 1) at which this seat last showed it was void, 0 = never"),
    ("void_opponent", 4, "tricks", "the same for the opponent"),
    ("drawn_self", 4, "foreplay", "by suit: unseen cards this seat has drawn since it showed that void"),
    ("drawn_opponent", 4, "foreplay", "the same for the opponent: so many cards of the suit it may hold again"),
    ("tricks_self", 2, "tricks", "tricks this seat has taken: foreplay, endgame"),
    ("tricks_opponent", 2, "tricks", "tricks the opponent has taken: foreplay, endgame"),
    ("stock", 1, "stock", "cards left in the stock, the face-up card included"),
    ("dealer", 1, 1, "1 when this seat dealt, so that the opponent led the first trick"),
    ("turn", 1, 1, "1 when this seat is to act"),
)

_BASE = 443  # cells that every game has

_CHOICE: Kind = ("choice", 1, 1, "1 while a choice that is not a card from the hand is made, by whoever is to act")
_LOW: Kind = ("low", 1, 1, "1 when the endgame is played low: the fewest tricks win")
_RACE: Kind = ("race", 2, "race", "counted tricks still needed to end the deal: this seat, the opponent")
_OUT: Kind = ("out", NUM_CARDS, 1, "1 for cards this seat knows to be out of play")
_EXCHANGED: Kind = ("exchanged", 2, 1, "1 when the hand was swapped for a blind: this seat, the opponent")


def _kinds(rules: Rules, match: str | Match | None) -> tuple[Kind, ...]:
    """Return the blocks of a game: those of every game, then what its rules add, then what a match adds."""
    added: list[Kind] = []
    if rules.has_choices:
        added.append(_CHOICE)
    if rules.high_low:
        added.append(_LOW)
    if rules.race:
        added.append(_RACE)
    if rules.humbug:
        added += [_OUT, _EXCHANGED]
    if match is not None:
        added += match_of(match).kinds(rules)
    return (*_BLOCKS, *added)


def observation_layout(rules: str | Rules = "classic", match: str | Match | None = None) -> dict[str, Block]:
    """Return the named ranges of the observation vector, in order.

    Every cell is int8. All positions are seen from the observing seat; cards are numbered ``13 * suit + rank``.

    Args:
        rules: the game.
        match: the match whose scores stand at the end, if any.

    Raises:
        ValueError: when the rules or the match are unknown.
    """
    return layout_of(_kinds(rules_named(rules), match))


def observation_high(rules: str | Rules = "classic", match: str | Match | None = None) -> npt.NDArray[np.int8]:
    """Return the largest value of each cell, int8[n_obs]; the smallest is 0."""
    game = rules_named(rules)
    return highest_values(game, _kinds(game, match))


@kernel
def _write_card(card, row, start):
    write_cards(_ONE << np.uint64(card) if card >= 0 else np.uint64(0), row, start)


@kernel
def write_observation(game, view, row):
    """Write the observation of a view record into an int8 row."""
    write_cards(view.hand, row, 0)
    write_cards(view.face_up, row, 52)
    _write_card(view.led, row, 104)
    write_cards(view.played_self, row, 156)
    write_cards(view.played_opponent, row, 208)
    write_cards(view.opponent_known, row, 260)
    write_cards(view.own_known, row, 312)
    write_cards(view.unseen, row, 364)
    for suit in range(4):
        row[416 + suit] = 1 if suit == view.trump else 0
        row[420 + suit] = view.void_self[suit]
        row[424 + suit] = view.void_opponent[suit]
        row[428 + suit] = view.drawn_self[suit]
        row[432 + suit] = view.drawn_opponent[suit]
    for stage in range(2):
        row[436 + stage] = view.tricks_self[stage]
        row[438 + stage] = view.tricks_opponent[stage]
    row[440] = view.stock
    row[441] = view.dealer
    row[442] = view.turn
    if row.shape[0] > _BASE:
        _write_added(game, view, row)


@kernel
def _write_added(game, view, row):
    """Write the blocks that the rules add."""
    cell = _BASE
    if game.has_choices:
        row[cell] = view.choice
        cell += 1
    if game.high_low:
        row[cell] = view.low
        cell += 1
    if game.race:
        row[cell] = game.race - _counted(game, view.tricks_self)
        row[cell + 1] = game.race - _counted(game, view.tricks_opponent)
        cell += 2
    if game.humbug:
        write_cards(view.out, row, cell)
        row[cell + 52] = view.exchanged_self
        row[cell + 53] = view.exchanged_opponent


@kernel
def _counted(game, tricks):
    return tricks[ENDGAME] + tricks[FOREPLAY] * game.all_count


@kernel
def write_observations(game, views, out):
    """Write the observations of a batch of views into an int8 array (views, n_obs)."""
    for i in range(views.shape[0]):
        write_observation(game[0], views[i], out[i])


@kernel
def write_masks(legal, out):
    """Write masks of legal actions (uint64) into an int8 array (rows, num_actions)."""
    for i in range(legal.shape[0]):
        write_cards(legal[i], out[i], 0)
        for choice in range(52, out.shape[1]):
            out[i, choice] = (legal[i] >> np.uint64(choice)) & _ONE


@kernel
def _read_cards(row, start):
    mask = np.uint64(0)
    for card in range(52):
        if row[start + card]:
            mask |= _ONE << np.uint64(card)
    return mask


@kernel
def _read_card(row, start, cells):
    for cell in range(cells):
        if row[start + cell]:
            return cell
    return -1


@kernel
def _read_observations(game, rows, views):
    for i in range(rows.shape[0]):
        row = rows[i]
        view = views[i]
        view.hand = _read_cards(row, 0)
        view.face_up = _read_cards(row, 52)
        view.led = _read_card(row, 104, 52)
        view.played_self = _read_cards(row, 156)
        view.played_opponent = _read_cards(row, 208)
        view.opponent_known = _read_cards(row, 260)
        view.own_known = _read_cards(row, 312)
        view.unseen = _read_cards(row, 364)
        view.trump = _read_card(row, 416, 4)
        for suit in range(4):
            view.void_self[suit] = row[420 + suit]
            view.void_opponent[suit] = row[424 + suit]
            view.drawn_self[suit] = row[428 + suit]
            view.drawn_opponent[suit] = row[432 + suit]
        for stage in range(2):
            view.tricks_self[stage] = row[436 + stage]
            view.tricks_opponent[stage] = row[438 + stage]
        view.stock = row[440]
        view.dealer = row[441]
        view.turn = row[442]
        view.all_count = game[0].all_count
        view.draft = game[0].draft
        view.race = game[0].race
        _read_added(game[0], row, view)
        view.legal = _legal(game[0], view) if view.turn else np.uint64(0)


@kernel
def _read_added(game, row, view):
    cell = _BASE
    if game.has_choices:
        view.choice = row[cell]
        cell += 1
    if game.high_low:
        view.low = row[cell]
        cell += 1
    if game.race:
        cell += 2
    if game.humbug:
        view.out = _read_cards(row, cell)
        view.exchanged_self = row[cell + 52]
        view.exchanged_opponent = row[cell + 53]


@kernel
def _legal(game, view):
    """Return the actions that the seat of a view may choose, it being to act."""
    if view.choice:
        if game.open_stock > 1:
            return view.face_up
        return (_ONE << np.uint64(52)) | (_ONE << np.uint64(53))
    if view.led >= 0:
        following = view.hand & suit_mask(suit_of(view.led))
        if following:
            return following
    return view.hand


def observe(views: np.ndarray[Any, Any], rules: str | Rules = "classic") -> npt.NDArray[np.int8]:
    """Return the observations of a batch of views, int8[len(views), n_obs]."""
    game = rules_named(rules)
    out = np.empty((len(views), observation_high(game).size), np.int8)
    write_observations(game.game, views, out)
    return out


def view_from_observation(
    observation: npt.ArrayLike, rules: str | Rules = "classic", match: str | Match | None = None
) -> np.ndarray[Any, Any]:
    """Return the views that some observations encode: the inverse of :func:`observe`.

    Args:
        observation: one vector (n_obs,) or a batch (rows, n_obs), any numeric dtype.
        rules: the rules that the observations were made under.
        match: the match that they are of, if any; views do not tell its scores.

    Returns:
        A ``VIEW`` array, of shape (1,) for one vector and (rows,) for a batch.

    Raises:
        ValueError: when the vectors have another length.
    """
    game = rules_named(rules)
    rows = np.atleast_2d(np.asarray(observation)).astype(np.int8)
    size = observation_high(game, match).size
    if rows.ndim != 2 or rows.shape[1] != size:
        raise ValueError(f"observation has shape {np.shape(observation)}: ({size},) or (rows, {size}) is needed")
    views = np.zeros(len(rows), VIEW)
    _read_observations(game.game, rows, views)
    return views

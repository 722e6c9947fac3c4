"""The engine against the reference: the same deals played in both, and compared after every action."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import REWARDS
from german_whist.envs.observation.full_state import full_states, state_high, state_layout
from german_whist.envs.observation.vector import observation_high, observation_layout, observe, view_from_observation
from german_whist.envs.simulator.batch import DealBatch
from tests.reference.game import ReferenceDeal, full_deck, returns_of
from tests.reference.plain import expected_states, expected_views, number, plain
from tests.reference.shuffle import shuffled

Array = np.ndarray[Any, Any]


def reference_deals(game: Rules, seed: int, first: int, size: int) -> list[ReferenceDeal]:
    """The reference's deals ``first`` to ``first + size - 1`` of a seed."""
    cards = full_deck(game.suits, game.ranks)
    return [ReferenceDeal(shuffled(cards, seed, index), game, dealer=index % 2) for index in range(first, first + size)]


def play_both(game: Rules, size: int, seed: int, first: int, rng: np.random.Generator) -> int:
    """Play random deals in the engine and in the reference, compare all they hold; return the number of positions."""
    batch = DealBatch(game, size, seed, first)
    deals = reference_deals(game, seed, first, size)
    positions = 0
    while True:
        assert_equal(batch, deals)
        positions += size
        if batch.done.all():
            return positions
        actions = np.zeros(size, np.int64)
        for row, deal in enumerate(deals):
            if not deal.done:
                choice = sorted(deal.legal(), key=number)[int(rng.random() * len(deal.legal()))]
                deal.play(choice)
                actions[row] = number(choice)
        batch.step(actions)


def assert_equal(batch: DealBatch, deals: list[ReferenceDeal]) -> None:
    """State, mask, turn, both views, both observations and back, the state vector and what is paid."""
    game, states = batch.rules, expected_states(deals)
    _assert_records(batch.states, states, game)
    views = [expected_views(deals, seat) for seat in (0, 1)]
    for seat in (0, 1):
        whose = np.full(batch.size, seat)
        _assert_records(batch.views(seats=whose), views[seat], game)
        vectors = batch.observe(seats=whose)
        np.testing.assert_array_equal(vectors, observations(views[seat], game))
        assert (vectors <= observation_high(game)).all()
        _assert_records(view_from_observation(vectors, game), views[seat], game)
    movers = np.where(states["turn"] == 0, views[0], views[1])
    np.testing.assert_array_equal(batch.done, [deal.done for deal in deals])
    np.testing.assert_array_equal(batch.turn, [deal.turn for deal in deals])
    np.testing.assert_array_equal(batch.legal(), movers["legal"])
    np.testing.assert_array_equal(batch.action_mask(), bits(movers["legal"], game.num_actions))
    _assert_records(batch.views(), movers, game)
    np.testing.assert_array_equal(batch.observe(), observe(movers, game))
    vectors = full_states(game, batch.states)
    np.testing.assert_array_equal(vectors, state_vectors(deals, states, game))
    assert (vectors <= state_high(game)).all()
    for reward in REWARDS:
        paid = [returns_of(deal, reward) if deal.done else [0, 0] for deal in deals]
        np.testing.assert_array_equal(batch.returns(reward), np.array(paid, np.float32))


def _assert_records(found: Array, expected: Array, game: Rules) -> None:
    """Compare field by field, and tell the first difference in words."""
    for name in expected.dtype.names or ():
        same = found[name] == expected[name]
        if name == "deck":
            same = same[:, : len(game.cards)]
        if not same.all():
            row = int(np.argmin(same.reshape(len(same), -1).all(axis=1)))
            words = [plain(records[row], game)[name] for records in (found, expected)]
            raise AssertionError(f"{name}: the engine has {words[0]}, the reference {words[1]}, in {game}")


def bits(masks: npt.NDArray[np.uint64], cells: int = 52) -> npt.NDArray[np.int8]:
    """Masks as rows of zeros and ones."""
    return (masks[..., None] >> np.arange(cells, dtype=np.uint64) & np.uint64(1)).astype(np.int8)


def _flags(numbers: npt.NDArray[Any], cells: int) -> npt.NDArray[np.int8]:
    """Numbers as rows with a one in their place; −1 leaves the row empty."""
    return (numbers[:, None] == np.arange(cells)).astype(np.int8)


def observations(views: Array, game: Rules) -> npt.NDArray[np.int8]:
    """The observation vectors that the layout describes, block by block by its name."""
    renamed = {"own_hand": "hand"}
    blocks: list[npt.NDArray[Any]] = []
    for name, block in observation_layout(game).items():
        if name == "led":
            cells = _flags(views["led"], 52)
        elif name == "trump":
            cells = _flags(views["trump"], 4)
        elif name == "race":
            tricks = [views["tricks_self"], views["tricks_opponent"]]
            counted = [won.sum(axis=1) if game.counts == "all" else won[:, 1] for won in tricks]
            cells = game.race - np.stack(counted, axis=1)
        elif name == "exchanged":
            cells = np.stack([views["exchanged_self"], views["exchanged_opponent"]], axis=1)
        elif views[renamed.get(name, name)].dtype == np.uint64:
            cells = bits(views[renamed.get(name, name)])
        else:
            cells = views[name].reshape(len(views), -1)
        assert cells.shape[1] == block.stop - block.start
        blocks.append(cells)
    return np.concatenate(blocks, axis=1)


def state_vectors(deals: list[ReferenceDeal], states: Array, game: Rules) -> npt.NDArray[np.int8]:
    """The vectors of the whole truth that the layout describes, block by block by its name."""
    rows = len(deals)
    stock_order, hidden = np.zeros((rows, 52), np.int8), np.zeros((rows, 52), np.int8)
    for row, deal in enumerate(deals):
        _place(deal, stock_order[row], hidden[row])
    played_since = states["drawn"][:, :, None] - states["void_drawn"]
    known = {
        "hand": bits(states["hands"]),
        "played": bits(states["played"]),
        "known": bits(states["known"]),
        "void": states["void_trick"],
        "drawn": np.where(states["void_trick"] > 0, played_since, 0),
        "tricks": states["tricks"].transpose(0, 2, 1),
    }
    by_seat = {f"{name}_{seat}": cells[:, seat] for name, cells in known.items() for seat in (0, 1)}
    whole = {
        "stock_order": stock_order,
        "face_up": bits(states["face_up"]),
        "led": _flags(states["led"], 52),
        "trump": _flags(states["trump"], 4),
        "stock": np.array([deal.all.stock for deal in deals]),
        "hidden": hidden,
    }
    blocks = []
    for name in state_layout(game):
        cells = by_seat[name] if name in by_seat else whole.get(name)
        blocks.append((states[name] if cells is None else cells).reshape(rows, -1))
    return np.concatenate(blocks, axis=1).astype(np.int8)


def _place(deal: ReferenceDeal, stock_order: Array, hidden: Array) -> None:
    """Write where the cards lie that nobody holds: the stock's places from 1, blinds 1, discarded hands 2."""
    stock_order[[number(card) for card in deal.all.row]] = 1
    for place, card in enumerate(deal.pile, start=2 if deal.all.row else 1):
        stock_order[number(card)] = place
    for blind in deal.blinds:
        hidden[[number(card) for card in blind]] = 1
    hidden[[number(card) for card in deal.all.out]] = 2

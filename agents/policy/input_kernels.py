"""The inputs of networks: the blocks of the *universal* encoding, and the kernels that encode a view.

``"observation"`` is the observation vector of the one game that the network was trained for. ``"universal"`` has the
blocks of every game with an open endgame (0 where a block does not apply), followed by the rules themselves. One
network can therefore play every such game, even with settings that it never met in training.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.layout import BlockSpec, starts_of
from german_whist.game.state import ENDGAME, FOREPLAY
from german_whist.game.utils.bit_kernels import popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel
from german_whist.simulator.observation.blocks import VECTOR_BLOCKS
from german_whist.simulator.observation.vector_kernels import write_observation

RULE_FLAGS = ("race_goal", "has_trump", "draft", "all_count")  # blocks that tell games apart

# Largest values of the blocks whose bounds depend on the rules: those of the classic game, for every game.
_HIGH = {"tricks": 26, "foreplay": 13, "stock": 26}

_RULES_BLOCKS = (
    BlockSpec("choice", 1, 1, "1 while the seat to act makes a choice other than a card from its hand"),
    BlockSpec("low", 1, 1, "1 if the endgame is played low: the fewest tricks win"),
    BlockSpec("race_left", 2, 13, "in a race, counted tricks still needed to end the deal: this seat, the opponent"),
    BlockSpec("race_goal", 1, 13, "counted tricks that end the deal; 0 for no race"),
    BlockSpec("has_trump", 1, 1, "1 in games with trumps"),
    BlockSpec("draft", 1, 1, "1 if the winner of a foreplay trick may leave the face-up card to the loser"),
    BlockSpec("all_count", 1, 1, "1 if foreplay tricks count too"),
    BlockSpec("open_stock", 1, 2, "number of face-up cards of the stock"),
    BlockSpec("suits", 1, 4, "suits in the deck"),
    BlockSpec("ranks", 1, 13, "ranks in each suit"),
    BlockSpec("hand_size", 1, 13, "cards in each hand when the deal begins"),
    BlockSpec("stock_size", 1, 26, "cards in the stock when the deal begins"),
)

UNIVERSAL_BLOCKS = (
    *(block._replace(high=_HIGH.get(str(block.high), block.high)) for block in VECTOR_BLOCKS),
    *_RULES_BLOCKS,
)
_START = starts_of(UNIVERSAL_BLOCKS)


_BASE_SIZE = _START["turn"] + 1  # the part that every game's observation has
_CHOICE = _START["choice"]
_LOW = _START["low"]
_RACE_LEFT = _START["race_left"]
_RACE_GOAL = _START["race_goal"]
_HAS_TRUMP = _START["has_trump"]
_DRAFT = _START["draft"]
_ALL_COUNT = _START["all_count"]
_OPEN_STOCK = _START["open_stock"]
_SUITS = _START["suits"]
_RANKS = _START["ranks"]
_HAND_SIZE = _START["hand_size"]
_STOCK_SIZE = _START["stock_size"]

_SUIT = np.uint64(0x1FFF)


@kernel
def write_universal(rules, view, row):
    """Write the universal encoding of a view into an int8 row."""
    write_observation(rules, view, row[:_BASE_SIZE])
    row[_CHOICE] = view.choice
    row[_LOW] = view.low
    own = view.tricks_self[ENDGAME] + view.tricks_self[FOREPLAY] * view.all_count
    other = view.tricks_opponent[ENDGAME] + view.tricks_opponent[FOREPLAY] * view.all_count
    row[_RACE_LEFT] = view.race - own if view.race else 0
    row[_RACE_LEFT + 1] = view.race - other if view.race else 0
    row[_RACE_GOAL] = view.race
    row[_HAS_TRUMP] = 1 if view.trump >= 0 else 0
    row[_DRAFT] = view.draft
    row[_ALL_COUNT] = view.all_count
    row[_OPEN_STOCK] = popcount(view.face_up)
    suits = 0
    for suit in range(4):
        suits += 1 if (rules.deck >> np.uint64(13 * suit)) & _SUIT else 0
    row[_SUITS] = suits
    row[_RANKS] = rules.cards // suits
    row[_HAND_SIZE] = rules.hand
    row[_STOCK_SIZE] = rules.cards - 2 * rules.hand


@kernel
def write_network_input(rules, view, universal, row):
    """Write a network's inputs for a canonical view into an int8 row.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        view: a canonical ``VIEW`` record.
        universal: whether the inputs are the universal encoding instead of the observation.
        row: int8[features], written.
    """
    if universal:
        write_universal(rules, view, row)
    else:
        write_observation(rules, view, row)


@row_kernel(writes="row")
def write_network_inputs(i, rules, views, universal, row):
    """Write a network's inputs for canonical view ``i`` into row ``i`` of int8[len(views), features]."""
    write_network_input(rules[0], views[i], universal, row)

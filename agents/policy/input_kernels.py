"""Kernels that write a network's inputs: the observation of one game, or the universal encoding of every game."""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import hand_size
from german_whist.agents.policy.input_blocks import UNIVERSAL_LAYOUT
from german_whist.envs.engine.state import ENDGAME, FOREPLAY
from german_whist.envs.observation.vector_kernels import write_observation
from german_whist.envs.observation.view_kernels import cards_of_view
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel

_BASE_SIZE = UNIVERSAL_LAYOUT["turn"].stop  # the features that every game has
_CHOICE = UNIVERSAL_LAYOUT["choice"].start
_LOW = UNIVERSAL_LAYOUT["low"].start
_RACE_LEFT = UNIVERSAL_LAYOUT["race_left"].start
_RACE_GOAL = UNIVERSAL_LAYOUT["race_goal"].start
_HAS_TRUMP = UNIVERSAL_LAYOUT["has_trump"].start
_DRAFT = UNIVERSAL_LAYOUT["draft"].start
_ALL_COUNT = UNIVERSAL_LAYOUT["all_count"].start
_OPEN_STOCK = UNIVERSAL_LAYOUT["open_stock"].start
_SUITS = UNIVERSAL_LAYOUT["suits"].start
_RANKS = UNIVERSAL_LAYOUT["ranks"].start
_HAND_SIZE = UNIVERSAL_LAYOUT["hand_size"].start
_STOCK_SIZE = UNIVERSAL_LAYOUT["stock_size"].start

_SUIT = np.uint64(0x1FFF)


@kernel
def write_universal(game, view, row):
    """Write the universal encoding of a view into an int8 row; only the view decides, whatever the ``game``."""
    write_observation(game, view, row[:_BASE_SIZE])
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
    cards = cards_of_view(view)
    suits = 0
    for suit in range(4):
        suits += 1 if (cards >> np.uint64(13 * suit)) & _SUIT else 0
    hand = hand_size(view)
    row[_SUITS] = suits
    row[_RANKS] = popcount(cards) // suits
    row[_HAND_SIZE] = hand
    row[_STOCK_SIZE] = popcount(cards) - 2 * hand


@kernel
def write_network_input(game, view, universal, row):
    """Write what a network sees of a view, with its cards by role, into an int8 row.

    Args:
        game: the rules, a ``GAME`` record.
        view: a record of ``VIEW``, with its cards by role.
        universal: whether the network sees the universal encoding instead of the observation.
        row: int8[features], written.
    """
    if universal:
        write_universal(game, view, row)
    else:
        write_observation(game, view, row)


@kernel
def write_network_inputs(game, views, universal, out):
    """Write what a network sees of a batch of views into ``out``, int8[len(views), features]."""
    for i in range(views.shape[0]):
        write_network_input(game[0], views[i], universal, out[i])

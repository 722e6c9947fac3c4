"""No suit is special but trumps: renaming the suits of what a seat knows changes nothing but names."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from german_whist.envs.agent import Views
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.canonical import canonical_views
from german_whist.envs.observation.views import RANKS, VIEW
from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly
from tests.reference.plain import same_views
from tests.strategies import games, seeds

RENAMINGS = list(permutations(range(4)))
MASKS = [name for name in VIEW.names if VIEW[name] == np.uint64]
COUNTS = ["void_self", "void_opponent", "drawn_self", "drawn_opponent"]
BINOMIAL = np.uint64(3 << 52)  # actions that are not cards


def rename(views: Views, new: tuple[int, ...]) -> Views:
    """The same views where suit ``s`` is called ``new[s]``."""
    renamed = views.copy()
    for name in MASKS:
        renamed[name] = views[name] & BINOMIAL
        for suit in range(4):
            part = views[name] >> np.uint64(13 * suit) & np.uint64(0x1FFF)
            renamed[name] |= part << np.uint64(13 * new[suit])
    for name in COUNTS:
        renamed[name][:, new] = views[name]
    renamed["led"] = np.where(views["led"] >= 0, renamed_cards(views["led"], new), -1)
    renamed["trump"] = np.where(views["trump"] >= 0, np.array(new)[views["trump"]], -1)
    return renamed


def renamed_cards(cards: np.ndarray, new: tuple[int, ...]) -> np.ndarray:
    return 13 * np.array(new)[cards // 13] + cards % 13


def whole_deals(game: Rules | str, size: int, seed: int) -> Views:
    """The views of both seats before every action of some random deals."""
    batch, rng = DealBatch(game, size, seed), np.random.default_rng(seed % 2**32)
    views = []
    while not batch.done.all():
        views += [batch.views(), batch.views(seats=1 - batch.turn)]
        play_randomly(batch, rng, 1)
    return np.concatenate(views)


@given(games(), seeds, st.sampled_from(RENAMINGS))
def test_suit_renaming_is_invariant(game: Rules, seed: int, new: tuple[int, ...]) -> None:
    views = whole_deals(game, 2, seed)
    for ranks in RANKS:
        assert same_views(canonical_views(rename(views, new), ranks)[0], canonical_views(views, ranks)[0])

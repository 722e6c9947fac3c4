"""Deals, observations, rewards, choices, messages and results are those that ``tools/digests.json`` pins.

A digest that moves is explained by the first position in which the engine differs from the reference, which says what
is right.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from german_whist.game.rules import rules
from tests.reference import game
from tests.reference.compare import play_both
from tools.digests import DIGESTS, FILE, VARIANTS, Digest

LONG = ("matches", "searches")
NAMES = [pytest.param(name, marks=pytest.mark.nightly) if name in LONG else name for name in DIGESTS]


def explain(name: str) -> None:
    """Fail with the first position that differs from the reference's, or with the command that renews a digest."""
    for variant in VARIANTS:
        play_both(rules(variant), 16, seed=3, first=5, rng=np.random.default_rng(0))
    pytest.fail(f"the engine is the reference's: if this is intended, python -m tools.digests {name} --write")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_behaviour_is_unchanged(name: str) -> None:
    digest = Digest()
    DIGESTS[name](digest)
    if str(digest) != json.loads(FILE.read_text())[name]:
        explain(name)


def test_moved_digest_names_the_position_that_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "follower_wins", lambda led, card, trump: False)
    with pytest.raises(AssertionError, match=r"deals 5 to 20 of seed 3 after [1-9]\d* actions.* in row \d"):
        explain("batches")


def test_moved_digest_of_an_engine_that_is_right_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_digests.VARIANTS", ("tiny",))
    with pytest.raises(pytest.fail.Exception, match="digests batches --write"):
        explain("batches")

"""Deals, observations, rewards, choices, messages and results are those that ``tools/digests.json`` pins."""

from __future__ import annotations

import json

import pytest

from tools.digests import DIGESTS, FILE, Digest

LONG = ("matches", "searches")
NAMES = [pytest.param(name, marks=pytest.mark.nightly) if name in LONG else name for name in DIGESTS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_behaviour_is_unchanged(name: str) -> None:
    digest = Digest()
    DIGESTS[name](digest)
    assert str(digest) == json.loads(FILE.read_text())[name], (
        f"if intended: python -m tools.digests behaviour {name} --write"
    )

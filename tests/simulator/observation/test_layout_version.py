"""A changed layout of the observation vector has a new version."""

from __future__ import annotations

import hashlib

from german_whist.game.rules import rule_names
from german_whist.simulator.observation.vector import OBSERVATION_VERSION, observation_layout

# A digest of every preset's layout by version. Checkpoints name the version that they read, so a change of the layout
# raises OBSERVATION_VERSION and adds a line here.
LAYOUTS = {1: "a606eb21eb938d16"}


def test_changed_layout_needs_a_new_version() -> None:
    layouts = [
        (name, [(block, list(place)[:2]) for block, place in observation_layout(name).items()]) for name in rule_names()
    ]
    assert hashlib.sha256(repr(layouts).encode()).hexdigest()[:16] == LAYOUTS[OBSERVATION_VERSION]

"""The universal encoding: what a network for every game sees."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.policy.inputs import input_layout, network_inputs
from german_whist.game.rules import rule_names
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.vector import observation_layout, observe
from tests.players import play_randomly

EVERY_GAME = (
    *(name for name in rule_names() if not get_rules(name).humbug),
    *("classic:hand=10,stock=32", "short:draft=true,trump=none", "no_trump:open_stock=3,counts=all"),
)


def views_throughout(game: str) -> np.ndarray:
    """The views of every decision of 16 deals, by random players."""
    batch, rng, seen = DealBatch(game, 16, seed=5), np.random.default_rng(5), []
    while not batch.done.all():
        seen.append(batch.views()[~batch.done])
        play_randomly(batch, rng, 1)
    return np.concatenate(seen)


@pytest.mark.parametrize("game", EVERY_GAME)
def test_inputs_hold_the_observation(game: str) -> None:
    views = views_throughout(game)
    rows, observations = network_inputs(views, game, "universal"), observe(views, game)
    ours, theirs = input_layout(get_rules(game), "universal"), observation_layout(game)
    for name, block in theirs.items():
        place = ours["race_left" if name == "race" else name]
        np.testing.assert_array_equal(
            rows[:, place.start : place.stop], observations[:, block.start : block.stop], err_msg=name
        )


def test_unknown_inputs_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'universal'"):
        network_inputs(DealBatch("classic", 1).views(), "classic", "univeral")

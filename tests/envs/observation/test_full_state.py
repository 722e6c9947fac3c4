from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.observation.full_state import full_states, state_high, state_layout
from german_whist.envs.pettingzoo_env import raw_env
from german_whist.envs.simulator.batch import DealBatch

Positions = Callable[..., DealBatch]
GAMES = ["classic", "tiny", "classic:ranks=8,hand=10,stock=12", "classic:suits=3,ranks=10,hand=4,stock=22"]


def indices_of_ones(features: npt.NDArray[np.int8]) -> list[int]:
    assert set(features.tolist()) <= {0, 1}
    return np.flatnonzero(features).tolist()


def index_of_one(features: npt.NDArray[np.int8]) -> int:
    return next(iter(indices_of_ones(features)), -1)


def test_the_layout_covers_the_whole_vector() -> None:
    blocks = list(state_layout("classic").values())
    assert blocks[0].start == 0
    assert blocks[-1].stop == state_high("classic").size == len(full_states_of("classic")[0])
    assert all(before.stop == after.start for before, after in pairwise(blocks))


def full_states_of(name: str) -> npt.NDArray[np.int8]:
    batch = DealBatch(name, 1)
    return full_states(batch.rules, batch.states)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("steps", [0, 1, 3, 7, 20, None])
def test_the_vector_holds_the_whole_state(name: str, steps: int | None, positions: Positions) -> None:
    batch = positions(name, size=6, steps=steps)
    layout = state_layout(name)
    rows = full_states(batch.rules, batch.states)
    assert (rows >= 0).all()
    assert (rows <= state_high(name)).all()
    for row, state in zip(rows, batch.states, strict=True):
        features = {key: row[block.start : block.stop] for key, block in layout.items()}
        for seat in (0, 1):
            assert indices_of_ones(features[f"hand_{seat}"]) == list(cards_of(state["hands"][seat]))
            assert indices_of_ones(features[f"played_{seat}"]) == list(cards_of(state["played"][seat]))
            assert indices_of_ones(features[f"known_{seat}"]) == list(cards_of(state["known"][seat]))
            assert features[f"void_{seat}"].tolist() == state["void_trick"][seat].tolist()
            drawn = np.where(state["void_trick"][seat], state["drawn"][seat] - state["void_drawn"][seat], 0)
            assert features[f"drawn_{seat}"].tolist() == drawn.tolist()
            assert features[f"tricks_{seat}"].tolist() == state["tricks"][:, seat].tolist()
        open_cards = list(cards_of(state["face_up"]))
        stock = open_cards + state["deck"][state["top"] : len(batch.rules.cards)].tolist()
        assert sorted(range(52), key=lambda card: features["stock_order"][card])[52 - len(stock) :] == stock
        assert np.count_nonzero(features["stock_order"]) == len(stock) == features["stock"][0]
        assert indices_of_ones(features["face_up"]) == open_cards == stock[:1]
        assert index_of_one(features["led"]) == state["led"]
        assert indices_of_ones(features["trump"]) == [state["trump"]]
        for field in ("dealer", "turn", "done"):
            assert features[field][0] == state[field]


@pytest.mark.parametrize("name", rule_names())
def test_the_environments_state_lies_in_its_space_and_is_the_engines(name: str, rng: np.random.Generator) -> None:
    environment = raw_env(rules=name)
    batch = DealBatch(name, 1, seed=3)
    environment.reset(seed=3)
    while True:
        assert environment.state_space.contains(environment.state())
        np.testing.assert_array_equal(environment.state(), full_states(batch.rules, batch.states)[0])
        if batch.done[0]:
            break
        action = int(rng.choice(np.flatnonzero(batch.action_mask()[0])))
        environment.step(action)
        batch.step([action])

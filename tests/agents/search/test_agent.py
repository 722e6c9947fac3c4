"""``NAME:search=N``: what a choice depends on, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.agents.search import agent as agent_module
from german_whist.agents.search.agent import SearchAgent
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly
from tests.presets import PRESETS

SPEC = "small:search=12,threads=1"
GAME = "small"


@pytest.fixture(scope="module", autouse=True)
def little_trust() -> Iterator[None]:
    """A network that is trusted little, so that the search changes its choice in few positions of a small game."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent_module, "NETWORK_SD", 1.0)
        yield


def searcher(spec: str, game: str = GAME) -> SearchAgent:
    """The search of a specification, without its exact endgame."""
    found = make_agent(spec, game).agent  # type: ignore[attr-defined]
    assert isinstance(found, SearchAgent)
    return found


class Positions:
    """Foreplay positions with the histories and the randomness of their seats to act."""

    def __init__(self, size: int, steps: int, game: str = GAME, seed: int = 3) -> None:
        self.batch = DealBatch(game, size, seed, history=True)
        play_randomly(self.batch, np.random.default_rng(seed), steps)
        self.views, self.histories = self.batch.views(), self.batch.history()

    def act(self, agent: Any, rows: Any = slice(None), *, history: bool = True) -> list[int]:
        rng = AgentRng(7, np.arange(len(self.views))[rows])
        histories = tuple(part[rows] for part in self.histories)
        return agent.search(self.views[rows], rng, histories if history else None)[0].tolist()


@pytest.fixture(scope="module")
def positions() -> Positions:
    return Positions(24, 7)


@pytest.fixture(scope="module")
def choices(positions: Positions) -> list[int]:
    return positions.act(searcher(SPEC))


def test_choice_independent_of_batch_and_threads(positions: Positions, choices: list[int]) -> None:
    agent = searcher(SPEC)
    backwards = np.arange(24)[::-1]
    assert positions.act(agent, backwards) == choices[::-1]
    assert [positions.act(agent, slice(row, row + 1))[0] for row in range(24)] == choices
    threaded = searcher(SPEC.replace("threads=1", "threads=3"))
    assert positions.act(threaded) == choices
    assert positions.act(threaded, slice(5, 6)) == choices[5:6]


def test_play_is_searched_late() -> None:
    agent, searched = searcher(SPEC, "classic"), []
    for steps in (4, 18):
        views = Positions(24, steps, "classic").views
        played = agent.act(views, AgentRng(7, np.arange(24)))
        searched.append((played != agent.prior.act(views, None)).any())
    assert searched == [False, True]


def redealt(positions: Positions, row: int, key: int) -> DealBatch | None:
    """Another deal that leaves the seat to act the same history, the opponent's hand changed; ``None`` if none is."""
    from german_whist.agents.inference.sampling import DealSampler

    batch = positions.batch
    assert batch.log is not None
    other = DealBatch(batch.rules, 1, history=True)
    deck = DealSampler(positions.histories[0][row], batch.rules).decks(1, key)[0].tolist()
    other.deal_decks([deck], batch.states["dealer"][row : row + 1])
    for action in batch.log.actions[row, : batch.log.counts[row]]:
        other.step([action])
    seat = 1 - int(batch.turn[row])
    return other if other.states["hands"][0, seat] != batch.states["hands"][row, seat] else None


def test_hidden_cards_do_not_matter(positions: Positions) -> None:
    agent, compared = searcher(SPEC), 0
    for row in range(24):
        other = redealt(positions, row, row)
        if other is not None:
            one, same = (
                int(agent.search(batch.views([place]), AgentRng(5, [0]), batch.history(rows=[place]))[0][0])
                for batch, place in ((positions.batch, row), (other, 0))
            )
            assert one == same
            compared += 1
    assert compared > 12


@pytest.mark.parametrize("preset", [preset for preset in PRESETS if preset != "humbug"])
def test_search_plays_every_game(preset: str) -> None:
    for steps in (0, 9):
        positions = Positions(3, steps, preset)
        rows = np.flatnonzero(positions.views["stock"] > 0)
        played = positions.act(searcher("heuristic:search=4", preset), rows)
        for view, action in zip(positions.views[rows], played, strict=True):
            assert int(view["legal"]) >> action & 1


def test_wrong_history_is_refused(positions: Positions) -> None:
    tokens, lengths = positions.histories
    with pytest.raises(ValueError, match="history"):
        searcher(SPEC).search(positions.views, AgentRng(7, range(24)), (tokens[::-1], lengths))

"""``NAME:search=N``: what a choice depends on, and what it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import SearchAgent
from german_whist.game.agent_rng import AgentRng
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from tests.players import play_randomly
from tests.presets import PRESETS

SPEC = "small:search=12,threads=1"
GAME = "small"


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

    def decisions(self, rows: Any = slice(None)) -> Decisions:
        """Return decisions whose random numbers begin anew."""
        tokens, lengths = self.histories
        rng = AgentRng(7, np.arange(len(self.views))[rows])
        return Decisions(self.views[rows], self.batch.rules, rng, (tokens[rows], lengths[rows]))

    def search(self, agent: SearchAgent, rows: Any = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        return agent.search(self.decisions(rows))


@pytest.fixture(scope="module")
def positions() -> Positions:
    return Positions(24, 7)


def same(gains: np.ndarray, others: np.ndarray) -> bool:
    return np.array_equal(gains, others, equal_nan=True)  # NaN for actions that were not tried


def test_gains_independent_of_batch_and_threads(positions: Positions) -> None:
    agent, threaded = searcher(SPEC), searcher(SPEC.replace("threads=1", "threads=3"))
    gains = positions.search(agent)[1]
    assert np.isfinite(gains).any(axis=1).sum() >= 10  # elsewhere the network is certain
    assert same(positions.search(agent, np.arange(24)[::-1])[1], gains[::-1])
    for row in range(24):
        assert same(positions.search(agent, [row])[1], gains[[row]])
    assert same(positions.search(threaded)[1], gains)
    assert same(positions.search(threaded, [5])[1], gains[[5]])


def test_play_is_searched_late() -> None:
    agent, searched = searcher(SPEC, "classic"), []
    for steps in (4, 18):
        positions = Positions(24, steps, "classic")
        assert agent.prior is not None
        bare = agent.prior.act(positions.decisions())
        searched.append(not np.array_equal(agent.act(positions.decisions()), bare))
    assert searched == [False, True]


@pytest.mark.parametrize("preset", [preset for preset in PRESETS if preset != "humbug"])
def test_search_plays_every_game(preset: str) -> None:
    for steps in (0, 9):
        positions = Positions(3, steps, preset)
        rows = np.flatnonzero(positions.views["stock"] > 0)
        played = positions.search(searcher("heuristic:search=4", preset), rows)[0].tolist()
        for view, action in zip(positions.views[rows], played, strict=True):
            assert int(view["legal"]) >> action & 1


def test_wrong_history_is_refused(positions: Positions) -> None:
    tokens, lengths = positions.histories
    with pytest.raises(ValueError, match="history"):
        searcher(SPEC).search(Decisions(positions.views, GAME, AgentRng(7, range(24)), (tokens[::-1], lengths)))

"""What holds for the agents that search in sampled worlds, ``mc``, ``ismcts`` and ``NAME:search=N``."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import SearchAgent
from german_whist.agents.search.ismcts import ISMCTSAgent
from german_whist.evaluation.match import play_match
from german_whist.game.agent_rng import AgentRng
from german_whist.game.utils.cache_folder import CACHE_VARIABLE
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.solver.tablebase import cache
from tests.agents.positions import HEURISTIC, some_positions, view

MC, ISMCTS = "mc:worlds=2", "ismcts:iterations=20"
MAKE = {
    MC: lambda threads, game: SearchAgent.flat(2, threads=threads, rules=game),
    ISMCTS: lambda threads, game: ISMCTSAgent(20, threads=threads, rules=game),
}


@pytest.mark.parametrize("spec", MAKE)
@pytest.mark.parametrize("preset", ["small", "high_low", "draft"])
def test_choice_independent_of_batch_and_threads(spec: str, preset: str) -> None:
    steps = {"small": 8, "high_low": 18, "draft": 26}[preset]  # five tricks for cards are left, or fewer
    views = some_positions(preset, 12, steps).views()
    indices = np.arange(12, dtype=np.uint64)

    def decisions(rows: slice = slice(None)) -> Decisions:
        return Decisions(views[rows], preset, AgentRng(5, indices[rows]))

    first = MAKE[spec](1, preset)
    actions = first.act(decisions())
    assert (actions != HEURISTIC.act(decisions())).any()
    assert (first.act(decisions(slice(None, None, -1))) == actions[::-1]).all()
    for threads in (2, 7):
        agent = MAKE[spec](threads, preset)
        assert (agent.act(decisions()) == actions).all()
        assert (pickle.loads(pickle.dumps(agent)).act(decisions()) == actions).all()
        for row in range(12):
            assert agent.act(decisions(slice(row, row + 1)))[0] == actions[row]
    assert make_agent(spec, preset).act(decisions(slice(0))).shape == (0,)


@pytest.mark.parametrize("spec", MAKE)
def test_inconsistent_view_is_refused(spec: str) -> None:
    """The opponent showed a void and has drawn nothing, and all that it may hold is of that suit."""
    row = view("AK...", "C", face_up="C2", opponent="QJT...", opponent_void="S")
    views = np.concatenate([some_positions("classic", 1, 0).views(), row])
    with pytest.raises(ValueError, match="view 1 is inconsistent: no opponent hand satisfies it"):
        make_agent(spec).act(Decisions(views, rng=AgentRng(1, np.arange(2))))


def test_short_hands_need_no_large_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(cache, "DEFAULT_CARDS", 4)
    deal = DealBatch("tiny", 1, seed=1).decisions(rng=AgentRng(5, [0]))
    make_agent("mc:worlds=2", "tiny").act(deal)
    assert [path.name for path in tmp_path.rglob("*.table")] == ["trump-high-4.table"]


def test_more_iterations_are_stronger() -> None:
    match = play_match("ismcts:iterations=300", "ismcts:iterations=10", deals=100, seed=1, rules="small")
    assert match.interval[0] > 0.5

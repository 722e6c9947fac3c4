"""Evaluations during a run: what they say of opponents that forfeit their games."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.process.agent import MAX_FAILURES
from german_whist.agents.registry import make_agent
from german_whist.arena.match_result import MatchResult
from german_whist.envs.engine.rules import rules
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.progress import TrainingProgress
from german_whist.training.run.records import evaluate, record_evaluation
from tests.agents.networks import some_network
from tests.agents.process.bots import bot


def evaluated(baselines: list[str]) -> list[tuple[MatchResult, ...]]:
    """Two evaluations of a network, as a run makes them one after the other."""
    agents = [(name, make_agent(name)) for name in baselines]
    return [evaluate(some_network(game="tiny"), agents, 2, rules("tiny")) for _ in range(2)]


def test_the_failures_of_a_bot_are_counted_in_each_evaluation_for_itself(tmp_path: Path) -> None:
    for (result,) in evaluated([bot(tmp_path, "sys.exit(3)")]):
        assert sum(one.reason.startswith("crash") for one in result.forfeits) == MAX_FAILURES


def test_an_evaluation_with_forfeited_games_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = bot(tmp_path, "say('XX')")
    results = evaluated(["random", spec])[0]
    run = RunDirectory(tmp_path)
    with TrainingProgress(1000) as progress:
        record_evaluation(run, "tiny", 0, 0.0, results, progress)
        assert capsys.readouterr().err.startswith(
            f"{spec} lost 4 of 4 evaluation games unplayed, the first: illegal action 'XX': it may choose "
        )
        record_evaluation(run, "tiny", 1, 0.0, results[:1], progress)
        assert capsys.readouterr().err == ""
    assert (tmp_path / "evaluations.csv").read_text().startswith("decisions,opponent,")

"""What the failures of a bot's process cost: they are counted in each match for itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from german_whist.agents.process.agent import MAX_FAILURES
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match, play_series
from german_whist.evaluation.sprt import play_sprt
from tests.agents.process.bots import bot

GAME: dict[str, Any] = {"rules": "tiny", "batch_size": 2}


def crashes(result: Any) -> int:
    """The number of deals for which the process was asked, and ended."""
    return sum(one.reason.startswith("crash") for one in result.forfeits)


def sprt(one: Any, other: Any) -> Any:
    return play_sprt(one, other, elo0=0, elo1=2000, most_deals=8, **GAME)


def series(one: Any, other: Any) -> Any:
    return play_series(one, other, "best_of:3", matches=4, **GAME)


def match(one: Any, other: Any) -> Any:
    return play_match(one, other, deals=4, **GAME)


@pytest.mark.parametrize(("kind", "suffix"), [(match, ""), (match, "+exact"), (series, ""), (sprt, "")])
def test_failures_are_counted_in_a_whole_match_and_afresh_in_the_next(kind: Any, suffix: str, tmp_path: Path) -> None:
    spec = bot(tmp_path, "sys.exit(3)") + suffix
    agent = make_agent(spec)
    assert [crashes(kind(one, "greedy")) for one in (spec, agent, agent)] == [MAX_FAILURES] * 3


def test_a_process_goes_on_in_the_next_match(tmp_path: Path) -> None:
    agent: Any = make_agent(bot(tmp_path, "say(message['view']['legal'][0] if message['id'] < 20 else 'XX')"))
    assert not play_match(agent, "greedy", deals=1, **GAME).forfeits
    assert play_match(agent, "greedy", deals=8, **GAME).forfeits
    agent.close()

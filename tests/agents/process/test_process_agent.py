"""Bots in processes of their own: what they are told, and what becomes of those that fail."""

from __future__ import annotations

import json
import pickle
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.agents.process.agent import MAX_FAILURES, ProcessAgent
from german_whist.agents.process.messages import action_of, check_id, decode, view_words
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import AgentForfeit
from german_whist.envs.engine.cards import parse_card
from german_whist.envs.simulator.batch import DealBatch
from german_whist.evaluation.match import play_match, play_series
from tests.agents.process.bots import FIRST, bot
from tests.envs.players import Lowest

ROOT = Path(__file__).parents[3]
BOT = ROOT / "examples" / "bots" / "line_bot.py"
SPEC = shlex.join([sys.executable, str(BOT)])


def test_a_bot_in_plain_python_plays_like_an_agent_here(tmp_path: Path) -> None:
    first = bot(tmp_path, f"say({FIRST})")

    ours, theirs = (play_match(agent, "greedy", deals=3, rules="tiny") for agent in (Lowest(), first))
    assert theirs.margins.tolist() == ours.margins.tolist()
    assert theirs.forfeits == ()
    assert "forfeits" not in theirs.to_dict()


@pytest.mark.parametrize("rules", ["tiny", "open_stock", "draft", "humbug", "no_trump"])
def test_the_example_plays_every_kind_of_decision(rules: str) -> None:
    result = play_match(f"process:{SPEC}", "random", deals=2, rules=rules)
    assert result.forfeits == ()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_example_in_javascript_plays_as_the_one_in_python() -> None:
    script = shlex.join(["node", str(BOT.with_suffix(".js"))])
    results = [play_match(f"process:{one}", "greedy", deals=2).margins.tolist() for one in (SPEC, script)]
    assert results[0] == results[1]


def test_a_view_is_told_in_words() -> None:
    batch = DealBatch("small", 1, seed=3)
    batch.step([int(batch.action_mask()[0].argmax())])
    view = batch.views()[0]
    words = json.loads(json.dumps(view_words(view)))
    assert set(words["legal"]) <= set(words["hand"])
    assert words["led"] in words["played_by_opponent"]
    assert (words["decision"], words["stock"], words["dealer"]) == ("play", 14, "me" if view["dealer"] else "opponent")
    sets = ("hand", "face_up", "played_by_me", "played_by_opponent", "opponent_holds", "unseen", "out_of_play")
    cards = [card for name in sets for card in words[name]]
    assert sorted(map(parse_card, cards)) == list(batch.rules.cards)
    assert words["tricks"] == {"me": {"foreplay": 0, "endgame": 0}, "opponent": {"foreplay": 0, "endgame": 0}}


def test_the_random_number_of_a_request_is_the_same_in_any_batch(tmp_path: Path) -> None:
    drawn = bot(tmp_path, "say(message['view']['legal'][message['seed'] % len(message['view']['legal'])])")
    whole, parts = (play_match(drawn, "greedy", deals=4, rules="tiny", batch_size=size) for size in (4, 1))
    assert whole.margins.tolist() == parts.margins.tolist()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("say('XX')", "illegal action 'XX': it may choose "),
        (f"say({FIRST}, id=-1)", "it replied to request -1 instead of "),
        ("print('hello', flush=True)", "it printed 'hello', which is not a JSON object"),
        ("print('[' * 60000, flush=True)", "which is not a JSON object"),
        ("sys.exit(3)", "crash: it ended with exit code 3"),
        ("sys.stdout.write('x' * 10_000_000); sys.stdout.flush(); time.sleep(60)", "a line of more than 65536 bytes"),
    ],
)
def test_a_bad_reply_loses_the_deal_by_the_largest_margin(tmp_path: Path, answer: str, reason: str) -> None:
    result = play_match(bot(tmp_path, answer), "greedy", deals=1, rules="tiny")
    assert result.margins.tolist() == [[-2, -2]]
    assert all(reason in one.reason for one in result.forfeits)
    assert [(one.deal, one.seat) for one in result.forfeits] == [(0, 0), (0, 1)]
    assert result.to_dict()["forfeits"][0]["agent"] == result.first


def test_a_bot_that_hangs_loses_by_the_time_limit_and_is_not_asked_for_ever(tmp_path: Path) -> None:
    result = play_match("greedy", bot(tmp_path, "time.sleep(60)", limit="time=0.2,"), deals=4, rules="tiny")
    assert (result.wins, len(result.forfeits)) == (8, 8)
    reasons = [one.reason for one in result.forfeits]
    assert reasons.count("time limit: no reply within 0.2 s") == MAX_FAILURES
    assert any(reason.startswith(f"not asked after {MAX_FAILURES} failures") for reason in reasons)


def test_other_deals_of_the_batch_go_on(tmp_path: Path) -> None:
    once = "say('XX' if message['id'] == 3 else " + FIRST + ")"
    result = play_match(bot(tmp_path, once), "greedy", deals=6, rules="tiny")
    assert len(result.forfeits) == 1
    fine = play_match(bot(tmp_path, f"say({FIRST})"), "greedy", deals=6, rules="tiny")
    place = (result.forfeits[0].deal, result.forfeits[0].seat)
    differs = result.margins != fine.margins
    differs[place] = False
    assert not differs.any()


@pytest.mark.parametrize(
    ("hello", "says"),
    [
        ("print(json.dumps({'type': 'ready', 'protocol': 99}), flush=True)", "did not answer"),
        ("print('Hello!', flush=True)", "not a JSON object"),
        ("sys.exit(1)", "exit code 1"),
    ],
)
def test_a_bot_that_does_not_begin_is_an_error(tmp_path: Path, hello: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        play_match(bot(tmp_path, "pass", hello), "greedy", deals=1, rules="tiny")


def test_specifications() -> None:
    agent = make_agent("process:time=2.5,python3 'my bot.py' --level 3")
    assert isinstance(agent, ProcessAgent)
    assert (agent.command, agent.seconds) == (["python3", "my bot.py", "--level", "3"], 2.5)
    again = pickle.loads(pickle.dumps(agent))
    assert (again.name, again.command) == (agent.name, agent.command)
    assert make_agent(agent.name).name == agent.name  # type: ignore[attr-defined]


GAME: dict[str, Any] = {"rules": "tiny", "batch_size": 2}


def crashes(result: Any) -> int:
    """The number of deals for which the process was asked, and ended."""
    return sum(one.reason.startswith("crash") for one in result.forfeits)


def series(one: Any, other: Any) -> Any:
    return play_series(one, other, "best_of:3", matches=4, **GAME)


def match(one: Any, other: Any) -> Any:
    return play_match(one, other, deals=4, **GAME)


@pytest.mark.parametrize(("kind", "suffix"), [(match, ""), (match, "+exact"), (series, "")])
def test_failures_are_counted_in_a_whole_match_and_afresh_in_the_next(kind: Any, suffix: str, tmp_path: Path) -> None:
    spec = bot(tmp_path, "sys.exit(3)") + suffix
    agent = make_agent(spec)
    assert [crashes(kind(one, "greedy")) for one in (spec, agent, agent)] == [MAX_FAILURES] * 3


def test_a_process_goes_on_in_the_next_match(tmp_path: Path) -> None:
    agent: Any = make_agent(bot(tmp_path, "say(message['view']['legal'][0] if message['id'] < 20 else 'XX')"))
    assert not play_match(agent, "greedy", deals=1, **GAME).forfeits
    assert play_match(agent, "greedy", deals=8, **GAME).forfeits
    agent.close()


VIEW = DealBatch("tiny", 1, seed=3).views()[0]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)
LEGAL = st.sampled_from(view_words(VIEW)["legal"])


def reason(work: Callable[[], object]) -> str:
    """Return the message of the ``ValueError`` that something raises; empty if it raises none."""
    try:
        work()
    except ValueError as error:
        return str(error) or "\n"
    return ""


@given(st.fixed_dictionaries({"id": st.just(1) | VALUES, "action": LEGAL | VALUES}) | VALUES)
def test_a_reply_is_a_legal_action_or_an_error_of_one_line(reply: Any) -> None:
    chosen: list[int] = []
    line = json.dumps(reply).encode() + b"\n"
    message = reason(lambda: chosen.append(action_of(check_id(decode(line), 1), VIEW)))
    assert "\n" not in message
    assert bool(chosen) != bool(message)
    assert all(int(VIEW["legal"]) >> action & 1 for action in chosen)


@given(st.binary(max_size=200))
def test_a_line_is_a_message_or_an_error_of_one_line(line: bytes) -> None:
    assert "\n" not in reason(lambda: decode(line))


def test_agents_may_forfeit_all_their_games() -> None:
    class Quitter:
        name = "quitter"

        def act(self, views: np.ndarray, rng: object) -> np.ndarray:
            raise AgentForfeit("no more")

    games: list[object] = []
    result = play_match(Quitter(), "random", deals=2, rules="tiny", record=games.append)
    assert [one.reason for one in result.forfeits] == ["no more"] * 4
    assert (result.margin, games) == (-2.0, [])

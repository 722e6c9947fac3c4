"""Shards of a match, and executors: the games are those of one run, bit for bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.arena.executors import InlineExecutor, run_tasks, worker_processes
from german_whist.arena.games import Shard, games, joined, parse_shard, two_players
from german_whist.arena.match import MatchResult, play_match, play_series
from german_whist.arena.variance_reduction import HandValue, play_variance_reduced_match
from german_whist.envs.agent import Values
from german_whist.envs.engine.match_format import match_format_of
from german_whist.envs.engine.rules import rules
from tests.cli.commands import Run, runner


@given(st.integers(1, 500), st.integers(1, 40))
def test_shards_cover_every_deal_once_and_differ_by_at_most_one_deal(deals: int, count: int) -> None:
    if deals < count:
        with pytest.raises(ValueError, match=f"^{deals} deals cannot be cut into {count} shards"):
            Shard(1, count).of(range(deals))
        return
    shares = [Shard(number, count).of(range(7, 7 + deals)) for number in range(1, count + 1)]
    assert [deal for share in shares for deal in share] == list(range(7, 7 + deals))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize("text", ["3", "3/", "a/b", "-1/2", "1.5/2", "1/2/3", ""])
def test_a_shard_is_number_and_count(text: str) -> None:
    with pytest.raises(ValueError, match="is not NUMBER/COUNT, such as 3/64"):
        parse_shard(text)


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/0"])
def test_a_shard_has_to_exist(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be an integer (>= 1|from 1 to)"):
        parse_shard(text)


@pytest.mark.parametrize("match", [None, "best_of:3"])
def test_the_stream_yields_games_in_the_order_of_the_deals_however_they_are_cut(match: str | None) -> None:
    game, match_format = rules("small"), None if match is None else match_format_of(match)
    wholes = []
    for size, ranges in ((1, [range(4, 15)]), (3, [range(4, 15)]), (99, [range(4, 6), range(6, 15)])):
        players = two_players("random", "greedy", game)
        blocks = [*games(players, game, 3, ranges, match=match_format, batch_size=size)]
        assert max(len(block.numbers) for block in blocks) <= size
        wholes.append(joined(blocks))
    for whole in wholes:
        assert whole.numbers.tolist() == list(range(4, 15))
        for column in range(4):
            assert np.array_equal(whole[column], wholes[0][column])


def test_a_stream_that_is_stopped_plays_no_further_block() -> None:
    asked: list[int] = []

    class Lowest:
        name = "lowest"

        def act(self, views: np.ndarray, rng: Any) -> np.ndarray:
            asked.append(len(views))
            return np.array([(mask & -mask).bit_length() - 1 for mask in views["legal"].tolist()])

    def ranges() -> Iterator[range]:
        yield range(6)
        pytest.fail("another range was begun")

    game = rules("tiny")
    stream = games(two_players(Lowest(), "greedy", game), game, 3, ranges(), batch_size=2)
    for block in stream:
        played = len(asked)
        if block.numbers[-1] == 3:
            break
    stream.close()
    assert len(asked) == played
    assert sum(asked) == 2 * 4 * 4  # its four cards in both games of four deals


def test_an_inline_executor_runs_a_task_when_its_result_is_asked_for() -> None:
    ran: list[int] = []
    results = run_tasks(InlineExecutor(), lambda number: ran.append(number) or number, [(1,), (2,), (3,)])
    assert (next(results), ran) == (1, [1])
    results.close()
    assert ran == [1]


class Counting(Executor):
    """Runs tasks at once and counts them."""

    def __init__(self) -> None:
        self.tasks = 0

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        self.tasks += 1
        future: Future[Any] = Future()
        future.set_result(task(*arguments, **named))
        return future


@pytest.mark.parametrize("endgame", ["played", "exact"])
def test_an_executor_plays_the_same_games_in_the_same_order(endgame: str) -> None:
    games: dict[str, list[Any]] = {"here": [], "there": []}
    played: list[int] = []
    match = {"first": "random", "second": "greedy", "deals": 70, "seed": 3, "first_deal": 5, "endgame": endgame}
    here = play_match(**match, record=games["here"].append)
    executor = Counting()
    there = play_match(**match, record=games["there"].append, progress=played.append, executor=executor)
    assert there == here
    assert np.array_equal(there.margins, here.margins)
    assert games["there"] == games["here"]
    assert sum(played) == 70
    assert executor.tasks == 35


def test_agent_objects_go_to_threads_too() -> None:
    class Lowest:
        name = "lowest"

        def act(self, views: np.ndarray, rng: Any) -> np.ndarray:
            return np.array([(mask & -mask).bit_length() - 1 for mask in views["legal"].tolist()])

    with ThreadPoolExecutor(2) as executor:
        spread = play_match(Lowest(), "random", deals=9, rules="small", executor=executor)
    assert spread == play_match(Lowest(), "random", deals=9, rules="small")


def test_processes_play_the_same_and_a_lost_one_is_named() -> None:
    with worker_processes(1) as executor:
        spread = play_match("greedy", "random", deals=4, rules="tiny", executor=executor)
        assert spread == play_match("greedy", "random", deals=4, rules="tiny")
        with pytest.raises(ChildProcessError, match="a worker process ended abruptly"):
            list(run_tasks(executor, os._exit, [(1,)]))


def test_a_pool_that_lost_a_worker_between_two_matches_is_named_too() -> None:
    class Broken(Executor):
        def submit(self, *given: Any, **named: Any) -> Future[Any]:
            raise BrokenProcessPool("A child process terminated abruptly")

    with pytest.raises(ChildProcessError, match="a worker process ended abruptly"):
        play_match("greedy", "random", 4, rules="tiny", executor=Broken())


def test_an_error_in_a_worker_is_the_error_of_the_match() -> None:
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="deals must be an integer >= 1, got 0"):
        play_match("greedy", "random", deals=0, executor=executor)
    with pytest.raises(ValueError, match="workers must be an integer >= 1, got 0"), worker_processes(0):
        pass


@pytest.mark.parametrize("endgame", ["played", "exact"])
def test_an_executor_plays_the_same_series(endgame: str) -> None:
    played: list[int] = []
    settings: dict[str, Any] = {"matches": 70, "seed": 3, "rules": "small", "endgame": endgame}
    with ThreadPoolExecutor(2) as executor:
        there = play_series("random", "greedy", "best_of:3", progress=played.append, executor=executor, **settings)
    assert there == play_series("random", "greedy", "best_of:3", **settings)
    assert sum(played) == 70
    assert max(played) < 70


class NetworkLike:
    """A value as networks give it: of margin and winning chance."""

    def values(self, views: Any) -> Values:
        margin = HandValue().values(views)
        return Values(margin, 1 / (1 + np.exp(-margin)))


@pytest.mark.parametrize("value", ["hand", NetworkLike()])
def test_workers_change_nothing_in_a_variance_reduced_result(value: Any) -> None:
    played: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        there = play_variance_reduced_match(
            "greedy", "random", 70, 3, value=value, progress=played.append, executor=executor
        )
    here = play_variance_reduced_match("greedy", "random", 70, 3, value=value)
    assert there == here
    assert isinstance(here.plain, MatchResult)
    assert sum(played) == 70
    assert here.margin_factor > 1


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_the_command_says_how_to_get_it(run: Run) -> None:
    refused = run("evaluate", "greedy", "random", "--ray")
    assert refused.code == 2
    assert 'ray is not installed: pip install "german-whist[ray]"' in refused.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--workers", "2", "--ray"], "--workers and --ray cannot be combined"),
        (["--shard", "1/2"], "--shard and --out need each other"),
        (["--out", "x"], "--shard and --out need each other"),
        (["--shard", "1/2", "--out", "x", "--json"], "--json cannot be combined with --shard"),
        (["--shard", "3/2", "--out", "x"], "shard must be an integer from 1 to 2, got 3"),
        (["--workers", "0"], "workers must be an integer >= 1, got 0"),
        (
            ["--shard", "1/9", "--out", "x", "--match", "best_of:3", "--matches", "8"],
            "8 matches cannot be cut into 9 shards",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(run: Run, words: list[str], message: str) -> None:
    refused = run("evaluate", "greedy", "random", *words)
    assert refused.code == 2
    assert message in refused.err


def test_the_command_spreads_a_variance_reduced_result(run: Run) -> None:
    words = ("evaluate", "greedy", "random", "--deals", "10", "--rules", "tiny", "--variance-reduction", "--json")
    assert run(*words, "--workers", "1").out == run(*words).out


def test_an_agent_without_a_value_is_refused_as_a_value() -> None:
    with pytest.raises(ValueError, match=r"'greedy\+exact' has no value"):
        play_variance_reduced_match("greedy", "random", 8, rules=rules("small"), value="greedy+exact")

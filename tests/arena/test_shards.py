"""Matches in shards: on executors, in files, and put together again."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.arena.executors import run_tasks, worker_processes
from german_whist.arena.match import play_match
from german_whist.arena.parts.match_part import MatchPart, merge_parts, read_parts, write_parts
from german_whist.arena.parts.play import match_meeting, play_shard, result_of
from german_whist.arena.parts.shards import Shard, parse_shard
from tests.cli.commands import Run, runner


@given(st.integers(1, 500), st.integers(1, 40))
def test_shards_cover_every_deal_once_and_differ_by_at_most_one_deal(deals: int, count: int) -> None:
    if deals < count:
        with pytest.raises(ValueError, match=f"^{deals} deals cannot be cut into {count} shards"):
            Shard(1, count).deals(deals)
        return
    shares = [Shard(number, count).deals(deals) for number in range(1, count + 1)]
    assert [deal for share in shares for deal in share] == list(range(deals))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize("text", ["3", "3/", "a/b", "-1/2", "1.5/2", "1/2/3", ""])
def test_a_shard_is_number_and_count(text: str) -> None:
    with pytest.raises(ValueError, match="is not NUMBER/COUNT, such as 3/64"):
        parse_shard(text)


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/0"])
def test_a_shard_has_to_exist(text: str) -> None:
    with pytest.raises(ValueError, match="is not allowed: a whole number from 1"):
        parse_shard(text)


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
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="deals 0 is not allowed"):
        play_match("greedy", "random", deals=0, executor=executor)
    with pytest.raises(ValueError, match="workers 0 is not allowed"), worker_processes(0):
        pass


MEETING = match_meeting("greedy", "random", "small", 7)


def shards(count: int, deals: int = 11, start: int = 3) -> list[MatchPart]:
    return [play_shard(MEETING, start, deals, Shard(number, count)) for number in range(1, count + 1)]


def test_merged_shards_are_the_match_in_any_order_and_through_files(tmp_path: Path) -> None:
    for number, part in enumerate(shards(4)):
        write_parts(tmp_path / f"{number}.json", [part])
    read = [part for number in (2, 0, 3, 1, 2) for part in read_parts(tmp_path / f"{number}.json")]
    (whole,) = merge_parts(read)
    match = play_match("greedy", "random", deals=11, seed=7, rules="small", first_deal=3)
    assert result_of(whole) == match
    assert np.array_equal(whole.margins, match.margins)


def test_what_is_missing_is_listed() -> None:
    parts = shards(4)
    with pytest.raises(ValueError, match=r"^greedy against random: missing shards 2/4, 4/4$"):
        merge_parts([parts[0], parts[2]])
    with pytest.raises(ValueError, match=r"missing shard 1/4$"):
        merge_parts(parts[1:])
    unnamed = [MatchPart(one.meeting, one.match_start, one.match_deals, one.start, one.margins) for one in parts]
    with pytest.raises(ValueError, match=r"missing deals 5 to 7, 11 to 13$"):
        merge_parts([unnamed[0], unnamed[2]])


def test_parts_that_contradict_each_other_are_refused() -> None:
    parts = shards(2)
    other = MatchPart(MEETING, 3, 11, parts[1].start, -parts[1].margins - 1)
    with pytest.raises(ValueError, match="two parts give different margins for the same deal"):
        merge_parts([*parts, other])
    newer = MEETING._replace(first_version="newer")
    with pytest.raises(ValueError, match="different versions of 'greedy'"):
        merge_parts([parts[0], MatchPart(newer, 3, 11, parts[1].start, parts[1].margins)])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_the_commands_cut_a_cross_table_into_shards(run: Run, tmp_path: Path) -> None:
    words = ("evaluate", "greedy", "random", "heuristic", "--deals", "6", "--rules", "small", "--seed", "2")
    files = [tmp_path / f"part{number}.json" for number in (1, 2)]
    for number, file in enumerate(files, 1):
        done = run(*words, "--shard", f"{number}/2", "--out", str(file))
        assert (done.code, done.out.startswith(f"shard {number}/2, 3 of 6 deals")) == (0, True)
    merged, whole = run("merge", *map(str, files), "--json"), run(*words, "--json")
    assert merged.out == whole.out
    assert "vs heuristic" in run("merge", *map(str, files)).out
    lost = run("merge", str(files[0]))
    assert (lost.code, "missing shard 2/2" in lost.err) == (2, True)


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
        (["--shard", "3/2", "--out", "x"], "shard 3 is not allowed"),
        (["--workers", "0"], "workers 0 is not allowed"),
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

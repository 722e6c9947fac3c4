"""Series of matches, and variance-reduced matches, on executors and in shards: bit for bit those of one run."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from german_whist.arena.match import play_match, play_series
from german_whist.arena.match_result import MatchResult
from german_whist.arena.parts.match_part import MatchPart, merge_parts, read_parts, write_parts
from german_whist.arena.parts.play import match_meeting, play_shard, result_of
from german_whist.arena.parts.shards import Shard
from german_whist.arena.variance_reduction import HandValue, play_variance_reduced_match
from german_whist.envs.agent import Values
from german_whist.envs.engine.rules import rules
from tests.cli.commands import Run, runner

OVER_HALF = "short:points=over_half"  # half points where the counted tricks are odd
MATCHES = 7


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def series_shards(count: int, match: str = "first_to:6", game: str = "small") -> list[MatchPart]:
    meeting = match_meeting("random", "heuristic", game, 5)
    return [play_shard(meeting, 0, MATCHES, Shard(number, count), match) for number in range(1, count + 1)]


@pytest.mark.parametrize("endgame", ["played", "exact"])
def test_an_executor_plays_the_same_series(endgame: str) -> None:
    played: list[int] = []
    settings: dict[str, Any] = {"matches": 70, "seed": 3, "rules": "small", "endgame": endgame}
    with ThreadPoolExecutor(2) as executor:
        there = play_series("random", "greedy", "best_of:3", progress=played.append, executor=executor, **settings)
    assert there == play_series("random", "greedy", "best_of:3", **settings)
    assert sum(played) == 70
    assert max(played) < 70


@pytest.mark.parametrize(
    ("match", "game"), [("first_to:6", "small"), ("best_of:3", "small"), ("first_to:4", OVER_HALF)]
)
def test_merged_shards_are_the_series_in_any_order_and_through_files(tmp_path: Path, match: str, game: str) -> None:
    for number, part in enumerate(series_shards(3, match, game)):
        write_parts(tmp_path / f"{number}.json", [part])
    (whole,) = merge_parts(part for number in (1, 2, 0) for part in read_parts(tmp_path / f"{number}.json"))
    assert result_of(whole) == play_series("random", "heuristic", match, MATCHES, 5, game)


def test_what_is_missing_of_a_series_is_listed() -> None:
    first, _, last = series_shards(3)
    with pytest.raises(ValueError, match=r"^random against heuristic: missing shard 2/3$"):
        merge_parts([last, first])


def test_a_series_is_not_mixed_with_single_deals_or_other_matches() -> None:
    meeting = match_meeting("random", "heuristic", "small", 5)
    deals = [play_shard(meeting, 0, MATCHES, Shard(number, 2)) for number in (1, 2)]
    wholes = merge_parts([*deals, *series_shards(2), *series_shards(2, "best_of:3")])
    assert [one.match for one in wholes] == ["", "first_to:6", "best_of:3"]
    assert result_of(wholes[0]) == play_match("random", "heuristic", MATCHES, 5, "small")


def test_the_commands_cut_a_series_into_shards_and_play_it_with_workers(run: Run, tmp_path: Path) -> None:
    words = ("evaluate", "greedy", "random", "--match", "best_of:3", "--matches", "5", "--rules", "tiny")
    files = [tmp_path / f"part{number}.json" for number in (1, 2)]
    for number, file in enumerate(files, 1):
        done = run(*words, "--shard", f"{number}/2", "--out", str(file))
        assert (done.code, done.out.startswith(f"shard {number}/2, {1 + number} of 5 matches")) == (0, True)
    whole = run(*words, "--json").out
    assert run("merge", *map(str, files), "--json").out == whole
    assert run(*words, "--workers", "1", "--json").out == whole
    assert "best_of:3" in run("merge", *map(str, files)).out


def test_files_of_several_matches_of_a_pair_are_refused(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / f"{seed}.json" for seed in (1, 2)]
    for seed, file in enumerate(files, 1):
        words = ("--deals", "2", "--rules", "tiny", "--seed", str(seed), "--shard", "1/1", "--out", str(file))
        assert run("evaluate", "greedy", "random", *words).code == 0
    refused = run("merge", *map(str, files))
    assert (refused.code, "several matches of one pair" in refused.err) == (2, True)


def test_shards_keep_the_reasons_of_forfeits(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys, json\n"
        "sys.stdin.readline()\n"
        "print(json.dumps({'type': 'ready', 'protocol': 1}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'action': 'none'}), flush=True)\n"
    )
    words = ("evaluate", f"process:python3 -S {bot}", "random", "--deals", "3", "--rules", "tiny")
    for match, forfeits in (((), 6), (("--match", "best_of:3"), 12)):
        files = [tmp_path / f"part{number}{len(match)}.json" for number in (1, 2)]
        for number, file in enumerate(files, 1):
            assert run(*words, *match, "--shard", f"{number}/2", "--out", str(file)).code == 0
        whole = run(*words, *match, "--json").out
        assert len(json.loads(whole)["matches"][0]["forfeits"]) == forfeits
        assert run("merge", *map(str, files), "--json").out == whole
        assert "unplayed: illegal action 'none'" in run("merge", *map(str, files)).out
    arena = ("arena", words[1], "random", "greedy", "--deals", "2", "--rules", "tiny")
    kept = ("--out", str(tmp_path / "arena"))
    assert run(*arena, *kept, "--shard", "2/2").code == 0
    whole = run(*arena, "--json").out
    assert len(json.loads(whole)["forfeits"]) == 8
    assert run(*arena, *kept, "--json").out == whole
    assert "unplayed: illegal action 'none'" in run(*arena, *kept).out


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


def test_the_command_spreads_a_variance_reduced_result(run: Run) -> None:
    words = ("evaluate", "greedy", "random", "--deals", "10", "--rules", "tiny", "--variance-reduction", "--json")
    assert run(*words, "--workers", "1").out == run(*words).out


def test_an_agent_without_a_value_is_refused_as_a_value() -> None:
    with pytest.raises(ValueError, match=r"'greedy\+exact' has no value"):
        play_variance_reduced_match("greedy", "random", 8, rules=rules("small"), value="greedy+exact")

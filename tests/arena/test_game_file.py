"""Files of games: what is written comes back, shards are merged, and what is damaged is refused with file and line."""

from __future__ import annotations

import json
import os
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.arena import game_file
from german_whist.arena.game_file import (
    MAX_DEALS,
    Header,
    MatchConfig,
    match_config,
    merge,
    read_recording,
    read_recordings,
    read_sections,
    result_of,
    write_games,
    writing_games,
    writing_recordings,
)
from german_whist.arena.games import GameBlock, games, two_players
from german_whist.arena.match import play_match, play_series
from german_whist.arena.recording import Recording
from german_whist.envs.engine.rules import rule_names
from tests.arena.sections import change_line, read_section, write_shard
from tests.cli.commands import Run, runner

CONFIG = match_config("greedy", "random", "small", 7)
OVER_HALF = "short:points=over_half"  # half points where the counted tricks are odd


def deal_shards(folder: Path, count: int, whole: range = range(3, 14)) -> list[Path]:
    return [write_shard(folder / f"{n}-of-{count}.jsonl", CONFIG, whole, n, count) for n in range(1, count + 1)]


def series_shards(folder: Path, count: int, match: str = "first_to:6", rules: str = "small") -> list[Path]:
    config = match_config("random", "heuristic", rules, 5, match=match)
    name = match.replace(":", "-")
    return [write_shard(folder / f"{name}-{n}.jsonl", config, range(7), n, count) for n in range(1, count + 1)]


def merged(*paths: Path) -> list[tuple[MatchConfig, GameBlock]]:
    return merge(section for path in paths for section in read_sections(path))


def test_the_file_of_a_tiny_match_reads_as_it_should(tmp_path: Path) -> None:
    path = write_shard(tmp_path / "games.jsonl", match_config("greedy", "random", "tiny", 7), range(2, 4), 2, 2)
    header, *played, end = map(json.loads, path.read_text().splitlines())
    assert header.pop("rules")["hand"] == 2
    assert all(len(header.pop(name)) == 12 for name in ("first_version", "second_version"))
    assert header == {
        "format": "german-whist games 1", "first": "greedy", "second": "random", "seed": 7, "endgame": "played",
        "match": None, "start": 2, "count": 2, "shard": "2/2",
    }  # fmt: skip
    margins = play_match("greedy", "random", 1, 7, "tiny", first_deal=3).margins[0].tolist()
    assert played == [{"deal": 3, "seat": seat, "margin": margins[seat]} for seat in (0, 1)]
    assert list(end) == ["sha256"]


@given(st.lists(st.tuples(*[st.sampled_from(range(-7, 8, 2))] * 2), min_size=1, max_size=9), st.integers(0, 2**64 - 9))
def test_games_come_back_from_their_file_as_they_were(rows: list[tuple[int, int]], start: int) -> None:
    played = GameBlock.of_deals(np.array(rows), start)
    header = Header(CONFIG, range(start, start + len(rows)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        write_games(path, header, played)
        found = read_section(path)
    assert found.header == header
    for column in range(4):
        assert np.array_equal(found.played[column], played[column])


def test_merged_shards_are_the_match_in_any_order_and_concatenated(tmp_path: Path) -> None:
    paths = deal_shards(tmp_path, 4)
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(path.read_text() for path in paths))
    match = play_match("greedy", "random", deals=11, seed=7, rules="small", first_deal=3)
    for files in ([paths[n] for n in (2, 0, 3, 1, 2)], [whole]):
        ((config, played),) = merged(*files)
        assert result_of(config, played) == match
        assert np.array_equal(played.margins, match.margins)


@pytest.mark.parametrize(
    ("match", "rules"), [("first_to:6", "small"), ("best_of:3", "small"), ("first_to:4", OVER_HALF)]
)
def test_merged_shards_are_the_series_in_any_order(tmp_path: Path, match: str, rules: str) -> None:
    one, two, three = series_shards(tmp_path, 3, match, rules)
    ((config, played),) = merged(two, three, one)
    assert result_of(config, played) == play_series("random", "heuristic", match, 7, 5, rules)


def test_a_series_is_not_mixed_with_single_deals_or_other_matches(tmp_path: Path) -> None:
    deals = write_shard(tmp_path / "deals.jsonl", match_config("random", "heuristic", "small", 5), range(7))
    found = merged(deals, *series_shards(tmp_path, 2), *series_shards(tmp_path, 2, "best_of:3"))
    assert [str(config.match) for config, _ in found] == ["None", "first_to:6", "best_of:3"]
    assert result_of(*found[0]) == play_match("random", "heuristic", 7, 5, "small")


def test_what_is_missing_is_listed(tmp_path: Path) -> None:
    one, two, three, four = deal_shards(tmp_path, 4)
    with pytest.raises(ValueError, match=r"^greedy against random: missing shards 2/4, 4/4$"):
        merged(one, three)
    with pytest.raises(ValueError, match=r"missing shard 1/4$"):
        merged(two, three, four)
    with pytest.raises(ValueError, match=r"missing deals 5 to 7, 11 to 13$"):
        merged(change_line(one, 1, shard=None), change_line(three, 1, shard=None))
    first, _, last = series_shards(tmp_path, 3)
    with pytest.raises(ValueError, match=r"^random against heuristic: missing shard 2/3$"):
        merged(last, first)
    with pytest.raises(ValueError, match=r"^random against heuristic: missing matches 2 to 3$"):
        merged(change_line(last, 1, shard=None), first)


def test_a_shard_with_too_few_games_is_not_taken_for_whole(tmp_path: Path) -> None:
    one, two = deal_shards(tmp_path, 2)
    with pytest.raises(ValueError, match=r"missing deals 13$"):
        merged(one, rewritten(two, lambda lines: lines[:-3] + lines[-1:]))


def rewritten(path: Path, change: Callable[[list[str]], list[str]]) -> Path:
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))
    return change_line(path, 1)


def test_games_that_contradict_each_other_are_refused_with_file_and_line(tmp_path: Path) -> None:
    one, two = deal_shards(tmp_path, 2)
    margin = json.loads(two.read_text().splitlines()[4])["margin"]
    other = tmp_path / "other.jsonl"
    other.write_text(two.read_text())
    change_line(other, 5, margin=-margin)
    with pytest.raises(ValueError, match=r"other\.jsonl, line 4: greedy against random: deal 9 is given twice"):
        merged(one, two, other)


def test_games_of_other_versions_are_refused_with_file_and_line(tmp_path: Path) -> None:
    one, two = deal_shards(tmp_path, 2)
    change_line(two, 1, first_version="newer")
    with pytest.raises(ValueError, match=r"2-of-2\.jsonl, line 1: played by another version of 'greedy', newer"):
        merged(one, two)


FORFEIT = {"agent": "x", "deal": 3, "seat": 0, "reason": "y"}


@pytest.mark.parametrize(
    ("line", "fields", "message"),
    [
        (1, {"format": "x"}, "header: format 'x' is not 'german-whist games 1'"),
        (1, {"rules": {"hand": -1}}, "header: rules: hand must be an integer from .*, got -1"),
        (1, {"rules": 3}, "header: rules must be an object, got 3"),
        (1, {"seed": -1}, "header: seed must be an integer from .*, got -1"),
        (1, {"seed": ...}, "header: 'seed' is missing"),
        (1, {"start": 9}, "line 2: game: deal 3 is none of its match"),
        (1, {"start": 2**64 - 2}, "header: last deal must be an integer from .*, got 18446744073709551624"),
        (1, {"count": 0}, "header: count must be an integer from .*, got 0"),
        (1, {"count": MAX_DEALS + 1}, f"a match of {MAX_DEALS + 1} deals is not read: {MAX_DEALS} are the most"),
        (1, {"count": 10**30}, "header: count must be an integer from .*, got 1000000000000000000000000000000"),
        (1, {"first": 1}, "header: first 1 is not text"),
        (1, {"endgame": "none"}, "header: unknown endgame 'none'"),
        (1, {"shard": "x"}, "header: shard 'x' is not NUMBER/COUNT"),
        (1, {"shard": "1/999999999"}, "header: 11 deals cannot be cut into 999999999 shards"),
        (1, {"match": "first_to:x"}, "header: .*first_to"),
        (1, {"match": 3}, "header: match 3 is not text"),
        (1, {"extra": 1}, "unknown field of a header 'extra'"),
        (2, {"deal": 14}, "game: deal 14 is none of its match"),
        (2, {"deal": "3"}, "game: deal '3' is none of its match"),
        (2, {"seat": 1}, "game: the first game of deal 3, of seat 0, is needed here"),
        (3, {"seat": 0}, "game: the second game of deal 3, of seat 1, is needed here"),
        (3, {"deal": 4}, "game: the second game of deal 3, of seat 1, is needed here"),
        (4, {"deal": 3}, "game: deal 3 is not in order"),
        (2, {"margin": 99}, "game: margin must be an integer from -7 to 7 in steps of 2, got 99"),
        (2, {"margin": -9}, "game: margin must be an integer from -7 to 7 in steps of 2, got -9"),
        (2, {"margin": 2}, "game: margin must be an integer from -7 to 7 in steps of 2, got 2"),
        (2, {"margin": 1.0}, "game: margin must be an integer from -7 to 7 in steps of 2, got 1.0"),
        (2, {"margin": True}, "game: margin must be an integer from -7 to 7 in steps of 2, got True"),
        (2, {"margin": 10**30}, "game: margin must be an integer from .*, got 1000000000000000000000000000000"),
        (2, {"margin": None}, "game: margin must be an integer from -7 to 7 in steps of 2, got None"),
        (2, {"margin": ...}, "game: 'margin' is missing"),
        (2, {"outcome": 1}, "unknown field of a game 'outcome'"),
        (2, {"forfeits": {}}, "game: forfeits {} are not a list"),
        (2, {"forfeits": [{"agent": "x"}]}, "forfeit: 'deal' is missing"),
        (2, {"forfeits": [{**FORFEIT, "seat": 2}]}, "forfeit: seat must be an integer from 0 to 1, got 2"),
        (2, {"forfeits": [{**FORFEIT, "reason": 1}]}, "reason 1 is not text"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(
    tmp_path: Path, line: int, fields: dict[str, Any], message: str
) -> None:
    path = change_line(deal_shards(tmp_path, 2)[0], line, **fields)
    with pytest.raises(ValueError, match=message) as error:
        read_sections(path)
    where = 2 if message.startswith("line 2") else line  # the header decides which games may follow
    assert str(error.value).startswith(f"{path}, line {where}: ")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"margin": "1"}, "game: margin must be a number from -10 to 10 in steps of 1, got '1'"),
        ({"margin": 13}, "game: margin must be a number from -10 to 10 in steps of 1, got 13"),
        ({"margin": 0.5}, "game: margin must be a number from -10 to 10 in steps of 1, got 0.5"),
        ({"margin": 1e300}, "game: margin must be a number from .*, got 1e\\+300"),
        ({"outcome": 2}, "game: outcome must be an integer from -1 to 1, got 2"),
        ({"margin": 5.0, "outcome": -1}, "game: outcome -1 and margin 5.0 do not agree"),
        ({"outcome": 0}, "game: outcome 0 and margin .* do not agree"),
        ({"length": 0}, "game: length must be an integer from 1 to .*, got 0"),
        ({"deal": 1}, "unknown field of a game 'deal'"),
    ],
)
def test_a_wrong_line_of_a_series_is_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = change_line(series_shards(tmp_path, 2)[0], 2, **fields)
    with pytest.raises(ValueError, match=message):
        read_sections(path)


def test_a_changed_digit_and_a_lost_line_are_noticed(tmp_path: Path) -> None:
    path, _ = deal_shards(tmp_path, 2)
    lines = path.read_text().splitlines()
    damaged = f"line {len(lines)}: the games above it are damaged: their sha256 is another"
    path.write_text("\n".join(lines).replace('"margin":5', '"margin":3', 1))
    with pytest.raises(ValueError, match=damaged):
        read_sections(path)
    path.write_text("\n".join([*lines[:1], *lines[3:]]))
    with pytest.raises(ValueError, match=f"line {len(lines) - 2}: the games above it are damaged"):
        read_sections(path)
    path.write_text("\n".join(lines[:-1]))
    with pytest.raises(ValueError, match=rf"line {len(lines) - 1}: the games are cut off: their sha256 is missing"):
        read_sections(path)
    path.write_text("\n".join([*lines[:-1], *lines]))
    with pytest.raises(ValueError, match=f"line {len(lines)}: the games above it are cut off"):
        read_sections(path)
    with pytest.raises(ValueError, match="line 2: games: the line is truncated"):
        read_sections(rewritten_raw(path, [lines[0], lines[1][:-4]]))
    with pytest.raises(ValueError, match="second game of deal 3 is missing"):
        read_sections(rewritten(path, lambda _: [*lines[:2], lines[-1]]))


def rewritten_raw(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff", b'{"format": "x"}', b'{"deal": 3}', b"\n\n"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"games\.jsonl(, line 1)?: "):
        read_sections(path)


def test_missing_shards_are_listed_without_a_list_of_all(tmp_path: Path) -> None:
    path = change_line(deal_shards(tmp_path, 2)[0], 1, start=0, count=MAX_DEALS, shard=f"1/{MAX_DEALS}")
    tracemalloc.start()
    with pytest.raises(ValueError, match=rf"missing shards 2/{MAX_DEALS}, .* and {MAX_DEALS - 9} more$"):
        merged(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with path.open("wb") as file:
        file.truncate(game_file.MAX_BYTES + 1)
    with pytest.raises(ValueError, match=rf"games\.jsonl: has {game_file.MAX_BYTES + 1} bytes, and at most"):
        read_sections(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_and_a_device_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ValueError, match="is not a file"):
            read_sections(path)
    with pytest.raises(ValueError, match=r"none\.jsonl: cannot be read"):
        read_sections(tmp_path / "none.jsonl")


@pytest.mark.parametrize("match", [None, "best_of:3"])
def test_any_match_that_is_read_fits_a_file(tmp_path: Path, match: str | None) -> None:
    config, start = match_config("greedy", "random", "all", match=match), 2**52 - 2 if match else 2**64 - 2
    widest = replace_all(GameBlock.of_deals(np.full((2, 2), -26), start), match is not None)
    write_games(tmp_path / "two.jsonl", Header(config, range(start, start + 2)), widest)
    one = GameBlock(*(column[:1] for column in widest[:4]))
    write_games(tmp_path / "one.jsonl", Header(config, range(start, start + 2)), one)
    sizes = [(tmp_path / f"{name}.jsonl").stat().st_size for name in ("one", "two")]
    assert (sizes[1] - sizes[0]) * MAX_DEALS < game_file.MAX_BYTES


def replace_all(block: GameBlock, is_series: bool) -> GameBlock:
    if not is_series:
        return block
    return block._replace(margins=np.full((2, 2), -1000.5), lengths=np.full((2, 2), 4095))


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("old\n")
    players = two_players("greedy", "random", CONFIG.rules)
    blocks = games(players, CONFIG.rules, 7, [range(4)], batch_size=2)

    def half() -> None:
        with writing_games(path) as write:
            next(write(Header(CONFIG, range(4)), blocks))
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        half()
    assert path.read_text() == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]


def test_a_lost_worker_is_named_while_games_are_written(tmp_path: Path) -> None:
    def lost() -> Iterator[GameBlock]:
        yield GameBlock.of_deals(np.zeros((2, 2)))
        raise ChildProcessError("a worker process ended abruptly")

    with pytest.raises(ChildProcessError, match=r"^a worker"), writing_games(tmp_path / "games.jsonl") as write:
        list(write(Header(CONFIG, range(4)), lost()))
    assert list(tmp_path.iterdir()) == []


# Recordings in files


def recorded(path: Path, rules: str = "small", **settings: Any) -> list[Recording]:
    """Write recorded games below a header, as ``evaluate --record`` does, and return what ``play_match`` records."""
    config, found = match_config("random", "heuristic", rules, 2), []
    players = two_players("random", "heuristic", config.rules)
    with writing_games(path) as write:
        for block in write(Header(config, range(3)), games(players, config.rules, 2, [range(3)], record=True)):
            found += block.recordings
    return found


@pytest.mark.parametrize("rules", rule_names())
def test_recorded_games_are_those_that_were_played_and_have_results(tmp_path: Path, rules: str) -> None:
    path, wanted = tmp_path / "games.jsonl", []
    found = recorded(path, rules)
    match = play_match("random", "heuristic", 3, 2, rules, record=wanted.append)
    assert found == wanted == list(read_recordings(path))
    assert len(found) == 6
    ((config, played),) = merged(path)
    assert result_of(config, played) == match


def test_recordings_that_stand_alone_go_together_with_recorded_games(tmp_path: Path) -> None:
    path, alone = tmp_path / "games.jsonl", tmp_path / "alone.jsonl"
    found = recorded(path)
    with writing_recordings(alone) as write:
        for one in found[:2]:
            write(one)
    path.write_text(alone.read_text() + path.read_text() + alone.read_text())
    assert list(read_recordings(path)) == [*found[:2], *found, *found[:2]]
    assert len(read_section(path).played.numbers) == 3
    assert read_recording(path) == (1, found[0])
    assert read_recording(path, 5) == (5, found[1])
    assert read_recording(path, 11) == (11, found[0])
    with pytest.raises(ValueError, match=r"alone\.jsonl: no games"):
        read_sections(alone)


def test_lines_without_a_recording_are_passed_over_and_named_if_asked_for(tmp_path: Path) -> None:
    path = deal_shards(tmp_path, 1)[0]
    assert list(read_recordings(path)) == []
    for line in (1, 2, 24):
        with pytest.raises(ValueError, match=f"line {line}: no recording"):
            read_recording(path, line)
    with pytest.raises(ValueError, match="line 25 does not exist: the file has 24 lines"):
        read_recording(path, 25)
    with pytest.raises(ValueError, match=r"jsonl: no recordings"):
        read_recording(path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"margin": 50}, "line 2: recording: margin 50 and result do not agree"),
        ({"result": ...}, "recording: 'result' is missing"),
        ({"actions": "SA S1"}, "line 2: recording: move 2: 'S1' is not a card"),
        ({"deal": -1}, "line 2: recording: deal must be an integer from .*, got -1"),
        ({"deal": 1}, "line 2: move "),
        ({"seat": 2}, "line 2: recording: seat must be an integer from 0 to 1, got 2"),
        ({"extra": 2}, "unknown field of a recording 'extra'"),
    ],
)
def test_a_wrong_recorded_game_is_refused_with_its_line(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = tmp_path / "games.jsonl"
    recorded(path)
    with pytest.raises(ValueError, match=message):
        list(read_recordings(change_line(path, 2, **fields)))


# The commands


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_the_commands_cut_a_cross_table_into_shards(run: Run, tmp_path: Path) -> None:
    words = ("evaluate", "greedy", "random", "heuristic", "--deals", "6", "--rules", "small", "--seed", "2")
    files = [tmp_path / f"shard{number}.jsonl" for number in (1, 2)]
    for number, file in enumerate(files, 1):
        done = run(*words, "--shard", f"{number}/2", "--out", str(file))
        assert (done.code, done.out.startswith(f"shard {number}/2, 3 of 6 deals")) == (0, True)
    merged, whole = run("merge", *map(str, files), "--json"), run(*words, "--json")
    assert merged.out == whole.out
    assert "vs heuristic" in run("merge", *map(str, files)).out
    lost = run("merge", str(files[0]))
    assert (lost.code, "missing shard 2/2" in lost.err) == (2, True)
    assert run(*words, "--record", str(tmp_path / "record.jsonl"), "--json").out == whole.out
    assert run("merge", str(tmp_path / "record.jsonl"), "--json").out == whole.out


def test_the_commands_cut_a_series_into_shards_and_play_it_with_workers(run: Run, tmp_path: Path) -> None:
    words = ("evaluate", "greedy", "random", "--match", "best_of:3", "--matches", "5", "--rules", "tiny")
    files = [tmp_path / f"shard{number}.jsonl" for number in (1, 2)]
    for number, file in enumerate(files, 1):
        done = run(*words, "--shard", f"{number}/2", "--out", str(file))
        assert (done.code, done.out.startswith(f"shard {number}/2, {1 + number} of 5 matches")) == (0, True)
    whole = run(*words, "--json").out
    assert run("merge", *map(str, files), "--json").out == whole
    assert run(*words, "--workers", "1", "--json").out == whole
    assert "best_of:3" in run("merge", *map(str, files)).out


def test_files_of_several_matches_of_a_pair_are_refused(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / f"{seed}.jsonl" for seed in (1, 2)]
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
        files = [tmp_path / f"shard{number}{len(match)}.jsonl" for number in (1, 2)]
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


def test_an_exact_endgame_is_recorded_as_played_out_and_printed_as_exact(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ("evaluate", "greedy", "random+exact", "--deals", "2", "--rules", "tiny", "--endgame", "exact", "--json")
    (whole,) = json.loads(run(*words, "--record", str(path)).out)["matches"]
    (merged,) = json.loads(run("merge", str(path), "--json").out)["matches"]
    assert (whole["first"], whole["endgame"]) == ("greedy", "exact")
    assert (merged["first"], merged["second"], merged["endgame"]) == ("greedy+exact", "random+exact", "played")
    assert merged["margin"] == whole["margin"]
    assert {one.names for one in read_recordings(path)} == {
        ("greedy+exact", "random+exact"),
        ("random+exact", "greedy+exact"),
    }

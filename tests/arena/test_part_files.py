"""Files of match parts, and stored results: what is refused; a small file asks for little memory."""

from __future__ import annotations

import json
import os
import tempfile
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.arena.parts import match_part
from german_whist.arena.parts.match_part import MAX_DEALS, MatchPart, merge_parts, read_parts, write_parts
from german_whist.arena.parts.play import match_meeting, play_shard
from german_whist.arena.parts.shards import Shard
from german_whist.arena.tournament.play import ResultStore, play_tournament, play_tournament_shard
from tests.arena.part_files import change_part

MEETING = match_meeting("greedy", "random", "tiny", 7)
PART = play_shard(MEETING, 0, 4, Shard(1, 2))
SERIES = play_shard(MEETING, 0, 4, Shard(1, 2), "best_of:3")


def with_fields(tmp_path: Path, part: MatchPart = PART, **fields: Any) -> Path:
    path = tmp_path / "part.json"
    write_parts(path, [part])
    return change_part(path, **fields)


@pytest.mark.parametrize(
    ("part", "field", "value", "message"),
    [
        (PART, "margins", [], "not a pair"),
        (PART, "margins", [[1, 2, 3]], "not a pair"),
        (PART, "margins", [[1, 0.5]], "not a pair"),
        (PART, "margins", [[1, 10**30]], "not a pair"),
        (PART, "rules", {"hand": -1}, "part 1: rules: hand=-1"),
        (PART, "rules", 3, "an object is needed"),
        (PART, "seed", -1, "seed -1 is not allowed"),
        (PART, "start", 9, "its deals are not deals of its match"),
        (PART, "match_deals", 1, "shard 1/2: its match has 1 deals"),
        (PART, "match_deals", MAX_DEALS + 1, f"match_deals {MAX_DEALS + 1} is not allowed: a whole number from 1 to"),
        (PART, "match_deals", 10**15, "match_deals 1000000000000000 is not allowed"),
        (PART, "first", 1, "first 1 is not text"),
        (PART, "endgame", "none", "endgame 'none'"),
        (PART, "shard", "x", "is not NUMBER/COUNT"),
        (PART, "shard", "3/5", "shard 3/5: its match has 4 deals"),
        (PART, "shard", "1/999999999", "shard 1/999999999: its match has 4 deals"),
        (PART, "extra", 1, "'extra'"),
        (PART, "forfeits", {}, "forfeits: {} is not a list"),
        (PART, "forfeits", [{"agent": "x"}], "forfeit: 'deal' is missing"),
        (PART, "forfeits", [{"agent": "x", "deal": 1, "seat": 2, "reason": "y"}], "seat 2"),
        (PART, "forfeits", [{"agent": "x", "deal": 1, "seat": 0, "reason": 1}], "reason 1 is not text"),
        (SERIES, "match", "first_to:x", "first_to"),
        (SERIES, "match", 3, "match 3 is not text"),
        (SERIES, "margins", [["1", 2]], "margins: .* is not a pair of numbers"),
        (SERIES, "margins", [[1e300, 2]], "margins: .* is not a pair of numbers"),
        (SERIES, "outcomes", [[2, 0]], "outcomes: .* is not a pair of whole numbers"),
        (SERIES, "outcomes", [[1, 0]], "margins, outcomes, lengths are not of the same length"),
        (SERIES, "lengths", [[0, 1]], "lengths: .* is not a pair of whole numbers"),
    ],
)
def test_a_wrong_part_is_refused(tmp_path: Path, part: MatchPart, field: str, value: Any, message: str) -> None:
    path = with_fields(tmp_path, part, **{field: value})
    with pytest.raises(ValueError, match=message) as error:
        read_parts(path)
    assert str(path) in str(error.value) or field == "extra"


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff", b'{"format": "x", "parts": []}', b'{"parts": []}'])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "part.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"part\.json"):
        read_parts(path)


def test_a_file_without_its_checksum_and_a_changed_number_are_refused(tmp_path: Path) -> None:
    path = with_fields(tmp_path)
    assert np.array_equal(read_parts(path)[0].margins, PART.margins)
    content = json.loads(path.read_text())
    del content["sha256"]
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"part\.json: match parts: 'sha256' is missing"):
        read_parts(path)
    write_parts(path, [replace(PART, margins=PART.margins * 0)])
    path.write_text(path.read_text().replace("[0,0]", "[0,2]", 1))
    with pytest.raises(ValueError, match=r"part\.json is damaged: its checksum is wrong"):
        read_parts(path)


@given(
    st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=1, max_size=9), st.integers(0, 2**64 - 9)
)
def test_a_part_comes_back_from_its_file_as_it_was(rows: list[tuple[int, int]], start: int) -> None:
    part = MatchPart(MEETING, start, len(rows), start, np.array(rows, np.int64))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.json"
        write_parts(path, [part])
        (found,) = read_parts(path)
    assert found.to_dict() == part.to_dict()


def test_missing_shards_are_listed_without_a_list_of_all(tmp_path: Path) -> None:
    path = with_fields(tmp_path, match_deals=MAX_DEALS, shard=f"1/{MAX_DEALS}")
    tracemalloc.start()
    with pytest.raises(ValueError, match=rf"missing shards 2/{MAX_DEALS}, .* and {MAX_DEALS - 9} more$"):
        merge_parts(read_parts(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "part.json"
    with path.open("wb") as file:
        file.truncate(match_part.MAX_BYTES + 1)
    with pytest.raises(ValueError, match=rf"part\.json: has {match_part.MAX_BYTES + 1} bytes, and at most"):
        read_parts(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_and_a_device_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ValueError, match="is not a file"):
            read_parts(path)


def test_any_match_that_may_be_cut_fits_a_file(tmp_path: Path) -> None:
    widest = replace(PART, margins=PART.margins[:1] * 0 - 99)
    write_parts(tmp_path / "one.json", [widest])
    write_parts(tmp_path / "two.json", [replace(widest, margins=widest.margins.repeat(2, axis=0))])
    one, two = ((tmp_path / name).stat().st_size for name in ("one.json", "two.json"))
    assert (two - one) * MAX_DEALS < match_part.MAX_BYTES


def test_matches_with_more_deals_are_not_begun(tmp_path: Path) -> None:
    many = MAX_DEALS + 1
    with pytest.raises(ValueError, match=f"deals {many} is not allowed"):
        play_shard(MEETING, 0, many, Shard(1, many))
    with pytest.raises(ValueError, match=f"matches {many} is not allowed"):
        play_shard(MEETING, 0, many, Shard(1, many), "best_of:3")
    with pytest.raises(ValueError, match=f"deals {many} is not allowed"):
        play_tournament(["random", "greedy"], many, rules="tiny", folder=tmp_path)
    with pytest.raises(ValueError, match=f"deals {many} is not allowed"):
        play_tournament_shard(["random", "greedy"], Shard(1, many), tmp_path, many, rules="tiny")


def stored(tmp_path: Path, part: MatchPart) -> ResultStore:
    store = ResultStore(tmp_path)
    store.save_shard(PART)
    (path,) = tmp_path.glob("*.json")
    write_parts(path, [part])
    return store


@pytest.mark.parametrize("start", [MAX_DEALS - 1, 2**63])
def test_stored_results_of_deals_beyond_the_limit_are_refused(tmp_path: Path, start: int) -> None:
    part = replace(PART, match_start=start, start=start, shard="")
    with pytest.raises(ValueError, match=rf"\.json: deal {start + 1} is beyond the {MAX_DEALS} that are stored"):
        stored(tmp_path, part).load(MEETING, 4)


def test_stored_results_of_a_series_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.json: .*best_of:3"):
        stored(tmp_path, SERIES).load(MEETING, 4)

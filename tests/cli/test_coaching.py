"""Hints, taking back and reviews in the terminal."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from german_whist.agents.judge import LEAST
from german_whist.cli import main
from german_whist.cli.coaching import review_of
from german_whist.envs.utils.specs import percent_text
from german_whist.evaluation.recording import read_recordings
from tests.cli.commands import Run
from tests.cli.conftest import Typist
from tests.cli.test_play import evaluated


def test_a_hint_names_every_legal_card_and_plays_none(type_lines: Typist, capsys: pytest.CaptureFixture[str]) -> None:
    type_lines(["h", "HINT", "q"])
    assert main(["play", "random", "--rules", "small", "--seed", "1", "--seat", "1"]) == 0
    text = capsys.readouterr().out
    assert text.count("Hint, by champion:search=256: ") == 2
    assert text.count(" tricks  wins ") == 2 * 7
    assert text.count("opponent (none): ♠ ") == 2
    assert "plays" not in text


def test_what_is_taken_back_has_not_been_played(
    type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copycat = evaluated(tmp_path, "small", 0, deals=1)
    moves = list(copycat)
    type_lines(["b", *moves[:3], "back", "b", *moves[1:]])
    path = tmp_path / "mine.jsonl"
    words = ["play", "random", "--rules", "small", "--seed", "5", "--deals", "1", "--record", str(path)]
    assert main(words) == 0
    assert [one.actions for one in read_recordings(path)] == [one.actions for one in copycat.recordings]
    text = capsys.readouterr().out
    assert text.count("Your last card is taken back.") == 2
    assert "there is nothing to take back" in text


def test_a_deal_is_reviewed_when_it_is_over(
    type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moves = list(evaluated(tmp_path, "tiny", 0, deals=1))
    for words, lines in ((["--deals", "1", "--review"], moves), ([], [*moves, "r", "q"])):
        type_lines(lines)
        assert main(["play", "random", "--rules", "tiny", "--seed", "5", *words]) == 0
        text = capsys.readouterr().out
        assert text.count("Chance that you win: ") == 1
        assert "trick  1  You" in text


def test_nobody_is_judged_by_the_moves_after_a_claim(tmp_path: Path) -> None:
    recording = evaluated(tmp_path, "small", 0, deals=1).recordings[0]
    played, claimed = (
        review_of(dataclasses.replace(recording, claimed=moves), 0, ("You", "Textbook"))["accuracy"]
        for moves in (None, 0)
    )
    assert None not in played.values()
    assert set(claimed.values()) == {None}


@pytest.mark.parametrize("game", ["small", "six_cards"])
def test_review_judges_a_recorded_deal(game: str, run: Run, tmp_path: Path) -> None:
    evaluated(tmp_path, game, 0)
    path = tmp_path / "games.jsonl"
    found = json.loads(run("review", path, "--line", "2", "--seat", "1", "--json").out)
    recording = list(read_recordings(path))[1]
    assert len(found["moves"]) == len(recording.actions)
    assert found["result"]["margin"] == -recording.result.margin
    shown = run("review", path, "--line", "2", "--seat", "1")
    assert (shown.code, shown.err) == (0, "")
    assert found["result"]["text"] in shown.out
    for move in found["moves"]:
        line = next(line for line in shown.out.splitlines() if line.startswith(f"{move['number']:>3}  trick"))
        assert ("better" in line) == (move["best"] != move["action"])
        assert ("better" in line) == any(f"  {label} " in line for label in LEAST)
        for option in move["options"] if len(move["options"]) > 1 else ():
            tricks = f"{option['tricks']:.0f}" if move["exact"] else f"{option['tricks']:.1f}"
            assert f"{tricks} {percent_text(option['win'])}" in shown.out
    brief = run("review", path, "--line", "2", "--seat", "1", "--brief").out
    assert "trick  1" not in brief
    assert brief.count("  move ") == len(found["mistakes"])


def test_all_lines_of_a_file_are_reviewed(run: Run, tmp_path: Path) -> None:
    evaluated(tmp_path, "tiny", 0)
    path = tmp_path / "games.jsonl"
    count = len(path.read_text().splitlines())
    single = [run("review", path, "--line", str(line), "--json").out for line in (1, 2)]
    every = run("review", path, "--line", "all", "--json").out.splitlines(keepends=True)
    assert len(every) == count > 1
    assert every[:2] == single
    shown = run("review", path, "--line", "all", "--brief").out
    assert re.findall(r"^Deal (\d+)$", shown, re.M) == [str(number + 1) for number in range(count)]

"""``evaluate --record`` and ``replay``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from german_whist.cli import main
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.deal_text import deal_text
from german_whist.envs.text.events import action_events, result_sentence
from german_whist.evaluation.recording import read_recordings
from tests.cli.conftest import Typist

Capture = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def record(path: Path, *settings: str, deals: int = 2) -> Path:
    command = ["evaluate", "greedy", "random", "--deals", str(deals), "--seed", "4", "--record", str(path), *settings]
    assert main(command) == 0
    return path


@pytest.fixture
def games(tmp_path: Path, capsys: Capture) -> Path:
    path = record(tmp_path / "games.jsonl")
    capsys.readouterr()
    return path


@pytest.mark.parametrize("game", rule_names())
def test_every_game_is_recorded_and_shown_to_its_end(game: str, tmp_path: Path, capsys: Capture) -> None:
    path = record(tmp_path / "games.jsonl", "--rules", game, deals=1)
    capsys.readouterr()
    assert main(["replay", str(path), "--line", "2"]) == 0
    text = capsys.readouterr().out
    names = "random (player_0)", "greedy (player_1)"
    assert text.startswith(f"{names[0]} and {names[1]}, {game}, deal 0 of seed 4, dealt by {names[0]}\n")
    assert text.endswith("This is the recorded result.\n")
    recording = list(read_recordings(path))[1]
    assert text.count("\nmove ") == len(recording.actions)
    assert text.count("German Whist   ") == len(recording.actions) + 1
    states, rules = [batch.states[0].copy() for batch in recording.steps()], recording.rules
    for step, action in enumerate(recording.actions):
        events = action_events(rules, states[step], states[step + 1], action, step + 1, None, names)
        assert f"\nmove {step + 1}: {' '.join(event.text for event in events)}\n" in text
    result, low = recording.result, bool(states[-1]["low"])
    told = result_sentence(result.tricks, result.margin, result.points, rules, names, low=low)
    assert f"\n{told} This is the recorded result.\n" in text


def test_a_seat_sees_its_own_cards_only(games: Path, capsys: Capture) -> None:
    dealt = DealBatch("classic", 1, seed=4)
    assert main(["replay", str(games)]) == 0
    assert deal_text(dealt) in capsys.readouterr().out
    for seat in (0, 1):
        assert main(["replay", str(games), "--seat", str(seat)]) == 0
        text = capsys.readouterr().out
        assert deal_text(dealt, 0, seat) in text
        assert deal_text(dealt, 0, 1 - seat) not in text
        assert "draws a card unseen" in text


def test_in_a_terminal_enter_continues_and_q_quits(
    games: Path, type_lines: Typist, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("NO_COLOR", "1")
    asked = type_lines(["", "", "q"])
    assert main(["replay", str(games)]) == 0
    assert asked[:2] == [f"move {move} of 52, Enter to continue, q to quit: " for move in (1, 2)]
    assert screen.getvalue().count("\nmove ") == 2
    asked = type_lines([])
    assert main(["replay", str(games), "--all"]) == 0
    assert asked == []


def test_positions_are_one_line_each(games: Path, capsys: Capture) -> None:
    assert main(["replay", str(games), "--positions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 53
    assert all(line.startswith("0:") for line in lines)
    assert lines[-1] == f"0:... ... trump={lines[0].split('trump=')[1][0]} turn=- led=- face_up=- stock=0"


def test_checking_counts_the_recordings(games: Path, capsys: Capture) -> None:
    assert main(["replay", str(games), "--check"]) == 0
    assert capsys.readouterr().out == "4 recordings replayed, each with the recorded result\n"


def spoil(path: Path, line: int, old: str, new: str) -> None:
    lines = path.read_text().splitlines()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_text("\n".join(lines) + "\n")


def test_a_spoiled_recording_is_shown_up_to_the_bad_move_and_refused_there(games: Path, capsys: Capture) -> None:
    words = json.loads(games.read_text().splitlines()[2])["actions"].split()
    spoil(games, 3, f"{words[9]} {words[10]}", f"{words[9]} {words[0]}")
    assert main(["replay", str(games), "--line", "3"]) == 2
    shown = capsys.readouterr()
    assert shown.out.count("\nmove ") == 10
    assert f"{games}, line 3: move 11: seat " in shown.err
    assert shown.err.count("\n") == 1
    assert main(["replay", str(games), "--check"]) == 2
    assert f"{games}, line 3: move 11: seat " in capsys.readouterr().err
    assert main(["replay", str(games), "--line", "2"]) == 0

"""``german-whist play``: whole deals of every game, and what can be typed."""

from __future__ import annotations

import re
from unittest.mock import Mock

import pytest

from german_whist.agents.asking import ask
from german_whist.agents.registry import make_agent
from german_whist.game.actions import action_text
from german_whist.simulator.episode import Episode
from german_whist.simulator.text.events import result_text
from tests.cli.commands import Run
from tests.cli.conftest import Typist
from tests.presets import PRESETS


def lowest_actions(game: str, seat: int, seed: int, deals: int) -> tuple[list[str], list[str], list[str]]:
    """The lowest legal actions of a seat against greedy, as typed, and each deal's result and the score after it."""
    deal, typed, results, scores, won = Episode(game), [], [], [], [0, 0]
    bot, names = make_agent("greedy", deal.rules), ("You", "greedy") if seat == 0 else ("greedy", "You")
    for number in range(deals):
        deal.reset(None if number else seed)
        while deal.legal:
            if deal.turn == seat:
                action = (deal.legal & -deal.legal).bit_length() - 1
                typed.append(action_text(action, deal.rules))
                deal.play(action)
            else:
                deal.play(int(ask(bot, deal.decisions())[0]))
        state, margin = deal.batch.states[0], deal.returns("margin")[0]
        results.append(result_text(state["tricks"], margin, deal.rules, names, low=bool(state["low"])))
        won = [won[0] + (margin > 0), won[1] + (margin < 0)]
        scores.append(f"Deals won: {names[0]} {won[0]}, {names[1]} {won[1]}.")
    return typed, results, scores


@pytest.mark.parametrize("game", PRESETS)
def test_every_game_is_played_to_its_end(game: str, run: Run, type_lines: Typist) -> None:
    seat = len(game) % 2
    typed, results, scores = lowest_actions(game, seat, 5, deals=2)
    asked = type_lines(typed)
    done = run("play", "greedy", "--rules", game, "--seat", str(seat), "--seed", "5", "--deals", "2")
    assert (done.code, done.err) == (0, "")
    assert len(asked) == len(typed)
    lines = done.out.splitlines()
    ends = [place for place, line in enumerate(lines) if line.startswith("Deals won: ")]
    assert [lines[end] for end in ends] == scores
    for end, result in zip(ends, results, strict=True):
        assert lines[end - 1].startswith(result)


@pytest.mark.parametrize("end", [["q"], [EOFError], [KeyboardInterrupt]])
def test_end_of_input_leaves_the_table(end: list[object], run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", Mock(side_effect=end))
    assert run("play", "--seed", "1", "--seat", "1").out.endswith("\nYou leave the table.\n")


def test_illegal_input_plays_nothing(run: Run, type_lines: Typist) -> None:
    asked = type_lines(["?", "", "hello", "S1", "take", "SA", "q"])
    text = run("play", "random", "--rules", "draft", "--seed", "3", "--seat", "1").out
    assert len(asked) == 7
    assert "'hello' is not a card" in text
    assert "'S1' is not a card" in text
    assert "There is nothing to take now" in text
    assert "You do not hold the ace of spades: you may play ST" in text
    assert "You lead" not in text


def test_opponent_hand_is_hidden(run: Run, type_lines: Typist) -> None:
    type_lines(["q"])
    shown = run("play", "random", "--seed", "6").out
    assert re.search(r"^  random +♠ - +♥ - +♦ - +♣ - +\+ \d+ unseen$", shown, re.MULTILINE)
    assert re.search(r"^▶ You +♠ \w+", shown, re.MULTILINE)

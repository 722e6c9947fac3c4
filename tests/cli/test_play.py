"""``german-whist play``: whole deals of every game, and everything that can be typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from german_whist.cli import main
from german_whist.cli.commands.play import parse_action
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.actions import parse_action as action_of
from german_whist.envs.engine.cards import cards_of, parse_card, parse_deck
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.events import action_events, result_sentence
from german_whist.evaluation.recording import read_recordings
from tests.agents.process.bots import bot
from tests.cli.conftest import Typist


class Copycat:
    """Types the actions of a recording of the same deals, one per prompt."""

    def __init__(self, path: Path, seat: int) -> None:
        self.recordings = list(read_recordings(path))
        self.seat = seat

    def __iter__(self) -> Iterator[str]:
        for recording in self.recordings:
            steps = recording.steps()
            for action in recording.actions:
                if int(next(steps).turn[0]) == self.seat:
                    yield action_text(action, recording.rules)


def evaluated(tmp_path: Path, game: str, seat: int, deals: int = 2, seed: int = 5) -> Copycat:
    """The actions of greedy in a seat against random, as recorded by ``evaluate``."""
    path = tmp_path / "games.jsonl"
    agents = ["random", "greedy"]  # the first agent has seat 0 in the first game of each deal
    command = ["evaluate", *agents, "--rules", game, "--deals", str(deals), "--seed", str(seed), "--record", str(path)]
    assert main(command) == 0
    copycat = Copycat(path, seat)
    its = 1 - seat  # the seat of random
    copycat.recordings = [r for r in copycat.recordings if r.names[its] == "random"]
    return copycat


@pytest.mark.parametrize("game", rule_names())
def test_typing_what_an_agent_played_gives_the_deals_that_evaluate_played(
    game: str, type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seat = len(game) % 2
    copycat = evaluated(tmp_path, game, seat)
    capsys.readouterr()
    type_lines(copycat)
    path = tmp_path / "mine.jsonl"
    command = ["play", "random", "--rules", game, "--seat", str(seat), "--deals", "2", "--seed", "5"]
    assert main([*command, "--record", str(path)]) == 0
    played = list(read_recordings(path))
    assert [r.actions for r in played] == [r.actions for r in copycat.recordings]
    assert [r.result for r in played] == [r.result for r in copycat.recordings]
    assert {r.names[seat] for r in played} == {"you"}
    text = capsys.readouterr().out
    assert f"German Whist, {game}: you against random." in text
    assert [f"dealt by {'you' if seat == dealer else 'random'}." in text for dealer in (0, 1)] == [True, True]
    assert text.count("Score after") == 2


def test_the_score_adds_up(type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copycat = evaluated(tmp_path, "small", 0, deals=6, seed=9)
    results = [recording.result for recording in copycat.recordings]
    type_lines(copycat)
    assert main(["play", "random", "--rules", "small", "--deals", "6", "--seed", "9"]) == 0
    mine = sum(result.points for result in results if result.margin > 0)
    theirs = -sum(result.points for result in results if result.margin < 0)
    won, lost = (sum(sign * result.margin > 0 for result in results) for sign in (1, -1))
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == f"Score after 6 deals: You {mine:g} points, {won} won; random {theirs:g} points, {lost} won."


def test_a_match_ends_when_it_is_won(type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copycat = evaluated(tmp_path, "tiny", 0, deals=40, seed=1)

    def with_pauses() -> Iterator[str]:
        for recording in copycat.recordings:
            one = Copycat.__new__(Copycat)
            one.recordings, one.seat = [recording], 0
            yield from one
            yield ""

    asked = type_lines(with_pauses())
    assert main(["play", "random", "--rules", "tiny", "--match", "best_of:3", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    winner, score = re.search(r"(\w+) wins? the match, (\d) to \d\.$", text.strip()).groups()  # type: ignore[union-attr]
    assert score == "2"
    assert re.search(rf"{winner} [\d.]+ points, 2 won", text)
    assert "Enter" in " ".join(asked)


@pytest.mark.parametrize("end", ["q", " QUIT ", EOFError, KeyboardInterrupt])
@pytest.mark.parametrize("rules", ["classic", "humbug", "draft"])
def test_a_word_the_end_of_the_input_and_ctrl_c_quit_at_any_prompt(
    end: Any, rules: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", Mock(side_effect=[end]))
    assert main(["play", "--rules", rules, "--seed", "1", "--seat", "1"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("You leave the table.")


def test_quitting_keeps_the_finished_deals(
    type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copycat = evaluated(tmp_path, "tiny", 0, deals=1)
    type_lines([*copycat, "", "?", "q"])
    path = tmp_path / "mine.jsonl"
    assert main(["play", "random", "--rules", "tiny", "--seed", "5", "--record", str(path)]) == 0
    assert len(list(read_recordings(path))) == 1
    text = capsys.readouterr().out
    assert text.rstrip().splitlines()[-1].startswith("Score after 1 deal: You ")
    assert "Deal 2, dealt by random." in text


def test_help_and_invalid_input_play_no_card(type_lines: Typist, capsys: pytest.CaptureFixture[str]) -> None:
    asked = type_lines(["?", "help", "", "hello", "S1", "take", "q"])
    assert main(["play", "--seed", "1", "--seat", "0"]) == 0
    text = capsys.readouterr().out
    assert asked == ["your card: "] * 7
    assert text.count("SA or s a is the ace of spades") == 2
    assert "HELLO is not a card" in text
    assert "S1 is not a card" in text


# Seat 0 deals and follows: it holds C2 C4 C5 C7 H6 D3 D4 S6 SJ … and CA is led; trumps are spades.
DECK = (
    "CA C2 C3 C4 HK C5 C6 C7 H5 H6 D2 D3 DA D4 S7 S6 ST SJ H2 H3 D9 DT S2 S3 C9 CK "
    "SA S4 S5 S8 S9 SQ SK C8 CT CJ CQ D5 D6 D7 D8 DJ DQ DK H4 H7 H8 H9 HT HJ HQ HA"
)


def table(game: str = "classic", *words: str) -> DealBatch:
    """A deal with these cards, after some actions."""
    made = rules(game)
    batch = DealBatch(made)
    batch.deal_decks([parse_deck(DECK, made.cards)], [0])
    for word in words:
        batch.step([action_of(word, made)])
    return batch


@pytest.mark.parametrize(("word", "card"), [("ST", "ST"), ("TS", "ST"), ("S10", "ST"), ("10S", "ST"), ("♥K", "HK")])
def test_the_leader_may_type_a_card_in_many_ways(word: str, card: str) -> None:
    assert parse_action(word, table()) == parse_card(card)


LEADER = "ST, S7, S2, HK, H5, H2, DA, D9, D2, CA, C9, C6 or C3"  # what seat 1 holds
REFUSED: list[tuple[DealBatch, str, str]] = [
    (table("classic", "CA"), "SJ", "You must follow clubs: you may play CK, C7, C5, C4 or C2."),
    (table("classic", "CA"), "CA", "You do not hold the ace of clubs: you may play CK, C7, C5, C4 or C2."),
    (table("classic"), "SA", f"You do not hold the ace of spades: you may play {LEADER}."),
    (table("classic"), "XX", "XX is not a card: type suit and rank, such as SA, or ? for help"),
    (table("draft", "CA", "C2"), "HK", "Take the ace of spades, or leave it: take or leave."),
    (table("humbug"), "CA", "Keep your hand, or swap it for a blind one: keep or swap."),
    (table("open_stock", "CA", "C2"), "HK", "Pick one of the face-up cards: SA or S4."),
]


@pytest.mark.parametrize(("deal", "word", "message"), REFUSED)
def test_illegal_actions_are_refused_with_the_reason(deal: DealBatch, word: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_action(word, deal)


@pytest.mark.parametrize(
    ("deal", "word", "action"),
    [
        (table("draft", "CA", "C2"), "TAKE", 52),
        (table("humbug"), "K", 52),
        (table("humbug"), "SWAP", 53),
        (table("open_stock", "CA", "C2"), "S4", parse_card("S4")),
    ],
)
def test_choices_are_words_letters_or_the_open_card(deal: DealBatch, word: str, action: int) -> None:
    assert parse_action(word, deal) == action


@pytest.mark.parametrize("game", rule_names())
def test_every_legal_action_and_no_other_is_understood(game: str) -> None:
    for seed in range(3):
        deal = DealBatch(game, 1, seed)
        rng = np.random.default_rng(seed)
        while not deal.done[0]:
            legal, choice = int(deal.legal()[0]), bool(deal.views()[0]["choice"])
            for action in range(deal.rules.num_actions):
                word = action_text(action, deal.rules).upper()
                if legal >> action & 1:
                    assert parse_action(word, deal) == action
                elif not (game == "draft" and choice):  # there the face-up card's name means to take it
                    with pytest.raises(ValueError, match=r"\w"):
                        parse_action(word, deal)
            deal.step([int(rng.choice(list(cards_of(legal))))])


@pytest.mark.parametrize("game", ["small", "draft", "humbug", "no_trump", "open_stock", "high_low"])
def test_every_action_and_the_result_are_told_as_the_seat_saw_them(
    game: str, type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    type_lines(evaluated(tmp_path, game, 1, deals=1))
    capsys.readouterr()
    path, names = tmp_path / "mine.jsonl", ("random", "You")
    command = ["play", "random", "--rules", game, "--seat", "1", "--deals", "1", "--seed", "5", "--record", str(path)]
    assert main(command) == 0
    (recording,) = read_recordings(path)
    states = [batch.states[0].copy() for batch in recording.steps()]
    told: list[str] = []
    for step, action in enumerate(recording.actions):
        events = action_events(rules(game), states[step], states[step + 1], action, step + 1, 1, names)
        told += [event.text for event in events]
    result, low = recording.result, bool(states[-1]["low"])
    told.append(result_sentence(result.tricks, result.margin, result.points, rules(game), names, low=low))
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line in told] == told


def test_the_opponents_hand_is_not_shown(type_lines: Typist, capsys: pytest.CaptureFixture[str]) -> None:
    type_lines(["q"])
    assert main(["play", "random", "--seed", "6", "--seat", "0"]) == 0
    shown: Any = capsys.readouterr().out
    assert "unseen" in shown
    assert re.search(r"^  random +♠ - +♥ - +♦ - +♣ - +\+ \d+ unseen$", shown, re.MULTILINE)
    assert re.search(r"^▶ You +♠ \w+", shown, re.MULTILINE)


def test_a_bot_that_forfeits_ends_its_deal_with_the_reason(
    type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bot prints something else than a card at its first decision."""
    record, agent = tmp_path / "mine.jsonl", bot(tmp_path, "say('no card')")
    words = ["--rules", "tiny", "--seat", "0", "--seed", "5", "--deals", "1", "--record", str(record), "--review"]
    type_lines([])
    assert main(["play", agent, *words]) == 0
    text = capsys.readouterr().out
    assert f"You win: {agent} forfeits the deal (" in text
    assert "Score after 1 deal: You 2 points, 1 won" in text
    assert "cannot be reviewed" in text
    assert list(read_recordings(record)) == []

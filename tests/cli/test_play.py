"""``german-whist play``: whole deals of every game, and everything that can be typed."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from german_whist.arena.recording_file import read_recordings
from german_whist.cli import main
from german_whist.cli.terminal.human_player import parse_action
from german_whist.cli.terminal.play_by_play import describe_action
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import card_text, cards_of, parse_card
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.simulator.batch import DealBatch
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
    assert f"German Whist, {game}: you (player_{seat}) against random." in text
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
    assert last == f"Score after 6 deals: you {mine:g} points, {won} won; random {theirs:g} points, {lost} won."


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
    assert re.search(rf"{winner.lower()} [\d.]+ points, 2 won", text)
    assert "Enter" in " ".join(asked)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["--deals", "0"], "deals 0 is not allowed: a whole number from 1"),
        (["--rules", "clasic"], "did you mean 'classic'"),
        (["--seat", "2"], "--seat"),
        (["--seed", "-1"], "seed -1"),
        (["--seed", "one"], "--seed: 'one' is not a whole number"),
        (["--match", "best_of:2"], "best_of:2"),
        (["--match", "best_of:3", "--deals", "2"], "not allowed with"),
        (["--record", "no/such/folder/x"], "cannot be written"),
    ],
)
def test_bad_settings_are_refused_in_one_line(
    settings: list[str], message: str, capsys: pytest.CaptureFixture[str], type_lines: Typist
) -> None:
    type_lines([])
    assert main(["play", *settings]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_unknown_opponent_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "heuristik"]) == 2
    assert "did you mean 'heuristic'" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["q", "Q", "quit", " q "])
def test_q_quits_at_any_prompt(word: str, type_lines: Typist, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["play"], ["play", "--rules", "humbug", "--seat", "1"], ["play", "--rules", "draft"]):
        type_lines([word])
        assert main([*command, "--seed", "1"]) == 0
        assert capsys.readouterr().out.rstrip().endswith("You leave the table.")


def test_the_end_of_the_input_quits(type_lines: Typist, capsys: pytest.CaptureFixture[str]) -> None:
    type_lines([])
    assert main(["play", "--seed", "1"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("You leave the table.")


def test_ctrl_c_quits(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(question: str = "") -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    assert main(["play", "--seed", "1"]) == 0
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
    assert text.rstrip().splitlines()[-1].startswith("Score after 1 deal: you ")
    assert "Deal 2, dealt by random." in text


def test_without_a_seed_every_session_has_its_own_deals(type_lines: Typist, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for _ in range(2):
        type_lines(["q"])
        assert main(["play"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] != texts[1]


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
    batch = DealBatch(game, 1)
    batch.deal_decks([DECK], [0])
    for word in words:
        batch.step([{"take": 52, "leave": 53, "keep": 52, "swap": 53}.get(word) or parse_card(word)])
    return batch


def meaning(word: str, batch: DealBatch) -> int:
    return parse_action(word, batch.views()[0], batch.rules)


@pytest.mark.parametrize(("word", "card"), [("ST", "ST"), ("TS", "ST"), ("S10", "ST"), ("10S", "ST"), ("♥K", "HK")])
def test_the_leader_may_type_a_card_in_many_ways(word: str, card: str) -> None:
    assert meaning(word, table()) == parse_card(card)


REFUSED: list[tuple[DealBatch, str, str]] = [
    (table("classic", "CA"), "SJ", r"^you must follow clubs: C2 C4 C5 C7 CK$"),
    (table("classic", "CA"), "CA", r"^you do not hold CA$"),
    (table("classic", "CA"), "C3", r"^you do not hold C3$"),
    (table("classic"), "SA", r"^you do not hold SA$"),
    (table("classic"), "XX", r"^XX is not a card: type suit and rank, such as SA, or \? for help$"),
    (table("draft"), "TAKE", r"^there is nothing to take now: play a card$"),
    (table("draft", "CA", "C2"), "HK", r"^choose take or leave now$"),
    (table("draft", "CA", "C2"), "X", r"^choose take or leave now$"),
    (table("humbug"), "CA", r"^choose keep or swap now$"),
    (table("open_stock", "CA", "C2"), "HK", r"^HK is not face up: pick one of S4 SA$"),
]


@pytest.mark.parametrize(("batch", "word", "message"), REFUSED)
def test_illegal_actions_are_refused_with_the_reason(batch: DealBatch, word: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        meaning(word, batch)


@pytest.mark.parametrize(
    ("batch", "word", "action"),
    [
        (table("draft", "CA", "C2"), "TAKE", 52),
        (table("draft", "CA", "C2"), "L", 53),
        (table("draft", "CA", "C2"), "SA", 52),
        (table("humbug"), "K", 52),
        (table("humbug"), "SWAP", 53),
        (table("open_stock", "CA", "C2"), "S4", parse_card("S4")),
    ],
)
def test_choices_are_words_letters_or_the_open_card(batch: DealBatch, word: str, action: int) -> None:
    assert meaning(word, batch) == action


@pytest.mark.parametrize("game", rule_names())
def test_every_legal_action_and_no_other_is_understood(game: str) -> None:
    for seed in range(3):
        batch = DealBatch(game, 1, seed)
        rng = np.random.default_rng(seed)
        while not batch.done[0]:
            view, legal = batch.views()[0], int(batch.legal()[0])
            for action in range(batch.num_actions):
                word = action_text(action, batch.rules).upper()
                if legal >> action & 1:
                    assert parse_action(word, view, batch.rules) == action
                elif not (game == "draft" and view["choice"]):  # there the face-up card's name means to take it
                    with pytest.raises(ValueError, match=r"\w"):
                        parse_action(word, view, batch.rules)
            batch.step([int((rng.random(batch.num_actions) * batch.action_mask()[0]).argmax())])


def sentences(game: str, action: str, *words: str, seat: int | None = None) -> list[str]:
    before = table(game, *words)
    after = table(game, *words, action)
    number = {"take": 52, "leave": 53, "keep": 52, "swap": 53}.get(action) or parse_card(action)
    return describe_action(before.states[0], after.states[0], number, before.rules, ["you", "Ann"], seat)


def test_actions_are_described_in_sentences() -> None:
    assert sentences("classic", "CA") == ["Ann plays CA."]
    trick = ["You play C2.", "Ann wins the trick.", "Ann takes SA."]
    assert sentences("classic", "C2", "CA") == [*trick, "You draw S4 unseen."]
    assert sentences("classic", "C2", "CA", seat=0) == [*trick, "You draw S4 unseen."]
    assert sentences("classic", "C2", "CA", seat=1) == [*trick, "You draw a card unseen."]
    assert sentences("draft", "leave", "CA", "C2") == ["Ann leaves SA.", "Ann draws S4 unseen.", "You take SA."]
    assert sentences("draft", "take", "CA", "C2", seat=1) == ["Ann takes SA.", "You draw a card unseen."]
    assert sentences("open_stock", "S4", "CA", "C2", seat=0) == ["Ann takes S4.", "You draw S5 unseen."]
    assert sentences("humbug", "swap") == ["Ann swaps the hand for a blind one."]
    assert sentences("humbug", "keep", "swap") == ["You keep the hand."]
    drawn = sentences("no_trump", "C2", "CA", seat=0)
    assert drawn == ["You play C2.", "Ann wins the trick.", "Ann draws a card unseen.", "You draw S4 unseen."]


@pytest.mark.parametrize("game", ["classic", "draft", "humbug", "no_trump", "open_stock"])
def test_descriptions_never_name_a_card_that_the_seat_does_not_see(game: str) -> None:
    batch = DealBatch(game, 1, seed=4)
    rng = np.random.default_rng(4)
    while not batch.done[0]:
        action = int((rng.random(batch.num_actions) * batch.action_mask()[0]).argmax())
        before = batch.states[0].copy()
        batch.step([action])
        for seat in range(2):
            view = batch.views([0], [seat])[0]
            hidden = {card_text(card) for card in cards_of(int(view["unseen"]))}
            text = " ".join(describe_action(before, batch.states[0], action, batch.rules, ["Bob", "Ann"], seat))
            assert not hidden & set(re.findall(r"[CDHS][2-9TJQKA]", text))


def test_the_opponents_hand_is_not_shown(type_lines: Typist, capsys: pytest.CaptureFixture[str]) -> None:
    type_lines(["q"])
    assert main(["play", "random", "--seed", "6", "--seat", "0"]) == 0
    shown: Any = capsys.readouterr().out
    assert "unseen" in shown
    assert shown.count("player_1") == 1


def test_a_bot_that_forfeits_ends_its_deal_with_the_reason(
    type_lines: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bot prints something else than a card at its first decision."""
    path = tmp_path / "bot.py"
    path.write_text(
        "import sys\n"
        "sys.stdin.readline()\n"
        'print(\'{"type": "ready", "protocol": 1}\', flush=True)\n'
        "sys.stdin.readline()\n"
        "print('no card', flush=True)\n",
        encoding="utf-8",
    )
    record = tmp_path / "mine.jsonl"
    words = ["--rules", "tiny", "--seat", "0", "--seed", "5", "--deals", "1", "--record", str(record), "--review"]
    type_lines([])
    agent = f"process:{shlex.join([sys.executable, str(path)])}"
    assert main(["play", agent, *words]) == 0
    text = capsys.readouterr().out
    assert f"You win: {agent} forfeits the deal (" in text
    assert "Score after 1 deal: you 2 points, 1 won" in text
    assert list(read_recordings(record)) == []

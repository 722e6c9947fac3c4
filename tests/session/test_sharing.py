"""Deals as text and as links, and the lesson."""

from __future__ import annotations

import base64
import re
import zlib
from pathlib import Path

import pytest

from german_whist.cli import main
from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.rules import rule_names
from german_whist.evaluation.recording import Recording, read_recordings
from german_whist.session.coach.replays import swap_seats
from german_whist.session.deal.events import deal_events
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import IllegalAction
from german_whist.session.lesson import lesson_data
from german_whist.session.saved import lesson_session
from german_whist.session.shared_deals import MAX_TEXT, code_of, open_recordings, read_deals
from tests.session.playing import play, reload, session


def lines(game: str = "small", deals: int = 2) -> str:
    made = session(game, seed=7)
    for number in range(deals):
        if number:
            made.next_deal()
            made.reply()
        play(made)
    return "\n".join(made.recording(place).to_line() for place in range(deals))


@pytest.mark.parametrize("game", rule_names())
def test_a_recording_and_its_code_hold_the_same_deals(game: str) -> None:
    text = lines(game)
    assert read_deals(text) == read_deals(code_of(text)) == read_deals(f"\n{text}\n\n")
    opened = open_recordings(read_deals(text))
    assert [one.deal.actions for one in opened.finished] == [list(one.actions) for one in read_deals(text)]
    assert opened.over
    assert not opened.waits_for_agent
    restored = reload(opened)
    assert [one.deal.actions for one in restored.finished] == [one.deal.actions for one in opened.finished]


def test_a_file_of_recorded_games_is_read(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert main(["evaluate", "greedy", "random", "--deals", "2", "--rules", "small", "--record", str(path)]) == 0
    text = path.read_text()
    assert read_deals(text) == read_deals(code_of(text)) == list(read_recordings(path))
    with pytest.raises(ValueError, match=r"^the number of recordings must be an integer from 1 to 100, got 0"):
        read_deals("\n")


def test_the_address_of_a_deal_is_shared_only_if_asked_for() -> None:
    made = play(session(seed=7))
    assert made.recording(0).deal is None
    assert made.recording(0, address=True).deal == (7, 0)
    assert made.recording(0, address=True).replay().states["tricks"].tolist() == [made.deal.state["tricks"].tolist()]


def test_who_is_you_in_a_recording() -> None:
    recordings = read_deals(lines(deals=1))
    by_default = open_recordings(recordings)
    assert (by_default.seat, by_default.person, by_default.title) == (0, "You", "Textbook")
    other = open_recordings(recordings, 1)
    assert (other.seat, other.person, other.title) == (1, "Textbook", "You")
    assert by_default.names == other.names == ("You", "Textbook")


def test_the_person_is_addressed_from_the_other_seat_too() -> None:
    opened = open_recordings(read_deals(lines(deals=1)), 1)
    told = [event.text for event in deal_events(opened.deal, opened.seat, opened.names)]
    assert any(re.fullmatch(r"You (lead|play) the [\w ]+\.", text) for text in told)
    assert not [text for text in told if re.match(r"you\b|You \w+s\b", text)]


def test_the_agent_that_plays_on_from_a_recording_has_its_own_name() -> None:
    text = lines(deals=1).replace('"heuristic"', '"Ann"')
    opened = open_recordings(read_deals(text))
    assert opened.title == "Ann"
    assert swap_seats(opened, 0).title == "Textbook, perfect endgame"


@pytest.mark.parametrize("game", rule_names())
@pytest.mark.parametrize("turned", [0, 1])
def test_players_who_change_seats_between_deals_keep_their_names(game: str, turned: int) -> None:
    recordings = read_deals(lines(game))
    one = recordings[turned]
    other_seats = TableDeal(one.rules, one.deck or (), 1 - one.dealer, one.actions).recording(one.names[::-1])
    assert other_seats.result.margin == -one.result.margin
    alternating = [other_seats if place == turned else recording for place, recording in enumerate(recordings)]
    opened = open_recordings(alternating)
    sign = 1 if opened.seat == 0 else -1
    assert {opened.names[opened.seat]} == {"You"}
    assert [sign * deal.result.margin for deal in opened.finished] == [one.result.margin for one in recordings]
    assert [deal.deal.actions for deal in opened.finished] == [list(one.actions) for one in recordings]


def test_deals_of_other_players_are_no_game() -> None:
    mine, theirs = lines(deals=1), lines(deals=1).replace('"heuristic"', '"Ann"')
    with pytest.raises(ValueError, match=r"recording 1: heuristic and you play it, but Ann and you the last one"):
        open_recordings(read_deals(f"{mine}\n{theirs}"))


def test_the_hash_of_an_opened_deal_outlives_a_restart() -> None:
    opened = open_recordings(read_deals(lines()))
    restored = reload(opened)
    assert (restored.commitment, restored.disclosure) == (opened.commitment, opened.disclosure)


def test_a_recording_never_names_a_file_to_load() -> None:
    text = lines(deals=1).replace('"heuristic"', '"checkpoint:/etc/passwd"')
    assert open_recordings(read_deals(text)).settings.agent == "heuristic+exact"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the number of recordings must be an integer from 1 to 100, got 0"),
        ("{}", "missing"),
        ("hello", "neither"),
        ("hello there", "not JSON"),
        (code_of("x" * (MAX_TEXT + 1)), "damaged, or holds more"),
        (base64.urlsafe_b64encode(zlib.compress(b"\xff")).decode().rstrip("="), "neither"),
        (lines(deals=1).replace('margin":', 'margin":1'), r"margin"),
        (lines("small", 1) + "\n" + lines("tiny", 1), "different games"),
        ("\n".join([lines("tiny", 1)] * 101), "the number of recordings must be an integer from 1 to 100, got 101"),
    ],
)
def test_what_is_no_recording_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_deals(text)


def test_the_lesson_leads_through_a_deal_and_takes_only_what_it_asks_for() -> None:
    made, asked = lesson_session(), 0
    while not made.deal.done:
        data = lesson_data(made.deal)
        legal = [action for action in range(52) if made.deal.legal >> action & 1]
        wanted = [parse_action(word, made.deal.rules) for word in data["wanted"] or []]
        for action in set(legal) - set(wanted) if wanted else ():
            with pytest.raises(IllegalAction, match="Not yet: play the"):
                made.act(action)
        asked += bool(wanted)
        made.act((wanted or legal[::-1])[-1])
        made.reply()
        made = reload(made)
    assert asked == 5
    assert lesson_data(made.deal)["done"]
    assert made.deal.result().margin == 2


def test_a_recording_of_the_lesson_replays() -> None:
    made = lesson_session()
    while not made.deal.done:
        data = lesson_data(made.deal)
        legal = [action for action in range(52) if made.deal.legal >> action & 1]
        made.act(parse_action(data["wanted"][0], made.deal.rules) if data["wanted"] else legal[-1])
        made.reply()
    assert Recording.from_line(made.recording(0).to_line()).replay()

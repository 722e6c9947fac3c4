"""Recordings: what is written is what was played, and nothing else can be read or replayed."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import german_whist as gw
from german_whist.envs.simulator.batch import DealBatch
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import DealResult, Recording, read_recording, read_recordings, writing_recordings
from tests.strategies import games, seeds


def recorded(game: Any, seed: int = 3, index: int = 4, dealer: int | None = None, deck: bool = False) -> Recording:
    """A deal of random play."""
    batch = DealBatch(game, 1, seed, first=index)
    cards = batch.states["deck"][0, : len(batch.rules.cards)].tolist()
    dealer = index % 2 if dealer is None else dealer
    batch.deal_decks([cards], [dealer])
    rng, actions = np.random.default_rng(seed % 2**32), []
    while not batch.done[0]:
        actions.append(int((rng.random(batch.num_actions) * batch.action_mask()[0]).argmax()))
        batch.step(actions[-1:])
    address = {"deck": tuple(cards)} if deck else {"deal": (seed, index)}
    return Recording(batch.rules, dealer, ("me", "you"), tuple(actions), DealResult.of(batch), **address)  # type: ignore[arg-type]


def line_with(change: Callable[[dict[str, Any]], Any], recording: Recording | None = None) -> str:
    fields = json.loads((recording or recorded("classic")).to_line())
    change(fields)
    return json.dumps(fields)


def matches(path: Path, game: str = "classic", deals: int = 5, **settings: Any) -> list[Recording]:
    with writing_recordings(path) as record:
        play_match("random", "heuristic", deals=deals, seed=2, rules=game, record=record, **settings)
    return list(read_recordings(path))


@settings(max_examples=60)
@given(games(), seeds, seeds, st.booleans(), st.sampled_from([None, 0, 1]))
def test_a_recording_survives_its_line_and_replays(
    game: gw.Rules, seed: int, index: int, deck: bool, dealer: int | None
) -> None:
    recording = recorded(game, seed, index, dealer, deck)
    line = recording.to_line()
    assert "\n" not in line
    assert Recording.from_line(line) == recording
    final = recording.replay()
    assert final.done[0]
    assert DealResult.of(final) == recording.result


def test_the_line_of_a_tiny_deal_reads_as_it_should() -> None:
    assert recorded("tiny", 1, 0).to_line() == (
        '{"version":1,"rules":{"suits":2,"ranks":4,"hand":2,"stock":4},"deal":[1,0],"dealer":0,"names":["me","you"],'
        '"actions":"CQ CK CJ CA DK DA DQ DJ","result":{"margin":2,"points":2.0,"tricks":[[1,1],[2,0]]}}'
    )


def test_a_recording_says_after_which_move_the_rest_was_claimed() -> None:
    claimed = dataclasses.replace(CLASSIC, claimed=40)
    assert '"claimed":40,"result"' in claimed.to_line()
    assert Recording.from_line(claimed.to_line()) == claimed
    for wrong in (52, -1, 1.5, "40"):
        with pytest.raises(ValueError, match=r"^recording: claimed must be the number of a move but the last, got "):
            Recording.from_line(line_with(lambda fields, wrong=wrong: fields.update(claimed=wrong)))  # type: ignore[misc]


def test_a_match_records_both_games_of_every_deal_with_the_seats_swapped(tmp_path: Path) -> None:
    recordings = matches(tmp_path / "games.jsonl", "draft")
    assert [recording.deal for recording in recordings] == [(2, index) for index in range(5) for _ in range(2)]
    assert [recording.names for recording in recordings] == [("random", "heuristic"), ("heuristic", "random")] * 5
    assert [recording.dealer for recording in recordings] == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]


@pytest.mark.parametrize("game", ["classic", "race", "humbug"])
def test_recording_changes_no_result_and_the_batch_size_no_recording(game: str) -> None:
    plain = play_match("random", "heuristic", deals=12, seed=9, rules=game)
    written = []
    for size in (1, 5, 2048):
        recordings: list[Recording] = []
        settings = {"deals": 12, "seed": 9, "rules": game, "batch_size": size}
        assert play_match("random", "heuristic", **settings, record=recordings.append) == plain  # type: ignore[arg-type]
        written.append(recordings)
    assert written[0] == written[1] == written[2]


def test_a_deal_by_the_other_dealer_than_its_address_says_is_replayed_with_that_dealer() -> None:
    recording = recorded("classic", seed=8, index=2, dealer=1)
    start = recording.start()
    assert start.states["dealer"].tolist() == [1]
    other = recorded("classic", seed=8, index=2).start()
    assert start.states["deck"].tolist() == other.states["deck"].tolist()
    assert start.states["hands"].tolist() == other.states["hands"][:, ::-1].tolist()


CLASSIC = recorded("classic")  # 52 actions


def with_actions(actions: tuple[int, ...]) -> Recording:
    return dataclasses.replace(CLASSIC, actions=actions)


def test_an_illegal_action_is_named_with_its_move_and_what_was_allowed() -> None:
    actions = list(CLASSIC.actions)
    actions[30] = actions[3]  # a card that has been played
    with pytest.raises(
        ValueError, match=r"^move 31: seat [01] \((me|you)\) cannot play \w\w: it may play \w\w( \w\w)*$"
    ):
        with_actions(tuple(actions)).replay()
    humbug = recorded("humbug")
    with pytest.raises(ValueError, match=r"^move 1: seat 1 \(you\) cannot play C2: it may play keep or swap$"):
        dataclasses.replace(humbug, actions=(0, *humbug.actions[1:])).replay()
    with pytest.raises(ValueError, match=r"^move 1: seat 1 \(you\) cannot play 77: "):
        with_actions((77, *CLASSIC.actions[1:])).replay()


def test_a_deal_that_stops_early_or_goes_on_is_refused_at_its_move() -> None:
    with pytest.raises(ValueError, match=r"^move 52 is missing: the deal is not finished after 51 moves$"):
        with_actions(CLASSIC.actions[:-1]).replay()
    with pytest.raises(ValueError, match=r"^move 1 is missing"):
        with_actions(()).replay()
    with pytest.raises(ValueError, match=r"^move 53: the deal was finished after move 52, but 2 more follow$"):
        with_actions((*CLASSIC.actions, 1, 2)).replay()


@pytest.mark.parametrize(("field", "value"), [("margin", 13), ("points", 0.5), ("tricks", ((0, 13), (0, 13)))])
def test_a_result_that_was_not_played_is_refused(field: str, value: Any) -> None:
    wrong = dataclasses.replace(CLASSIC.result, **{field: value})
    with pytest.raises(ValueError, match=rf"^the deal ends after move 52 with {field} .+, but .+ is recorded$"):
        dataclasses.replace(CLASSIC, result=wrong).replay()


BAD_LINES: dict[str, tuple[str, str]] = {
    "nothing": ("", "truncated"),
    "a list": ("[]", r"must be an object, got \[\]"),
    "brackets": ("[" * 100_000, "truncated|nested too deeply"),
    "two lines in one": (CLASSIC.to_line() * 2, "not JSON"),
    "a later version": (line_with(lambda f: f.update(version=2)), "version 2 is not supported: only 1 is"),
    "version true": (line_with(lambda f: f.update(version=True)), "version True is not supported"),
    "no result": (line_with(lambda f: f.pop("result")), "'result' is missing"),
    "no cards": (line_with(lambda f: f.pop("deal")), "exactly one of deal and deck"),
    "a typing slip": (line_with(lambda f: f.update(dealr=0)), "unknown field of a recording 'dealr': did you mean"),
    "rules by name": (line_with(lambda f: f.update(rules="classic")), "recording: rules must be an object"),
    "an unknown rule": (line_with(lambda f: f["rules"].update(hnd=3)), "unknown rules field 'hnd'"),
    "impossible rules": (line_with(lambda f: f["rules"].update(stock=25)), "stock=25"),
    "an address of one": (line_with(lambda f: f.update(deal=[3])), r"deal must be \[seed, index\], got \[3\]"),
    "dealer 2": (line_with(lambda f: f.update(dealer=2)), "dealer must be 0 or 1, got 2"),
    "dealer true": (line_with(lambda f: f.update(dealer=True)), "dealer must be 0 or 1, got True"),
    "a name of nothing": (line_with(lambda f: f.update(names=["", "b"])), "names"),
    "a name that writes on the terminal": (line_with(lambda f: f.update(names=["\x1b[2J", "b"])), "printable"),
    "an action of another game": (line_with(lambda f: f.update(actions="SA take")), "move 2: 'take' is not a card"),
    "a short deck": (line_with(lambda f: (f.pop("deal"), f.update(deck="SA SK"))), "deck: 2 cards given, 52 needed"),
    "both deal and deck": (line_with(lambda f: f.update(deck=" ".join(
        f"{suit}{rank}" for suit in "CDHS" for rank in "23456789TJQKA"))), "exactly one of deal and deck"),
    "a margin in words": (line_with(lambda f: f["result"].update(margin="3")), "margin must be an integer, got '3'"),
    "a margin without end": (CLASSIC.to_line().replace('"margin":', '"margin":1e999,"x":'), "unknown field|margin"),
    "points that are no number": (CLASSIC.to_line().replace('"points":', '"points":NaN,"x":'), "NaN is not a number"),
    "tricks in words": (line_with(lambda f: f["result"].update(tricks=["ab", "cd"])), "tricks"),
    "5,000 digits": (CLASSIC.to_line().replace('"dealer":', '"dealer":' + "1" * 5000 + ',"x":'), "recording"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_line_that_is_no_recording_is_refused_with_its_number(kind: str, tmp_path: Path) -> None:
    line, message = BAD_LINES[kind]
    with pytest.raises(ValueError, match=message) as caught:
        Recording.from_line(line)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{CLASSIC.to_line()}\n{CLASSIC.to_line()}\n{line or '{'}\n")
    with pytest.raises(ValueError, match=r"bad\.jsonl, line 3: "):
        list(read_recordings(path))


@settings(max_examples=150)
@given(st.data())
def test_a_changed_letter_is_harmless_or_refused(data: st.DataObject) -> None:
    line = CLASSIC.to_line()
    place = data.draw(st.integers(0, len(line) - 1))
    letter = data.draw(st.sampled_from('0123456789CDHSA"[]{},: -tT'))
    changed = line[:place] + letter + line[place + 1 :]
    try:
        recording = Recording.from_line(changed)
        recording.replay()
    except ValueError:
        return  # refused, which is as good
    else:
        assert dataclasses.replace(recording, names=CLASSIC.names) == CLASSIC


def test_reading_verifies_by_default(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"{CLASSIC.to_line()}\n\n{with_actions(CLASSIC.actions[:-1]).to_line()}\n")
    with pytest.raises(ValueError, match=r"games\.jsonl, line 3: move 52 is missing"):
        list(read_recordings(path))
    assert len(list(read_recordings(path, verify=False))) == 2
    assert read_recording(path, 1) == read_recording(path) == (1, CLASSIC)
    with pytest.raises(ValueError, match=r"line 2: recording"):
        read_recording(path, 2)
    with pytest.raises(ValueError, match=r"line 4 does not exist: the file has 3 lines"):
        read_recording(path, 4)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("old\n")

    def half(record: Callable[[Recording], None]) -> None:
        record(CLASSIC)
        assert path.read_text() == "old\n"
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"), writing_recordings(path) as record:
        half(record)
    assert path.read_text() == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]
    with writing_recordings(path) as record:
        record(CLASSIC)
    assert list(read_recordings(path)) == [CLASSIC]
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize("path", ["no/such/folder/games.jsonl", "."])
def test_a_file_that_cannot_be_written_is_refused_before_a_card_is_played(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be written"), writing_recordings(tmp_path / path):
        pytest.fail("went on")


def test_a_line_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(CLASSIC.to_line() + "\n" + '{"actions": "' + "SA " * 1_000_000 + '"}\n')
    with pytest.raises(ValueError, match=r"line 2: recording: the line has more than 131072 characters$"):
        list(read_recordings(path))
    with pytest.raises(ValueError, match="the line has more than"):
        Recording.from_line(path.read_text())


def a_recording() -> Recording:
    found: list[Recording] = []
    play_match("greedy", "random", deals=1, rules="tiny", seed=3, record=found.append)
    return found[0]


def test_a_position_is_drawn_as_the_environments_draw_it() -> None:
    recording = a_recording()
    env = gw.env("tiny", render_mode="rgb_array")
    env.reset(options={"deal": (3, 0), "dealer": recording.dealer})
    for after in range(len(recording.actions) + 1):
        picture = recording.render(after, seat=None)
        assert (picture.shape, picture.dtype) == ((640, 960, 3), np.uint8)  # type: ignore[union-attr]
        if after < len(recording.actions):
            env.step(recording.actions[after])
    renamed = dataclasses.replace(recording, names=("player_0", "player_1"))
    assert np.array_equal(renamed.render(), env.render())


def test_frames_are_the_positions_in_order() -> None:
    recording = a_recording()
    frames = list(recording.frames(size=(240, 160), seat=1))
    assert len(frames) == len(recording.actions) + 1
    for after, frame in enumerate(frames):
        assert np.array_equal(frame, recording.render(after, size=(240, 160), seat=1))
    assert not np.array_equal(frames[0], recording.render(0, size=(240, 160)))


def test_text_is_drawn_without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = a_recording()
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "german_whist.envs.rendering.table", raising=False)
    monkeypatch.delattr("german_whist.envs.rendering.table", raising=False)
    text = recording.render(render_mode="ansi")
    assert "greedy" in text
    assert "random" in text
    assert recording._repr_html_().startswith("<pre>")
    with pytest.raises(ModuleNotFoundError, match="pictures need Pillow"):
        recording.render()


def test_a_notebook_shows_the_deal_and_what_others_wrote_harms_nothing() -> None:
    recording = dataclasses.replace(a_recording(), names=("<script>", "random"))
    shown = recording._repr_html_()
    assert shown.startswith('<img src="data:image/png;base64,')
    assert "&lt;script&gt; and random, tiny, deal 0 of seed 3: margin" in shown
    assert "<script>" not in shown


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"after": 99}, "after must be an integer from 0 to 8, got 99"),
        ({"render_mode": "human"}, "unknown render mode 'human'"),
        ({"seat": 2}, "seat"),
        ({"size": (10, 10)}, "width of a picture must be an integer from 120 to 8192, got 10"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        a_recording().render(**settings)


def test_a_recording_that_cannot_be_replayed_is_not_drawn() -> None:
    recording = a_recording()
    result = dataclasses.replace(recording.result, margin=recording.result.margin + 2)
    wrong = dataclasses.replace(recording, result=result)
    with pytest.raises(ValueError, match="is recorded"):
        wrong.render()

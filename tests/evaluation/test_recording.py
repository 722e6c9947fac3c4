"""Recordings: what is written is what was played, and nothing else can be read or replayed."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import german_whist as gw
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import DealResult, Recording, read_recordings, writing_recordings
from german_whist.simulator.batch import DealBatch
from tests.players import random_legal
from tests.strategies import games, seeds


def recorded(game: Any, seed: int = 3, index: int = 4, dealer: int | None = None, deck: bool = False) -> Recording:
    """A deal of random play."""
    batch = DealBatch(game, 1, seed, first=index)
    cards = batch.states["deck"][0, : len(batch.rules.cards)].tolist()
    dealer = index % 2 if dealer is None else dealer
    batch.deal_decks([cards], [dealer])
    rng, actions = np.random.default_rng(seed % 2**32), []
    while not batch.done[0]:
        actions += random_legal(batch.action_mask(), rng).tolist()
        batch.step(actions[-1:])
    address = {"deck": tuple(cards)} if deck else {"deal": (seed, index)}
    return Recording(batch.rules, dealer, ("me", "you"), tuple(actions), DealResult.create(batch), **address)  # type: ignore[arg-type]


def line_with(change: Callable[[dict[str, Any]], Any], recording: Recording | None = None) -> str:
    fields = json.loads((recording or recorded("classic")).to_line())
    change(fields)
    return json.dumps(fields)


def matches(path: Path, game: str = "classic", deals: int = 5, **settings: Any) -> list[Recording]:
    with writing_recordings(path) as record:
        play_match("random", "heuristic", deals=deals, seed=2, rules=game, record=record, **settings)
    return list(read_recordings(path))


@settings(max_examples=60)
@given(games(), seeds, seeds, st.booleans(), st.sampled_from([None, 0, 1]), st.none() | st.floats(0, 0.99))
def test_recording_round_trip(
    game: gw.Rules, seed: int, index: int, deck: bool, dealer: int | None, claimed: float | None
) -> None:
    recording = recorded(game, seed, index, dealer, deck)
    if claimed is not None:
        recording = dataclasses.replace(recording, claimed=int(claimed * len(recording.actions)))
    line = recording.to_line()
    assert "\n" not in line
    assert Recording.from_line(line) == recording
    final = recording.replay()
    assert final.done[0]
    assert DealResult.create(final) == recording.result


def test_line_format_is_stable() -> None:
    assert recorded("tiny", 1, 0).to_line() == (
        '{"version":1,"rules":{"suits":2,"ranks":4,"hand":2,"stock":4},"deal":[1,0],"dealer":0,"names":["me","you"],'
        '"actions":"CQ CK CJ CA DK DA DQ DJ","result":{"margin":2,"points":2.0,"tricks":[[1,1],[2,0]]}}'
    )


def test_match_records_its_deals(tmp_path: Path) -> None:
    recordings = matches(tmp_path / "games.jsonl", "draft")
    margins = play_match("random", "heuristic", deals=5, seed=2, rules="draft").margins
    assert [one.result.margin for one in recordings] == (margins * [1, -1]).ravel().tolist()
    assert [recording.deal for recording in recordings] == [(2, index) for index in range(5) for _ in range(2)]
    assert [recording.names for recording in recordings] == [("random", "heuristic"), ("heuristic", "random")] * 5
    assert [recording.dealer for recording in recordings] == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]


CLASSIC = recorded("classic")  # 52 actions


def with_actions(actions: tuple[int, ...]) -> Recording:
    return dataclasses.replace(CLASSIC, actions=actions)


def test_names_that_cannot_be_read_again() -> None:
    with pytest.raises(ValueError, match="printable"):
        dataclasses.replace(CLASSIC, names=("a\tb", "c"))


def test_wrong_number_of_moves() -> None:
    for actions, message in (
        (CLASSIC.actions[:-1], "not finished after 51 moves"),
        ((), "not finished after 0 moves"),
        ((*CLASSIC.actions, 1, 2), "move 53: .* the deal is finished"),
    ):
        with pytest.raises(ValueError, match=message):
            with_actions(actions).replay()


def with_points(text: str) -> str:
    return re.sub(r'"points":[-\d.]+', f'"points":{text}', CLASSIC.to_line())


# A line, and what the error names.
BAD_LINES: dict[str, tuple[str, str]] = {
    "half an object": ("{", "not a JSON object: {"),
    "a list": ("[]", "not a JSON object: []"),
    "a later version": (line_with(lambda f: f.update(version=2)), '"version": 2'),
    "no result": (line_with(lambda f: f.pop("result")), "not the fields"),
    "a typing slip": (line_with(lambda f: f.update(dealr=0)), "not the fields"),
    "impossible rules": (line_with(lambda f: f["rules"].update(stock=25)), "stock=25"),
    "an address of one": (line_with(lambda f: f.update(deal=[3])), '"deal": [3]'),
    "dealer 2": (line_with(lambda f: f.update(dealer=2)), "got 2"),
    "an action of another game": (line_with(lambda f: f.update(actions="SA take")), "'take'"),
    "a short deck": (line_with(lambda f: (f.pop("deal"), f.update(deck="SA SK"))), "2 of 52"),
    "claimed after the end": (line_with(lambda f: f.update(claimed=52)), "got 52"),
    "points that are no number": (with_points("NaN"), "got nan"),
}


@pytest.mark.parametrize(("line", "named"), BAD_LINES.values(), ids=BAD_LINES)
def test_wrong_line_is_named(line: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{CLASSIC.to_line()}\n{CLASSIC.to_line()}\n{line}\n")
    with pytest.raises(ValueError, match=rf"bad\.jsonl, line 3: .*{re.escape(named)}"):
        list(read_recordings(path))


def test_file_is_written_whole(tmp_path: Path) -> None:
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

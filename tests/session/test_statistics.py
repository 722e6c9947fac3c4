"""Statistics: every deal counted once, groups and streaks, and what reviews add."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from german_whist.session.game_session import Session
from german_whist.session.statistics import Statistics
from tests.session.playing import play, session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "statistics.json"


def several(deals: int = 6, agent: str = "greedy") -> Session:
    made = session("tiny", agent, seed=4)
    for number in range(deals):
        if number:
            made.next_deal()
            made.reply()
        play(made)
    return made


def test_every_deal_is_counted_once_however_often_it_is_recorded(path: Path) -> None:
    made, statistics = several(), Statistics(path)
    for _ in range(3):
        statistics.record("one", made)
    statistics = Statistics(path)
    statistics.record("one", made)
    assert statistics.summary()["deals"] == 6
    statistics.record("two", made)
    assert statistics.summary()["deals"] == 12


def test_results_margins_and_streaks_add_up(path: Path) -> None:
    made, statistics = several(12), Statistics(path)
    statistics.record("one", made)
    margins = [one.result.margin for one in made.finished]
    (group,) = statistics.summary()["groups"]
    assert (group["won"], group["drawn"], group["lost"]) == tuple(
        sum(sign(margin) == wanted for margin in margins) for wanted in (1, 0, -1)
    )
    assert group["margin"] == pytest.approx(sum(margins) / 12, abs=0.01)
    longest = max(map(len, "".join("w" if margin > 0 else " " for margin in margins).split()), default=0)
    assert group["streak"]["longest"] == longest
    assert group["accuracy"] is group["luck"] is group["skill"] is None


def sign(margin: int) -> int:
    return (margin > 0) - (margin < 0)


def test_assisted_deals_and_other_opponents_are_groups_of_their_own(path: Path) -> None:
    statistics = Statistics(path)
    helped = session("tiny", "greedy", seed=4)
    helped.ask(lambda deal: {})
    statistics.record("helped", play(helped))
    statistics.record("plain", several(2))
    statistics.record("other", several(2, "random"))
    groups = {(group["agent"], group["assisted"]): group["deals"] for group in statistics.summary()["groups"]}
    assert groups == {("greedy", True): 1, ("greedy", False): 2, ("random", False): 2}


def test_practice_is_not_counted(path: Path) -> None:
    statistics = Statistics(path)
    statistics.record("one", play(session("tiny", kind="practice")))
    assert statistics.summary()["deals"] == 0


def test_a_review_separates_luck_from_skill(path: Path) -> None:
    made, statistics = several(2), Statistics(path)
    statistics.record("one", made)
    statistics.rate("one", 2, 80.0, 1)
    statistics.rate("one", 2, 10.0, 9)  # the first review counts
    statistics.rate("one", 7, 10.0, 9)
    (group,) = Statistics(path).summary()["groups"]
    assert (group["accuracy"], group["luck"]) == (80.0, 1)
    assert group["skill"] == made.finished[1].result.margin - 1


def test_matches_are_counted_when_they_are_won(path: Path) -> None:
    statistics = Statistics(path)
    made = session("tiny", match="best_of:3", seed=3)
    while not made.over:
        if made.deal.done:
            made.next_deal()
            made.reply()
        play(made)
        statistics.record("one", made)
    (match,) = statistics.summary()["matches"]
    assert (match["won"], match["lost"]) == ((1, 0) if made.winner == 0 else (0, 1))


def test_a_match_with_a_hint_in_one_deal_is_assisted(path: Path) -> None:
    statistics = Statistics(path)
    for name, helped in (("plain", False), ("helped", True)):
        made = session("tiny", match="best_of:3", seed=3)
        if helped:
            made.ask(lambda deal: {})
        while not made.over:
            if made.deal.done:
                made.next_deal()
                made.reply()
            play(made)
        statistics.record(name, made)
    assert [(group["assisted"], group["won"] + group["lost"]) for group in statistics.summary()["matches"]] == [
        (False, 1),
        (True, 1),
    ]


def test_what_is_deleted_does_not_come_back(path: Path) -> None:
    made, statistics = several(), Statistics(path)
    statistics.record("one", made)
    statistics.clear()
    statistics.record("one", made)
    assert Statistics(path).summary()["deals"] == 0
    assert json.loads(statistics.export())["deals"] == []


def file_text(name: str, **changed: object) -> str:
    """A file with one deal or match in which some fields are others."""
    one = {"session": "a", "deal": 1, "time": "x", "rules": "tiny", "agent": "greedy", "match": "best_of:3"}
    one |= {"won": True, "margin": 1, "slam": False, "assisted": False, "accuracy": None, "luck": 0.5, **changed}
    return json.dumps({"format": 1, "cleared": "", "deals": [], "matches": [], name: [one]})


def test_a_file_as_it_should_be_is_read(path: Path) -> None:
    for name in ("deals", "matches"):
        path.write_text(file_text(name))
        assert Statistics(path).summary()[name]
        assert not path.with_suffix(".damaged").exists()


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", '{"format": 2}', '{"format": 1}', "[" * 100_000),
        '{"format": 1, "cleared": "", "deals": [1], "matches": []}',
        '{"format": 1, "cleared": "", "deals": 1, "matches": []}',
        '{"format": 1, "cleared": 0, "deals": [], "matches": []}',
        file_text("deals", time=3),
        file_text("deals", session=[]),
        file_text("deals", margin="1"),
        file_text("deals", luck=float("nan")),
        file_text("deals", agent="\ud800"),
        file_text("matches", won=1),
        file_text("matches", session=[]),
        file_text("matches", assisted=0),
        file_text("matches", match={}),
    ],
)
def test_a_damaged_file_is_set_aside(path: Path, text: str) -> None:
    path.write_text(text)
    assert Statistics(path).summary()["deals"] == 0
    assert path.with_suffix(".damaged").read_text() == text
    assert not path.exists()


def test_every_damaged_file_is_kept_under_a_name_of_its_own_and_both_names_are_logged(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for text, name in (
        ("first", "statistics.damaged"),
        ("second", "statistics.damaged-2"),
        ("third", "statistics.damaged-3"),
    ):
        caplog.clear()
        path.write_text(text)
        Statistics(path)
        (record,) = caplog.records
        assert record.levelname == "WARNING"
        assert f"{path} is damaged" in record.message
        assert f"it is now {path.with_name(name)}" in record.message
    assert {one.name: one.read_text() for one in path.parent.iterdir()} == {
        "statistics.damaged": "first",
        "statistics.damaged-2": "second",
        "statistics.damaged-3": "third",
    }


def test_a_file_that_cannot_be_read_now_stays_where_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = file_text("deals")
    path.write_text(text)

    def fail(self: Path) -> bytes:
        raise OSError(5, "Input/output error", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", fail)
        with pytest.raises(OSError, match="Input/output error"):
            Statistics(path)
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert Statistics(path).summary()["deals"] == 1

"""Whole deals of every game: by mouse, by touch and by keyboard, with the decisions that are not cards."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from german_whist.game.rules import rule_names, rules
from tests.browser.conftest import Devices
from tests.browser.playing import RESULT, SIZES, WAYS, play, play_quickly, play_with_keys
from tests.browser.server import Server
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def ways(browser: Any, server: Server, devices: Devices) -> Iterator[dict[str, Table]]:
    """A device for each way of playing."""
    ways = {"mouse": devices[False], "touch": devices[True], "keyboard": Table(browser, server)}
    yield ways
    complaints = [words for table in ways.values() for words in table.complaints]
    ways["keyboard"].close()
    assert complaints == []


def play_whole_deal(ways: dict[str, Table], game: str, way: str) -> None:
    table = ways[way]
    if table.settings != {"singleTap": True}:
        table.visit(settings={"singleTap": True}, **SIZES[way])
    table.go_to(table.create(rules=game, seat=0))
    if way == "keyboard":
        play_with_keys(table)
    else:
        play_quickly(table)
    assert RESULT.fullmatch(table.result)
    assert table.button("Next deal").is_visible()
    assert table.hand == [] or rules(game).race


class Finger:
    """A finger on the touch screen, or the mouse with its button held, whichever the table has."""

    def __init__(self, table: Table) -> None:
        self._touch = table.touch
        self._session = table.page.context.new_cdp_session(table.page)

    def drag(self, card: Any, across: float, up: float, *, length: float = 0.1) -> None:
        """Move a card, by widths and heights of its own, within a time in seconds."""
        box = card.locator("img").bounding_box()
        x, y = box["x"] + box["width"] / 8, box["y"] + box["height"] / 4
        start = time.time()
        self._send("Start", x, y, start)
        for part in (0.25, 0.5, 0.75, 1):
            # The browser sends moves of its own, too: no event may come from the future.
            time.sleep(max(start + part * length - time.time(), 0))
            x, y = x + across * box["width"] / 4, y - up * box["height"] / 4
            self._send("Move", x, y, start + part * length)
        self._send("End", x, y, start + length)

    def _send(self, kind: str, x: float, y: float, when: float) -> None:
        if self._touch:
            points = [] if kind == "End" else [{"x": x, "y": y}]
            event = {"type": f"touch{kind}", "touchPoints": points, "timestamp": when}
            self._session.send("Input.dispatchTouchEvent", event)
            return
        kinds = {"Start": "mousePressed", "Move": "mouseMoved", "End": "mouseReleased"}
        event = {"x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, "timestamp": when}
        self._session.send("Input.dispatchMouseEvent", {"type": kinds[kind], **event})


@pytest.mark.parametrize("way", ["mouse", "touch"])
def test_cards_are_dragged_or_flicked_onto_the_table_and_others_spring_back(ways: dict[str, Table], way: str) -> None:
    table = ways[way]
    table.visit(**SIZES[way])
    table.go_to(table.create(rules="small", seat=0))
    finger = Finger(table)
    forbidden = table.page.locator("#hand button[aria-disabled=true]")
    allowed = table.page.locator("#hand button:not([aria-disabled=true])")
    refused = 0
    for number in range(8):
        before, hand = table.log, table.hand
        if forbidden.count():
            refused += 1
            finger.drag(forbidden.first, 0, 2)
            assert "follow" in table.page.get_by_role("alert").text_content()
        finger.drag(allowed.first, 0.8, 0.1)  # sideways, as if to scroll
        finger.drag(allowed.first, 0, 0.3, length=0.5)  # lifted, and put back
        assert (table.log, table.hand) == (before, hand)
        assert allowed.first.get_attribute("aria-pressed") == "false"
        if number % 2:
            finger.drag(allowed.first, 0.1, 0.6, length=0.05)  # a flick
        else:
            finger.drag(allowed.first, 0.2, 2)
        table.page.wait_for_function("text => document.querySelector('[role=log]').textContent !== text", arg=before)
        table.wait()
    assert refused > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("preset", rule_names())
def test_a_whole_deal_of_every_preset_in_every_way(ways: dict[str, Table], preset: str, way: str) -> None:
    play_whole_deal(ways, preset, way)


def test_the_rest_of_a_deal_can_be_conceded_and_the_match_goes_on(table: Table) -> None:
    session = play(table, "small", lambda session: session["can"]["claim"], seed=4, match="best_of:3")
    table.go_to(session)
    claim = table.button("Claim")
    assert len(table.hand) > 1
    claim.click()
    table.button("I concede", exact=False).click()
    table.page.wait_for_function("() => document.querySelector('#result-text').textContent !== ''")
    assert "You lose" in table.result
    assert "You concede the deal." in table.page.get_by_role("region", name="Result").text_content()
    assert "You concede the deal." in table.log
    assert table.page.locator("#match").text_content() == "Best of 3: you trail 0 to 1"
    claimed = json.loads(table.do("recording", session, 1)["recording"])["claimed"]
    found = table.do("review", session, 1)
    assert all(number <= claimed for number in found["mistakes"])
    bad = {"inaccuracy", "mistake", "blunder"}
    assert not bad & {move["label"] for move in found["moves"][claimed:]}  # nobody chose these cards
    table.next_deal()
    assert not claim.is_visible()


def test_the_decisions_that_are_not_cards(table: Table) -> None:
    table.go_to(table.create(rules="humbug:suits=2,ranks=4,hand=2,book=1", seat=0))
    choices = table.page.get_by_role("group", name="Your choice").get_by_role("button")
    assert [words.split()[0] for words in choices.all_text_contents()] == ["Keep", "Swap"]
    choices.nth(1).click()
    table.wait()
    assert "swapped the hand" in table.page.get_by_role("region", name="You", exact=True).text_content()

    table.go_to(table.create(rules="draft", seat=0))
    while not choices.count():
        table.act()
    assert [words.split()[0] for words in choices.all_text_contents()] == ["Take", "Leave"]

    table.go_to(table.create(rules="open_stock", seat=0))
    open_cards = table.page.get_by_role("list", name="Face-up cards").get_by_role("button")
    while not open_cards.count():
        table.act()
    name = open_cards.first.get_attribute("aria-label")
    table.act()
    assert name in table.hand
    assert f"You take the {name}" in table.log


def test_a_match_is_won_and_another_game_can_be_begun(table: Table) -> None:
    table.go_to(table.create(rules="tiny", match="first_to:1", seat=0))
    for _ in range(12):
        table.play_on()
        if not table.button("Next deal").count():
            break
        table.next_deal()
    assert "the match" in table.page.get_by_role("region", name="Result").text_content()
    assert table.page.get_by_role("region", name="Result").get_by_role("button", name="New game").is_visible()
    before = table.session(table.page.url.split("session=")[1])
    table.button("Rematch").click()
    table.page.wait_for_function("() => document.querySelector('#result-text').textContent === ''")
    table.wait()
    after = table.session(table.page.url.split("session=")[1])
    assert [after[part] for part in ("rules", "agent")] == [before[part] for part in ("rules", "agent")]
    assert (after["match"]["format"], after["match"]["deals"]) == ("first_to:1", 0)
    assert after["deal"]["seat"] == 1 - before["deal"]["seat"]

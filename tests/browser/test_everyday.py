"""What breaks by an edit: a first visit, whole deals, the coach, what is resumed, what fails, two sizes and axe.

Every other test of the browser is for the night.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import HOSTS, OpenTable, StartServer
from tests.browser.playing import (
    BOT,
    LONGEST,
    RESULT,
    REVIEW,
    SIZES,
    TINY,
    WAYS,
    ask_again,
    follows,
    has_failed,
    play,
    play_quickly,
    play_with_keys,
)
from tests.browser.screens import check
from tests.browser.server import Server
from tests.browser.static_site import StaticSite
from tests.browser.table import Table


def test_who_is_new_chooses_one_of_three_opponents_or_the_lesson_once(
    open_table: OpenTable, start_server: StartServer
) -> None:
    server = start_server("tiny", "greedy")
    new = {"welcomed": False}
    table = open_table(server, settings=new)
    welcome = table.page.get_by_role("dialog", name="Welcome to German Whist")
    opponents = welcome.get_by_role("group", name="Opponents").get_by_role("button")
    assert opponents.locator("strong").all_text_contents() == ["Greedy", "Textbook", "Champion"]
    assert opponents.locator("em").all_text_contents() == ["easy", "medium", "master"]
    opponents.nth(1).click()
    table.page.wait_for_function("() => document.title.includes('Textbook')")
    table.wait()
    assert table.session(table.page.url.split("session=")[1])["rules"] == "tiny"
    table.page.reload()
    table.wait()
    assert welcome.count() == 0
    table.play_on()
    other = open_table(server, width=390, height=844, settings=new)
    other.button("Teach me first", exact=False).click()
    coach = other.page.get_by_role("region", name="Coach", exact=True)
    coach.get_by_role("heading", name=re.compile("Lesson")).wait_for()
    third = open_table(server, settings=new)
    third.page.keyboard.press("Escape")
    third.page.wait_for_function("() => document.title.includes('Greedy')")


@HOSTS
@pytest.mark.parametrize("way", WAYS)
def test_a_deal_by_mouse_by_touch_and_by_keyboard(open_table: OpenTable, way: str) -> None:
    game = {"mouse": "small", "touch": "draft:suits=2,ranks=4,hand=2,stock=4", "keyboard": "tiny"}[way]
    single, touch = {"singleTap": way == "mouse"}, way == "touch"
    table = open_table(touch=touch, settings=single, game={"rules": game, "seat": 0}, **SIZES[way])
    {"mouse": play_quickly, "touch": Table.play_on, "keyboard": play_with_keys}[way](table)
    assert RESULT.fullmatch(table.result)
    assert table.button("Next deal").is_visible()


@HOSTS
def test_a_hint_points_at_a_card_and_gives_reasons_in_words_and_figures(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=1))
    table.button("Hint").click()
    coach = table.page.get_by_role("region", name="Coach")
    coach.wait_for()
    words = coach.text_content()
    advised = coach.get_by_role("heading").text_content().removeprefix("Play the ")
    assert advised in table.hand
    assert "Chance to win the deal" in words
    by = {Server: "By Champion with search: winning comes first, then tricks.", StaticSite: "By the network."}
    assert by[type(table.server)] in words
    rows = coach.get_by_role("table").first.get_by_role("row").count()
    assert rows == 1 + len(table.actions())
    assert table.page.locator("#hand .marked").get_attribute("aria-label") == advised
    holdings = coach.get_by_role("table", name="What the opponent may hold")
    assert len(holdings.get_by_role("row").all()) == 1 + 4
    cards = holdings.locator("tbody td:nth-child(3)").all_text_contents()
    assert sum(map(float, cards)) == pytest.approx(len(table.hand), abs=0.3)
    while table.page.locator("html").get_attribute("data-stage") == "foreplay":
        table.act()
    table.button("Hint").click()
    coach.get_by_text("Exact: both hands are known.").wait_for()
    values = coach.get_by_role("table").first.locator("tbody td:nth-child(3)").all_text_contents()
    assert all(re.fullmatch(r"\d", value) for value in values)
    assert coach.get_by_role("heading", name="The opponent holds").is_visible()
    assert coach.locator(".open-suits .action").count() in {6, 7}  # one card may lie on the table


@HOSTS
def test_take_back_returns_to_the_last_decision_and_marks_the_deal(table: Table) -> None:
    table.go_to(table.create(rules=TINY, seat=0))
    hand = table.hand
    assert table.button("Take back").get_attribute("aria-disabled") == "true"
    table.act()
    table.button("Take back").click()
    # The hand is as large before as after: a card was drawn. Nothing to take back is what says that it is done.
    table.page.locator("[aria-disabled=true]", has_text="Take back").wait_for()
    table.wait()
    assert table.hand == hand
    table.play_on()
    assert "Assisted" in table.page.get_by_role("region", name="Result").text_content()


@HOSTS
def test_the_review_shows_curve_moves_and_open_hands_and_another_card_can_be_tried(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0, seed=3))
    table.play_on(lambda actions: len(actions) - 1)
    table.button("Review").click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for(timeout=REVIEW)
    assert review.get_by_role("img", name=re.compile("Your chance to win")).is_visible()
    for side in ("You", "Textbook"):
        row = review.locator(".review-summary").get_by_role("row").filter(has_text=side)
        assert re.fullmatch(rf"{side}\d+ %\d+\.\d", row.text_content())
    mistakes = review.locator(".mistakes")
    assert "biggest mistake" in mistakes.get_by_role("heading").text_content()
    moves = mistakes.get_by_role("listitem").all_text_contents()
    assert 1 <= len(moves) <= 3
    for move in moves:
        assert re.search(r"^Trick \d+: .+ instead of .+(Inaccuracy|Mistake|Blunder): gives away .+", move)
        assert not re.search(r"\b1(\.0)? tricks|\b1 points", move)
    for move in table.do("review", table.page.url.split("session=")[1], 1)["moves"]:
        assert not move["reason"] or move["exact"] or move["best"] == move["options"][0]["action"]  # the card named
    slider = review.get_by_role("slider", name="Move")
    table.page.keyboard.press("Home")
    assert slider.input_value() == "0"
    assert review.locator(".open-side .fan").first.get_by_role("img").count() == 7
    review.get_by_role("button", name="Step forward").click()
    assert slider.input_value() == "1"
    table.page.keyboard.press("End")
    assert slider.input_value() == slider.get_attribute("max")
    table.page.keyboard.press("Home")
    details, judged = review.locator(".move-details"), set()
    while slider.input_value() != slider.get_attribute("max"):
        if details.locator(".cost").count():  # a better card is another one than the card played
            better = details.locator(".cost").text_content().partition("Better: ")[2].rstrip(".")
            assert better not in details.locator("p").first.text_content()
        judged |= {str(name) for name in ("good", "cost") if details.locator(f".{name}").count()}
        table.page.keyboard.press("ArrowRight")
    assert judged == {"good", "cost"}
    table.page.keyboard.press("Home")
    while not review.get_by_role("button", name=re.compile("^Try the")).count():
        review.get_by_role("button", name="Step forward").click()
    other = review.get_by_role("button", name=re.compile("^Try the")).first
    name = str(other.get_attribute("aria-label")).removeprefix("Try the ")
    other.click()
    table.page.wait_for_function("() => document.querySelector('#match').textContent === 'Practice'")
    table.wait()
    assert name in table.log
    table.play_on()
    assert "does not count" in table.page.get_by_role("region", name="Result").text_content()


@HOSTS
def test_a_reload_in_the_middle_of_a_deal_changes_nothing(table: Table) -> None:
    table.go_to(table.create(rules="tiny", seat=0))
    for _ in range(2):
        table.act()
    hand, log = table.hand, table.log
    table.page.reload()
    table.wait()
    assert (table.hand, table.log) == (hand, log)
    table.play_on()
    result = table.result
    table.page.reload()
    table.wait()
    assert table.result == result
    assert table.button("Next deal").is_visible()


def test_an_agent_of_the_command_line_that_fails_once_is_asked_again(
    open_table: OpenTable, start_server: StartServer, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    agent = f"python:{tmp_path / 'bot.py'}:Bot"
    table = open_table(start_server("tiny", agent), game={"rules": "tiny", "seat": 1, "agent": agent})
    (tmp_path / "broken").touch()
    card = table.actions()[0]
    name = str(card.get_attribute("aria-label"))
    for _ in range(2):
        table.press(card)
    has_failed(table, "The server has failed")
    assert name not in table.hand
    (tmp_path / "broken").unlink()
    ask_again(table)
    assert f"You lead the {name}." in table.log
    assert table.play_on()
    assert all("500" in words for words in table.complaints)
    table.complaints.clear()


@HOSTS
def test_a_phone_and_a_desktop_have_room_for_everything_and_axe_finds_nothing(open_table: OpenTable) -> None:
    table = open_table().framed()
    table.go_to(play(table, "small_all", follows, **LONGEST))
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    check(table, "hint", [(390, 844), (1280, 800)])


@contextmanager
def slowed_down(table: Table) -> Iterator[None]:
    """Give a page the network and the processor of a slow phone for a while."""
    session = table.page.context.new_cdp_session(table.page)
    speed = {"latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}  # ms, bytes a second: slow 4G
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {"offline": False, **speed})
    session.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    yield
    session.detach()


def test_the_page_is_light(open_table: OpenTable, start_server: StartServer) -> None:
    table = open_table(start_server("small"))  # nothing has been played here
    loaded = table.page.evaluate(
        """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .map((one) => [one.name.split('#')[0].split('/').slice(4).join('/'), one.encodedBodySize])"""
    )
    sizes = dict(loaded)
    sizes.pop("js/windows.js", None)  # comes after the first card
    assert {"", "js/main.js", "js/chunk.js", "worker.js", "data.json", "cards.svg", "css/style.css"} <= set(sizes)
    assert all(sizes.values())
    assert sum(sizes.values()) <= 110_000  # bytes


_TELL_FIRST_CARD = """new MutationObserver((_, observer) => {
  if (document.querySelector('#hand button') === null) return;
  console.log('first card');
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });"""


def test_the_first_card_of_a_slow_phone_does_not_wait_for_the_bots(
    open_table: OpenTable, start_server: StartServer
) -> None:
    table = open_table(start_server("small"))
    seen: list[str] = []
    table.page.on("request", lambda request: seen.append(request.url.rpartition("/")[2]))
    table.page.on("console", lambda message: seen.append(message.text))
    table.page.add_init_script(_TELL_FIRST_CARD)
    with slowed_down(table):
        table.page.reload()
        table.wait()
        table.act()
    assert seen.index("rules.wasm") < seen.index("first card") < seen.index("bots.wasm")

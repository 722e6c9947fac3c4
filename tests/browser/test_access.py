"""Every state of the page fits every screen, and axe finds nothing in it; the page is light and stays at home."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import OpenTable, StartServer
from tests.browser.playing import DUE, LONGEST, follows, play
from tests.browser.screens import SCREENS, WIDTHS, check
from tests.browser.table import Table

pytestmark = pytest.mark.nightly

SCREENS += [(width, 320) for width in range(560, 961, 20)]  # phones that lie
SCREENS += [(320, 256), (320, 200)]  # a desktop at 400 %
WIDE = [(width, 800) for width in WIDTHS]  # windows scroll: heights do not matter


def in_the_endgame(session: Any) -> bool:
    """Return whether the opponent has led to a trick of the endgame."""
    return session["position"]["stage"] == "endgame" and follows(session)


def decides(kind: str) -> Callable[[Any], bool]:
    return lambda session: session["position"]["decision"]["kind"] == kind


def is_over(session: Any) -> bool:
    return session["position"]["result"] is not None


def test_the_foreplay_fits(open_table: OpenTable) -> None:
    table = open_table().framed()
    table.go_to(play(table, "classic", lambda _: True, **LONGEST))
    check(table, "first trick")
    table.go_to(play(table, "classic:open_stock=5", follows))
    check(table, "five open cards")
    table.go_to(play(table, "small_all", follows, **LONGEST))
    check(table, "trick")
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    check(table, "hint")


def test_known_cards_fit_and_can_be_read(open_table: OpenTable) -> None:
    table = open_table(settings={"known": True}).framed()
    table.go_to(play(table, "open_stock", in_the_endgame))
    check(table, "known cards")


def test_what_is_said_while_the_server_is_away_covers_nothing(open_table: OpenTable) -> None:
    table = open_table().framed()
    table.go_to(table.create(rules="classic", seat=1, agent="mc:worlds=60"))
    table.page.page.route("**/api/**", lambda route: route.abort())
    card = table.actions()[0]
    for _ in range(2):
        table.press(card)
    table.page.get_by_role("alert").filter(has_text="The server does not answer").wait_for()
    check(table, "away")
    assert all("ERR_FAILED" in words for words in table.complaints)
    table.complaints.clear()


def test_every_decision_fits(open_table: OpenTable) -> None:
    table = open_table(settings={"faces": "four-colour"}).framed()
    table.go_to(play(table, "humbug", decides("keep_or_swap")))
    check(table, "keep or swap")
    table.go_to(play(table, "draft", decides("take_or_leave")))
    check(table, "take or leave")
    table.go_to(play(table, "open_stock", decides("pick")))
    check(table, "pick")


def test_the_endgame_the_result_and_the_lesson_fit(open_table: OpenTable) -> None:
    table = open_table().framed()
    table.go_to(play(table, "classic", in_the_endgame, **LONGEST))
    check(table, "endgame")
    table.button("Claim").click()
    check(table, "claim", WIDE)
    table.page.page.keyboard.press("Escape")
    session = table.do("dealOfDay", "2026-11-21")
    while not is_over(session):
        session = table.do("act", session, session["position"]["decision"]["actions"][0])
    table.go_to(session["id"])
    table.page.locator(".house").wait_for()
    check(table, "result")
    table.page.evaluate("id => { location.hash = `session=${id}` }", table.do("lesson")["id"])
    table.page.get_by_role("heading", name=re.compile("Lesson, step")).wait_for()
    check(table, "lesson")


def test_the_welcome_fits(open_table: OpenTable, start_server: StartServer) -> None:
    table = open_table(start_server(), settings={"welcomed": False}).framed()
    table.page.get_by_role("dialog", name="Welcome").wait_for()
    check(table, "welcome", WIDE)


def test_windows_fit_and_are_accessible(open_table: OpenTable) -> None:
    table = open_table().framed()
    table.go_to(play(table, "classic", is_over, **LONGEST))
    windows = ("Review", "Watch the computer", "Settings", "Statistics", "New game", "More", "Share")
    for name in windows:
        table.button(name).first.click()
        table.page.get_by_role("dialog").wait_for()
        check(table, name, WIDE)
        table.button("Close").click()
    table.page.evaluate(DUE)
    table.button("Statistics").click()
    table.button("Practise", exact=False).click()
    practice = table.page.get_by_role("dialog", name="Practise your mistakes")
    practice.locator(".try").first.wait_for()
    check(table, "practice", WIDE)
    practice.get_by_role("button", name="Show me").click()
    check(table, "practice, answered", WIDE)
    for window in (practice, table.page.get_by_role("dialog")):
        window.get_by_role("button", name="Close").click()
    table.create(rules="tiny")  # an unfinished game
    for name in ("Rules", "Open a recording", "Your games"):
        table.button("More").click()
        table.button(name, exact=False).click()
        table.page.get_by_role("dialog", name=name).wait_for()
        check(table, name, WIDE)
        table.button("Close").click()


def test_the_board_of_the_review_is_seen_with_both_hands(open_table: OpenTable) -> None:
    table = open_table(width=1366, height=768)
    table.go_to(play(table, "small", is_over))
    table.button("Review").first.click()
    review = table.page.get_by_role("dialog")
    review.wait_for()
    hands = review.locator(".open-side .fan")
    is_seen = """all => all.map((hand) => hand.getBoundingClientRect()).every(
        ({ top, bottom }) => top >= 0 && bottom <= innerHeight)"""
    assert hands.evaluate_all(is_seen)
    table.page.set_viewport_size({"width": 360, "height": 640})
    review.locator(".mistakes").get_by_role("listitem").last.get_by_role("button").click()
    assert hands.evaluate_all(is_seen)


def test_the_log_can_be_read_on_a_phone(open_table: OpenTable) -> None:
    table = open_table(width=390, height=844, touch=True)
    session = table.create(rules="classic", seat=0)
    table.go_to(session)
    table.act()
    table.button("More").tap()
    table.button("What happened", exact=False).tap()
    window = table.page.get_by_role("dialog", name="What happened")
    assert window.locator("p").all_text_contents() == table.page.locator("[role=log] p").all_text_contents()
    assert window.locator("p").last.evaluate("(line) => line.getBoundingClientRect().bottom <= innerHeight")


_HEAR = """() => {
  window.heard = [];
  new MutationObserver((changes) => changes.flatMap((change) => [...change.addedNodes]).forEach((node) => {
    const place = (node.parentElement ?? node).closest('[role=log], [role=status], [role=alert], [aria-live]');
    if (place !== null && place.ariaLive !== 'off' && node.textContent !== '') heard.push(node.textContent);
  })).observe(document.body, { subtree: true, childList: true });
}"""


def heard(table: Table) -> list[str]:
    """Return what screen readers have been told since the last call."""
    table.page.wait_for_timeout(50)
    return list(table.page.evaluate("() => heard.splice(0)"))


def lists(table: Table) -> dict[str, int]:
    """Return the lists of Chromium's accessibility tree, by name, with the number of their items."""
    session = table.page.context.new_cdp_session(table.page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    found = [node for node in tree if not node["ignored"] and node["role"]["value"] == "list"]
    return {node["name"]["value"]: len(node["childIds"]) for node in found}


def test_a_screen_reader_hears_what_is_new_and_nothing_else(table: Table) -> None:
    session = table.create(rules="small", seat=0)
    table.page.evaluate(_HEAR)
    table.go_to(session)
    assert heard(table) == [f"Your turn. {table.session(session)['position']['decision']['text']}"]
    for _ in range(3):
        before = table.log
        table.act()
        told = heard(table)
        assert "".join(told[:-1]) == table.log.removeprefix(before)
        assert re.search(r"\b\d+\. (You|Textbook) leads? the ", table.log)
        assert told[-1] == f"Your turn. {table.session(session)['position']['decision']['text']}"
    table.button("Take back").click()
    table.wait()
    assert heard(table) == [f"Taken back. Your turn. {table.session(session)['position']['decision']['text']}"]
    table.page.keyboard.press("s")
    [words] = heard(table)
    position = table.session(session)["position"]
    assert f"Foreplay, trick {position['trick']} of" in words
    assert f"{position['stock']} cards in the stock" in words
    assert re.search(r"Trumps: \w+\. Face up: \w+ of \w+\.", words)
    you, opponent = (position["tricks"][side]["foreplay"] for side in ("you", "opponent"))
    assert f"Tricks of the foreplay: you {you}, Textbook {opponent}" in words
    result = table.play_on()
    assert sum(words.count(result) for words in heard(table)) == 1


def test_hands_are_lists_and_the_slider_says_which_move(table: Table) -> None:
    table.go_to(play(table, "small", follows))
    assert lists(table)["Your hand"] == 7
    table.go_to(play(table, "small", is_over))
    table.button("Review").first.click()
    table.page.get_by_role("dialog").wait_for()
    table.page.keyboard.press("Home")
    assert {"Your hand": 7, "Hand: Textbook": 7}.items() <= lists(table).items()
    assert table.page.get_by_role("slider", name="Move").get_attribute("aria-valuetext") == "Move 1 of 28"


def test_the_focus_goes_to_the_hand_of_a_new_game(open_table: OpenTable, start_server: StartServer) -> None:
    table = open_table(start_server("tiny"), settings={"welcomed": False})
    for _ in range(2):
        table.page.get_by_role("group", name="Opponents").get_by_role("button").nth(1).click()
        table.page.wait_for_function("() => document.activeElement.getAttribute('aria-label') === 'Your hand'")
        table.button("New game").click()


@pytest.mark.parametrize(
    ("rules", "place"), [("humbug", "Your choice"), ("draft", "Your choice"), ("open_stock", "Face-up cards")]
)
def test_after_a_choice_the_focus_is_in_the_hand(table: Table, rules: str, place: str) -> None:
    kind = {"humbug": "keep_or_swap", "draft": "take_or_leave", "open_stock": "pick"}[rules]
    table.go_to(play(table, rules, decides(kind)))
    before = table.log
    table.page.locator(f"main [aria-label='{place}'] button").first.focus()
    for _ in range(1 if kind != "pick" else 2):  # a card is raised first
        table.page.keyboard.press("Enter")
    table.page.wait_for_function("text => document.querySelector('[role=log]').textContent !== text", arg=before)
    table.wait()
    assert table.page.evaluate("document.querySelector('#hand').contains(document.activeElement)")


def test_targets_are_large_enough_for_a_finger(open_table: OpenTable) -> None:
    table = open_table(width=390, height=844, touch=True, game={"rules": "classic", "seat": 0})
    sizes: list[Any] = table.page.locator("button:visible").evaluate_all(
        "all => all.map((one) => { const box = one.getBoundingClientRect(); return [box.width, box.height] })"
    )
    assert min(min(size) for size in sizes) >= 24

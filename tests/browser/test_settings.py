"""The settings: each does what it says, and is remembered."""

from __future__ import annotations

import re
from typing import Any

import pytest

from german_whist.simulator.text.rules_text import rules_text
from tests.browser.conftest import OpenTable, StartServer
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


def drawings(table: Table, part: str) -> set[str]:
    """Return what the cards in a part of the page are drawn from, and their colours."""
    images = "all => all.map((one) => decodeURIComponent(one.getAttribute('src')))"
    found = [
        (re.findall(r'color="(.*?)"', image)[0], re.findall(r'href="#([a-z]+)', image)[-1])
        for image in table.page.locator(f"{part} img").evaluate_all(images)
    ]
    return {" ".join(one) for one in found}


def settings_of(table: Table) -> Any:
    table.button("Settings").click()
    return table.page.get_by_role("dialog", name="Settings")


def new_game_of(table: Table) -> Any:
    """Open the window of a new game, with all games and opponents."""
    table.button("New game").click()
    dialog = table.page.get_by_role("dialog", name="New game")
    more = dialog.locator("details").first
    more.wait_for()
    if more.get_attribute("open") is None:
        more.locator("summary").first.click()
    return dialog


def test_faces_backs_and_colours_change_at_once_and_are_remembered(table: Table) -> None:
    assert drawings(table, "#hand") <= {"#b91d24 classic", "#16181c classic"}
    assert drawings(table, "#far-hand") == {"#7a1f2b back"}
    dialog = settings_of(table)
    dialog.get_by_text("Four colours").click()
    dialog.get_by_text("Waves").click()
    dialog.get_by_text("Blue").click()
    for visit in (1, 2):
        if visit == 2:
            table.page.reload()
            table.wait()
        assert drawings(table, "#hand") == {f"{color} modern" for color in ("#b91d24", "#16181c", "#17713a", "#1757ad")}
        assert drawings(table, "#far-hand") == {"#1d3f78 back"}
        assert "back-waves" in table.page.locator("#far-hand img").first.get_attribute("src")


_ROWS = "new Set([...document.querySelectorAll('#hand button')].map((one) => one.getBoundingClientRect().top)).size"
# The seats stand above the middle of the table, not beside it.
_IS_UPRIGHT = """['#stage', '#board'].map((part) => document.querySelector(part).getBoundingClientRect())
    .reduce((above, below) => above.bottom <= below.top)"""
_CARDS = "[...document.querySelectorAll('#hand button')].map((one) => one.dataset.card)"
_SUITS = f"[...new Set({_CARDS}.map((card) => 'CDHS'[Math.floor(card / 13)]))].join('')"


@pytest.mark.parametrize(
    ("label", "choice", "seen", "before", "after"),
    [
        ("Hand", "Stacked in two rows", _ROWS, 1, 2),
        ("Size of the cards", "Large", "document.documentElement.dataset.cards", "usual", "large"),
        ("Order of suits", "Spades, hearts, diamonds, clubs", _SUITS, "CHSD", "SHDC"),
        ("Orientation", "Portrait", _IS_UPRIGHT, False, True),
        ("Speed", "No animation", "document.documentElement.dataset.motion", "some", "none"),
        ("Play a card with a single tap", None, "document.querySelectorAll('#hand [aria-pressed]').length", 7, 0),
    ],
)
def test_a_setting_works_at_once_and_is_remembered(
    open_table: OpenTable, label: str, choice: str | None, seen: str, before: object, after: object
) -> None:
    table = open_table(moving=True, game={"rules": "small", "seat": 1})
    assert table.page.evaluate(seen) == before
    field = settings_of(table).get_by_label(label)
    if choice is None:
        field.check()
    else:
        field.select_option(choice)
    table.page.keyboard.press("Escape")
    table.wait()
    assert table.page.evaluate(seen) == after
    table.page.reload()
    table.wait()
    assert table.page.evaluate(seen) == after


def test_portrait_and_landscape_follow_the_window_or_the_setting(open_table: OpenTable) -> None:
    table = open_table(width=820, height=1180)
    assert table.page.evaluate(_IS_UPRIGHT)
    table.page.set_viewport_size({"width": 1180, "height": 820})
    assert not table.page.evaluate(_IS_UPRIGHT)
    settings_of(table).get_by_label("Orientation").select_option("Portrait")
    assert table.page.evaluate(_IS_UPRIGHT)


def test_the_next_game_is_chosen_and_remembered(table: Table) -> None:
    dialog = new_game_of(table)
    dialog.get_by_label("Game").select_option("tiny")
    dialog.get_by_label("Opponent", exact=True).select_option("greedy")
    dialog.get_by_label("Win target").select_option("First to 10")
    dialog.get_by_role("button", name="Deal the cards").click()
    table.page.wait_for_function("() => document.querySelectorAll('#hand button').length === 2")
    table.wait()
    assert "First to 10" in table.page.locator("#match").text_content()
    table.page.reload()
    table.wait()
    new_game_of(table)
    assert dialog.get_by_label("Game").input_value() == "tiny"
    assert dialog.get_by_label("Win target").input_value() == "first_to:10"
    assert re.search("greedy", dialog.get_by_label("Opponent", exact=True).input_value())


def test_who_leaves_the_lesson_for_a_game_of_the_form_gets_that_game(open_table: OpenTable) -> None:
    table = open_table(settings={"welcomed": False})
    table.button("Teach me first", exact=False).click()
    table.page.get_by_role("heading", name=re.compile("Lesson, step")).wait_for()
    dialog = new_game_of(table)
    dialog.get_by_label("Game").select_option("draft")
    dialog.get_by_role("button", name="Deal the cards").click()
    table.page.wait_for_function("() => !document.title.startsWith('Lesson')", timeout=10_000)
    table.wait()
    assert table.session(table.page.url.split("session=")[1])["rules"] == "draft"


@pytest.mark.parametrize(("match", "title"), [("first_to:3", "First to 3"), ("best_of:3", "Best of 3")])
def test_scoring_and_win_target_are_those_of_the_game_that_is_dealt(table: Table, match: str, title: str) -> None:
    dialog = new_game_of(table)
    dialog.get_by_label("Game").select_option("Six cards")
    scorings = dialog.get_by_label("Scoring").locator("option")
    scoring = str(scorings.nth(1).get_attribute("value"))
    dialog.get_by_label("Scoring").select_option(scoring)
    if match.startswith("first_to"):
        dialog.get_by_label("Or first to").fill("3")  # the press of the button below leaves the field
    else:
        dialog.get_by_label("Win target").select_option(title)
        assert dialog.get_by_label("Win target").input_value() == match
    dialog.get_by_role("button", name="Deal the cards").click()
    table.page.wait_for_function("title => document.querySelector('#match').textContent.startsWith(title)", arg=title)
    session = table.session(table.page.url.split("session=")[1])
    assert session["rules"] == scoring
    assert session["match"]["format"] == match


def test_the_rules_below_the_form_are_those_of_the_scoring(table: Table) -> None:
    dialog = new_game_of(table)
    dialog.get_by_label("Game").select_option("draft")
    scorings = dialog.get_by_label("Scoring").locator("option")
    for scoring in scorings.evaluate_all("all => all.map(({ value }) => value)"):
        dialog.get_by_label("Scoring").select_option(scoring)
        told = " ".join(dialog.locator(".rule").all_text_contents())
        assert told.split() == rules_text(scoring).partition("\n\n")[2].split()


def test_what_the_command_line_asks_for_is_shown_and_dealt_though_no_list_has_it(
    open_table: OpenTable, start_server: StartServer
) -> None:
    rules, agent = "classic:hand=10,stock=32", "mc:worlds=3"
    server = start_server(rules, agent)
    table = open_table(server)
    dialog = new_game_of(table)
    assert dialog.get_by_label("Game").input_value() == rules
    assert dialog.get_by_label("Opponent", exact=True).input_value() == agent
    dialog.get_by_label("Win target").select_option("First to 10")
    dialog.get_by_role("button", name="Deal the cards").click()
    table.page.wait_for_function("() => document.querySelector('#match').textContent.startsWith('First to 10')")
    session = table.session(table.page.url.split("session=")[1])
    assert (session["rules"], session["agent"]["spec"]) == (rules, agent)
    table.wait()
    new_game_of(table)
    dialog.get_by_label("Game").select_option("tiny")
    assert dialog.get_by_label("Opponent", exact=True).input_value() == agent
    dialog.get_by_label("Opponent", exact=True).select_option("greedy")
    dialog.get_by_label("Game").select_option(rules)
    dialog.get_by_role("button", name="Deal the cards").click()
    table.page.wait_for_function("() => document.title.includes('Greedy')")
    session = table.session(table.page.url.split("session=")[1])
    assert (session["rules"], session["agent"]["spec"]) == (rules, "greedy")
    table.wait()


def test_cards_move_as_fast_as_the_setting_says_unless_the_system_asks_for_rest(open_table: OpenTable) -> None:
    watch = """() => { window.lengths = []; const before = Element.prototype.animate;
      Element.prototype.animate = function (...given) {
        window.lengths.push(Math.round(given[1].duration)); return before.apply(this, given); };
      window.pauses = 0; const wait = window.setTimeout;
      window.setTimeout = (act, length, ...rest) => {
        if (length < 2000) window.pauses += length; return wait(act, length, ...rest); } }"""
    cases = (  # milliseconds of the first movement, whether there are pauses, whether the system lets things move
        *((260, True, True, "normal"), (104, True, True, "fast"), (None, True, True, "none")),
        *((None, True, False, "normal"), (None, False, True, "instant")),
    )
    table = open_table()
    for moves, pauses, moving, speed in cases:
        table.visit(moving=moving, settings={"speed": speed}, game={"rules": "tiny", "seat": 0})
        table.page.evaluate(watch)
        table.act()
        assert table.page.evaluate("window.lengths[0] ?? null") == moves
        assert (table.page.evaluate("window.pauses") > 100) == pauses, speed

"""Windows that delete something, and the way back to the game from a lesson."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import OpenTable
from tests.browser.playing import DUE, REVIEW, games_window
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


def test_back_closes_the_window_on_top_and_leaves_the_game_at_the_table(table: Table) -> None:
    first, second = (table.create(rules="small", seat=0) for _ in range(2))
    table.go_to(first)
    dialogs = table.page.get_by_role("dialog")
    for _ in range(2):
        unfinished(table)
        table.button("Delete", exact=False).first.click()
        assert dialogs.count() == 2
        for left in (1, 0):
            table.page.go_back()
            table.page.wait_for_function("left => document.querySelectorAll('dialog').length === left", arg=left)
        assert table.page.url.endswith(f"#session={first}")
    dialog = unfinished(table)
    listed = [one["id"] for one in table.do("list") if one["inPlay"]]
    dialog.get_by_role("listitem").nth(listed.index(second)).get_by_role("button").first.click()
    table.page.wait_for_function("id => location.hash === `#session=${id}`", arg=second)
    table.page.go_back()
    table.wait()
    assert table.page.url.endswith(f"#session={second}")
    table.act()
    assert len(table.session(second)["events"]) > len(table.session(first)["events"])


def test_practice_lies_on_the_statistics_which_count_anew_when_it_is_closed(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0, seed=3))
    table.play_on(lambda actions: len(actions) - 1)
    table.button("Review").click()
    table.page.get_by_role("dialog", name="Review of the deal").wait_for(timeout=REVIEW)
    table.page.keyboard.press("Escape")
    table.page.evaluate(DUE)
    due = table.do("practiceQueue")["due"]
    table.button("Statistics").click()
    table.button(f"Practise {due} position", exact=False).click()
    practice = table.page.get_by_role("dialog", name="Practise your mistakes")
    practice.get_by_role("button", name="Show me").click()
    practice.get_by_role("button", name="Next").wait_for()
    table.page.go_back()
    practice.wait_for(state="detached")
    statistics = table.page.get_by_role("dialog", name="Statistics")
    left = f"Practise {due - 1} position" if due > 1 else "Nothing is due"
    statistics.get_by_text(left).wait_for()
    table.page.go_back()
    statistics.wait_for(state="detached")


def test_a_button_that_is_busy_opens_its_window_once(table: Table) -> None:
    table.button("Statistics").evaluate("(button) => { for (let press = 0; press < 3; press += 1) button.click(); }")
    dialogs = table.page.get_by_role("dialog")
    dialogs.first.wait_for()
    table.page.wait_for_timeout(300)
    assert dialogs.count() == 1


def test_a_press_that_ends_beside_a_window_does_not_close_it(table: Table) -> None:
    table.button("More").click()
    table.button("Open a recording", exact=False).click()
    dialog = table.page.get_by_role("dialog", name="Open a recording")
    dialog.get_by_role("textbox").hover()
    table.page.mouse.down()
    table.page.mouse.move(5, 5)
    table.page.mouse.up()
    assert dialog.is_visible()
    table.page.mouse.click(5, 5)
    dialog.wait_for(state="detached")


def test_a_recording_that_cannot_be_read_is_not_lost(table: Table) -> None:
    table.button("More").click()
    table.button("Open a recording", exact=False).click()
    dialog = table.page.get_by_role("dialog", name="Open a recording")
    dialog.get_by_role("textbox").fill('{"version":1, "rules":')
    dialog.get_by_role("button", name="Open").click()
    table.page.wait_for_function("() => document.querySelector('dialog [role=alert]').textContent !== ''")
    assert dialog.get_by_role("textbox").input_value() == '{"version":1, "rules":'


def test_a_recording_with_any_part_changed_is_opened_or_refused_in_words(table: Table) -> None:
    found = table.page.evaluate(_CHANGE, table.create(rules="tiny", seat=0))
    assert found["unsaid"] == []
    assert {"claimed 1.5", "rules null", 'deal ["x",1]', "deal [-1,0]"} <= set(found["refused"])


# Opens recordings with one part changed, and reviews those that open.
_CHANGE = """async (id) => {
  const table = germanWhist.sessions;
  let session = await table.open(id);
  while (session.position.decision) session = await table.act(session, session.position.decision.actions[0]);
  const { recording } = await table.recording(id, 1);
  const values = [
    null, -1, 1.5, 3, 1e30, "x", "", true, [], {}, ["x", 1], ["x", ""], [-1, 0], [0.5, 1], [1], { constructor: 1 },
  ];
  const [refused, unsaid] = [[], []];
  for (const part of [...Object.keys(JSON.parse(recording)), "claimed", "deal", "all"]) {
    for (const value of values) {
      const changed = part === "all" ? value : { ...JSON.parse(recording), [part]: value };
      const name = `${part} ${JSON.stringify(value)}`;
      try {
        const opened = await table.openShared(JSON.stringify(changed));
        await table.review(opened.id, 1);
      } catch (error) {
        (error.kind === "refused" ? refused : unsaid).push(name);
      }
    }
  }
  return { refused, unsaid };
}"""


def unfinished(table: Table) -> Any:
    """Open the window of all games; return the list of those to go on with."""
    return games_window(table).locator("section").nth(0)


@pytest.mark.parametrize("day", [False, True])
def test_after_a_lesson_a_game_that_is_over_is_not_shown_again(day: bool, table: Table) -> None:
    if day:
        session = table.do("dealOfDay", "2026-11-21")["id"]
    else:
        session = table.create(rules="small", seat=0, match="best_of:1")
    table.go_to(session)
    table.play_on()
    table.button("More").click()
    table.button("Learn the game", exact=False).click()
    coach = table.page.get_by_role("region", name="Coach")
    coach.get_by_role("heading", name="Lesson").wait_for()
    lesson = table.page.url
    coach.get_by_role("button").last.click()
    table.page.wait_for_function("lesson => location.href !== lesson", arg=lesson)
    table.wait()
    assert session not in table.page.url
    assert table.result == ""


def test_an_unfinished_game_can_be_deleted_with_the_keys(open_table: OpenTable) -> None:
    table = open_table()
    table.wait()
    games = [table.create(rules="small", seat=0) for _ in range(3)]
    table.go_to(games[2])
    dialog = unfinished(table)
    rows = dialog.get_by_role("listitem")
    count, kept = rows.count(), {one["id"] for one in table.do("list")}
    table.page.keyboard.press("Tab")
    assert table.page.evaluate("document.activeElement.ariaLabel").startswith("Delete Small whist against Textbook, ")
    table.page.keyboard.press("Enter")
    table.page.get_by_role("dialog", name="Delete this game?").wait_for()
    table.page.keyboard.press("Tab")
    assert table.page.evaluate("document.activeElement.textContent") == "Delete"
    table.page.keyboard.press("Enter")
    table.page.wait_for_function("count => document.querySelector('.games').children.length === count", arg=count - 1)
    assert rows.first.get_by_role("button").first.evaluate("(entry) => entry === document.activeElement")
    # The game at the top may be the one at the table, after which the page begins another one.
    assert len(kept - {one["id"] for one in table.do("list")}) == 1


def test_a_deal_that_is_over_is_not_unfinished_unless_its_match_goes_on(open_table: OpenTable) -> None:
    table = open_table(game={"rules": "six_cards", "seat": 0})
    before = unfinished(table).get_by_role("listitem").filter(has_text="Six cards").count()
    table.page.keyboard.press("Escape")
    for match, over in ((None, 1), ("best_of:3", 0)):
        table.go_to(table.create(rules="six_cards", seat=0, match=match))
        assert unfinished(table).get_by_role("listitem").filter(has_text="Six cards").count() == before + 1
        table.page.keyboard.press("Escape")
        table.play_on()
        assert unfinished(table).get_by_role("listitem").filter(has_text="Six cards").count() == before + 1 - over
        table.page.keyboard.press("Escape")


def test_the_game_at_the_table_can_be_deleted(open_table: OpenTable) -> None:
    table = open_table()
    session = table.create(rules="tiny", seat=0)
    table.go_to(session)
    table.act()
    for one in table.do("list"):
        if one["id"] != session:
            table.do("remove", one["id"])
    dialog = unfinished(table)
    dialog.get_by_role("listitem").filter(has_text="Tiny").first.get_by_role("button", name="Delete").click()
    table.button("Delete").click()
    table.page.wait_for_function("session => !location.hash.includes(session)", arg=session)
    assert dialog.get_by_role("button").count() == 0
    assert table.page.get_by_role("button", name="Close").evaluate("(close) => close.contains(document.activeElement)")
    table.page.keyboard.press("Escape")
    table.wait()
    assert table.result == ""

"""The table fits every screen: in no state does a part of it lie on another, or reach over the edge."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import OpenTable
from tests.browser.server import Server
from tests.browser.table import Table

SIZES = (
    (320, 568),
    (360, 560),
    (360, 640),
    (375, 547),
    (390, 664),
    (390, 844),
    (667, 320),
    (720, 450),  # 1440 x 900 at 200 %
    (750, 331),
    (820, 1180),
    (844, 390),
    (1024, 768),
    (1440, 900),
    (2560, 1440),
)

# Cards of one fan lie on each other; everything else is a part of its own, what it holds included.
_FANS = """
  #hand, #far-hand, .open-cards, .pile, .last-cards, .discarded, .open-hand, .row
"""
_AT_THE_TABLE = f"""{_FANS},
  .trick-cards, .prize, .plate, #prompt, #stage, .caption, .race, #choices button, #result, #coach, .offer,
  #title, #match, #menu button, #tools button, #alert.visible
"""
_IN_A_WINDOW = f"""{_FANS},
  h2, h3, p, dt, dd, label, legend, small, caption, td, th, button, a, select, input, textarea, summary, svg.curve
"""
_WRONG = """async ([atTheTable, inAWindow]) => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame); // the page hears of its size
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  const body = dialog?.querySelector('.dialog-body');
  const place = (element) => ({ element, box: element.getBoundingClientRect() });
  const parts = [...(dialog ?? document.body).querySelectorAll(dialog ? inAWindow : atTheTable)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.hidden'))
    .filter((one) => one.childNodes.length > 0 || one.matches('input'))
    .map(place)
    .filter(({ box }) => box.width > 1 && box.height > 1);
  const name = ({ element, box }) => [
    element.id || element.className || element.tagName,
    JSON.stringify(element.textContent.slice(0, 24)),
    [box.left, box.top, box.right, box.bottom].map(Math.round),
  ].join(' ');
  const wrong = [];
  for (const part of dialog ? [...parts, place(dialog)] : parts) {
    const { element, box } = part;
    const scrolled = body?.contains(element); // up and down only
    const { left, right } = scrolled ? body.getBoundingClientRect() : { left: 0, right: innerWidth };
    const beside = (box.left < left - 1 || box.right > right + 1) && element.closest('.scroller') === null;
    const beyond = !scrolled && (box.top < -1 || box.bottom > innerHeight + 1);
    if (beside || beyond) wrong.push(`cut off: ${name(part)}`);
    const words = element.matches('#title, #match, #prompt, .caption, .tool, h2');
    if (words && element.scrollWidth > element.clientWidth + 1) wrong.push(`too long: ${name(part)}`);
  }
  parts.forEach((one, number) => {
    for (const other of parts.slice(number + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width > 2 && height > 2) wrong.push(`${name(one)} lies on ${name(other)}`);
    }
  });
  return wrong;
}"""


def check(table: Table, state: str) -> None:
    """Check a state at every size."""
    found = {}
    for width, height in SIZES:
        table.page.set_viewport_size({"width": width, "height": height})
        wrong = table.page.evaluate(_WRONG, [_AT_THE_TABLE, _IN_A_WINDOW])
        if wrong:
            found[f"{width}x{height}"] = wrong
    assert found == {}, f"{state}: {found}"


def play(server: Server, rules: str, is_wanted: Callable[[Any], bool], **choices: Any) -> tuple[str, Any]:
    """Play a deal by the API until the session is as wanted; return its id and the session."""
    session = server.session(server.create(**{"rules": rules, "seat": 0, **choices}))
    while not is_wanted(session):
        action = session["position"]["decision"]["actions"][0]["action"]
        session = server.ask(f"sessions/{session['id']}/action", {"version": session["version"], "action": action})
    return str(session["id"]), session


def follows(session: Any) -> bool:
    """Return whether the opponent has led to a later trick."""
    position = session["position"]
    return position["trick"] > 3 and position["led"] is not None


def decides(kind: str) -> Callable[[Any], bool]:
    return lambda session: session["position"]["decision"]["kind"] == kind


def is_over(session: Any) -> bool:
    return session["position"]["result"] is not None


@pytest.fixture(scope="module")
def over(server: Server) -> str:
    """A finished deal: fewer cards than in classic, so that its review does not take long."""
    return play(server, "small", is_over)[0]


def test_the_trick_the_prize_and_the_hint_fit(open_table: OpenTable, server: Server) -> None:
    long_name = "heuristic+exact"
    identifier, session = play(server, "classic", follows, seat=1, agent=long_name)
    table = open_table(session=identifier, settings={"known": True})
    check(table, "trick")
    server.ask(f"sessions/{identifier}/hint", {"version": session["version"]})
    table.page.reload()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    check(table, "hint")


def test_every_decision_fits(open_table: OpenTable, server: Server) -> None:
    table = open_table(session=play(server, "humbug", decides("keep_or_swap"))[0])
    check(table, "keep or swap")
    table.go_to(play(server, "draft", decides("take_or_leave"))[0])
    check(table, "take or leave")
    table.go_to(play(server, "open_stock", decides("pick"))[0])
    check(table, "pick")


def test_the_endgame_and_the_result_fit(open_table: OpenTable, server: Server, over: str) -> None:
    endgame = play(server, "classic", lambda one: one["position"]["stage"] == "endgame" and follows(one))[0]
    table = open_table(session=endgame)
    check(table, "endgame")
    table.go_to(over)
    check(table, "result")


def test_the_lesson_fits(open_table: OpenTable, server: Server) -> None:
    table = open_table()
    table.page.evaluate("id => { location.hash = `session=${id}` }", server.ask("lesson", {})["id"])
    table.page.get_by_role("heading", name=re.compile("Lesson, step")).wait_for()
    check(table, "lesson")


def test_windows_fit(open_table: OpenTable, over: str) -> None:
    table = open_table(session=over)
    for name in ("Review", "New game", "Settings", "Statistics", "More", "Share", "Check the deal"):
        table.button(name).first.click()
        table.page.get_by_role("dialog").wait_for(timeout=60_000)
        check(table, name)
        table.page.keyboard.press("Escape")

"""Every state of the page fits every screen, and axe finds nothing in it; the page is light and stays at home."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.browser.conftest import OpenTable, StartServer
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

WITH_LARGE_TEXT = ((390, 844), (1024, 768), (1440, 900))  # twice the usual size, by the browser's settings

LOOKED_AT = {(390, 844): "light", (1440, 900): "dark"}

# Cards of one fan lie on each other; everything else is a part of its own, what it holds included.
_FANS = """
  #hand, #far-hand, .open-cards, .pile, .last-cards, .discarded, .open-hand, .row
"""
_AT_THE_TABLE = f"""{_FANS},
  .trick-cards, .prize, .plate, #prompt, #stage, .caption, .race, #choices button, #result, #coach,
  #title, #match, #menu button, #tools button, #alert.visible
"""
_IN_A_WINDOW = f"""{_FANS},
  h2, h3, p, dt, dd, label, legend, small, caption, td, th, button, a, select, input, textarea, summary, svg.curve
"""
_WRONG = """async ([atTheTable, inAWindow]) => {
  const frames = async () => { for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame); };
  await Promise.race([frames(), new Promise((done) => setTimeout(done, 2000))]); // the page hears of its size
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


def violations(table: Table) -> list[str]:
    """Return what axe finds, with the elements."""
    from axe_playwright_python.base import AXE_SCRIPT

    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    if not table.page.evaluate("'axe' in window"):
        table.page.evaluate(AXE_SCRIPT)
    found = table.page.evaluate("async (rules) => (await axe.run(rules)).violations", rules)
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]


def misplaced(table: Table, width: int, height: int) -> list[str]:
    """Return what does not fit a screen, or lies on something else."""
    table.page.set_viewport_size({"width": width, "height": height})
    wrong: list[str] = table.page.evaluate(_WRONG, [_AT_THE_TABLE, _IN_A_WINDOW])
    return wrong


@contextmanager
def large_text(table: Table) -> Iterator[None]:
    """Double the size of letters in the settings of the browser."""
    settings = table.page.context.new_cdp_session(table.page)
    settings.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    try:
        yield
    finally:
        settings.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        settings.detach()


def check(table: Table, state: str) -> None:
    """Check a state: it fits every screen, and axe finds nothing, on a phone and on a dark desktop."""
    found = {}
    with large_text(table):
        found |= {f"large text at {size}": wrong for size in WITH_LARGE_TEXT if (wrong := misplaced(table, *size))}
    for width, height in SIZES:
        if wrong := misplaced(table, width, height):
            found[f"{width}x{height}"] = wrong
        if (width, height) in LOOKED_AT:
            table.page.emulate_media(color_scheme=LOOKED_AT[width, height])
            found |= {f"axe at {width}x{height}": words for words in [violations(table)] if words}
    assert found == {}, f"{state}: {found}"


def play(table: Table, rules: str, is_wanted: Callable[[Any], bool], **choices: Any) -> str:
    """Play a deal behind the page until the session is as wanted; return its id."""
    session = table.session(table.create(**{"rules": rules, "seat": 0, **choices}))
    while not is_wanted(session):
        action = session["position"]["decision"]["actions"][0]["action"]
        session = table.do("act", session, action)
    return str(session["id"])


def follows(session: Any) -> bool:
    """Return whether the opponent has led to a later trick."""
    position = session["position"]
    return position["trick"] > 3 and position["led"] is not None


def decides(kind: str) -> Callable[[Any], bool]:
    return lambda session: session["position"]["decision"]["kind"] == kind


def is_over(session: Any) -> bool:
    return session["position"]["result"] is not None


def test_the_trick_the_prize_and_the_hint_fit(open_table: OpenTable, server: Server) -> None:
    longest = {"seat": 1, "seed": 4, "agent": "heuristic+exact"}  # diamonds are trumps
    table = open_table(settings={"known": True})
    table.go_to(play(table, "classic", lambda _: True, **longest))
    check(table, "first trick")
    table.go_to(play(table, "classic", follows, **longest))
    check(table, "trick")
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    check(table, "hint")


def test_what_is_said_while_the_server_is_away_covers_nothing(open_table: OpenTable, server: Server) -> None:
    table = open_table()
    table.go_to(play(table, "classic", follows, seat=1))
    for address in ("**/api/**", "**/data.json"):
        table.page.route(address, lambda route: route.abort())
    table.button("Hint").click()
    table.page.get_by_role("alert").filter(has_text="The server does not answer").wait_for()
    check(table, "away")
    assert all("ERR_FAILED" in words for words in table.complaints)
    table.complaints.clear()


def test_every_decision_fits(open_table: OpenTable, server: Server) -> None:
    table = open_table(settings={"faces": "four-colour"})
    table.go_to(play(table, "humbug", decides("keep_or_swap")))
    check(table, "keep or swap")
    table.go_to(play(table, "draft", decides("take_or_leave")))
    check(table, "take or leave")
    table.go_to(play(table, "open_stock", decides("pick")))
    check(table, "pick")


def test_the_endgame_and_the_result_fit(table: Table) -> None:
    table.go_to(play(table, "classic", lambda one: one["position"]["stage"] == "endgame" and follows(one)))
    check(table, "endgame")
    table.button("Claim").click()
    check(table, "claim")
    table.page.keyboard.press("Escape")
    session = table.do("dealOfDay", "2026-11-21")
    while not is_over(session):
        session = table.do("act", session, session["position"]["decision"]["actions"][0]["action"])
    table.go_to(session["id"])
    table.page.locator(".house").wait_for()
    check(table, "result")


def test_the_lesson_fits(open_table: OpenTable, server: Server) -> None:
    table = open_table()
    table.page.evaluate("id => { location.hash = `session=${id}` }", table.do("lesson")["id"])
    table.page.get_by_role("heading", name=re.compile("Lesson, step")).wait_for()
    check(table, "lesson")


def test_the_welcome_fits(open_table: OpenTable, start_server: StartServer) -> None:
    table = open_table(start_server(), settings={"welcomed": False})
    table.page.get_by_role("dialog", name="Welcome").wait_for()
    check(table, "welcome")


def test_windows_fit(table: Table) -> None:
    table.go_to(play(table, "small", is_over))  # fewer cards than in classic, so that its review does not take long
    windows = ("Review", "Watch the agent", "Settings", "Statistics", "New game", "More", "Share")
    for name in windows:
        table.button(name).first.click()
        table.page.get_by_role("dialog").wait_for(timeout=60_000)
        check(table, name)
        table.page.keyboard.press("Escape")
    table.create(rules="tiny")  # an unfinished game
    for name in ("Rules", "Open a recording", "Is the deal fair?", "Your games"):
        table.button("More").click()
        table.button(name, exact=False).click()
        table.page.get_by_role("dialog", name=name).wait_for()
        check(table, name)
        table.page.keyboard.press("Escape")


def test_the_log_can_be_read_on_a_phone(open_table: OpenTable, server: Server) -> None:
    table = open_table(width=390, height=844, touch=True)
    session = table.create(rules="classic", seat=0)
    table.go_to(session)
    table.act()
    commitment = table.session(session)["deal"]["commitment"]
    table.button("More").tap()
    table.button("What happened", exact=False).tap()
    window = table.page.get_by_role("dialog", name="What happened")
    assert window.locator("p").all_text_contents() == table.page.locator("[role=log] p").all_text_contents()
    assert commitment[:8] in window.get_by_text("Hash of the cards").text_content()
    assert window.locator("p").last.evaluate("(line) => line.getBoundingClientRect().bottom <= innerHeight")


def test_targets_are_large_enough_for_a_finger(open_table: OpenTable, server: Server) -> None:
    table = open_table(width=390, height=844, touch=True, game={"rules": "classic", "seat": 0})
    sizes: list[Any] = table.page.locator("button:visible").evaluate_all(
        "all => all.map((one) => { const box = one.getBoundingClientRect(); return [box.width, box.height] })"
    )
    assert min(min(size) for size in sizes) >= 24


def test_the_page_is_light(open_table: OpenTable, start_server: StartServer) -> None:
    """All that a first visit loads until the first deal, the windows included."""
    table = open_table(start_server("small"))  # on which nothing has been played
    table.button("New game").click()
    table.page.get_by_role("dialog").wait_for()
    loaded = table.page.evaluate(
        """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .map((one) => [one.name.split('#')[0].split('/').slice(4).join('/'), one.encodedBodySize])"""
    )
    sizes = dict(loaded)
    assert all(sizes.values())
    assert sum(size for _, size in loaded) < 125_000  # bytes

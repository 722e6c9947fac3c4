"""Play at the table, and what several files of tests look for there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.browser.table import ABLE, Table

# Diamonds are trumps, the opponent deals and has the longest name; the score of the match is long, too.
LONGEST = {"seat": 1, "seed": 4, "agent": "heuristic+exact", "match": "first_to:50"}


def play(table: Table, rules: str, is_wanted: Callable[[Any], bool], **choices: Any) -> str:
    """Play a deal behind the page until the session is as wanted; return its id."""
    session = table.session(table.create(**{"rules": rules, "seat": 0, **choices}))
    while not is_wanted(session):
        action = session["position"]["decision"]["actions"][0]
        session = table.do("act", session, action)
    return str(session["id"])


def play_deals(table: Table, count: int, **choices: Any) -> str:
    """Play whole deals behind the page, and begin another one; return the id of their session."""
    session = table.session(table.create(**{"seat": 0, **choices}))
    for _ in range(count):
        while session["position"]["decision"]:
            session = table.do("act", session, session["position"]["decision"]["actions"][0])
        session = table.do("next", session)
    return str(session["id"])


def follows(session: Any) -> bool:
    """Return whether the opponent has led to a later trick."""
    position = session["position"]
    return position["trick"] > 3 and position["led"] is not None


TINY = "tiny"

REVIEW = 60_000  # milliseconds: it thinks about every move, also on a busy machine

# Counts rated deals of classic.
RATED = """async (count) => {
  const { store } = germanWhist.sessions;
  const row = (deal) => ({
    session: "s", deal, time: `2026-11-21T01:${10 + deal}:00+00:00`, rules: "classic", agent: "greedy",
    margin: 1, low: false, assisted: false, day: null, recalled: null, held: null,
    given_away: 1, at_stake: 3, par: deal % 2 ? 1 : 3,
  });
  const deals = Array.from({ length: count }, (_, place) => row(place + 1));
  await store.merge([], { deals, matches: [] });
}"""


# Makes all mistakes due.
DUE = """async () => {
  const { store } = germanWhist.sessions;
  for (const one of await store.allExercises()) await store.putExercise({ ...one, due: "2026-01-01" });
}"""

BOT = """
from pathlib import Path

class Bot:
    def act(self, decisions):
        if Path(__file__).with_name("broken").exists():
            raise RuntimeError("no card")
        return decisions.action_masks.argmax(axis=1)
"""


def has_failed(table: Table, words: str) -> None:
    """Wait until the page says that the opponent has failed."""
    table.page.get_by_role("alert").filter(has_text=words).wait_for()
    table.page.locator("#prompt").filter(has_text="The opponent has failed. Tap to ask again.").wait_for()


def ask_again(table: Table) -> None:
    """Tap a card while it is the opponent's turn, and wait for what it plays."""
    before = table.log
    table.page.locator("#hand button").first.click(force=True)  # screen readers hear that it cannot be played
    table.page.wait_for_function("text => document.querySelector('[role=log]').textContent !== text", arg=before)
    table.wait()


RESULT = re.compile(r"(You (win|lose) \d+ to \d+|The deal is drawn, \d+ tricks? each)(, played low)?")

WAYS = ("mouse", "touch", "keyboard")

SIZES: dict[str, dict[str, Any]] = {
    "mouse": {},
    "touch": {"width": 390, "height": 844},
    "keyboard": {"width": 1024, "height": 768},
}


def play_with_keys(table: Table) -> None:
    """Play a deal with Tab, arrows, Enter and the space bar alone."""
    keyboard = table.page.keyboard
    while not table.result:
        before = table.log
        for _ in range(60):
            if table.page.evaluate(
                """() => { const at = document.activeElement;
                  return at.closest('main :is([role=group], [role=list])') !== null && at.tagName === 'BUTTON'
                    && at.getAttribute('aria-disabled') !== 'true' }"""
            ):
                break
            keyboard.press("Tab")
        keyboard.press("Enter")
        if table.page.evaluate("document.activeElement.getAttribute('aria-pressed')") is not None:
            keyboard.press("Space")
        table.page.wait_for_function("text => document.querySelector('[role=log]').textContent !== text", arg=before)
        table.wait()
    assert table.page.evaluate("document.activeElement.textContent") in {"Next deal", "New game"}


def play_quickly(table: Table) -> None:
    """Play the first action that can be taken, one press each, to the end of the deal."""
    able = table.page.locator(ABLE).first
    while not table.result:
        before = table.log
        table.press(able)
        table.page.wait_for_function("text => document.querySelector('[role=log]').textContent !== text", arg=before)
        table.wait()


def games_window(table: Table) -> Any:
    table.button("More").click()
    table.button("Your games", exact=False).click()
    window = table.page.get_by_role("dialog", name="Your games")
    window.wait_for()
    return window


_PLAY_DAY = """async () => {
  const table = germanWhist.sessions;
  let session = await table.dealOfDay("2026-11-21");
  while (session.position.decision) session = await table.act(session, session.position.decision.actions[0]);
  return session;
}"""


def play_day(table: Table) -> Any:
    """Play the deal of a day behind the page; return its session."""
    return table.page.evaluate(_PLAY_DAY)


def show(table: Table, session: str) -> None:
    """Show a session of any kind, as its address does on a page that is opened anew."""
    table.follow(f"#session={session}")
    table.wait()


def until(table: Table, condition: str) -> None:
    """Wait for what the page is asked now and then: `wait_for_function` would take a promise for true."""
    for _ in range(30):
        if table.page.evaluate(f"async () => {condition}"):
            return
        table.page.wait_for_timeout(1000)  # while nobody asks, the page rates deals
    raise TimeoutError(condition)


FORGET_PAGE = """async () => {
  for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
}"""


def with_prefix(route: Any, text: str) -> None:
    """Answer with a script that begins with some text."""
    answer = route.fetch()
    route.fulfill(response=answer, body=f"{text}\n{answer.text()}")

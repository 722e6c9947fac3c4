"""The page without a server, without a connection, without storage, and in browsers that lack something."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from german_whist.evaluation.recording import Recording
from german_whist.game.rules import rule_names
from german_whist.table.bundle import write_page
from tests.browser.conftest import STATIC
from tests.browser.playing import FORGET_PAGE, until, with_prefix
from tests.browser.static_site import StaticSite
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


# Plays whole deals of every game of the catalogue, against each of its agents in turn, with the first action there is.
_PLAY_EVERY_GAME = """async () => {
  const table = germanWhist.sessions;
  const { games } = await table.catalog();
  const results = {};
  for (const [place, game] of games.entries()) {
    const agent = game.agents[place % game.agents.length];
    const { rules } = game.scorings[place % game.scorings.length];
    let session = await table.create({ rules, agent, seed: 7, seat: place % 2 });
    session = await table.hint(session);
    while (session.position.result === null) {
      session = await table.act(session, session.position.decision.actions[0]);
    }
    results[game.id] = { session, statistics: await table.statistics() };
  }
  return results;
}"""


@STATIC
def test_every_game_is_played_to_its_end_and_counted(table: Table) -> None:
    before = table.do("statistics")["deals"]
    results = table.page.evaluate(_PLAY_EVERY_GAME)
    assert set(results) == set(rule_names())
    for number, (game, found) in enumerate(results.items(), 1):
        session = found["session"]
        result, deal = session["position"]["result"], session["deal"]
        assert found["statistics"]["deals"] == before + number
        assert deal["assisted"]
        margin = result["tricks"]["you"] - result["tricks"]["opponent"]
        assert result["margin"] == (-margin if session["position"]["low"] else margin)
        recorded = Recording.from_line(table.do("recording", session["id"], 1)["recording"])
        recorded.replay()
        assert recorded.result.margin == (result["margin"] if deal["seat"] == 0 else -result["margin"]), game


# Alerts go after a moment: on a busy machine, before the card that caused them is seen on the table.
_HEAR = """
globalThis.heard = "";
new MutationObserver(([{ target }]) => { heard += target.textContent; })
  .observe(document.querySelector("[role=alert]"), { childList: true });
"""


@STATIC
@pytest.mark.parametrize(
    ("refuse", "words"),
    [
        ("IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); };", "saves nothing here"),
        ("IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };", "no room left"),
    ],
    ids=["refused", "full"],
)
def test_the_game_goes_on_where_the_browser_saves_nothing(table: Table, refuse: str, words: str) -> None:
    table.page.route("**/js/chunk.js", lambda route: with_prefix(route, refuse + _HEAR))
    try:
        table.page.evaluate(FORGET_PAGE)
        table.follow()
        table.wait()
        table.act()
        table.page.wait_for_function(
            "words => heard.includes(words)",
            arg=f"{words}: your games last only until you close the page.",
        )
        table.act()
    finally:
        table.page.unroute("**/js/chunk.js")


_SILENT = """IDBFactory.prototype.open = function () { return new EventTarget(); };"""


@STATIC
def test_a_storage_that_does_not_answer_is_not_waited_for(table: Table) -> None:
    table.page.route("**/js/chunk.js", lambda route: with_prefix(route, _SILENT + _HEAR))
    try:
        table.page.evaluate(FORGET_PAGE)
        table.follow()
        table.page.wait_for_function("() => heard.includes('your games last only until you close the page')")
        table.wait()
        table.act()
    finally:
        table.page.unroute("**/js/chunk.js")


def test_it_works_without_a_connection_after_the_first_visit(browser: Any, page_folder: Path) -> None:
    site = StaticSite(page_folder)
    site.start()
    table = Table(browser, site)
    try:
        table.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        site.stop()
        table.page.reload()
        table.wait()
        hand = table.hand
        table.act()
        table.follow("index.html")  # the site's front page names it so
        table.wait()
        assert table.hand != hand
        table.button("Settings").click()
        table.page.get_by_role("dialog", name="Settings").wait_for()
        assert table.complaints == []
        table.page.keyboard.press("Escape")
        table.go_to(table.create(rules="small", agent="champion", seat=1))
        card = table.actions()[0]
        table.press(card)
        table.press(card)  # the champion is to answer
        absent = table.page.get_by_role("dialog", name="The opponent is not available")
        absent.get_by_role("button", name="Small").click()
        table.wait()  # this network was not needed before
        table.button("Hint").click()
        table.page.get_by_text("By Small network, because Champion is not loaded.").wait_for()
        assert all(re.search("Failed to load|network error", words) for words in table.complaints)
    finally:
        table.close()


def described(table: Table) -> str:
    """Return the page's description."""
    return str(table.page.locator("meta[name=description]").get_attribute("content"))


def test_a_page_kept_from_an_earlier_version_is_replaced_as_a_whole(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "play"
    write_page(folder)
    for name, now, then in (  # an earlier version
        ("service_worker.js", re.compile(r"[0-9a-f]{16}`"), "0123456789abcdef`"),
        ("index.html", re.compile("German Whist for two"), "Earlier"),
    ):
        path = folder / name
        path.write_text(now.sub(then, path.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    site = StaticSite(tmp_path)
    site.start()
    table = Table(browser, site)
    try:
        table.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        table.page.wait_for_timeout(1000)
        assert described(table).startswith("Earlier")
        write_page(folder)
        table.page.reload()  # the earlier version, while the next one is fetched
        assert described(table).startswith("Earlier")
        until(table, "(await navigator.serviceWorker.getRegistration())?.waiting != null")
        table.page.goto("about:blank")  # no tab shows the earlier version any more
        table.page.goto(f"{site.address}")
        table.wait()
        assert described(table).startswith("German Whist")
        table.act()
        until(table, "(await caches.keys()).length === 1")
        assert table.complaints == []
    finally:
        table.close()
        site.stop()


def test_the_champion_plays_without_a_connection_once_it_has_been_loaded(browser: Any, page_folder: Path) -> None:
    site = StaticSite(page_folder)
    site.start()
    table = Table(browser, site)
    try:
        table.do("create", {"rules": "draft", "agent": "champion", "seat": 0})
        until(table, "await caches.match('champion.safetensors') !== undefined")
        site.stop()
        table.page.reload()
        table.wait()
        session = table.do("create", {"rules": "classic", "agent": "champion", "seat": 0})
        assert session["position"]["led"]["by"] == "opponent"
        assert table.do("hint", session)["hint"]["byText"] == "By the network."
        assert table.complaints == []
    finally:
        table.close()


OPTIONAL = (
    "AudioContext",
    "navigator.serviceWorker",
    "navigator.storage",
    "navigator.userActivation",
)


@STATIC
@pytest.mark.parametrize("missing", OPTIONAL)
def test_a_browser_that_lacks_something_plays_all_the_same(table: Table, missing: str) -> None:
    owner, _, name = missing.rpartition(".")
    remove = {"navigator": "Navigator.prototype", "": "globalThis"}.get(owner, owner)
    table.page.route("**/js/main.js", lambda route: with_prefix(route, f"delete {remove}.{name};"))
    try:
        table.page.evaluate(FORGET_PAGE)
        table.follow()
        table.wait()
        table.go_to(table.create(rules="tiny", seat=0))
        assert table.page.evaluate(f"'{name}' in {remove}") is False
        assert table.play_on()
        table.button("Share").click()
        share = table.page.get_by_role("dialog", name="Share this deal")
        share.get_by_label("Link", exact=True).wait_for()
    finally:
        table.page.unroute("**/js/main.js")

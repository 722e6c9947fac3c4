"""The page without a server: whole deals, the coach, statistics, shared links, and visits without a connection."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from german_whist.envs.engine.cards import card_text
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.settings import day_settings
from german_whist.session.shared_deals import read_deals
from tests.browser.static_site import LocalTable, StaticSite
from tests.browser.test_whole_deals import RESULT, WAYS, play_quickly, play_with_keys

ROOT = Path(__file__).parents[2]
LARGEST = 700_000  # bytes of the folder, compressed
PRESETS = [name for name in rule_names() if not rules(name).humbug]

# Plays whole deals of every game of the catalogue, against each of its agents in turn, with the first action there is.
_PLAY_EVERY_GAME = """async () => {
  const { api } = modules["local/api.js"];
  const { games } = await api.catalog();
  const results = {};
  for (const [place, game] of games.entries()) {
    const agent = game.agents[place % game.agents.length];
    const { rules } = game.scorings[place % game.scorings.length];
    let session = await api.create({ rules, agent, seed: 7, seat: place % 2 });
    session = await api.hint(session);
    while (session.position.result === null) {
      session = await api.act(session, session.position.decision.actions[0].action);
    }
    results[game.id] = { session, statistics: await api.statistics() };
  }
  return results;
}"""

_ACT_AGAIN = """([session, action]) => modules["local/api.js"].api.act(session, action)
  .catch(({ code, session }) => [code, session.version])"""

_FORGET_PAGE = """async () => {
  for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
}"""


@pytest.fixture(scope="module")
def page_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    runpy.run_path(str(ROOT / "docs" / "play" / "build.py"))["build"](folder / "play")
    return folder


@pytest.fixture(scope="module")
def site(page_folder: Path) -> Iterator[StaticSite]:
    site = StaticSite(page_folder)
    site.start()
    yield site
    site.stop()


@pytest.fixture(scope="module")
def device(browser: Any, site: StaticSite) -> Iterator[LocalTable]:
    table = LocalTable(browser, site, touch=True)
    yield table
    table.close()


@pytest.fixture
def table(device: LocalTable) -> Iterator[LocalTable]:
    """The page on a device that may have statistics and old games, but has none open."""
    device.visit()
    yield device
    assert device.complaints == []


def test_the_folder_is_small_and_names_nothing_elsewhere(page_folder: Path) -> None:
    import gzip

    files = [path for path in page_folder.rglob("*") if path.is_file()]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < LARGEST
    for path in files:
        if path.suffix in (".html", ".js", ".css", ".webmanifest"):
            addresses = re.findall(r"https?://[^\s\"'`)]+", path.read_text(encoding="utf-8"))
            assert set(addresses) <= {"http://www.w3.org/2000/svg"}


def test_every_game_is_played_to_its_end_and_counted(table: LocalTable) -> None:
    before = table.answer("statistics")["deals"]
    results = table.page.evaluate(_PLAY_EVERY_GAME)
    assert set(results) == set(PRESETS)
    for number, (game, found) in enumerate(results.items(), 1):
        session = found["session"]
        result, deal = session["position"]["result"], session["deal"]
        assert found["statistics"]["deals"] == before + number
        assert deal["assisted"]
        margin = result["tricks"]["you"] - result["tricks"]["opponent"]
        assert result["margin"] == (-margin if session["position"]["low"] else margin)
        recorded = read_deals(table.answer("recording", session["id"], 1)["code"])[0]  # which replays it
        assert recorded.result.margin == (result["margin"] if deal["seat"] == 0 else -result["margin"]), game


def test_the_lesson_is_taught_to_its_end(table: LocalTable) -> None:
    session = table.answer("lesson")
    while not session["lesson"]["done"]:
        wanted = session["lesson"]["wanted"] or [session["position"]["decision"]["actions"][0]["action"]]
        session = table.answer("act", session, wanted[0])
    assert session["position"]["result"]["winner"] == "you"
    assert "Teacher leads the ace of diamonds." in [event["text"] for event in session["events"]]


@pytest.mark.parametrize(("preset", "way"), [("tiny", "keyboard"), ("small", "touch"), ("six_cards", "mouse")])
def test_a_whole_deal(table: LocalTable, preset: str, way: str) -> None:
    play_whole_deal(table, preset, way)


@pytest.mark.nightly
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_deal_of_every_preset_in_every_way(table: LocalTable, preset: str, way: str) -> None:
    play_whole_deal(table, preset, way)


def play_whole_deal(table: LocalTable, preset: str, way: str) -> None:
    """Play a deal of true size in a way of playing."""
    table.touch = way == "touch"
    session = table.create(rules=preset, seat=0)
    size = {"width": 390, "height": 844} if way == "touch" else {"width": 1280, "height": 800}
    table.visit(session=session, settings={"singleTap": way != "keyboard"}, **size)
    if way == "keyboard":
        play_with_keys(table)
    else:
        play_quickly(table)
    assert RESULT.fullmatch(table.result)
    assert table.button("Next deal").is_visible()


def test_hints_take_backs_and_the_review(table: LocalTable) -> None:
    table.go_to(table.create(rules="small", seat=1))
    table.button("Hint").click()
    coach = table.page.get_by_role("region", name="Coach", exact=True)
    coach.wait_for()
    words = coach.text_content()
    assert "By Small network." in words
    assert coach.get_by_role("heading").text_content().removeprefix("Play the ") in table.hand
    cards = coach.get_by_role("table", name="What the opponent may hold").locator("tbody td:nth-child(3)")
    assert sum(map(float, cards.all_text_contents())) == pytest.approx(len(table.hand), abs=0.3)
    hand = table.hand
    table.act()
    table.button("Take back").click()
    table.page.locator("[aria-disabled=true]", has_text="Take back").wait_for()
    assert table.hand == hand
    table.play_on()
    assert "Assisted" in table.page.get_by_role("region", name="Result").text_content()
    table.button("Review").click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for()
    assert review.get_by_role("img", name=re.compile("Chance that you win")).is_visible()
    mistakes = review.locator(".mistakes").get_by_role("listitem").all_text_contents()
    assert 1 <= len(mistakes) <= 3
    table.page.keyboard.press("Home")
    while not review.get_by_role("button", name=re.compile("^Try the")).count():
        table.page.keyboard.press("ArrowRight")
    review.get_by_role("button", name=re.compile("^Try the")).first.click()
    table.page.wait_for_function("() => document.querySelector('#match').textContent === 'Practice'")
    table.wait()
    table.page.reload()
    table.wait()
    table.button("Back to the review").click()
    review.wait_for()


def test_the_statistics_are_shown_rated_exported_and_deleted(table: LocalTable) -> None:
    table.answer("deleteStatistics")
    table.go_to(table.create(rules="tiny", seat=0))
    table.play_on()
    table.page.wait_for_function(  # which nobody has asked for
        "async () => (await modules['local/api.js'].api.statistics()).groups[0].luck !== null"
    )
    table.button("Statistics").click()
    statistics = table.page.get_by_role("dialog", name="Statistics")
    statistics.wait_for()
    row = statistics.get_by_role("table", name="By game and agent").get_by_role("row").nth(1)
    assert row.text_content().startswith("TinyTextbook1")
    with table.page.expect_download() as saved:
        statistics.get_by_role("link", name="Export").click()
    assert '"rules": "tiny"' in Path(saved.value.path()).read_text(encoding="utf-8")
    statistics.get_by_role("button", name="Delete all").click()
    table.page.get_by_role("dialog", name="Delete all statistics?").get_by_role("button", name="Delete").click()
    statistics.wait_for(state="hidden")
    assert table.answer("statistics")["deals"] == 0


def test_a_reload_in_the_middle_of_a_deal_changes_nothing(table: LocalTable) -> None:
    table.go_to(table.create(rules="small", seat=0))
    for _ in range(2):
        table.act()
    hand, log = table.hand, table.log
    table.page.reload()
    table.wait()
    assert (table.hand, table.log) == (hand, log)


def test_two_tabs_do_not_play_one_deal_twice(table: LocalTable) -> None:
    table.go_to(table.create(rules="small", seat=0))
    session = table.answer("session", table.page.url.partition("=")[2])
    action = session["position"]["decision"]["actions"][0]["action"]
    table.answer("act", session, action)
    refused = table.page.evaluate(_ACT_AGAIN, [session, action])
    assert refused == ["conflict", session["version"] + 2]


def test_the_deal_of_the_day_is_that_of_the_package(table: LocalTable) -> None:
    settings = day_settings("2026-11-21", "heuristic")
    deal = TableDeal.at_address(settings.game, settings.seed, 0)
    session = table.answer("create", {"day": "2026-11-21", "agent": "heuristic"})
    hand = {card["card"] for card in session["position"]["hand"]}
    assert hand == {card_text(card) for card in deal.deck[0:26:2]}  # the person leads, so the other seat has dealt
    assert session["title"] == "Deal of 2026-11-21: Classic against Textbook"


def test_a_link_shows_the_whole_deal_to_another_person(browser: Any, site: StaticSite, table: LocalTable) -> None:
    table.go_to(table.create(rules="small", seat=0))
    result = table.play_on()
    table.button("Share").click()
    share = table.page.get_by_role("dialog", name="Share this deal")
    assert "whoever opens it sees the deal" in share.text_content()
    link = share.get_by_role("textbox", name="Link").input_value()
    assert link.startswith(f"{site.address}#recording=")
    other = LocalTable(browser, site)
    try:
        other.page.goto("about:blank")
        other.page.goto(link)
        review = other.page.get_by_role("dialog", name="Review of the deal")
        review.wait_for()
        assert result in review.text_content()
        assert other.complaints == []
    finally:
        other.close()


@pytest.mark.parametrize(
    ("refuse", "words"),
    [
        ("IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); };", "saves nothing here"),
        ("IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };", "no room left"),
    ],
    ids=["refused", "full"],
)
def test_the_game_goes_on_where_the_browser_saves_nothing(table: LocalTable, refuse: str, words: str) -> None:
    table.page.route("**/local/worker.js", lambda route: _with_prefix(route, refuse))
    try:
        table.page.evaluate(_FORGET_PAGE)
        table.page.goto("about:blank")
        table.page.goto(table.server.address)
        table.wait()
        for _ in range(2):
            table.act()
        table.page.wait_for_function(
            "words => document.querySelector('[role=alert]').textContent.includes(words)",
            arg=f"{words}: your games last until you close the page.",
        )
    finally:
        table.page.unroute("**/local/worker.js")


def _with_prefix(route: Any, text: str) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=f"{text}\n{answer.text()}")


def test_it_works_without_a_connection_after_the_first_visit(browser: Any, page_folder: Path) -> None:
    site = StaticSite(page_folder)
    site.start()
    table = LocalTable(browser, site)
    try:
        table.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        site.stop()
        table.page.reload()
        table.wait()
        hand = table.hand
        table.act()
        table.page.goto("about:blank")
        table.page.goto(f"{site.address}index.html")  # as the front page of the site names it
        table.wait()
        assert table.hand != hand
        session = table.answer("create", {"rules": "draft", "agent": "small"})  # the network was not needed before
        assert table.answer("hint", session)["hint"]["by"] == "small"
        table.button("Settings").click()
        table.page.get_by_role("dialog", name="Settings").wait_for()
        assert table.complaints == []
    finally:
        table.close()

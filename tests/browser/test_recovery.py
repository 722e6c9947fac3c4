"""Reload, a killed server, two tabs: nothing is lost and nothing is played twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OpenTable, StartServer
from tests.browser.playing import RATED, REVIEW, ask_again, games_window, has_failed, play_deals
from tests.browser.server import Server
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


def test_the_page_without_a_session_goes_on_with_the_last_game(table: Table, server: Server) -> None:
    table.go_to(table.create(rules="small", seat=0))
    table.act()
    hand = table.hand
    table.follow()
    table.wait()
    assert table.hand == hand


def test_a_killed_server_loses_nothing(open_table: OpenTable, start_server: StartServer) -> None:
    server = start_server()
    table = open_table(server, game={"rules": "tiny", "seat": 0, "agent": "mc:worlds=60"})
    table.act()
    server.kill()
    table.actions()[0].click()
    table.page.locator("#hand [aria-pressed=true]").click()
    alert = table.page.get_by_role("alert")
    table.page.wait_for_function("() => document.querySelector('[role=alert]').textContent.includes('not answer')")
    table.page.wait_for_timeout(5500)  # longer than anything else is said
    assert "not answer" in alert.text_content()
    assert alert.is_visible()
    server.start()
    table.page.wait_for_function("() => document.querySelector('[role=alert]').textContent.includes('is ready')")
    table.wait()
    assert alert.is_visible()
    table.play_on()
    # The refused connections, and no others, were complained about.
    assert all("ERR_CONNECTION_REFUSED" in words for words in table.complaints)
    table.complaints.clear()


def test_an_agent_of_the_page_itself_plays_on_without_the_server(
    open_table: OpenTable, start_server: StartServer
) -> None:
    server = start_server()
    table = open_table(server, game={"rules": "tiny", "seat": 0})
    server.kill()
    assert table.play_on()
    table.page.goto("about:blank")
    # The deal may have been reviewed meanwhile, which the server does.
    assert all("ERR_CONNECTION_REFUSED" in words for words in table.complaints)
    table.complaints.clear()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 400, "json": {"error": "No card is legal."}}, "No card is legal."),
        ({"status": 502, "body": "<h1>Bad Gateway</h1>"}, "status 502"),
        ({"status": 200, "body": "{}"}, "undefined"),
        ({"status": 200, "json": {"action": "C2"}}, "plays C2, which is not legal"),  # the deck begins above it
    ],
    ids=["refusal", "proxy", "nothing", "illegal"],
)
def test_after_any_answer_without_a_card_the_game_goes_on(table: Table, answer: dict[str, Any], words: str) -> None:
    ends = table.create(rules="tiny", seat=1, agent="mc:worlds=60")
    table.go_to(ends)
    table.page.route("**/api/act", lambda route: route.fulfill(**answer))
    for _ in range(2):
        table.press(table.page.locator("#hand button").first)
    has_failed(table, words)
    table.page.reload()  # the page asks again, as after a tap
    has_failed(table, words)
    begins = table.create(rules="tiny", seat=0, agent="mc:worlds=60")
    table.page.evaluate("id => { location.hash = `session=${id}` }", begins)
    table.page.wait_for_function("id => localStorage.getItem('german-whist.session') === id", arg=begins)
    has_failed(table, words)
    table.page.unroute("**/api/act")
    ask_again(table)
    table.go_to(ends)  # the opponent is asked without a tap
    assert table.play_on()
    table.complaints.clear()  # the answers above are complained about


@pytest.mark.parametrize("part", ["data.json", "cards.svg", "js/windows.js"])
def test_a_part_of_the_page_that_does_not_come_is_not_taken_for_the_server(table: Table, part: str) -> None:
    table.page.route(f"**/{part}", lambda route: route.abort())
    table.page.reload()
    alert = table.page.get_by_role("alert")
    alert.filter(has_text="could not be loaded").wait_for(timeout=10_000)
    table.page.wait_for_timeout(2000)  # longer than the pause before a server is asked again
    assert "server" not in str(alert.text_content())
    assert all("ERR_FAILED" in words for words in table.complaints)
    table.complaints.clear()


def test_a_worker_that_does_not_come_is_named(table: Table) -> None:
    table.go_to(table.create(rules="small", agent="greedy", seat=0))
    table.page.route("**/worker.js", lambda route: route.abort())
    table.page.reload()
    table.wait()
    for _ in range(2):  # the first press raises the card
        table.actions()[0].click()
    table.page.get_by_role("alert").filter(has_text="could not be loaded").wait_for(timeout=10_000)
    table.complaints.clear()


def test_two_tabs_show_the_same_table(table: Table) -> None:
    table.go_to(table.create(rules="tiny", seat=0))
    other = table.another_tab()
    assert other.hand == table.hand
    table.act()
    other.page.wait_for_function("text => document.querySelector('[role=log]').textContent === text", arg=table.log)
    other.wait()
    assert other.hand == table.hand
    other.act()
    table.page.wait_for_function("text => document.querySelector('[role=log]').textContent === text", arg=other.log)
    table.page.bring_to_front()
    table.play_on()


def test_an_address_of_a_session_that_is_gone_opens_the_last_game(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0))
    hand = table.hand
    for address in ("session=nowhere", "constructor=nowhere"):
        table.page.evaluate("address => { location.hash = address; }", address)
        table.page.get_by_role("dialog", name="The link cannot be opened").wait_for()
        table.page.keyboard.press("Escape")
        table.page.wait_for_function("() => !location.hash.includes('nowhere')")
        table.wait()
        assert table.hand == hand


def test_a_damaged_game_is_named_and_another_one_can_be_played(table: Table) -> None:
    session = table.create(rules="tiny", seat=0)
    table.page.evaluate(_DAMAGE, session)
    table.page.evaluate("id => { location.hash = `session=${id}` }", session)
    table.page.get_by_role("dialog", name="The link cannot be opened").get_by_text("cannot be read").wait_for()
    table.page.keyboard.press("Escape")
    table.page.wait_for_function("id => !location.hash.includes(id)", arg=session)
    table.wait()
    assert table.play_on()


def test_a_damaged_deal_is_named_when_it_is_opened_and_the_next_ones_go_on(table: Table) -> None:
    session = play_deals(table, 1, rules="tiny")
    table.page.evaluate(_DAMAGE, session)
    table.go_to(session)
    assert table.play_on()
    refused = "id => germanWhist.sessions.review(id, 1).catch(({ kind, message }) => [kind, message])"
    kind, message = table.page.evaluate(refused, session)
    assert kind == "refused"
    assert "cannot be read" in message


@pytest.mark.parametrize(
    "lose",
    [
        "async () => (await germanWhist.sessions.store.file).close()",
        """() => {
          const { get } = IDBObjectStore.prototype;
          IDBObjectStore.prototype.get = function () {
            IDBObjectStore.prototype.get = get;
            throw new DOMException("Connection to Indexed Database server lost.", "UnknownError");
          };
        }""",
    ],
    ids=["closed", "lost"],
)
def test_a_connection_to_the_storage_that_a_phone_has_ended_is_opened_again(table: Table, lose: str) -> None:
    table.go_to(table.create(rules="small", seat=0))
    table.act()
    address = table.page.url
    table.page.evaluate(lose)
    table.act()
    hand, log = table.hand, table.log
    table.page.reload()
    table.wait()
    assert (table.page.url, table.hand, table.log) == (address, hand, log)


def test_where_the_storage_does_not_come_back_the_game_at_the_table_goes_on(table: Table) -> None:
    table.go_to(table.create(rules="tiny", seat=0))
    table.page.reload()  # so that the game was only read
    table.wait()
    address = table.page.url
    table.page.evaluate(
        """async () => {
          (await germanWhist.sessions.store.file).close();
          IDBFactory.prototype.open = () => { throw new DOMException('', 'UnknownError'); };
        }"""
    )
    table.act()
    assert "your games last only until you close the page" in table.page.get_by_role("alert").text_content()
    assert table.play_on()
    assert table.page.url == address
    assert table.do("statistics")["deals"] == 1


OWN = "classic:ranks=4,hand=4,stock=8,points=over_half"


def test_games_that_the_page_no_longer_plays_are_listed_counted_exported_and_deleted(
    table: Table, open_table: OpenTable, tmp_path: Path
) -> None:
    own = [table.create(rules=OWN, seat=0) for _ in range(2)]
    table.page.evaluate(_PLAY, own[0])
    gone = [table.create(rules="tiny", seat=0, agent="heuristic") for _ in range(2)]
    table.page.evaluate(_PLAY, gone[0])
    table.page.evaluate(_DISMISS, [gone, "python:gone.py:Bot"])
    table.page.evaluate("([id]) => localStorage.setItem('german-whist.session', id)", own)
    table.follow()  # a page that has never heard of these rules and this agent
    table.wait()
    assert table.actions()
    assert not any(one in table.page.url for one in [*own, *gone])
    table.button("Statistics").click()
    counted = table.page.get_by_role("table", name="By game and opponent")
    counted.get_by_role("row").filter(has_text=f"{OWN}Textbook1").wait_for()
    table.page.keyboard.press("Escape")
    games = games_window(table)
    titles = [f"{OWN} against Textbook", "Tiny against python:gone.py:Bot"]
    for title in titles:
        row = games.locator("section").nth(0).get_by_role("listitem").filter(has_text=title)
        assert "not played here" in str(row.text_content())
        assert row.get_by_role("button").count() == 1
        row.get_by_role("button", name="Delete").click()
        table.page.get_by_role("dialog", name="Delete this game?").get_by_role("button", name="Delete").click()
        row.wait_for(state="detached")
    with table.page.expect_download() as saved:
        games.get_by_role("button", name="Save as a file").click()
    path = tmp_path / "games.json"
    saved.value.save_as(path)
    over = games.locator("section").nth(1)
    assert over.get_by_role("listitem").filter(has_text=titles[0]).get_by_role("button").count() == 1
    over.get_by_role("button", name=titles[1], exact=False).first.click()
    table.page.get_by_role("dialog", name="Review of the deal").wait_for(timeout=REVIEW)
    other = open_table()
    games = games_window(other)
    games.get_by_label("Load a saved file").set_input_files(path)
    games.get_by_text("Loaded.").wait_for()
    assert {own[0], gone[0]} <= {one["id"] for one in other.do("list")}
    assert other.do("statistics")["deals"] == 2


def test_a_game_saved_by_an_earlier_version_goes_on(table: Table) -> None:
    saved = json.loads(table.do("exportAll"))
    hint = {"by": "champion", "by_title": "Champion", "action": "SA", "options": [{"tricks_given_away": 0}]}
    [row, *_] = saved["sessions"]
    deals = [{**deal, "salt": "5f0c"} for deal in row["deals"]]
    saved["sessions"] = [{**row, "id": "earlier", "hint": hint, "deals": deals}]
    assert table.do("importAll", json.dumps(saved)) == 1
    table.go_to("earlier")
    assert table.play_on()


def test_a_score_comes_from_the_cards_of_a_loaded_file(table: Table) -> None:
    session = play_deals(table, 2, rules="tiny")
    saved = json.loads(table.do("exportAll"))
    row = next(row for row in saved["sessions"] if row["id"] == session)
    row["id"] = "other"
    row["deals"][0]["result"].update(margin=0, points=0)
    del row["deals"][1]["result"]  # games of earlier versions lack it
    assert table.do("importAll", json.dumps(saved)) == 1
    assert table.session("other")["match"] == table.session(session)["match"]


# Plays a game to its end with the first action there is.
_PLAY = """async (id) => {
  const table = germanWhist.sessions;
  let session = await table.open(id);
  while (session.position.decision) session = await table.act(session, session.position.decision.actions[0]);
}"""

_DISMISS = """async ([ids, agent]) => {
  const { store } = germanWhist.sessions;
  for (const id of ids) {
    const row = await store.session(id);
    await store.save({ ...row, title: agent, settings: { ...row.settings, agent } }, row.version, [], null);
  }
}"""

_DAMAGE = """async (id) => {
  const { store } = germanWhist.sessions;
  const row = await store.session(id);
  row.deals[0].deck = "SA";
  await store.save({ ...row, version: row.version + 1 }, row.version, [], null);
}"""


def test_all_games_are_saved_as_a_file_that_another_browser_loads(
    table: Table, open_table: OpenTable, tmp_path: Path
) -> None:
    session = table.create(rules="tiny", seat=0)
    table.go_to(session)
    table.play_on()
    keep = games_window(table)
    with table.page.expect_download() as saved:
        keep.get_by_role("button", name="Save as a file").click()
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    other = open_table()
    assert other.do("statistics")["deals"] == 0
    keep = games_window(other)
    keep.get_by_label("Load a saved file").set_input_files(path)
    keep.get_by_text("Loaded.").wait_for()
    finished = keep.locator("section").nth(1).get_by_role("listitem")
    assert re.search(
        r"\d+ \w+ 20\d\d, \d\d:\d\d", finished.first.text_content()
    )  # it is listed at once, by an English date
    assert other.do("statistics")["deals"] == 1
    assert other.session(session)["position"] == table.session(session)["position"]
    keep.get_by_label("Load a saved file").set_input_files(path)
    keep.get_by_text("All of it was already here.").wait_for()
    path.write_text("{}")
    keep.get_by_label("Load a saved file").set_input_files(path)
    keep.get_by_text("This is not a file of games saved by German Whist.").wait_for()
    whole = json.loads(other.do("exportAll"))
    counted = [{name: value for name, value in one.items() if name != "deal"} for one in whole["deals"]]
    for change in ({"sessions": [{"id": "x"}]}, {"deals": counted}):
        path.write_text(json.dumps({**whole, **change}))
        refused = other.page.evaluate(
            "text => germanWhist.sessions.importAll(text).catch(({ message }) => message)", path.read_text()
        )
        assert refused == "This file of games is damaged."


def test_a_file_that_cannot_be_kept_is_not_taken_for_a_known_one(table: Table) -> None:
    saved = table.do("exportAll")
    refused = """async (saved) => {
      const { importAll, store } = germanWhist.sessions;
      store.full = true;
      return importAll(saved).catch(({ kind }) => kind);
    }"""
    assert table.page.evaluate(refused, saved) == "refused"


def test_who_has_many_games_is_offered_a_file_of_them_now_and_then(table: Table) -> None:
    table.page.evaluate(RATED, 49)
    for offered in (1, 0):
        table.go_to(table.create(rules="tiny", seat=0))
        table.play_on()
        table.page.wait_for_timeout(300)
        assert table.button("Save them to a file").count() == offered


_ACT_AGAIN = """([session, action]) => germanWhist.sessions.act(session, action)
  .catch(({ kind, session }) => [kind, session.version])"""


def test_two_tabs_do_not_play_one_deal_twice(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0))
    session = table.do("open", table.page.url.partition("=")[2])
    action = session["position"]["decision"]["actions"][0]
    table.do("act", session, action)
    refused = table.page.evaluate(_ACT_AGAIN, [session, action])
    assert refused == ["moved", session["version"] + 2]

"""Reload, a killed server, two tabs: nothing is lost and nothing is played twice."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from german_whist.session.database import NAME
from tests.browser.conftest import OpenTable, StartServer
from tests.browser.server import Server
from tests.browser.table import Table


def test_a_reload_in_the_middle_of_a_deal_changes_nothing(table: Table, server: Server) -> None:
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


def test_the_page_without_a_session_goes_on_with_the_last_game(table: Table, server: Server) -> None:
    table.go_to(table.create(rules="small", seat=0))
    table.act()
    hand = table.hand
    table.page.goto("about:blank")
    table.page.goto(server.address)
    table.wait()
    assert table.hand == hand


def test_a_killed_server_loses_nothing(open_table: OpenTable, start_server: StartServer) -> None:
    server = start_server()
    table = open_table(server, game={"rules": "tiny", "seat": 0})
    table.act()
    hand, log = table.hand, table.log
    server.kill()
    table.actions()[0].click()
    table.page.locator("#hand [aria-pressed=true]").click()
    alert = table.page.get_by_role("alert")
    table.page.wait_for_function("() => document.querySelector('[role=alert]').textContent.includes('Reconnecting')")
    assert len(table.hand) == len(hand)
    table.page.wait_for_timeout(5500)  # longer than anything else is said
    assert "Reconnecting" in alert.text_content()
    assert alert.is_visible()
    server.start()
    table.page.wait_for_function("() => document.querySelector('[role=alert]').textContent.includes('is back')")
    table.wait()
    assert alert.is_visible()
    assert (table.hand, table.log) == (hand, log)
    table.play_on()
    # The refused connections, and no others, were complained about.
    assert all("ERR_CONNECTION_REFUSED" in words for words in table.complaints)
    table.complaints.clear()


def test_two_tabs_show_the_same_table(table: Table, server: Server) -> None:
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


def test_an_address_of_a_session_that_is_gone_opens_the_last_game(table: Table, server: Server) -> None:
    table.go_to(table.create(rules="small", seat=0))
    hand = table.hand
    table.page.evaluate("location.hash = 'session=nowhere'")
    table.page.wait_for_function("() => !location.hash.includes('nowhere')")
    table.wait()
    assert table.hand == hand
    assert all("404" in words for words in table.complaints)
    table.complaints.clear()


def test_a_damaged_game_is_named_and_another_one_can_be_played(
    open_table: OpenTable, start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server("tiny")
    session = table.create(rules="tiny", seat=0)
    server.stop()
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as connection:
        connection.execute("UPDATE deals SET deck = 'SA'")
    server.start()
    table = open_table(server, session=session)
    assert "The session cannot be read" in table.page.get_by_role("alert").text_content()
    assert session not in table.page.url
    assert table.play_on()
    assert all("500" in words for words in table.complaints)
    table.complaints.clear()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of another process")
def test_on_a_full_disk_the_page_says_why_and_the_card_can_be_played_when_there_is_room(
    open_table: OpenTable, start_server: StartServer
) -> None:
    server = start_server()
    table = open_table(server, game={"rules": "tiny", "seat": 0})
    hand, log = table.hand, table.log
    server.fill_disk()
    table.actions()[0].click()
    table.page.locator("#hand [aria-pressed=true]").click()
    table.page.wait_for_function("() => document.querySelector('[role=alert]').textContent.includes('cannot be saved')")
    table.page.reload()
    table.wait()
    assert (table.hand, table.log) == (hand, log)
    server.fill_disk(full=False)
    table.play_on()
    assert all("507" in words for words in table.complaints)
    table.complaints.clear()


def test_another_browser_goes_on_in_the_middle_of_a_deal_but_not_with_a_finished_one(
    open_table: OpenTable, start_server: StartServer
) -> None:
    server = start_server("tiny")
    first = open_table(server)
    first.act()
    second = open_table(server)
    assert second.hand == first.hand
    first.play_on()
    third = open_table(server)
    assert third.result == ""

"""Mistakes come back for practice."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.static_site import StaticSite
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


@pytest.fixture
def table(browser: Any, site: StaticSite) -> Iterator[Table]:
    """The page without a server, so that cards are judged alike; on a device of its own, whose clock tests set."""
    table = Table(browser, site)
    yield table
    complaints = table.complaints[:]
    table.close()
    assert complaints == []


# Plays a deal with the last action there is each time, and reviews it.
_REVIEWED = """async (id) => {
  const table = germanWhist.sessions;
  let session = await table.open(id);
  while (session.position.decision) session = await table.act(session, session.position.decision.actions.at(-1));
  return table.review(id, 1);
}"""

# Makes the file of a page whose version kept no mistakes, with a deal that was counted.
_FIRST_VERSION = """async () => {
  (await germanWhist.sessions.store.file).close();
  await new Promise((done) => { indexedDB.deleteDatabase("german-whist").onsuccess = done; });
  const asked = indexedDB.open("german-whist", 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore("sessions", { keyPath: "id" });
    asked.result.createObjectStore("countedDeals", { keyPath: ["session", "deal"] }).put({
      session: "s", deal: 1, time: "2026-11-21T01:10:00+00:00", rules: "classic", agent: "greedy",
      margin: 1, low: false, assisted: false, day: null, recalled: null, held: null,
      given_away: 1, at_stake: 3, par: 1,
    });
    asked.result.createObjectStore("countedMatches", { keyPath: "session" });
  };
  await new Promise((done) => { asked.onsuccess = done; });
  asked.result.close();
}"""


def reviewed(table: Table, **choices: Any) -> list[Any]:
    """Play and review a deal; return the moves that were mistakes of the player."""
    review = table.page.evaluate(_REVIEWED, table.create(**{"rules": "small", "seat": 0, "seed": 3, **choices}))
    words = ("inaccuracy", "mistake", "blunder")
    return [move for move in review["moves"] if move["by"] == "you" and move["label"] in words]


def days_later(table: Table, days: int) -> None:
    """Set the clock of the page."""
    table.page.clock.set_fixed_time(datetime.datetime.now().astimezone() + datetime.timedelta(days=days))


def statistics(table: Table) -> Any:
    table.button("Statistics").click()
    window = table.page.get_by_role("dialog", name="Statistics")
    window.wait_for()
    return window


def test_each_mistake_comes_back_until_it_is_played_right(table: Table) -> None:
    mistakes = reviewed(table, rules="classic", seed=6)
    assert len(mistakes) > 3  # more than the review lists
    assert reviewed(table, rules="classic", seed=6) == mistakes  # they are there already
    window = statistics(table)
    window.get_by_text("comes back tomorrow").wait_for()
    table.page.keyboard.press("Escape")
    days_later(table, 1)
    window = statistics(table)
    rows = window.get_by_role("table", name="Your mistakes to practise").locator("tbody tr")
    counts = [[int(cell) for cell in row.locator("td").all_text_contents()] for row in rows.all()]
    assert [sum(column) for column in zip(*counts, strict=True)] == [len(mistakes)] * 2
    window.get_by_role("button", name=f"Practise {len(mistakes)} positions").click()
    practice = table.page.get_by_role("dialog", name="Practise your mistakes")
    wrong = 0
    for place in range(len(mistakes)):
        shown = table.do("nextExercise")
        practice.get_by_role("heading", name=f"Trick {shown['trick']}, {shown['stage']}").wait_for()
        practice.locator(".retry").get_by_text(
            f"{len(mistakes) - place} positions are due" if place < len(mistakes) - 1 else "last position"
        ).wait_for()
        seen = shown["position"]["opponent" if shown["exact"] else "known"]
        assert practice.locator(".open-side").first.get_by_role("img").count() == len(seen)
        assert practice.get_by_role("button", name="Next").count() == 0
        best = practice.locator(".retry").get_by_role("button", name=shown["bestName"])
        if place % 3 == 0:
            [played] = [option for option in shown["options"] if option["action"] == shown["action"]]
            practice.locator(".retry").get_by_role("button", name=played["name"]).click()
            assert "Look again" in practice.locator(".verdict").text_content()
            wrong += 1
        if place % 3 == 1:
            practice.get_by_role("button", name="Show me").click()
            assert f"Best: the {shown['bestName']}" in practice.text_content()
            wrong += 1
        else:
            best.click()  # after a wrong answer it does not count
            assert "Right: " in practice.locator(".verdict").text_content()
        practice.get_by_role("button", name="Next").click()
    practice.get_by_text("Nothing is due. The next position comes back tomorrow.").wait_for()
    table.button("Close").last.click()
    window.get_by_text("comes back tomorrow").wait_for()
    reviewed(table, rules="classic", seed=6)  # another review does not put them back
    days_later(table, 2)
    assert table.do("practiceQueue")["due"] == wrong
    days_later(table, 4)
    assert table.do("practiceQueue")["due"] == len(mistakes)


def test_only_cards_that_the_player_chose_come_back(table: Table) -> None:
    rows, own = table.page.evaluate(
        """async (id) => {
          const table = germanWhist.sessions;
          const playOn = async (session, cards) => {
            for (let card = 0; card < cards; card += 1)
              session = await table.act(session, session.position.decision.actions.at(-1));
            return table.claim(session, "lost");
          };
          await playOn(await table.open(id), 6);
          const { moves } = await table.review(id, 1);
          const isBad = ({ label }) => ["inaccuracy", "mistake", "blunder"].includes(label);
          const { number, options } = moves.find(
            (move) => move.by === "you" && !isBad(move) && isBad(move.options.at(-1)));
          const tried = await table.tryAction(id, 1, number, options.at(-1).action);
          await playOn(tried, 0);
          await table.review(tried.id, 1);
          const watched = await table.exhibit("small", ["greedy", "random"], 1);
          await table.review(watched.id, 1);
          return [await table.store.allExercises(), moves.filter((move) => move.by === "you" && isBad(move))];
        }""",
        table.create(rules="small", seat=0, seed=3),
    )
    assert own != []
    assert len(rows) == len(own)


def test_mistakes_are_saved_in_the_file_of_all_games_and_deleted_with_the_statistics(table: Table) -> None:
    mistakes = reviewed(table)
    saved = table.do("exportAll")
    window = statistics(table)
    window.get_by_role("button", name="Delete all").click()
    table.page.get_by_role("button", name="Delete", exact=True).click()
    window.wait_for(state="detached")
    assert table.do("practiceQueue") == {"kinds": [], "due": 0, "next": None}
    assert statistics(table).get_by_role("table", name="Your mistakes to practise").count() == 0
    earlier = {name: value for name, value in json.loads(saved).items() if name != "exercises"}
    assert table.do("importAll", json.dumps(earlier)) == 1  # the counted deal
    assert table.do("practiceQueue")["kinds"] == []
    assert table.do("importAll", saved) == len(mistakes)
    assert sum(kind["all"] for kind in table.do("practiceQueue")["kinds"]) == len(mistakes)
    damaged = {**json.loads(saved), "exercises": [{"rules": "small"}]}
    refused = "text => germanWhist.sessions.importAll(text).catch(({ kind }) => kind)"
    assert table.page.evaluate(refused, json.dumps(damaged)) == "refused"


def test_where_the_browser_saves_nothing_mistakes_last_as_long_as_the_page(table: Table) -> None:
    table.page.evaluate(
        """async () => {
          (await germanWhist.sessions.store.file).close();
          IDBFactory.prototype.open = () => { throw new DOMException('', 'UnknownError'); };
        }"""
    )
    mistakes = reviewed(table)
    days_later(table, 1)
    assert table.do("practiceQueue")["due"] == len(mistakes)
    table.do("answerExercise", table.do("nextExercise")["exercise"], True)
    reviewed(table)  # once more
    assert table.do("practiceQueue")["due"] == len(mistakes) - 1


def test_what_the_first_version_saved_stays_and_the_next_one_need_not_wait_for_this(table: Table) -> None:
    table.page.evaluate(_FIRST_VERSION)
    table.page.reload()
    table.wait()
    assert table.do("statistics")["deals"] == 1
    mistakes = reviewed(table)
    table.page.reload()
    table.wait()
    assert sum(kind["all"] for kind in table.do("practiceQueue")["kinds"]) == len(mistakes)
    opened = """() => new Promise((resolve) => {
      const asked = indexedDB.open("german-whist", 99);
      asked.onsuccess = () => resolve("opened");
      asked.onblocked = () => resolve("blocked");
    })"""
    assert table.page.evaluate(opened) == "opened"

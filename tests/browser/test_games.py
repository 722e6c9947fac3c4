"""Finished games: the list, scores and statistics."""

from __future__ import annotations

import re

import pytest

from tests.browser.playing import games_window, play_day, show, until
from tests.browser.table import Table

pytestmark = pytest.mark.nightly

_PLAY_TINY = """async (count) => {
  const table = germanWhist.sessions;
  for (let seed = 1; seed <= count; seed += 1) {
    let session = await table.create({ rules: "tiny", agent: "greedy", seed, seat: 0 });
    while (session.position.decision) session = await table.act(session, session.position.decision.actions[0]);
  }
}"""


def test_finished_games_are_listed_with_their_results_and_open_with_their_reviews(table: Table) -> None:
    table.page.evaluate(_PLAY_TINY, 22)
    listed = [one for one in table.do("list") if one["outcome"]]
    finished = games_window(table).locator("section").nth(1)
    rows = finished.get_by_role("listitem")
    assert rows.count() == 20
    finished.get_by_role("button", name="Show all 22").click()
    assert rows.count() == 22
    for row, one in zip(rows.all(), listed, strict=True):
        assert row.locator("strong").text_content() == "Tiny against Greedy"
        assert row.locator("small").text_content().startswith(f"{one['outcome']} · ")
    rows.last.get_by_role("button").first.click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for()
    assert review.locator(".review-result").text_content() == listed[-1]["outcome"]
    accuracy = review.locator(".review-summary tbody td").first.text_content()
    table.page.keyboard.press("Escape")
    games_window(table).get_by_role("button", name="Show all 22").click()
    shown = re.search(r"accuracy (.+?) ·", rows.last.locator("small").text_content())
    assert (shown[1] if shown else "–") == accuracy
    table.page.keyboard.press("Escape")
    games_window(table)
    rows.first.get_by_role("button", name="Delete").click()
    table.button("Delete").click()
    finished.get_by_role("button", name="Show all 21").click()
    assert rows.count() == 21


def test_games_with_help_are_listed_apart(table: Table) -> None:
    table.page.evaluate(_PLAY_TINY, 2)
    session = table.do("create", {"rules": "tiny", "agent": "greedy", "seed": 3, "seat": 0})
    session = table.do("hint", session)
    while session["position"]["decision"]:
        session = table.do("act", session, session["position"]["decision"]["actions"][0])
    sections = games_window(table).locator("section")
    assert [sections.nth(place).get_by_role("button", name="Tiny", exact=False).count() for place in (1, 2)] == [4, 2]


def test_a_deleted_game_stays_deleted_when_the_storage_is_lost(table: Table) -> None:
    session = table.create(rules="tiny", seat=0)
    table.do("remove", session)
    found = table.page.evaluate(
        """async (id) => {
          (await germanWhist.sessions.store.file).close();
          IDBFactory.prototype.open = () => { throw new DOMException('', 'UnknownError'); };
          return germanWhist.sessions.open(id).then(() => "opened", ({ kind }) => kind);
        }""",
        session,
    )
    assert found == "not_found"


def test_the_numbers_of_a_person_come_first_in_results_scores_and_lists(table: Table) -> None:
    session = table.do("create", {"rules": "small", "agent": "heuristic", "match": "best_of:3", "seat": 0, "seed": 1})
    while session["can"]["next"] or session["position"]["decision"]:
        if session["can"]["next"]:
            session = table.do("next", session)
        while session["position"]["decision"]:
            session = table.do("act", session, session["position"]["decision"]["actions"][0])
        tricks = session["position"]["result"]["tricks"]
        assert f"{tricks['you']} to {tricks['opponent']}" in session["position"]["result"]["text"]
        numbers = f"{session['match']['score']['you']} to {session['match']['score']['opponent']}"
        if session["match"]["deals"] > 1:
            assert numbers in next(one["outcome"] for one in table.do("list") if one["id"] == session["id"])
    assert session["match"]["winner"] == "opponent"
    show(table, session["id"])
    assert numbers in table.page.locator("#match").text_content()


def test_tricks_of_a_low_deal_are_those_that_were_taken(table: Table) -> None:
    session = table.do("create", {"rules": "high_low", "agent": "random", "seat": 0, "seed": 9})
    assert session["position"]["low"]
    while session["position"]["result"] is None:
        session = table.do("act", session, session["position"]["decision"]["actions"][0])
    group = table.do("statistics")["groups"][0]
    assert group["tricks"] == session["position"]["result"]["tricks"]["you"]


def test_the_statistics_are_shown_rated_and_deleted(table: Table) -> None:
    table.do("clearStatistics")
    table.go_to(table.create(rules="tiny", seat=0))
    table.play_on()
    until(table, "(await germanWhist.sessions.store.counted()).deals[0].par !== null")  # unasked
    table.button("Statistics").click()
    statistics = table.page.get_by_role("dialog", name="Statistics")
    statistics.wait_for()
    row = statistics.get_by_role("table", name="By game and opponent").get_by_role("row").nth(1)
    assert row.text_content().startswith("TinyTextbook1")
    statistics.get_by_role("button", name="Delete all").click()
    question = table.page.get_by_role("dialog", name="Delete all statistics and mistakes to practise?")
    question.get_by_role("button", name="Delete").click()
    statistics.wait_for(state="hidden")
    assert table.do("statistics")["deals"] == 0


_COUNT_MANY = """async (count) => {
  const { store } = germanWhist.sessions;
  const deals = Array.from({ length: count }, (_, place) => ({
    session: `s${place >> 4}`, deal: place % 16 + 1, time: new Date(1.7e12 + 1e5 * place).toISOString(),
    rules: "classic", agent: ["greedy", "heuristic", "champion"][place % 3], margin: place % 7 - 3, low: false,
    assisted: place % 11 === 0, day: null, recalled: null, held: null, given_away: 1, at_stake: 3, par: 1,
  }));
  const file = await store.file;
  const transaction = file.transaction(["countedDeals"], "readwrite");
  for (const deal of deals) transaction.objectStore("countedDeals").put(deal);
  await new Promise((done) => { transaction.oncomplete = done; });
}"""


def test_statistics_of_many_deals_take_less_than_a_second(table: Table) -> None:
    table.page.evaluate(_COUNT_MANY, 50_000)
    session = table.page.context.new_cdp_session(table.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # the processor's time, on a busy machine, too

    def seconds() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    times = []
    for _ in range(3):
        began = seconds()
        assert table.do("statistics")["deals"] == 50_000
        times.append(seconds() - began)
    session.detach()
    assert min(times) < 1, times


def test_changes_of_the_chance_to_win_have_a_unit(table: Table) -> None:
    session = play_day(table)
    assert table.do("review", session["id"], 1)["swings"]
    show(table, session["id"])
    table.button("Review").click()
    changes = table.page.locator(".swings b")
    changes.first.wait_for()
    assert all(re.fullmatch(r"[+−]\d+ percentage points?", words) for words in changes.all_text_contents())

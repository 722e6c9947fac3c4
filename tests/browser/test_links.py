"""Addresses that open a deal, a position or the deal of a day, and what is sent to others."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

import pytest

from german_whist.agents.asking import play
from german_whist.agents.registry import make_agent
from german_whist.game.cards import cards_of
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.episode import Episode
from tests.browser.conftest import STATIC, OpenTable
from tests.browser.playing import REVIEW, play_day
from tests.browser.table import Table

pytestmark = [pytest.mark.nightly, STATIC]


def test_a_link_is_a_challenge_that_is_played_blind_and_then_compared(
    open_table: OpenTable,
) -> None:
    table = open_table()
    table.go_to(table.create(rules="small", seat=0))
    hand = table.hand
    sent = table.play_on()
    table.button("Share").click()
    link = table.page.get_by_role("dialog", name="Share this deal").get_by_role("textbox", name="Link").input_value()
    assert link.startswith(f"{table.server.address}#deal=")
    other = open_table()
    other.follow(link.removeprefix(table.server.address))
    other.wait()
    assert other.hand == hand
    assert " wins " not in other.page.locator("body").text_content()
    assert other.button("Review").count() == 0
    result = other.play_on(lambda actions: len(actions) - 1)
    words = other.page.get_by_role("region", name="Result").text_content()
    assert re.search(r"The sender took \d tricks?", words)
    assert other.do("statistics")["deals"] == 0
    other.button("Compare").click()
    window = other.page.get_by_role("dialog", name="The sender’s deal and yours")
    window.get_by_text("Trick by trick").click()
    for column, text in ((2, result), (3, sent)):
        cells = window.locator(f"tbody td:nth-child({column})").all_text_contents()
        tricks = [int(number) for number in re.findall(r"\d+", text)]
        assert len(cells) == 14  # seven of them count
        assert sum(cell.endswith(": won") for cell in cells[7:]) == tricks[0 if text.startswith("You") else 1]
    other.follow(link.removeprefix(table.server.address))  # this is no second try
    other.wait()
    assert other.result == result


def test_a_challenge_tells_a_newcomer_the_rules(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0))
    hand = table.hand
    table.play_on()
    table.button("Share").click()
    link = table.page.get_by_role("dialog", name="Share this deal").get_by_role("textbox", name="Link").input_value()
    table.visit(settings={"welcomed": False})
    table.follow(link.removeprefix(table.server.address))
    window = table.page.get_by_role("dialog", name="A challenge in German Whist")
    window.get_by_text("The rules").click()
    assert "follow suit" in window.text_content()
    window.get_by_role("button", name="Play").click()
    table.wait()
    assert table.hand == hand


@pytest.mark.parametrize("form", ["#deal%3D{}", "#Deal={}", "#deal={}.", "#deal={})", "#DEAL={}%20", "#deal={}&x=1"])
def test_a_link_opens_as_messengers_change_it(table: Table, form: str) -> None:
    code = table.do("recording", play_day(table)["id"], 1)["code"]
    table.follow(form.format(code))
    table.wait()
    assert table.page.title().startswith("Challenge")


@pytest.mark.parametrize("change", [None, {"claimed": -1}, {"rules": None}, {"deal": ["x", 1]}], ids=str)
def test_a_damaged_link_is_said_in_a_window_and_leads_to_a_game(table: Table, change: dict[str, Any] | None) -> None:
    code = "eJyrVk"
    if change is not None:
        played = play_day(table)["id"]
        line = json.loads(table.do("recording", played, 1)["recording"]) | change
        code = base64.urlsafe_b64encode(zlib.compress(json.dumps(line).encode())).decode()
    table.follow(f"#deal={code}")
    window = table.page.get_by_role("dialog", name="The link cannot be opened")
    window.wait_for()
    assert ("is damaged" if change is None else "-1" if "claimed" in change else "Recording 1") in window.text_content()
    table.page.keyboard.press("Escape")
    table.wait()
    assert table.hand


@pytest.mark.parametrize(
    "address",
    ["#deal", "#deal=", "#deal=5,x", "#recording=eJyrVk", "#del=eJyrVk", "#day=", "#session=", "#session=00ff00ff"],
)
def test_an_address_that_opens_nothing_says_why_before_another_game_is_opened(table: Table, address: str) -> None:
    before = table.page.url
    table.follow(address)
    window = table.page.get_by_role("dialog", name="The link cannot be opened")
    window.wait_for()
    assert ("stays in the browser" in window.text_content()) == address.startswith("#session")
    table.page.keyboard.press("Escape")
    table.page.wait_for_function("address => location.href === address", arg=before)


@pytest.mark.parametrize(("address", "rules"), [("5,2", "classic"), ("small,5,2", "small")])
def test_a_deal_has_an_address_of_seed_and_index(table: Table, address: str, rules: str) -> None:
    table.follow(f"#deal={address}")
    table.wait()
    batch = DealBatch(rules, 1, 5)
    batch.deal_rows([0], [2])
    shown = {card["card"] for card in table.session(table.page.url.partition("session=")[2])["position"]["hand"]}
    assert shown == set(cards_of(int(batch.states["hands"][0, 0])))
    assert table.page.title().startswith("Practice")


def test_a_position_has_an_address_that_opens_its_review(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0))
    table.play_on()
    table.button("Review").click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for(timeout=REVIEW)
    review.get_by_role("button", name="First move").click()
    for _ in range(4):
        review.get_by_role("button", name="Step forward").click()
    position = review.get_by_role("slider", name="Move").get_attribute("aria-valuetext")
    review.get_by_role("button", name="Share").click()
    link = table.page.get_by_role("textbox", name="Link of the review").input_value()
    assert link.endswith(",5")
    table.follow(link.removeprefix(table.server.address))
    review.wait_for(timeout=REVIEW)
    assert review.get_by_role("slider", name="Move").get_attribute("aria-valuetext") == position


def test_the_deal_of_the_day_is_that_of_the_package(table: Table) -> None:
    deck = DealBatch("classic", 1, 20261121).states["deck"][0]
    session = table.do("dealOfDay", "2026-11-21")
    hand = {card["card"] for card in session["position"]["hand"]}
    assert hand == set(deck[0:26:2].tolist())  # the person leads, so the other seat has dealt
    assert session["title"] == "Deal of 21 Nov 2026: Classic against Textbook"


def test_the_deal_of_a_day_that_has_not_begun_is_shut(table: Table) -> None:
    table.follow("#day=2999-01-01")
    table.page.get_by_role("dialog").get_by_text("The deal of 1 Jan 2999 is not there yet").wait_for()


def test_the_deal_of_a_day_is_played_once(table: Table) -> None:
    first = play_day(table)
    assert table.do("dealOfDay", "2026-11-21") == first
    table.do("remove", first["id"])
    assert play_day(table)["id"] != first["id"]
    assert table.do("statistics")["deals"] == 1


def test_the_result_of_the_day_is_compared_with_the_house_and_shared_in_a_few_words(table: Table) -> None:
    result = play_day(table)["position"]["result"]
    table.follow("#day=2026-11-21")
    table.wait()
    house = table.page.locator(".house > *")
    house.nth(3).wait_for()
    found = {words[:-2]: int(words[-1]) for words in house.all_text_contents()}
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert found["You"] == result["tricks"]["you"]
    for agent, title in (("greedy", "Greedy"), ("heuristic", "Textbook")):
        deal = played_by(make_agent("heuristic", "classic"), make_agent(agent, "classic"), deal=(20261121, 0))
        assert found[title] == deal.batch.states["tricks"][0, 1, 1]
    table.page.evaluate("() => { navigator.share = async ({ text }) => { window.sent = text; }; }")
    table.button("Share").click()
    table.page.wait_for_function("() => window.sent")
    words = table.page.evaluate("window.sent").splitlines()
    assert words[0].startswith("German Whist, deal of 21 Nov 2026: I ")
    assert f"Greedy {found['Greedy']}" in words[1]
    assert words[2] == f"{table.server.address}#day=2026-11-21"
    table.page.evaluate("delete navigator.share; delete Navigator.prototype.share")
    table.button("Share").click()
    table.page.get_by_role("alert").get_by_text("Copied").wait_for()


def played_by(*agents: Any, deal: tuple[int, int]) -> Episode:
    """A deal of classic that agents have played, by seat."""
    episode = Episode("classic")
    episode.reset(options={"deal": deal})
    for _ in play(episode, agents):
        pass
    return episode

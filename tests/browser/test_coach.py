"""The coach: hint, take back, review, other ways to play the deal, sharing, statistics, the lesson."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from typing import Any

import pytest

from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import Recording
from tests.browser.conftest import STATIC, OpenTable
from tests.browser.playing import FORGET_PAGE, RATED, REVIEW, TINY
from tests.browser.server import Server
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


def test_the_key_for_a_hint_waits_like_the_button_until_the_cards_lie_still(open_table: OpenTable) -> None:
    table = open_table(moving=True, settings={"singleTap": True})
    session = table.create(rules=TINY, seat=0)
    table.go_to(session)
    table.page.evaluate(
        """() => {
          const prompt = document.querySelector('#prompt');
          new MutationObserver((_, observer) => {
            if (!prompt.textContent.includes('the trick')) return;
            observer.disconnect();
            document.dispatchEvent(new KeyboardEvent('keydown', { key: 'h' }));
            document.body.dataset.asked = 'yes';
          }).observe(prompt, { childList: true });
        }"""
    )
    table.actions()[0].click()
    table.page.wait_for_function("() => document.body.dataset.asked === 'yes'")
    table.wait()
    assert not table.session(session)["deal"]["assisted"]
    table.page.keyboard.press("h")
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    assert table.session(session)["deal"]["assisted"]


def test_a_hint_points_at_a_choice_too_and_leaves_the_focus_where_it_is(table: Table) -> None:
    table.go_to(table.create(rules="humbug", seat=0))
    choices = table.page.get_by_role("group", name="Your choice")
    choices.get_by_role("button").first.focus()
    table.page.keyboard.press("h")
    advised = table.page.get_by_role("region", name="Coach", exact=True).get_by_role("heading").text_content()
    assert choices.locator(".marked").all_text_contents() == [advised]
    assert choices.locator(":focus").count() == 1
    table.go_to(table.create(rules="open_stock", seat=0))
    while not table.page.locator(".open-cards button:visible").count():
        table.act()
    cards = table.page.locator(".open-cards")
    cards.get_by_role("button").first.focus()
    table.page.keyboard.press("h")
    coach = table.page.get_by_role("region", name="Coach", exact=True)
    coach.get_by_role("heading", name=re.compile("^Pick the ")).wait_for()
    assert cards.locator(":focus").count() == 1


def test_the_hint_button_is_busy_while_the_hint_is_sought_which_is_read_out_and_closed_with_escape(
    table: Table,
) -> None:
    table.go_to(table.create(rules=TINY, seat=0))
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    table.page.route("**/api/advise", hold)
    table.button("Hint").click()
    table.page.locator("button[aria-busy=true]", has_text="Hint").wait_for()
    while not held:
        table.page.wait_for_timeout(10)
    held.pop().continue_()
    coach = table.page.get_by_role("region", name="Coach", exact=True)
    coach.wait_for()
    assert table.page.locator("[aria-busy=true]").count() == 0
    said = table.page.get_by_role("status").filter(has_text=coach.get_by_role("heading").text_content())
    assert coach.locator(".reason").text_content() in said.text_content()
    table.page.keyboard.press("Escape")
    coach.wait_for(state="hidden")
    table.button("Hint").click()
    coach.wait_for()


def test_mistakes_can_be_put_right_in_the_review_and_practice_leads_back_to_it(table: Table) -> None:
    session = table.create(rules="small", seat=0, seed=3)
    table.go_to(session)
    table.play_on(lambda actions: len(actions) - 1)
    table.button("Review").click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for(timeout=REVIEW)
    found = table.do("review", session, 1)
    slider, retry = review.get_by_role("slider", name="Move"), review.locator(".retry")
    review.get_by_role("button", name="Find the better card yourself").click()
    covered = set()
    for place, number in enumerate(found["mistakes"]):
        if place:
            retry.get_by_role("button", name="Next mistake").click()
        move = found["moves"][number - 1]
        assert slider.input_value() == str(number - 1)
        assert not review.locator(".mistakes").is_visible()
        assert "Better: " not in review.inner_text()
        hand = review.locator(".open-side").first.get_by_role("img").count()
        assert hand == len(found["positions"][number - 1]["opponent" if move["exact"] else "known"])
        covered.add(not move["exact"])
        assert retry.get_by_role("button", name=move["name"]).is_disabled()
        for option in move["options"]:
            if option["label"] not in ("best", "good") and option["action"] != move["action"]:
                retry.get_by_role("button", name=option["name"]).click()
                assert table.page.evaluate("document.activeElement.matches('.try')")
                assert f"The {option['name']} gives away " in retry.locator(".verdict").text_content()
        retry.get_by_role("button", name=move["bestName"]).click()
        assert f"Right: the {move['bestName']}" in retry.locator(".verdict").text_content()
        assert table.page.evaluate("document.activeElement.closest('.retry') !== null")
    assert True in covered
    retry.get_by_role("button", name="Show me").click()
    assert review.locator(".mistakes").is_visible()
    place = slider.input_value()
    review.get_by_role("button", name=re.compile("^Try the")).first.click()
    table.page.wait_for_function("() => document.querySelector('#match').textContent === 'Practice'")
    table.wait()
    table.page.reload()
    table.wait()
    for is_over in (False, True):
        if is_over:
            table.play_on()
        table.button("Back to the review").click()
        review.wait_for(timeout=REVIEW)
        assert slider.input_value() == place
        review.get_by_role("button", name=re.compile("^Try the")).first.click()
        table.page.wait_for_function("() => document.querySelector('#match').textContent === 'Practice'")
        table.wait()


def test_recordings_of_two_agents_open_at_the_first_deal_from_the_first_ones_seat(table: Table) -> None:
    recordings: list[Recording] = []
    play_match("heuristic", "greedy", deals=1, rules="tiny", seed=7, record=recordings.append)
    mirrored = "\n".join(one.to_line() for one in recordings)
    table.button("More").click()
    table.button("Open a recording", exact=False).click()
    table.page.get_by_label("Text, link or code").fill(mirrored)
    table.button("Open").click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for(timeout=REVIEW)
    assert review.get_by_role("combobox", name="Deal").input_value() == "1"
    assert review.locator(".review-summary").get_by_role("row").nth(1).text_content().startswith("Textbook")
    assert review.get_by_role("button", name="Share").count() == 0  # it would name a person who has not played


def test_a_review_that_comes_late_does_not_open_over_another_game(table: Table) -> None:
    first, second = (table.create(rules=TINY, seat=0) for _ in range(2))
    held: list[Any] = []
    holds = True

    def hold(route: Any) -> None:
        if holds:
            held.append(route)
        else:
            route.continue_()

    table.page.route("**/api/advise", hold)
    table.go_to(first)
    table.play_on()
    table.button("Review").click()
    while not held:
        table.page.wait_for_timeout(10)
    table.go_to(second)
    holds = False
    for route in held:
        route.continue_()
    table.do("review", first, 1)
    table.page.wait_for_timeout(500)
    assert table.page.get_by_role("dialog").count() == 0


def test_the_best_line_of_an_endgame_can_be_played_through(table: Table) -> None:
    for seed in range(4, 20):
        session = table.create(rules="small", agent="greedy", seat=0, seed=seed)
        table.go_to(session)
        table.play_on()
        if any(move["line"] for move in table.do("review", session, 1)["moves"]):
            break
    table.button("Review").click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for(timeout=REVIEW)
    line = review.get_by_role("button", name="Play it through")
    table.page.keyboard.press("Home")
    while not line.count():
        table.page.keyboard.press("ArrowRight")
    line.click()
    watch = table.page.get_by_role("dialog", name="The best line")
    assert re.search(r"You took \d+ tricks?\. Perfect play: \d+\.", watch.text_content())
    table.page.keyboard.press("End")
    assert watch.get_by_text("The end: ").is_visible()
    table.page.keyboard.press("Escape")
    review.get_by_role("button", name="Play it through").wait_for()  # the review comes back at the same move


def test_the_memory_quiz_of_the_settings_is_scored_and_explained(open_table: OpenTable) -> None:
    table = open_table(settings={"memoryQuiz": True})
    session = table.create(rules="small", seat=0)
    table.go_to(session)
    while table.page.locator("html").get_attribute("data-stage") == "foreplay":
        table.act()
    quiz = table.page.get_by_role("dialog", name="Memory: which cards does your opponent hold?")
    state = table.session(session)["position"]
    done, cards = quiz.get_by_role("button", name="That’s my answer"), quiz.locator(".quiz button")
    assert cards.count() == 28 - len(state["hand"]) - (state["led"] is not None)
    for number in range(state["opponent"]["cards"]):
        assert done.is_disabled()
        cards.nth(number).click()
    done.click()
    table.page.get_by_role("alert").get_by_text("cards right").wait_for()
    table.play_on()
    table.page.get_by_role("button", name=re.compile(r"^Memory: \d of \d cards right$")).click()
    found = table.session(session)["recall"]
    shown = table.page.get_by_role("dialog").locator(".recalled dd").all_text_contents()
    assert sorted(shown) == sorted(card["reason"] for card in found["cards"])
    table.page.keyboard.press("Escape")
    assert not table.session(session)["deal"]["assisted"]
    dialog, _ = statistics_of(table)
    assert re.search(r"Memory: \d+ % of the opponent’s cards in 1 deal", dialog.text_content())


def test_the_memory_quiz_comes_again_after_a_take_back(open_table: OpenTable) -> None:
    table = open_table(settings={"memoryQuiz": True}, game={"rules": "small", "seat": 0})
    quiz = table.page.get_by_role("dialog", name="Memory: which cards does your opponent hold?")
    while not quiz.count():
        table.act()
    table.page.keyboard.press("Escape")
    table.button("Take back").click()
    table.page.locator("html[data-stage=foreplay]").wait_for()
    table.wait()
    table.act()
    quiz.wait_for()


def test_the_same_deal_from_the_other_side_and_by_the_agent(table: Table) -> None:
    table.go_to(table.create(rules=TINY, seat=0))
    hand = set(table.hand)
    result = table.play_on()
    table.button("Watch the computer").click()
    watch = table.page.get_by_role("dialog", name="The computer plays your cards")
    watch.wait_for()
    assert re.search(r"You took \d+ tricks?\. Textbook: \d+\.", watch.text_content())
    table.page.keyboard.press("Home")
    says, own = watch.locator(".watch-text"), 0
    while "The end" not in (words := str(says.text_content())):
        is_own = "with your cards" in words
        assert is_own or "did you" not in words
        assert is_own or "You " not in words
        own += is_own and bool(re.search("So did you|You (played|did not)", words))
        table.page.keyboard.press("ArrowRight")
    assert own
    table.page.keyboard.press("Escape")
    table.button("Play the other side").click()
    table.page.wait_for_function("() => document.querySelector('#match').textContent === 'Practice'")
    table.wait()
    assert not hand & set(table.hand)
    first = table.page.title()
    table.play_on()
    table.page.reload()
    table.wait()
    words = f"The first time, on the other side: {result}"
    assert words in table.page.get_by_role("region", name="Result").text_content()
    table.button("Back to the game").click()
    table.page.wait_for_function("title => document.title !== title", arg=first)


def test_the_text_of_a_deal_opens_for_review_and_its_code_to_be_played(
    table: Table, server: Server, open_table: OpenTable
) -> None:
    table.go_to(table.create(rules=TINY, seat=0))
    result = table.play_on()
    table.button("Share").click()
    share = table.page.get_by_role("dialog", name="Share this deal")
    code, text = (share.get_by_label(label).input_value() for label in ("Code", "Text"))
    assert re.fullmatch(r"#deal=[\w-]+", code)  # the address of the page is nobody else's
    assert server.address.split("/")[3] not in share.inner_html()
    assert text.startswith('{"version":1')
    other = open_table()
    for shared in (text, code):
        other.button("More").click()
        other.button("Open a recording", exact=False).click()
        other.page.get_by_label("Text, link or code").fill(shared)
        other.button("Open").click()
        if shared == text:
            review = other.page.get_by_role("dialog", name="Review of the deal")
            review.wait_for(timeout=REVIEW)
            assert re.findall(r"\d+", result) == re.findall(r"\d+", review.locator(".review-result").text_content())
            other.page.keyboard.press("Escape")
            other.wait()
    other.page.wait_for_function("() => document.querySelector('#match').textContent === 'Challenge'")


def statistics_of(table: Table) -> Any:
    """Open the statistics; return the window and the figures on top of it."""
    table.button("Statistics").click()
    dialog = table.page.get_by_role("dialog", name="Statistics")
    dialog.wait_for()
    words, figures = dialog.locator("dt").all_text_contents(), dialog.locator("dd").all_text_contents()
    return dialog, Counter(dict(zip(words, map(int, figures), strict=True)))


def test_statistics_count_deals_and_can_be_deleted(table: Table) -> None:
    table.go_to(table.create(rules=TINY, seat=0, seed=5))  # deals in which something is at stake
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    table.play_on()
    dialog, found = statistics_of(table)
    assert not found  # no row of zeros
    assert dialog.get_by_role("table", name="Assisted deals").is_visible()
    table.page.keyboard.press("Escape")
    table.next_deal()
    table.play_on()
    table.button("Review").click()
    table.page.get_by_role("dialog", name="Review of the deal").wait_for(timeout=REVIEW)
    table.page.keyboard.press("Escape")
    dialog, found = statistics_of(table)
    assert not found
    counts = dialog.get_by_role("table", name="By game and opponent").get_by_role("row").last
    assert counts.locator("td").nth(1).text_content() == "1"
    assert dialog.get_by_role("img").count() == 0
    table.page.keyboard.press("Escape")
    table.page.evaluate(RATED, 12)
    dialog, found = statistics_of(table)
    assert found["Won"] + found["Lost"] + found["Drawn"] == found["Deals"] == 13
    assert dialog.get_by_role("img", name=re.compile(r"Margins of the last \d+ deals")).is_visible()
    assert dialog.get_by_role("img", name=re.compile(r"Accuracy over time: \d+ % at first, \d+ % now")).is_visible()
    dialog.get_by_role("button", name="Delete all").click()
    table.button("Delete").click()
    dialog.wait_for(state="detached")
    table.button("Statistics").click()
    assert "No deal is finished yet" in table.page.get_by_role("dialog", name="Statistics").text_content()


def test_the_accuracy_in_classic_stands_among_those_of_the_agents(table: Table) -> None:
    table.page.evaluate(RATED, 9)
    dialog, _ = statistics_of(table)
    assert dialog.get_by_role("table", name="Accuracy").count() == 0  # too few
    table.page.keyboard.press("Escape")
    table.page.evaluate(RATED, 12)
    dialog, _ = statistics_of(table)
    assert dialog.get_by_role("heading", name="In the classic game, you play like Textbook").is_visible()
    ladder = dialog.get_by_role("table", name="Accuracy").get_by_role("row").all_text_contents()
    rungs = [int(str(re.search(r"(\d+) %$", row)[1])) for row in ladder]  # type: ignore[index]
    assert rungs == sorted(rungs, reverse=True)
    assert [row for row in ladder if row.startswith("You")] == ["You77 %"]


def test_luck_and_skill_are_means_with_their_spread_or_nothing(table: Table) -> None:
    for deals, luck, skill, accuracy in ((9, "–", "–", "–"), (12, "7.5 ± 0.3", "−0.5 ± 0.3", "77 %")):
        table.page.evaluate(RATED, deals)
        dialog, figures = statistics_of(table)
        group = dialog.get_by_role("table", name="By game and opponent").get_by_role("row")
        names, values = (group.nth(row).locator("th, td").all_text_contents() for row in (0, 1))
        row = dict(zip(names, values, strict=True))
        assert (row["Luck"], row["Skill"], row["Accuracy"]) == (luck, skill, accuracy)
        counts = [name for name in figures if name in names]
        assert counts == [name for name in names if name in figures]  # the order is always the same
        table.page.keyboard.press("Escape")


def test_the_lesson_can_be_played_to_its_end(table: Table) -> None:
    table.button("More").click()
    table.button("Learn the game", exact=False).click()
    coach = table.page.get_by_role("region", name="Coach")
    coach.get_by_role("heading", name=re.compile("Lesson")).wait_for()
    table.wait()
    address = table.page.url
    table.page.get_by_role("link", name="Skip to your hand").press("Enter")
    assert table.page.evaluate("document.activeElement.id") == "hand"
    assert table.page.url == address
    table.page.keyboard.press("h")
    for _ in range(40):
        if table.result:
            break
        wanted = table.page.locator("main :is([role=group], [role=list]) .marked")
        if wanted.count():
            wanted.first.click()
            if wanted.count() and wanted.first.get_attribute("aria-pressed") == "true":
                wanted.first.click()
            table.wait()
            if "step 6" in coach.get_by_role("heading").text_content():
                for _ in range(2):
                    table.page.get_by_role("button", name="queen of spades").click()
                refused = "The queen of spades would lose to the king"
                table.page.get_by_role("alert").filter(has_text=refused).wait_for()
        else:
            table.act()
    assert not table.session(address.split("session=")[1])["deal"]["assisted"]  # the teacher alone gives hints
    table.button("Play a game").click()
    table.page.wait_for_function("() => !document.title.startsWith('Lesson')")


def test_the_deal_of_the_day_is_that_of_today_on_a_page_that_was_opened_yesterday(table: Table) -> None:
    tomorrow = datetime.datetime.now().astimezone() + datetime.timedelta(days=1)
    table.page.clock.set_fixed_time(tomorrow)
    table.button("More").click()
    table.button("Deal of the day", exact=False).click()
    day = f"Deal of {tomorrow.day} {tomorrow:%b} {tomorrow.year}"
    table.page.wait_for_function("day => document.querySelector('#match').textContent === day", arg=day)
    table.wait()
    assert len(table.hand) in {12, 13}


@STATIC
def test_who_waits_for_a_hint_hears_the_small_network_until_the_champion_is_loaded(table: Table) -> None:
    held: list[Any] = []
    table.page.evaluate(FORGET_PAGE)
    table.page.context.route("**/champion.safetensors", lambda route: held.append(route))  # noqa: PLW0108
    try:
        table.follow()
        table.wait()
        table.go_to(table.create(rules="small", seat=0))
        table.button("Hint").click()
        table.page.get_by_text("By Small network, because Champion is not loaded.").wait_for(timeout=30_000)
    finally:
        for route in held:
            route.continue_()
        table.page.context.unroute("**/champion.safetensors")


def test_a_review_and_statistics_that_are_worked_out_say_so(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0))
    table.page.evaluate("() => { germanWhist.hold = new Promise((go) => { window.release = go; }); }")
    table.page.evaluate(
        """() => {
          const { postMessage } = Worker.prototype;
          Worker.prototype.postMessage = function (question, ...rest) {
            if (question.what !== "advise") return postMessage.call(this, question, ...rest);
            return germanWhist.hold.then(() => postMessage.call(this, question, ...rest));
          };
        }"""
    )
    table.play_on()
    table.button("Statistics").click()
    table.page.get_by_role("dialog", name="Statistics").get_by_text("Being worked out").wait_for()
    table.page.keyboard.press("Escape")
    table.page.keyboard.press("r")
    table.page.get_by_role("alert").get_by_text("Working out the review").wait_for()
    table.page.evaluate("release()")
    table.page.get_by_role("dialog", name="Review of the deal").wait_for()
    assert table.page.get_by_role("alert").count() == 0

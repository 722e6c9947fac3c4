"""The table in words, sounds and pulses: what is trump, what is left, who leads, and what has just happened."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OpenTable, StartServer
from tests.browser.playing import REVIEW
from tests.browser.server import COLD
from tests.browser.table import Table

pytestmark = pytest.mark.nightly

_TRUMP_TONE, _TRICK_TONE = 660, 523  # Hz: the first tones of these sounds
_LISTEN = """() => {
  window.tones = []; window.pulses = 0;
  const Oscillator = window.OscillatorNode;
  window.OscillatorNode = class extends Oscillator {
    constructor(context, options) { super(context, options); window.tones.push(options.frequency); }
  };
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    if (this.matches('.badge')) window.pulses += 1;
    return animate.apply(this, given);
  };
}"""
SOUND = {"sound": True}
_SEEN = """(card = (one) => one && Number(one.dataset.card)) => [
  Number(document.querySelector('#stock b').textContent),
  document.querySelectorAll('#far-hand .card').length,
  [...document.querySelectorAll('#hand button')].map(card).sort((one, other) => one - other),
  ...['you', 'opponent'].map((side) => document.querySelector(`#trick .slot.${side} img`)).map(card),
]"""
_WATCH = f"""() => {{
  window.seen = [];
  new MutationObserver(() => window.seen.push(({_SEEN})())).observe(
    document.getElementById('table'), {{ subtree: true, childList: true }});
}}"""


def check_words(table: Table, session: dict[str, Any]) -> None:
    """Check that the table says in words what the server says of the position."""
    position, page = session["position"], table.page
    trumps = ["clubs", "diamonds", "hearts", "spades"][position["trump"]]
    assert f"Trumps: {trumps}" in page.get_by_role("region", name="Table", exact=True).aria_snapshot()
    if position["stock"]:
        assert f"{position['stock']} cards in the stock" in page.locator("#stock").text_content()
        [card] = position["faceUp"]
        assert page.locator("#stock").get_by_role("img", name=re.compile("face up$")).count() == 1
        assert page.locator(f"#stock [data-card='{card}']").is_visible()
        assert "Foreplay, trick" in page.locator("#stage").text_content()
    else:
        assert page.locator("#stock .pile").count() == 0
        assert "Endgame, trick" in page.locator("#stage").text_content()
    for side, name in (("you", "You"), ("opponent", "Textbook")):
        seat = page.get_by_role("region", name=name, exact=True)
        tricks = position["tricks"][side]
        shown = [f"{tricks['foreplay']}foreplay", f"{tricks['endgame']}endgame"]
        assert seat.locator(".counter").all_text_contents() == shown
    last = position["lastTrick"]
    loser = "you" if last["winner"] == "opponent" else "opponent"
    lying = page.locator("#last img").evaluate_all("all => all.map((one) => Number(one.dataset.card))")
    assert lying == [last["cards"][loser], last["cards"][last["winner"]]]
    assert page.locator("#last").get_by_role("img", name=re.compile("the winning card$")).is_visible()
    winner = "You" if last["winner"] == "you" else "Textbook"
    assert page.locator("#last").text_content() == f"Last trick{winner} won"
    assert "your turn" in page.get_by_role("region", name="You", exact=True).text_content()
    assert "to play" not in page.get_by_role("region", name="Textbook", exact=True).text_content()
    assert page.locator("#prompt").text_content() == position["decision"]["text"]


def test_the_table_says_what_lies_on_it_also_on_a_phone(open_table: OpenTable) -> None:
    table = open_table(width=390, height=844)
    session = table.create(rules="small", seat=0)
    table.go_to(session)
    for _ in range(3):
        table.act()
    check_words(table, table.session(session))
    while table.session(session)["position"]["tricks"]["you"]["endgame"] == 0:
        table.act()
    check_words(table, table.session(session))


def without_repeats(seen: list[Any]) -> list[Any]:
    return [one for place, one in enumerate(seen) if place == 0 or one != seen[place - 1]]


def test_what_happens_is_shown_event_by_event(open_table: OpenTable) -> None:
    table = open_table(moving=True, settings={"speed": "fast"})
    session = table.create(rules="classic", seat=0, seed=4)
    table.go_to(session)
    page = table.page
    page.evaluate(_WATCH)
    for _ in range(4):
        page.evaluate("window.seen.length = 0")
        before = len(table.session(session)["events"])
        table.act()
        events = table.session(session)["events"][before:]
        tables = [event["snapshot"] for event in events if event["snapshot"]]
        expected = [
            [one["stock"], one["opponent"]["cards"], sorted(one["hand"]), one["cards"]["you"], one["cards"]["opponent"]]
            for one in tables
        ]
        assert without_repeats(page.evaluate("window.seen")) == without_repeats(expected)
        assert len(without_repeats(expected)) >= 3


def test_the_card_that_is_turned_up_flies_from_the_pile(open_table: OpenTable) -> None:
    table = open_table(moving=True, settings={"speed": "fast"}, game={"rules": "small", "seat": 0})
    table.page.evaluate(_FLIGHTS)
    before = table.log
    while "turned up" not in table.log.removeprefix(before):
        table.act()
    assert table.page.evaluate("window.flights")


_FLIGHTS = """() => {
  window.flights = 0;
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    if (this.matches('#stock .prize')) window.flights += 1;
    return animate.apply(this, given);
  };
}"""

_LYING = """() => {
  window.lay = {}; const began = {};
  const look = () => {
    const lying = [...document.querySelectorAll('#trick img')];
    const cards = lying.map((one) => one.dataset.card).join(' ');
    if (lying.length === 2) began[cards] ??= performance.now();
    for (const [trick, since] of Object.entries(began)) {
      const over = document.querySelector('#result-text').textContent !== '';
      if (trick !== cards || over) window.lay[trick] ??= performance.now() - since;
    }
  };
  new MutationObserver(look).observe(document.getElementById('table'), { subtree: true, childList: true });
}"""


def test_where_nothing_moves_a_trick_can_be_seen_all_the_same_and_the_result_waits_for_the_last_one(
    open_table: OpenTable,
) -> None:
    table = open_table(settings={"speed": "normal"}, game={"rules": "tiny", "seat": 0})
    table.page.evaluate(_LYING)
    table.play_on()
    lengths = list(table.page.evaluate("window.lay").values())  # milliseconds
    assert len(lengths) == 4
    assert min(lengths) >= 700
    assert lengths[-1] >= 1200


_EARLY = """() => {
  window.early = [];
  const match = document.getElementById('match');
  let before = match.textContent;
  new MutationObserver(() => {
    const isOver = document.querySelector('#result-text').textContent !== '';
    if (match.textContent !== before && !isOver) window.early.push(match.textContent);
    before = match.textContent;
  }).observe(match, { childList: true });
}"""


def test_the_score_of_a_match_waits_for_the_last_trick(open_table: OpenTable) -> None:
    table = open_table(settings={"speed": "normal"}, game={"rules": "tiny", "seat": 0, "match": "best_of:3"})
    table.page.evaluate(_EARLY)
    table.play_on()
    while "level" in str(table.page.locator("#match").text_content()):
        table.next_deal()
        table.play_on()
    assert table.page.evaluate("window.early") == []


def test_the_card_that_was_drawn_last_is_marked(table: Table) -> None:
    session = table.create(rules="small", seat=0)
    table.go_to(session)
    drawn = table.page.locator("#hand .drawn")
    assert drawn.count() == 0
    for _ in range(2):
        table.act()
        while table.session(session)["position"]["lastTrick"] is None:
            table.act()
        card = table.session(session)["position"]["lastTrick"]["takes"]["you"]
        assert drawn.evaluate_all("all => all.map((one) => Number(one.dataset.card))") == [card]


def trumps_heard(table: Table, log: str) -> int:
    """Count the trumps that were turned up or played, by what the log says after what it said before."""
    trump = table.page.locator("#stage [role=img]").get_attribute("aria-label").removeprefix("Trumps: ")
    new = table.log.removeprefix(log)
    played = rf"(?:[Ll]eads?|[Pp]lays?) the \w+ of {trump}\."
    return len(re.findall(rf"{played}|The \w+ of {trump} is turned up", new))


@pytest.mark.parametrize("speed", ["none", "fast"])
def test_trumps_sound_and_pulse_whoever_plays_them(open_table: OpenTable, speed: str) -> None:
    table = open_table(moving=True, settings={**SOUND, "speed": speed})
    table.go_to(table.create(rules="classic:suits=2,hand=5,stock=16", seat=1))
    table.page.evaluate(_LISTEN)
    trump = table.page.locator("#stage [role=img]").get_attribute("aria-label").removeprefix("Trumps: ")
    before = table.log
    for _ in range(8 if speed == "none" else 4):
        names = [str(button.get_attribute("aria-label")) for button in table.actions()]
        table.act(next((place for place, name in enumerate(names) if name.endswith(trump)), 0))
    expected = trumps_heard(table, before)
    new = table.log.removeprefix(before)
    assert re.search(rf"You (lead|play) the \w+ of {trump}", new)
    assert table.page.evaluate("window.tones").count(_TRUMP_TONE) == expected
    assert table.page.evaluate("window.tones").count(_TRICK_TONE) == len(re.findall(r"wins? the trick", new))
    assert table.page.evaluate("window.pulses") == (0 if speed == "none" else expected)


def test_without_sound_nothing_is_heard(table: Table) -> None:
    table.go_to(table.create(rules="tiny", seat=0))
    table.page.evaluate(_LISTEN)
    table.play_on()
    assert table.page.evaluate("window.tones") == []


_BOT = """
class Mine:
    def act(self, decisions):
        return decisions.action_masks.argmax(axis=1)
"""


def test_the_agents_of_the_command_line_come_first_and_wait_until_the_server_is_warm(
    open_table: OpenTable, start_server: StartServer, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(_BOT, encoding="utf-8")
    (tmp_path / COLD).touch()
    server = start_server("tiny", f"python:{tmp_path / 'bot.py'}:Mine", "heuristic")
    table = open_table(server, settings={"welcomed": False})
    names = table.page.get_by_role("group", name="Opponents").locator("strong")
    assert names.all_text_contents() == ["Mine", "Textbook", "Greedy", "Champion"]
    table.page.keyboard.press("Enter")
    table.page.wait_for_function("() => document.title.includes('Mine')")
    table.page.wait_for_selector("#hand button")
    if not table.page.locator("#alert").filter(has_text="not ready").is_visible():  # the person leads
        card = table.actions()[0]
        for _ in range(2):
            table.press(card)
    table.page.get_by_role("alert").filter(has_text="Mine plays as soon as it is").wait_for()
    (tmp_path / COLD).unlink()
    table.page.get_by_role("alert").filter(has_text="The server is ready").wait_for()
    table.wait()
    assert table.play_on()


@pytest.mark.parametrize(
    ("rules", "agent", "names"),
    [
        ("humbug", "heuristic", ["Textbook", "Greedy"]),
        ("tiny", "small", ["Small network", "Greedy", "Textbook", "Champion"]),
    ],
)
def test_the_opponents_of_a_start_play_its_game_and_the_first_is_the_one_that_was_asked_for(
    open_table: OpenTable, start_server: StartServer, rules: str, agent: str, names: list[str]
) -> None:
    table = open_table(start_server(rules, agent), settings={"welcomed": False})
    shown = table.page.get_by_role("group", name="Opponents").locator("strong")
    assert shown.all_text_contents() == names
    table.page.keyboard.press("Enter")
    table.page.wait_for_function("name => document.title.includes(name)", arg=names[0])
    table.wait()


def test_two_agents_play_while_one_watches(table: Table) -> None:
    table.go_to(table.create(rules="tiny"))
    table.button("More").click()
    table.button("Watch two agents", exact=False).click()
    dialog = table.page.get_by_role("dialog", name="Watch two agents")
    dialog.get_by_label("First seat").select_option("greedy")
    dialog.get_by_label("Second seat").select_option("mc:worlds=60")
    dialog.get_by_label("Deals, each played twice").select_option("2")
    dialog.get_by_role("button", name="Play").click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.wait_for(timeout=REVIEW)
    assert re.search(r"(Greedy|Monte Carlo) wins|is drawn", str(review.text_content()))
    session = table.page.evaluate("() => location.hash").partition("=")[2]
    games = [json.loads(line) for line in table.do("recording", session, None)["recording"].splitlines()]
    assert [games[0]["deck"], games[2]["deck"]] == [games[1]["deck"], games[3]["deck"]]
    assert games[0]["deck"] != games[2]["deck"]
    assert [game["dealer"] for game in games[::2]] == [1 - game["dealer"] for game in games[1::2]]  # seats of the first
    assert review.get_by_role("button", name="Share").count() == 0  # it was nobody's deal


def test_the_pages_copy_plays_and_advises_until_the_server_is_warm(
    open_table: OpenTable, start_server: StartServer, tmp_path: Path
) -> None:
    (tmp_path / COLD).touch()
    server = start_server("tiny", "heuristic", "champion:search=4")
    table = open_table(server, game={"rules": "tiny", "seat": 0, "agent": "champion"})
    plate, hint = table.page.locator("#far-plate"), table.page.locator("#coach")
    assert "this page’s copy" in str(plate.text_content())
    table.button("Hint").click()
    hint.get_by_text("until the server is ready").wait_for(state="attached")
    (tmp_path / COLD).unlink()
    table.act()
    assert "copy" not in str(plate.text_content())
    table.button("Hint").click()
    hint.get_by_text("By Champion with search").wait_for(state="attached", timeout=60_000)
    shows_values_beside_the_coachs(hint)
    table.play_on()
    table.button("Review").first.click()
    review = table.page.get_by_role("dialog", name="Review of the deal")
    review.get_by_text("What the words mean").wait_for()
    slider = review.get_by_role("slider", name="Move")
    table.page.keyboard.press("Home")
    while not review.locator("table.bars").count():
        slider.press("ArrowRight")
    shows_values_beside_the_coachs(review)
    table.page.goto("about:blank")


def shows_values_beside_the_coachs(panel: Any) -> None:
    """Values and probabilities of one's own agent, with two decimals, those of other cards as differences."""
    values = panel.locator("table.bars").first
    assert "champion:search=4" in values.locator("thead").text_content()
    rows = values.locator("tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    best = [row for row in rows if re.fullmatch(r"\d+\.\d\d", row[4])]
    assert len(best) == 1 or all(row[4] == "0.00" for row in rows if row not in best)
    assert all(re.fullmatch(r"(\d+|[−+]?\d)\.\d\d", cell) for row in rows for cell in (row[2], row[4]))
    assert sum(float(row[5]) for row in rows) == pytest.approx(1, abs=0.05)


def test_a_best_of_match_counts_deals_won(table: Table) -> None:
    session = table.create(rules="tiny", match="best_of:3", seat=0)
    table.go_to(session)
    for _ in range(9):
        table.play_on()
        if not table.button("Next deal").count():
            break
        score = table.session(session)["match"]["score"]
        shown = table.page.locator("#match").text_content()
        assert re.fullmatch(rf"Best of 3: (you (lead|trail) {score['you']} to {score['opponent']}|level at \d)", shown)
        assert shown not in table.page.get_by_role("region", name="Result").text_content()
        table.next_deal()
    score = table.session(session)["match"]["score"]
    assert max(score.values()) == 2
    assert re.search(r"wins? the match\.", table.page.get_by_role("region", name="Result").text_content())
    assert re.search(r"you (win|lose) \d to \d", table.page.locator("#match").text_content())


def test_a_card_without_an_alternative_plays_itself_and_take_back_goes_to_the_last_choice(
    open_table: OpenTable,
) -> None:
    table = open_table(settings={"forced": True})

    def own_plays(session: str) -> int:
        return sum(event["kind"] == "play" and event["by"] == "you" for event in table.session(session)["events"])

    def wait_for_a_choice() -> None:
        while not table.result and len(table.actions()) < 2:
            table.page.wait_for_timeout(20)

    session = table.create(rules="small", seat=0)
    table.go_to(session)
    choices, is_taken_back = 0, False
    wait_for_a_choice()
    while not table.result:
        before, plays = table.log, own_plays(session)
        table.act()
        choices += 1
        wait_for_a_choice()
        if not is_taken_back and not table.result and own_plays(session) > plays + 1:
            is_taken_back = True
            table.button("Take back").click()
            table.page.wait_for_function(
                "text => document.querySelector('[role=log]').textContent === text", arg=before
            )
            assert len(table.actions()) > 1
            assert own_plays(session) == plays
            choices -= 1
    assert is_taken_back
    assert choices < own_plays(session) == 14


def test_without_a_choice_there_is_nothing_to_take_back(table: Table) -> None:
    for seed in range(60):
        session = table.session(table.create(rules="tiny", seat=0, seed=seed))
        if session["events"][-1]["by"] == "opponent" and len(session["position"]["decision"]["actions"]) == 1:
            break
    session = table.do("act", session, session["position"]["decision"]["actions"][0])
    with pytest.raises(Exception, match="not had a choice"):
        table.do("takeBack", session, True)
    assert not table.session(session["id"])["deal"]["assisted"]
    assert table.do("takeBack", session, False)["deal"]["assisted"]


# Plays the deal with the first card that can be played, an eighth of a second after the other.
_PLAY_FAST = """async () => {
  while (document.querySelector('#result-text').textContent === '') {
    document.querySelector('#hand button:not([aria-disabled=true])')?.click();
    await new Promise((done) => setTimeout(done, 125));
  }
}"""
_LONG = 50_000  # microseconds of the processor; clocks on the wall measure the machine


def test_without_pauses_no_task_is_long_and_no_card_forces_a_layout(browser: Any, open_table: OpenTable) -> None:
    table = open_table(moving=True, settings={"speed": "instant", "singleTap": True})
    table.go_to(table.create(rules="classic", seat=0))
    kinds = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline.stack"]
    browser.start_tracing(page=table.page, categories=kinds)
    table.page.evaluate(_PLAY_FAST)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    named = [event for event in events if event["name"] == "thread_name"]
    pages = {(one["pid"], one["tid"]) for one in named if one["args"]["name"] == "CrRendererMain"}
    main = [event for event in events if (event["pid"], event["tid"]) in pages]
    assert len(main) > 1000
    assert [one["tdur"] for one in main if one["name"].endswith("RunTask") and one.get("tdur", 0) > _LONG] == []
    stacks = [one["args"]["beginData"].get("stackTrace") for one in main if one["name"] == "Layout" and "args" in one]
    assert len(list(filter(None, stacks))) <= 2  # when the result takes the focus


def test_the_first_press_is_explained_once_in_a_line_near_the_hand(open_table: OpenTable) -> None:
    table = open_table(width=320, height=568, settings={"tapsExplained": False}, game={"rules": "small", "seat": 1})
    table.actions()[0].click()
    alert = table.page.get_by_role("alert")
    assert "Press again to play it" in alert.text_content()
    box, hand = alert.bounding_box(), table.page.locator("#hand").bounding_box()
    assert box["height"] <= 52  # two lines
    assert 0 <= hand["y"] - (box["y"] + box["height"]) <= 40
    assert table.page.evaluate("JSON.parse(localStorage['german-whist.settings']).tapsExplained")


def test_after_the_lesson_who_is_new_chooses_an_opponent(open_table: OpenTable, start_server: StartServer) -> None:
    table = open_table(start_server("tiny"), settings={"welcomed": False})
    table.button("Teach me first", exact=False).click()
    coach = table.page.get_by_role("region", name="Coach", exact=True)
    coach.get_by_role("heading", name=re.compile("Lesson")).wait_for()
    coach.get_by_role("button").last.click()
    table.page.get_by_role("dialog", name="Welcome to German Whist").wait_for()


def test_the_lesson_is_not_offered_again_after_it(table: Table) -> None:
    table.visit(settings={"welcomed": False})
    welcome = table.page.get_by_role("dialog", name="Welcome to German Whist")
    welcome.get_by_role("button", name="Teach me first", exact=False).click()
    table.page.get_by_role("button", name="End the lesson").click()
    welcome.wait_for()
    assert welcome.get_by_role("button", name="Teach me first", exact=False).count() == 0

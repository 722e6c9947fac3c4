"""What the table says about the rules: which cards may be played, what may be claimed, and whether deals are fair."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from german_whist.agents.judge import advise
from german_whist.evaluation.recording import Recording
from german_whist.game.cards import deck_text
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from tests.browser.conftest import STATIC
from tests.browser.playing import play_day, show
from tests.browser.table import Table

pytestmark = pytest.mark.nightly


def unplayable(table: Table) -> list[str]:
    """Play until a suit has to be followed; return the names of the cards that must not be played."""
    for _ in range(20):
        hand = table.page.get_by_role("list", name="Your hand").get_by_role("button")
        names = [str(name) for name in hand.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")]
        if any("not playable" in name for name in names) and table.actions():
            return [name for name in names if "not playable" in name]
        table.act()
    raise AssertionError("no suit had to be followed")


def test_a_card_that_must_not_be_played_says_which_suit_to_follow(table: Table) -> None:
    table.go_to(table.create(rules="classic", seat=0))
    names = unplayable(table)
    _, _, suit = names[0].partition(", not playable: you must follow ")
    assert suit in {"clubs", "diamonds", "hearts", "spades"}
    before = table.hand
    card = table.button(names[0])
    assert card.get_attribute("aria-disabled") == "true"
    card.click(force=True)
    card.click(force=True)
    assert f"follow {suit}" in table.page.get_by_role("alert").text_content()
    assert table.hand == before


def test_arrow_keys_begin_at_the_hand(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=0))
    for key, place in (("ArrowRight", 0), ("ArrowLeft", -1)):
        table.page.locator("#hand").focus()  # a new game focuses it
        table.page.keyboard.press(key)
        focused = table.page.evaluate("document.activeElement.getAttribute('aria-label').split(',')[0]")
        assert focused == table.hand[place]


def test_the_first_tap_raises_a_card_and_another_card_can_be_raised_instead(table: Table) -> None:
    table.go_to(table.create(rules="small", seat=1))
    first, second, *_ = table.actions()
    first.click()
    assert first.get_attribute("aria-pressed") == "true"
    second.click()
    assert (first.get_attribute("aria-pressed"), second.get_attribute("aria-pressed")) == ("false", "true")
    table.page.keyboard.press("Escape")
    assert second.get_attribute("aria-pressed") == "false"
    assert len(table.hand) == 7


# Plays deals with the first action there is, and tries every claim before each card of the endgame.
_CLAIM = """async (seeds) => {
  const table = germanWhist.sessions;
  const deals = [];
  for (const seed of seeds) {
    let session = await table.create({ rules: "small", agent: "heuristic", seed, seat: seed % 2 });
    const tried = [];
    for (let decision = 0; session.position.result === null; decision += 1) {
      for (const claim of session.can.claim ? (seed % 3 === 0 ? ["theirs", "mine", "lost"] : ["theirs", "mine"]) : []) {
        let refused = null;
        try {
          session = await table.claim(session, claim);
        } catch (error) {
          refused = error.message;
        }
        tried.push([decision, claim, refused]);
        if (refused === null) break;
      }
      const { decision: open } = session.position;
      if (open !== null) session = await table.act(session, open.actions[0]);
    }
    const { recording } = await table.recording(session.id, 1);
    const played = await table.openShared(recording.replace(/"claimed":\\d+,/, ""));
    const stakes = [];
    for (const { id } of seed < 4 ? [session, played] : []) {
      stakes.push((await table.review(id, 1)).tricksAtStake.you);
    }
    deals.push({ seat: seed % 2, tried, recording, session, stakes });
  }
  return deals;
}"""


def test_a_claim_holds_where_python_says_so_and_nowhere_else(table: Table) -> None:
    kinds, stakes = set(), []
    for deal in table.page.evaluate(_CLAIM, list(range(12))):
        recording, seat = Recording.from_line(deal["recording"]), deal["seat"]
        turns = [int(batch.states["turn"][0]) for batch in recording.steps()][:-1]
        own = recording.decisions()[0].views[[turn == seat for turn in turns]]
        for decision, claim, refused in deal["tried"]:
            view = own[decision : decision + 1]
            (advice,) = advise(Decisions(view, recording.rules))
            taken = [int(view[f"tricks_{side}"][0, 1]) for side in ("self", "opponent")]
            if claim == "lost":
                lost = deal["session"]["position"]["result"]["winner"] == "opponent"
                assert lost if refused is None else not lost and "cannot lose" in refused
                continue
            certain = {"mine": advice.opponent_tricks[0] == taken[1], "theirs": advice.tricks[0] == taken[0]}
            assert (refused is None) == certain[claim], (decision, claim)
            assert refused in (None, "That is not certain: play on.")
            kinds.add((claim, refused is None))
        result = deal["session"]["position"]["result"]
        accepted = [claim for _, claim, refused in deal["tried"] if refused is None]
        assert (recording.claimed is None) == (accepted == [])
        if accepted:
            assert result["claim"] in [event["text"] for event in deal["session"]["events"]]
            after = [event for event in deal["session"]["events"] if event["kind"] == "win"]
            rest = {event["by"] for event in after[(recording.claimed or 0) // 2 :]}
            assert {"mine": rest == {"you"}, "theirs": rest == {"opponent"}, "lost": result["winner"] == "opponent"}[
                accepted[0]
            ]
        stakes.append(deal["stakes"])
    assert all(claimed <= played for claimed, played in filter(None, stakes))
    assert any(claimed < played for claimed, played in filter(None, stakes))  # nobody chose the cards after a claim
    assert {("mine", True), ("mine", False), ("theirs", False)} <= kinds


@pytest.mark.parametrize("rules", ["classic", "high_low", "draft", "humbug"])
def test_a_deal_can_be_conceded_before_both_hands_are_known(table: Table, rules: str) -> None:
    session = table.do("create", {"rules": rules, "agent": "heuristic", "seat": 0, "seed": 9})
    session = table.do("act", session, session["position"]["decision"]["actions"][0])
    played = len(re.findall("play", " ".join(event["kind"] for event in session["events"])))
    show(table, session["id"])
    table.button("Concede").click()
    table.button("I concede", exact=False).click()
    table.page.wait_for_function("() => document.querySelector('#result-text').textContent !== ''")
    assert table.result.startswith("You lose")
    recording = Recording.from_line(table.do("recording", session["id"], 1)["recording"])
    recording.replay()
    assert recording.claimed is not None
    assert recording.claimed <= played + 2
    assert recording.result.margin < 0
    (moves,) = [table.do("review", session["id"], 1)["moves"]]
    assert {move["label"] for move in moves[recording.claimed :]} == {"claimed"}
    assert table.do("statistics")["groups"][-1]["lost"] == 1


@STATIC  # deals of a served table with `--seed` are not sealed
def test_a_game_is_sealed_before_its_first_card_and_opened_when_it_is_over(table: Table) -> None:
    session = table.do("create", {"rules": "tiny", "agent": "greedy", "seat": 0})
    sealed = session["seal"]["hash"]
    while session["position"]["decision"]:
        assert session["seal"] == {"hash": sealed, "opened": None}
        session = table.do("act", session, session["position"]["decision"]["actions"][0])
    show(table, session["id"])
    table.button("More").click()
    table.button("Is it fair?", exact=False).click()
    window = table.page.get_by_role("dialog", name="Is it fair?")
    assert window.get_by_label("Hash").input_value() == sealed
    assert window.get_by_label("Seed and salt").count() == 0
    window.get_by_role("button", name="End the game here", exact=False).click()
    told = str(window.get_by_label("Seed and salt").input_value())
    assert hashlib.sha256(told.encode()).hexdigest() == sealed
    session = table.do("open", session["id"])
    assert not session["can"]["next"]
    deck = DealBatch("tiny", 1, int(told.split(maxsplit=1)[0])).states["deck"][0, :8]
    assert json.loads(table.do("recording", session["id"], 1)["recording"])["deck"] == deck_text(deck.tolist())


def test_deals_that_somebody_may_know_are_not_sealed(table: Table) -> None:
    day = play_day(table)
    link = table.do("openLink", table.do("recording", day["id"], 1)["code"])
    seeded = table.do("create", {"rules": "tiny", "agent": "greedy", "seed": 7})
    assert [one["seal"] for one in (day, link, seeded)] == [None] * 3
    table.page.evaluate("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })")
    assert table.do("create", {"rules": "tiny", "agent": "greedy"})["seal"] is None

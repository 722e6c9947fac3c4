"""``german-whist hint``: the best card of a position that a player types."""

from __future__ import annotations

import json

import pytest

from german_whist.envs.simulator.batch import DealBatch
from german_whist.solver.endgames import solve_endgame
from tests.cli.commands import Run

TRICK_4 = (  # of deal 7:0 between two heuristic bots
    *("753.KJ876.T2.AK9", "--up", "H5", "--led", "S6", "--trump", "H"),
    *("--mine", "A2...2", "--theirs", "K8...3", "--taken", ".3..", "--shown", ".6..", "--tricks", "1-2"),
)
ENDGAME = ("AK4.T9..J", "--opponent", "J7.AK.Q.T", "--trump", "S")


def test_the_prize_is_worth_a_seven(run: Run) -> None:
    done = run("hint", *TRICK_4)
    assert done.code == 0
    assert done.out.startswith("Foreplay, stock 20, trumps ♥, ♥5 turned up, ♠6 led\n  you       ♠ 753")
    assert "Hint by Champion with search: ♠7.\n  The seven of spades wins the five of hearts." in done.out
    assert sum(line.startswith("  ♠") for line in done.out.splitlines()) == 3


def test_the_first_trick_needs_no_more_than_the_hand_and_the_card_turned_up(run: Run) -> None:
    report = json.loads(run("hint", "AQ2.K84.T953.J76", "--up", "H5", "--json").out)
    assert len(report["options"]) == 13
    assert not report["exact"]


def test_an_endgame_is_solved(run: Run) -> None:
    report = json.loads(run("hint", *ENDGAME, "--json").out)
    assert report["exact"]
    tricks = solve_endgame("AK4.T9..J", "J7.AK.Q.T", "S")
    assert report["options"][0]["tricks"] == tricks
    ahead = json.loads(run("hint", *ENDGAME, "--tricks", "5-2", "--json").out)
    assert ahead["options"][0]["tricks"] == tricks + 5
    led = json.loads(run("hint", "AK4.T9..J", "--opponent", "J7.AK.Q.T", "--trump", "S", "--led", "HA", "--json").out)
    assert {option["action"] for option in led["options"]} == {"HT", "H9"}


def test_cards_and_suits_are_read_in_any_spelling(run: Run) -> None:
    words = ("ak4.109..j", "--opponent", "J7.AK.Q.10", "--trump", "♠", "--led", "A♥", "--json")
    assert run("hint", *words).out == run("hint", *ENDGAME, "--led", "HA", "--json").out
    found = {
        run("hint", "AQ2.K84.T953.J76", "--up", up, "--led", led, "--json").out
        for up, led in (("HT", "CT"), ("10H", "♣10"), ("ten of hearts", "10 of ♣"))
    }
    assert len(found) == 1
    assert json.loads(found.pop())["options"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("AQ2.K..",), "hint needs --up CARD in the foreplay, or --opponent HAND in the endgame"),
        (("AQ2.K", "--up", "H5"), "hand 'AQ2.K' has 2 suits"),
        (("AQ2.K84.T953.J76", "--up", "5X"), "'5X' is not a card"),
        ((*ENDGAME, "--tricks", "3"), "--tricks must be two numbers, such as 3-1, got '3'"),
        (("AQ2.K84.T953.J76", "--up", "H5", "--void", "X"), "--void must be suits"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("hint", *words)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_the_example_is_that_deal() -> None:
    """The how-to page and the picture of the rules show it."""
    import german_whist as gw

    batch, bot = DealBatch("classic", 1, 7, 0), gw.make_agent("heuristic")
    for _ in range(7):
        batch.step(bot.act(batch.views(), None))
    view = batch.views()[0]
    assert int(view["hand"]) == gw.hand(TRICK_4[0])
    assert int(view["played_self"]) == gw.hand("A2...2")
    assert int(view["played_opponent"]) == gw.hand("K86...3")
    assert int(view["led"]) == gw.card("S6")

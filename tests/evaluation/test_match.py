"""Matches on mirrored deals."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.registry import make_agent
from german_whist.evaluation.executors import worker_processes
from german_whist.evaluation.match import MatchResult, play_match
from german_whist.game.cards import card_text
from german_whist.game.rules import rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from tests.agents.networks import some_network
from tests.players import Lowest, lowest
from tests.reference.game import ReferenceDeal, returns_of

AGENTS: dict[str, Callable[[], Any]] = {
    "random": lambda: "random",
    "heuristic": lambda: "heuristic",
    "policy": lambda: PolicyAgent(some_network()),
    "sampling policy": lambda: PolicyAgent(some_network(1), 1.0),
}


class Returning:
    """Answers with whatever a function makes of the action masks."""

    name = "odd one"

    def __init__(self, answer: Callable[[np.ndarray], Any]) -> None:
        self.answer = answer

    def act(self, decisions: Decisions) -> Any:
        return self.answer(decisions.action_masks)


def fields(result: MatchResult) -> dict[str, Any]:
    plain = result.to_dict()
    del plain["first"], plain["second"]
    return plain


def test_match_matches_reference() -> None:
    # Both agents always play the lowest card by number, so the reference can follow without knowing them.
    margins = play_match(Lowest(), Lowest(), deals=6, seed=7, first_deal=3).margins
    for row, index in enumerate(range(3, 9)):
        deck = [card_text(card) for card in DealBatch("classic", 1, 7, first=index).states["deck"][0]]
        deal = ReferenceDeal(deck, rules("classic"), dealer=index % 2)
        while not deal.done:
            deal.play(min(deal.legal(), key=lambda card: ("CDHS".index(card[0]), "23456789TJQKA".index(card[1]))))
        at_seat_0, at_seat_1 = returns_of(deal, "margin")
        assert margins[row].tolist() == [at_seat_0, at_seat_1]


@pytest.mark.parametrize("name", ["greedy", "heuristic", "policy"])
def test_self_play_is_even(name: str) -> None:
    agent = PolicyAgent(some_network()) if name == "policy" else make_agent(name)
    result = play_match(agent, agent, deals=150, seed=3)
    assert result.win_rate == 0.5
    assert result.wins == result.losses
    assert result.margin == 0.0  # mirrored: not a trace of luck


@pytest.mark.parametrize("first", AGENTS)
def test_batch_size_changes_nothing(first: str) -> None:
    results = [
        fields(play_match(AGENTS[first](), AGENTS["sampling policy"](), deals=23, seed=11, batch_size=size))
        for size in (1, 7, 2048)
    ]
    assert results[1:] == results[:-1]


def test_paired_interval_of_known_margins() -> None:
    result = play_match("greedy", "heuristic", deals=5, seed=6)
    margins = result.margins
    shares = [sum((margin > 0) + (margin == 0) / 2 for margin in games) / 2 for games in margins.tolist()]
    for samples, mean, interval in (
        (shares, result.win_rate, result.interval),
        (margins.mean(axis=1).tolist(), result.margin, result.margin_interval),
    ):
        centre = sum(samples) / 5
        spread = math.sqrt(sum((sample - centre) ** 2 for sample in samples) / 4)
        assert mean == pytest.approx(centre)
        assert interval == pytest.approx(
            (centre - 1.96 * spread / math.sqrt(5), centre + 1.96 * spread / math.sqrt(5)), abs=1e-4
        )


@pytest.mark.parametrize("deals", [1, 2, 40])
def test_result_is_plain_data(deals: int) -> None:
    result = play_match("heuristic", "random", deals=deals, seed=np.int64(3), rules="tiny")  # type: ignore[arg-type]
    fields = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert fields["rules"] == rules("tiny").to_dict()
    assert MatchResult.from_dict(fields) == result
    assert fields["seed"] == 3
    assert (fields["interval"] == [None, None]) == (deals == 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"deals": 0}, "deals .* 0"),
        ({"first_deal": 2**64 - 1}, "18446744073709551616"),
        ({"second": 7}, "got 7"),
        ({"record": "x.jsonl"}, "record .* 'x.jsonl'"),
    ],
)
def test_impossible_contest_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_match(**{"first": "random", "second": "random", "deals": 2, **settings})


ODD_ANSWERS: dict[str, tuple[Callable[[np.ndarray], Any], str]] = {
    "nothing": (lambda masks: None, r"object\[\]"),
    "one too many": (lambda masks: np.append(lowest(masks), 0), r"got int64\[\d*1\]"),
    "whole floats": (lambda masks: lowest(masks).astype(float), r"got float64\[\d*0\]"),
    "below the deck": (lambda masks: lowest(masks) - 60, r"'odd one' .* -\d+ in deal \d+ of seed 3"),
    "card 0": (lambda masks: np.zeros(len(masks), np.int64), r"'odd one' .* 0 in deal \d+ of seed 3"),
}


@pytest.mark.parametrize("kind", ODD_ANSWERS)
@pytest.mark.parametrize("as_first", [True, False])
def test_wrong_answer_of_agent(kind: str, as_first: bool) -> None:
    answer, message = ODD_ANSWERS[kind]
    agents = (Returning(answer), "heuristic") if as_first else ("heuristic", Returning(answer))
    with pytest.raises(ValueError, match=message):
        play_match(*agents, deals=20, seed=3)


def test_exception_of_an_agent_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        play_match(Returning(lambda masks: 1 // 0), "random", deals=2)


@pytest.mark.nightly
def test_workers_play_same_match() -> None:
    match = {"first": "heuristic", "second": "random", "deals": 40, "seed": 4, "rules": "small"}
    with worker_processes(2) as executor:
        spread = play_match(**match, batch_size=7, executor=executor)
    here = play_match(**match)
    assert spread == here
    assert np.array_equal(spread.margins, here.margins)


@pytest.mark.parametrize("endgame", ["played", "exact"])
def test_halves_of_a_contest_are_the_whole(endgame: str) -> None:
    games: dict[str, list[Any]] = {"whole": [], "halves": []}
    play = {"first": "random", "second": "greedy", "seed": 5, "endgame": endgame}
    whole = play_match(**play, deals=20, record=games["whole"].append)
    halves = [play_match(**play, deals=10, first_deal=first, record=games["halves"].append) for first in (0, 10)]
    assert games["halves"] == games["whole"]
    assert np.array_equal(np.concatenate([half.margins for half in halves]), whole.margins)
    assert [half.first_deal for half in halves] == [0, 10]
    assert halves[0].wins + halves[1].wins == whole.wins

"""Agents that lose a deal instead of playing: bots in other processes that are late, crash, or cheat."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.envs.agent import AgentForfeit
from german_whist.session.coach.replays import swap_seats, try_action, watch
from german_whist.session.coach.reviews import review
from german_whist.session.database import Database
from german_whist.session.game_session import IllegalAction, Session
from german_whist.session.saved import insert_session
from german_whist.session.settings import Settings
from german_whist.session.statistics import Statistics
from german_whist.web.session_json import session_json
from tests.session.playing import play, reload


class Tired:
    """Plays some cards, then gives up."""

    name = "tired"

    def __init__(self, cards: int) -> None:
        self.cards = cards

    def act(self, views: Any, rng: Any) -> Any:
        self.cards -= 1
        if self.cards < 0:
            raise AgentForfeit({0: "time limit: no reply within 1 s"}, np.zeros(1, np.int64))
        return make_agent("greedy").act(views, rng)


def forfeited(cards: int = 2, rules: str = "small", **settings: Any) -> Session:
    made = Session(Settings(rules=rules, agent="greedy", seed=1, **settings), Tired(cards), title="Tired")
    made.reply()
    return play(made)


@pytest.mark.parametrize("cards", [0, 2])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_deal_ends_and_is_won_by_the_largest_margin(cards: int, seat: int) -> None:
    made = forfeited(cards, seat=seat)
    shown = session_json(made)
    assert made.deal.done
    assert len(made.finished) == 1
    result = shown["position"]["result"]
    assert result["text"] == "You win: Tired forfeits the deal (time limit: no reply within 1 s)"
    assert (result["winner"], result["margin"], result["points"]) == ("you", 7, 5)  # all tricks: a slam
    assert shown["events"][-1]["text"] == f"{result['text']}."
    assert shown["position"]["decision"] is None
    assert not any(card["playable"] for card in shown["position"]["hand"])
    with pytest.raises(IllegalAction, match="over"):
        made.act(0)
    made.next_deal()
    assert made.number == 2


def test_it_is_saved() -> None:
    made = forfeited()
    restored = reload(made)
    assert session_json(restored) == session_json(made)
    made.next_deal()
    restored = reload(made)
    assert restored.score == made.score


def test_it_counts_in_the_match_but_not_in_the_statistics(database: Database) -> None:
    made = forfeited(match="best_of:1")
    assert made.winner == made.seat
    with database.write() as connection:
        insert_session(connection, "one", made)
    found = Statistics(database).summary()
    assert found["deals"] == 0
    assert [match["won"] for match in found["matches"]] == [1]


@pytest.mark.parametrize("cards", [0, 3])
def test_what_was_played_can_be_reviewed_and_tried_but_not_recorded(cards: int) -> None:
    made = forfeited(cards)
    found = review(made.deal, made.seat, made.names, worlds=2)
    json.dumps(found, allow_nan=False)
    assert len(found["moves"]) == len(made.deal.actions)
    assert found["win_curve"][-1] == 1
    assert "forfeits" in found["result"]["text"]
    with pytest.raises(ValueError, match="greedy forfeited it"):
        made.recording(0)
    swapped = swap_seats(made, 0)
    assert swapped.deal.forfeit is None
    with pytest.raises(ValueError, match="forfeited"):
        watch(made, 0)
    if cards:
        own = next(step for step in range(len(made.deal.actions)) if made.deal.actor(step) == made.seat)
        tried = try_action(made, 0, own + 1, made.deal.actions[own])
        assert tried.deal.forfeit is None

"""The coach: advice from what a seat knows, exact endgames, reviews, and other ways to play a deal."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.inference.belief import beliefs
from german_whist.agents.judge import LEAST, Advice, accuracy_of, advise, at_stake, judge_action, judge_of
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.actions import action_text, parse_action
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.session.coach.hints import hint, holdings
from german_whist.session.coach.reasons import reason
from german_whist.session.coach.replays import swap_seats, try_action, watch
from german_whist.session.coach.reviews import play_out, review
from german_whist.session.deal.events import action_events
from german_whist.session.deal.position import high_to_low
from german_whist.session.deal.table_deal import TableDeal
from tests.redeal import Redeal
from tests.session.playing import play, session

NAMES = ("You", "Ann")


def test_what_the_opponent_may_hold_follows_from_how_it_has_played() -> None:
    deal = play(session("small", "small", seed=11), 3).deal
    views, histories = deal.views(deal.turn), deal.batch.history(seats=[deal.turn])
    uniform = beliefs(views, deal.rules)
    weighted = holdings(deal.rules, views, judge_of(deal.rules, 64), 0, histories)
    held = int(deal.state["hands"][1 - deal.turn]).bit_count()
    assert weighted.expected.sum() == pytest.approx(held)
    assert ((weighted.void >= 0) & (weighted.void <= 1)).all()
    assert (weighted.void[uniform.void == 0] == 0).all()
    assert np.abs(weighted.expected - uniform.expected).max() > 0.05
    without = holdings(deal.rules, views, make_agent("small", deal.rules), 0, histories)
    assert (without.expected == uniform.expected).all()


@pytest.mark.parametrize("game", ["small", "draft", "open_stock", "humbug", "no_trump"])
def test_a_hint_is_the_same_whatever_the_seat_has_not_seen(game: str) -> None:
    redeal, compared = Redeal(game, seed=3, seat=0, steps=9), 0
    dealer, made = int(redeal.course.states["dealer"][0]), redeal.course.rules
    decks = [row[: len(made.cards)].tolist() for row in redeal.others.states["deck"][:6]]
    deals = [TableDeal(made, deck, dealer) for deck in decks]
    for action in redeal.actions:
        if deals[0].turn == redeal.seat:
            found = [hint(deal, worlds=3) for deal in deals]
            assert all(one == found[0] for one in found)
            compared += len(found) > 1
        for deal in deals:
            deal.play(action)
    assert compared > 1


def test_a_hint_names_a_legal_action_and_its_reason() -> None:
    made = session("small", seed=4)
    while not made.deal.done:
        given = hint(made.deal, worlds=8)
        assert made.deal.legal >> parse_action(given["action"], made.deal.rules) & 1
        assert given["reason"].endswith(".")
        assert given["options"][0]["action"] == given["action"]
        assert given["by_title"] == ("exact" if given["exact"] else "Champion with search")
        held = int(made.deal.state["hands"][1])
        if given["opponent"] is None:
            assert given["exact"]
            assert given["opponent_hand"] == high_to_low(held)
        else:
            assert given["opponent_hand"] is None
            expected = sum(suit["expected"] for suit in given["opponent"].values())
            assert expected == pytest.approx(held.bit_count(), abs=0.01)
        json.dumps(given, allow_nan=False)
        play(made, 1)


def test_a_hint_is_what_the_hardest_level_plays_also_where_another_card_makes_more_tricks() -> None:
    level: Any = make_agent("champion:search=16", "short")
    differs = worse = 0
    for seed in range(9):
        deal = TableDeal.at_address(rules("short"), seed, 0)
        while not opponent_hand_known(deal.views(deal.turn)).any():
            views, histories = deal.views(deal.turn), deal.batch.history(seats=[deal.turn])
            chosen = int(level.search(views, AgentRng(0, views["hand"]), histories)[0][0])
            given = hint(deal, 0, 16)
            assert given["action"] == action_text(chosen, deal.rules)
            assert given["by_text"] == "By Champion with search: the win comes first, then tricks."
            first, *others = given["options"]
            more = [option for option in others if option["tricks"] > first["tricks"]]
            differs += bool(more)
            assert first["label"] == "best"
            assert first["tricks_given_away"] == 0
            for option in more:
                assert option["tricks_given_away"] == 0
                worse += option["label"] != "best"  # it loses wins
            assert not any(option["label"] in LEAST and option["win"] > given["win"] for option in others)
            deal.play(chosen)
    assert differs > 3
    assert worse > 0


def advice_of(actions: tuple[int, ...], **columns: tuple[float, ...]) -> Advice:
    """Return advice in which all values that are not given are the same."""
    same = {name: (0.0,) * len(actions) for name in ("lost", "lost_errors", "wins", "win_errors", "trick")}
    tricks = {name: (6.5,) * len(actions) for name in ("tricks", "opponent_tricks")}
    return Advice(actions, **{**same, **tricks, **columns}, exact=False, judge="champion")  # type: ignore[arg-type]


def test_the_reason_says_how_far_behind_the_next_action_is() -> None:
    batch = DealBatch("small", 1, seed=3)
    view = batch.views()[0]
    actions = tuple(cards_of(int(view["legal"])))
    rest = len(actions) - 2
    for lost, error, wins, words in (
        (-0.4, 0.1, (0.6, 0.55), "takes about 0.4 tricks more, but wins the deal less often."),
        (0.0, 0.1, (0.6, 0.55), "takes as many tricks, but wins the deal less often."),
        (0.0, 0.1, (0.6, 0.6), "is about as good."),
        (0.4, 0.1, (0.6, 0.65), "is about as good."),
        (0.4, 0.1, (0.6, 0.55), "gives away about 0.4 tricks."),
        (0.98, 0.1, (0.6, 0.55), "gives away about 1 trick."),
        (0.4, 0.3, (0.6, 0.59), "is hardly worse."),
    ):
        advice = advice_of(
            actions,
            lost=(0, lost, *[1.0] * rest),
            lost_errors=(0, error, *[0.1] * rest),
            wins=(*wins, *[0.3] * rest),
            win_errors=(0, 0.02, *[0.02] * rest),
            trick=(0.5,) * len(actions),
        )
        assert reason(view, batch.rules, advice).endswith(words)


@pytest.mark.parametrize("game", ["small", "draft", "humbug", "race", "high_low"])
def test_a_review_judges_every_decision_of_both_sides(game: str) -> None:
    made = play(session(game, "random", seed=2))
    found = review(made.deal, 0, made.names, worlds=4)
    json.dumps(found, allow_nan=False)
    moves = found["moves"]
    assert [move["number"] for move in moves] == list(range(1, len(made.deal.actions) + 1))
    assert [move["action"] for move in moves] == [action_text(a, made.deal.rules) for a in made.deal.actions]
    assert len(found["win_curve"]) == len(found["positions"]) == len(moves) + 1
    assert found["win_curve"][-1] == {None: 0.5, "you": 1.0, "opponent": 0.0}[found["result"]["winner"]]
    for move in moves:
        assert (move["best"] == move["action"]) == (move["label"] in ("best", "good"))
        assert move["action"] in {option["action"] for option in move["options"]}
    assert len(found["mistakes"]) <= 3
    assert all(moves[number - 1]["by"] == "you" for number in found["mistakes"])
    assert all(moves[number - 1]["label"] in LEAST for number in found["mistakes"])
    for side in ("you", "opponent"):
        given = sum(move["tricks_given_away"] for move in moves if move["by"] == side)
        assert found["tricks_given_away"][side] == pytest.approx(given, abs=0.01)
        assert 0 <= found["accuracy"][side] <= 100
        assert found["plays_like"][side] is None  # the agents' accuracy was measured in classic alone


def test_who_follows_every_hint_is_told_of_no_mistake_and_reads_the_same_figures() -> None:
    made, given = session("small", "champion", seed=6), {}
    while not made.deal.done:
        step = len(made.deal.actions)
        given[step + 1] = hint(made.deal)
        made.act(parse_action(given[step + 1]["action"], made.deal.rules))
        made.reply()
    found = review(made.deal, 0, made.names)
    assert (found["mistakes"], found["tricks_given_away"]["you"], found["accuracy"]["you"]) == ([], 0, 100)
    own = [move for move in found["moves"] if move["by"] == "you"]
    assert len(own) == len(given)
    for move in own:
        assert move["label"] == "best"
        assert move["options"] == given[move["number"]]["options"]
        assert move["reason"] == given[move["number"]]["reason"]


def test_perfect_play_costs_nothing_and_a_blunder_is_found() -> None:
    made = session("small", "heuristic+exact", seed=6)
    while made.deal.turn == 0:
        view = made.deal.views(0)
        if view["stock"][0] or made.deal.legal.bit_count() == 1:
            play(made, 1)
            continue
        advice = advise(view, made.deal.rules, worlds=1)[0]
        if advice.lost[-1]:
            best = action_text(advice.actions[0], made.deal.rules)
            made.act(advice.actions[-1])
            blunder = len(made.deal.actions), advice.lost[-1]
            break
        made.act(advice.actions[0])
        made.reply()
    made.reply()
    while made.deal.turn == 0:
        made.act(advise(made.deal.views(0), made.deal.rules, worlds=1)[0].actions[0])
        made.reply()
    found = review(made.deal, 0, made.names, worlds=2)
    exact = [move for move in found["moves"] if move["exact"]]
    assert {move["number"]: move["tricks_given_away"] for move in exact if move["tricks_given_away"]} == {
        blunder[0]: blunder[1]
    }
    wrong = found["moves"][blunder[0] - 1]
    assert [move["number"] for move in exact if move["line"]] == [blunder[0]]
    assert (wrong["best"], wrong["line"][0]) == (best, best)
    perfect = TableDeal(made.deal.rules, made.deal.deck, made.deal.dealer, made.deal.actions[: blunder[0] - 1])
    for action in wrong["line"]:
        perfect.play(parse_action(action, made.deal.rules))
    assert perfect.done
    assert perfect.result().margin == made.deal.result().margin + 2 * blunder[1]


def test_a_turn_of_luck_is_named() -> None:
    for seed in range(20):
        made = play(session("small", "heuristic", seed=seed))
        found = review(made.deal, 0, made.names, worlds=8)
        for swing in found["swings"]:
            own = [move["number"] for move in found["moves"] if move["by"] == "you"]
            before = own[own.index(swing["move"] + 1) - 1]
            move = found["moves"][before - 1]
            left = next(option["win"] for option in move["options"] if option["action"] == move["action"])
            assert swing["change"] == pytest.approx(found["win_curve"][swing["move"]] - left, abs=0.002)
            assert abs(swing["change"]) >= 0.08
            drawn = [
                event.text
                for step in range(before - 1, swing["move"])
                for event in action_events(made.deal, step, 0, made.names)
                if event.kind == "draw" and event.seat == 0
            ]
            assert all(text.rstrip(".").lower() in swing["text"].lower() for text in drawn)
            if drawn:
                return
    pytest.fail("no card that was drawn changed a chance")


@pytest.mark.parametrize("agent", ["random", "heuristic", "champion"])
def test_the_accuracy_of_agents_is_that_of_their_level(agent: str) -> None:
    given_away = stakes = 0.0
    for index in range(4):
        deal = TableDeal.at_address(rules("classic"), 12, index)
        agents = tuple(make_agent(name, deal.rules) for name in (agent, "champion"))
        play_out(deal, agents, 12, index)  # type: ignore[arg-type]
        views, histories = deal.decisions()
        rows = np.array([step for step in range(len(deal.actions)) if deal.actor(step) == 0])
        found = advise(views[rows], deal.rules, 16, histories=(histories[0][rows], histories[1][rows]))
        given_away += sum(judge_action(one, deal.actions[row]).tricks for one, row in zip(found, rows, strict=True))
        stakes += sum(map(at_stake, found))
    level = {"random": 30, "heuristic": 75, "champion": 97}[agent]
    assert accuracy_of(given_away, stakes) == pytest.approx(level, abs=10)


def test_another_card_is_tried_from_the_decision_on() -> None:
    made = play(session("small", seed=2))
    views, _ = made.deal.decisions()
    step = next(
        step
        for step in range(len(made.deal.actions))
        if made.deal.actor(step) == 0 and int(views[step]["legal"]).bit_count() > 1
    )
    legal = cards_of(int(views[step]["legal"]))
    other = next(action for action in legal if action != made.deal.actions[step])
    tried = try_action(made, 0, step + 1, other)
    assert tried.deal.actions == [*made.deal.actions[:step], other]
    assert tried.deal.deck == made.deal.deck
    tried.reply()
    play(tried)
    assert tried.over
    assert tried.settings.kind == "practice"
    assert len(made.finished) == 1
    with pytest.raises(ValueError, match="not one of yours"):
        try_action(made, 0, 0, other)
    missing = next(card for card in made.deal.rules.cards if not int(made.deal.states[step]["hands"][0]) >> card & 1)
    with pytest.raises(ValueError, match="cannot play"):
        try_action(made, 0, step + 1, missing)


def test_the_last_card_of_a_deal_can_be_tried() -> None:
    made = play(session("tiny", seed=2, seat=1))
    last = len(made.deal.actions)
    step = last if made.deal.actor(last - 1) == 1 else last - 1
    tried = try_action(made, 0, step, made.deal.actions[step - 1])
    tried.reply()
    assert len(tried.finished) == 1


def test_swapped_seats_have_the_same_deal() -> None:
    made = play(session("small", seed=2))
    other = swap_seats(made, 0)
    assert other.seat == 1 - made.seat
    assert (other.deal.deck, other.deal.dealer) == (made.deal.deck, made.deal.dealer)
    assert int(other.deal.state["hands"][other.seat]) == int(made.deal.states[0]["hands"][1])


def test_the_agent_plays_the_persons_cards() -> None:
    made = play(session("small", "heuristic", seed=2))
    seen = watch(made, 0)
    assert seen["compare"]["you"] == (7 + made.deal.result().margin) / 2
    assert seen["compare"]["agent"] == seen["result"]["tricks"]["you"]
    assert len(seen["positions"]) == len(seen["moves"]) + 1
    same = [move for move in seen["moves"] if move["yours"] == move["action"]]
    differs = [move for move in seen["moves"] if move["yours"] not in (None, move["action"])]
    assert len(differs) <= 1
    assert [move["number"] for move in same] == list(range(1, len(same) + 1))

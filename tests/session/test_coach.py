"""The coach: advice from what a seat knows, exact endgames, reviews, and other ways to play a deal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.inference.belief import beliefs
from german_whist.agents.monte_carlo.rollout_kernels import distinct_actions
from german_whist.agents.policy.agent import network_of
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.actions import action_text, parse_action
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.session.coach.advice import ROLLOUTS, Advice, advise, judge_of
from german_whist.session.coach.hints import hint, holdings
from german_whist.session.coach.reasons import reason
from german_whist.session.coach.replays import swap_seats, try_action, watch
from german_whist.session.coach.reviews import review
from german_whist.session.deal.table_deal import TableDeal
from german_whist.solver.endgames import solve_endgame
from tests.agents.networks import valued_network
from tests.conftest import play_randomly
from tests.redeal import Redeal
from tests.session.playing import play, session

NAMES = ("You", "Ann")


@pytest.mark.parametrize("game", rule_names())
def test_every_legal_action_of_every_game_has_a_value_and_a_chance(game: str) -> None:
    for steps in (0, 3, 9):
        batch = DealBatch(game, 1, seed=steps)
        play_randomly(batch, np.random.default_rng(steps), steps)
        if batch.done[0]:
            continue
        advice = advise(batch.views(), batch.rules, worlds=4)[0]
        assert sorted(advice.actions) == list(cards_of(int(batch.legal()[0])))
        chosen = ":search=" in advice.judge  # a search's choice comes first, whatever its tricks
        assert list(advice.margins[chosen:]) == sorted(advice.margins[chosen:], reverse=True)
        assert chosen or list(advice.wins) == sorted(advice.wins, reverse=True)
        assert all(0 <= win <= 1 for win in advice.wins)
        assert all(abs(margin) <= batch.rules.counted + 1 for margin in advice.margins)
        assert advice.cost(advice.actions[0]) == (0, 0)


def test_a_search_judges_every_game_with_an_open_endgame_and_rollouts_the_others() -> None:
    judges = dict.fromkeys(("classic", "small", "short", "draft"), "champion:search=4")
    for game, judge in {**judges, "humbug": ROLLOUTS}.items():
        batch = DealBatch(game, 1, seed=1)
        assert advise(batch.views(), batch.rules, worlds=4)[0].judge == judge


@pytest.mark.parametrize("game", ["small", "open_stock"])
def test_the_values_differ_as_the_search_says(game: str) -> None:
    rng, tried = np.random.default_rng(4), 0
    for seed in range(4):
        batch = DealBatch(game, 1, seed=seed, history=True)
        play_randomly(batch, rng, 6)
        views, histories = batch.views(), batch.history()
        judge: Any = judge_of(batch.rules, 32)
        best, gains = judge.search(views, np.random.default_rng(5), histories)
        found = judge.action_values(views, np.random.default_rng(5), histories)
        assert found.actions.tolist() == best.tolist()
        assert np.array_equal(found.gains, gains, equal_nan=True)
        advice = advise(views, batch.rules, 32, 5, histories)[0]
        assert advice.actions[0] == best[0]
        margins, wins = (dict(zip(advice.actions, of, strict=True)) for of in (advice.margins, advice.wins))
        equals = int(distinct_actions(views[0])) & (2 << int(best[0])) - 1  # the lowest of equal cards stands for all
        tried_best = equals.bit_length() - 1
        for action in map(int, np.flatnonzero(np.isfinite(gains[0]))):
            gain = found.tricks[0, action] - found.tricks[0, tried_best]
            assert margins[action] - margins[int(best[0])] == pytest.approx(gain, abs=1e-9)
            if 0 < wins[action] < 1 and 0 < wins[int(best[0])] < 1:
                gain = found.wins[0, action] - found.wins[0, tried_best]
                assert wins[action] - wins[int(best[0])] == pytest.approx(gain, abs=1e-9)
                tried += action != best[0]
    assert tried > 4


def test_the_course_of_the_deal_counts() -> None:
    batch = DealBatch("small", 1, seed=3, history=True)
    play_randomly(batch, np.random.default_rng(3), 8)
    views, histories = batch.views(), batch.history()
    agent = judge_of(batch.rules, 64)
    informed, uninformed = (advise(views, batch.rules, 64, 1, one, agent)[0] for one in (histories, None))
    assert informed.margins != uninformed.margins


def test_a_network_that_does_not_search_judges_by_its_advantages() -> None:
    batch, network = DealBatch("classic", 1, seed=1), make_agent("champion")
    advice = advise(batch.views(), batch.rules, worlds=4, judge=network)[0]
    assert advice.judge == "champion"
    advantages = network.advantages(batch.views())[0]  # type: ignore[attr-defined]
    differences = np.array(advice.margins) - advice.margins[0]
    assert differences == pytest.approx(advantages[list(advice.actions)], abs=1e-6)


@pytest.mark.parametrize("search", ["", ",search=8"])
def test_the_chance_to_win_is_that_of_the_judges_value_network(search: str, tmp_path: Path) -> None:
    path = tmp_path / "valued.safetensors"
    valued_network("small").save(path)
    judge: Any = make_agent(f"checkpoint:{path},endgame=exact{search}")
    for seed in range(3):
        batch = DealBatch("small", 1, seed=seed, history=True)
        views, histories = batch.views(), batch.history()
        expected, own = judge.values(views), int(network_of(judge).act(views, None)[0])  # type: ignore[union-attr]
        advice = advise(views, batch.rules, 8, 0, histories, judge)[0]
        place = advice.actions.index(own)
        assert advice.margins[place] == pytest.approx(expected.margin[0])
        assert advice.wins[place] == pytest.approx(expected.win[0], abs=1e-3)
        assert hint(TableDeal.at_address(batch.rules, seed, 0), 0, 8, judge)["win"] == round(advice.wins[0], 3)


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


def test_in_the_endgame_the_values_are_exact() -> None:
    batch = DealBatch("small", 1, seed=3)
    while batch.views()["stock"][0]:
        play_randomly(batch, np.random.default_rng(1), 1)
    view = batch.views()[0]
    state = batch.states[0]
    leader = int(batch.turn[0])
    hands = [int(hand) for hand in state["hands"]]
    trump = "CDHS"[state["trump"]]
    best = 2 * solve_endgame(hands[leader], hands[1 - leader], trump) - 7
    advice = advise(batch.views(), batch.rules, worlds=1)[0]
    assert advice.exact
    assert advice.margins[0] == best
    assert advice.wins[0] == (best > 0)
    assert set(advice.actions) == set(cards_of(int(view["legal"])))


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
        assert sum(suit["expected"] for suit in given["opponent"].values()) == pytest.approx(
            int(made.deal.state["hands"][1]).bit_count(), abs=0.01
        )
        json.dumps(given, allow_nan=False)
        play(made, 1)


def test_a_hint_is_what_the_hardest_level_plays_also_where_another_card_makes_more_tricks() -> None:
    level: Any = make_agent("champion:search=16", "short")
    differs = worse = 0
    for seed in range(9):
        deal = TableDeal.at_address(rules("short"), seed, 0)
        while not opponent_hand_known(deal.views(deal.turn)).any():
            views, histories = deal.views(deal.turn), deal.batch.history(seats=[deal.turn])
            chosen = int(level.search(views, np.random.default_rng(0), histories)[0][0])
            given = hint(deal, 0, 16)
            assert given["action"] == action_text(chosen, deal.rules)
            assert given["by_text"] == "By Champion with search: the win comes first, then tricks."
            more = [option for option in given["options"] if option["value"] > given["options"][0]["value"]]
            differs += bool(more)
            assert given["options"][0]["cost"] == 0
            assert given["options"][0]["best"]
            for option in more:  # it costs no tricks, but must lose no wins either to be as good
                assert option["cost"] == 0
                assert option["best"] == (given["win"] - option["win"] < 0.01)
            worse += sum(not option["best"] for option in more)
            deal.play(chosen)
    assert differs > 3
    assert worse > 0


def test_the_reason_says_that_another_card_makes_more_tricks_but_fewer_wins() -> None:
    batch = DealBatch("small", 1, seed=3)
    view = batch.views()[0]
    actions = tuple(cards_of(int(view["legal"])))
    rest = len(actions) - 2
    for margins, wins, words in (
        ((0.2, 0.6), (0.6, 0.55), "makes about 0.4 tricks more, but wins the deal less often."),
        ((0.2, 0.2), (0.6, 0.55), "makes as many tricks, but wins the deal less often."),
        ((0.2, 0.2), (0.6, 0.6), "is about as good."),
        ((0.2, -0.2), (0.6, 0.55), "costs about 0.4 tricks."),
    ):
        advice = Advice(
            actions, (*margins, *[-1.0] * rest), (*wins, *[0.3] * rest), (0.5,) * len(actions), False, "champion"
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
        assert (move["cost"] == 0) or move["best"] != move["action"] or move["cost"] < 0.05
        assert move["action"] in {option["action"] for option in move["options"]}
    assert len(found["mistakes"]) <= 3
    assert all(moves[number - 1]["by"] == "you" for number in found["mistakes"])
    for side in ("you", "opponent"):
        assert found["cost"][side] == pytest.approx(sum(m["cost"] for m in moves if m["by"] == side), abs=0.01)
        assert 0 <= found["accuracy"][side] <= 100


def test_perfect_play_costs_nothing_and_a_blunder_is_found() -> None:
    made = session("small", "heuristic+exact", seed=6)
    while made.deal.turn == 0:
        view = made.deal.views(0)
        if view["stock"][0] or made.deal.legal.bit_count() == 1:
            play(made, 1)
            continue
        advice = advise(view, made.deal.rules, worlds=1)[0]
        if advice.margins[-1] < advice.margins[0]:
            made.act(advice.actions[-1])
            blunder = len(made.deal.actions), advice.margins[0] - advice.margins[-1]
            break
        made.act(advice.actions[0])
        made.reply()
    made.reply()
    while made.deal.turn == 0:
        made.act(advise(made.deal.views(0), made.deal.rules, worlds=1)[0].actions[0])
        made.reply()
    found = review(made.deal, 0, made.names, worlds=2)
    endgame = {move["number"]: move["cost"] for move in found["moves"] if move["exact"] and move["cost"]}
    assert endgame == {blunder[0]: blunder[1]}


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
    assert seen["compare"]["you"] == made.deal.result().margin
    assert seen["compare"]["agent"] == seen["result"]["margin"]
    assert len(seen["positions"]) == len(seen["moves"]) + 1
    same = [move for move in seen["moves"] if move["yours"] == move["action"]]
    differs = [move for move in seen["moves"] if move["yours"] not in (None, move["action"])]
    assert len(differs) <= 1
    assert [move["number"] for move in same] == list(range(1, len(same) + 1))


def test_a_game_with_settings_of_its_own_is_judged_by_search() -> None:
    batch = DealBatch(rules("classic:hand=10,stock=32"), 1)
    assert advise(batch.views(), batch.rules, worlds=2)[0].judge == "champion:search=2"


def test_a_game_whose_endgame_is_too_large_to_be_solved_is_judged_by_rollouts() -> None:
    batch = DealBatch(rules("classic:hand=14,stock=24"), 1)
    assert advise(batch.views(), batch.rules, worlds=2)[0].judge == ROLLOUTS

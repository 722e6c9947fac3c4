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
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import cards_of, parse_hand
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.observation.position import endgame_view
from german_whist.envs.simulator.batch import DealBatch
from german_whist.session.coach.accuracy import accuracy_of, at_stake
from german_whist.session.coach.advice import ROLLOUTS, Advice, advise, judge_of
from german_whist.session.coach.hints import hint, holdings
from german_whist.session.coach.judgement import LEAST, judge
from german_whist.session.coach.reasons import reason
from german_whist.session.coach.replays import swap_seats, try_action, watch
from german_whist.session.coach.reviews import play_out, review
from german_whist.session.deal.events import action_events
from german_whist.session.deal.position import high_to_low
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
        assert list(advice.lost[chosen:]) == sorted(advice.lost[chosen:])
        assert chosen or list(advice.wins) == sorted(advice.wins, reverse=True)
        assert all(0 <= win <= 1 for win in advice.wins)
        assert all(-1 <= tricks <= batch.rules.counted + 1 for tricks in (*advice.tricks, *advice.opponent_tricks))
        assert (advice.lost[0], advice.lost_errors[0], advice.win_errors[0]) == (0, 0, 0)
        assert all(error >= 0 for error in (*advice.lost_errors, *advice.win_errors))
        assert judge(advice, advice.actions[0]) == ("best", 0, 0)


def test_a_search_judges_every_game_with_an_open_endgame_and_rollouts_the_others() -> None:
    judges = dict.fromkeys(("classic", "small", "short", "draft"), "champion:search=4")
    for game, expected in {**judges, "humbug": ROLLOUTS}.items():
        batch = DealBatch(game, 1, seed=1)
        assert advise(batch.views(), batch.rules, worlds=4)[0].judge == expected


@pytest.mark.parametrize("game", ["small", "open_stock"])
def test_the_values_differ_as_the_search_says(game: str) -> None:
    rng, tried = np.random.default_rng(4), 0
    for seed in range(4):
        batch = DealBatch(game, 1, seed=seed, history=True)
        play_randomly(batch, rng, 6)
        views, histories = batch.views(), batch.history()
        searcher: Any = judge_of(batch.rules, 32)
        best, _ = searcher.search(views, AgentRng(5, views["hand"]), histories)
        found = searcher.action_values(views, AgentRng(5, views["hand"]), histories)
        assert found.actions.tolist() == best.tolist()
        advice = advise(views, batch.rules, 32, 5, histories)[0]
        assert advice.actions[0] == best[0]
        distinct = cards_of(int(distinct_actions(views[0])))
        assert [int(action) for action in np.flatnonzero(np.isfinite(found.margins[0]))] == list(distinct)
        for action in map(int, np.flatnonzero(np.isfinite(found.margins[0]))):
            place = advice.actions.index(action)
            assert advice.lost[place] == pytest.approx(-found.margins[0, action] / 2, abs=1e-9)
            assert advice.lost_errors[place] == pytest.approx(found.margin_sds[0, action] / 2)
            assert advice.win_errors[place] == pytest.approx(found.win_sds[0, action])
            if 0 < advice.wins[place] < 1 and 0 < advice.wins[0] < 1:
                assert advice.wins[place] - advice.wins[0] == pytest.approx(found.wins[0, action], abs=1e-9)
                tried += action != best[0]
    assert tried > 4


def test_more_worlds_make_a_difference_surer() -> None:
    batch = DealBatch("small", 1, seed=3, history=True)
    play_randomly(batch, np.random.default_rng(3), 8)
    few, many = (advise(batch.views(), batch.rules, worlds, 1, batch.history())[0] for worlds in (16, 256))
    assert sum(many.lost_errors) < sum(few.lost_errors)
    assert sum(many.win_errors) < sum(few.win_errors)


def test_the_course_of_the_deal_counts() -> None:
    batch = DealBatch("small", 1, seed=3, history=True)
    play_randomly(batch, np.random.default_rng(3), 8)
    views, histories = batch.views(), batch.history()
    agent = judge_of(batch.rules, 64)
    informed, uninformed = (advise(views, batch.rules, 64, 1, one, agent)[0] for one in (histories, None))
    assert informed.tricks != uninformed.tricks


def test_a_network_that_does_not_search_judges_by_its_advantages() -> None:
    batch, network = DealBatch("classic", 1, seed=1), make_agent("champion")
    advice = advise(batch.views(), batch.rules, worlds=4, judge=network)[0]
    assert advice.judge == "champion"
    advantages = network.advantages(batch.views())[0]  # type: ignore[attr-defined]
    assert np.array(advice.lost) == pytest.approx(-advantages[list(advice.actions)] / 2, abs=1e-6)


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
        assert advice.tricks[place] == pytest.approx((batch.rules.counted + expected.margin[0]) / 2)
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
    best = solve_endgame(hands[leader], hands[1 - leader], trump)
    advice = advise(batch.views(), batch.rules, worlds=1)[0]
    assert advice.exact
    assert (advice.tricks[0], advice.opponent_tricks[0]) == (best, 7 - best)
    assert advice.wins[0] == (best > 3.5)
    assert not any(advice.lost_errors)
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


@pytest.mark.parametrize("game", ["classic", "race"])
def test_a_lost_trick_costs_one(game: str) -> None:
    """The margin counts two for it, in a race one unless the trick decides who wins."""
    made = rules(game)
    own, other = parse_hand("KQ.K.."), parse_hand("A.AQ..")
    for taken in ((5, 5), (4, 6), (6, 4)):
        advice = advise(endgame_view(made, own, other, trump=3, tricks=taken), made)[0]
        scores = list(zip(advice.tricks, advice.opponent_tricks, strict=True))
        assert advice.exact
        for score, lost in zip(scores, advice.lost, strict=True):
            mine, theirs = scores[0][0] - score[0], score[1] - scores[0][1]
            assert lost == max(mine, theirs)
    spades = advise(endgame_view(made, parse_hand("A2..."), parse_hand("K.2.."), trump=3, tricks=(6, 5)), made)[0]
    assert (spades.actions, spades.lost) == ((51, 39), (0, 1))


def test_only_what_is_beyond_doubt_and_large_enough_is_criticised() -> None:
    for lost, error, win, win_error, label in (
        (0.0, 0.1, 0.0, 0.01, "best"),
        (0.04, 0.01, 0.009, 0.001, "best"),
        (0.29, 0.1, 0.019, 0.001, "good"),
        (0.3, 0.1, 0.0, 0.02, "inaccuracy"),
        (0.3, 0.16, 0.0, 0.02, "good"),
        (0.0, 0.1, 0.02, 0.005, "inaccuracy"),
        (0.0, 0.1, 0.02, 0.011, "good"),
        (-0.5, 0.1, 0.06, 0.01, "mistake"),
        (0.75, 0.1, 0.0, 0.02, "mistake"),
        (1.5, 0.1, 0.0, 0.02, "blunder"),
        (0.4, 0.1, 0.15, 0.02, "blunder"),
        (2.0, 0.1, -0.001, 0.02, "good"),  # wins more often
    ):
        advice = advice_of(
            (0, 1), lost=(0, lost), lost_errors=(0, error), wins=(0.5, 0.5 - win), win_errors=(0, win_error)
        )
        found = judge(advice, 1)
        assert found.label == label
        assert found.is_criticised == (label not in ("best", "good"))
        assert (found.tricks, found.win) == pytest.approx((max(lost, 0), win) if win >= 0 else (0, 0))
        assert at_stake(advice) == pytest.approx(max(lost, 0) / 2)


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
        given_away += sum(judge(one, deal.actions[row]).tricks for one, row in zip(found, rows, strict=True))
        stakes += sum(map(at_stake, found))
    level = {"random": 30, "heuristic": 75, "champion": 97}[agent]
    assert accuracy_of(given_away, stakes) == pytest.approx(level, abs=10)


def test_who_had_nothing_at_stake_has_no_accuracy() -> None:
    assert accuracy_of(0, 0) is None
    assert accuracy_of(0, 2) == 100
    assert accuracy_of(2, 2) == 30
    assert accuracy_of(9, 2) == 0


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


def test_a_game_with_settings_of_its_own_is_judged_by_search() -> None:
    batch = DealBatch(rules("classic:hand=10,stock=32"), 1)
    assert advise(batch.views(), batch.rules, worlds=2)[0].judge == "champion:search=2"


def test_a_game_whose_endgame_is_too_large_to_be_solved_is_judged_by_rollouts() -> None:
    batch = DealBatch(rules("classic:hand=14,stock=24"), 1)
    assert advise(batch.views(), batch.rules, worlds=2)[0].judge == ROLLOUTS

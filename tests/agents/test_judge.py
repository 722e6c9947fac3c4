"""The judge: what each card is worth by what its seat knows, and how good a card is that was chosen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from german_whist.agents.judge import ROLLOUTS, Advice, advise, judge_action, judge_of
from german_whist.agents.judge_kernels import exponential, logistic, normal_share
from german_whist.agents.registry import make_agent
from german_whist.game.agent_rng import AgentRng
from german_whist.game.cards import cards_of, parse_hand
from german_whist.game.rules import rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.position import endgame_view
from german_whist.solver.endgames import solve_endgame
from tests.players import play_randomly
from tests.presets import PRESETS


@pytest.mark.parametrize("game", PRESETS)
def test_advice_for_every_game(game: str) -> None:
    for steps in (0, 3, 9):
        batch = DealBatch(game, 1, seed=steps)
        play_randomly(batch, np.random.default_rng(steps), steps)
        if batch.done[0]:
            continue
        advice = advise(batch.decisions(), worlds=4)[0]
        assert sorted(advice.actions) == list(cards_of(int(batch.legal()[0])))
        chosen = ":search=" in advice.judge  # a search's choice comes first, whatever its tricks
        assert list(advice.lost[chosen:]) == sorted(advice.lost[chosen:])
        assert chosen or list(advice.wins) == sorted(advice.wins, reverse=True)
        assert all(0 <= win <= 1 for win in advice.wins)
        assert all(-1 <= tricks <= batch.rules.counted + 1 for tricks in (*advice.tricks, *advice.opponent_tricks))
        assert (advice.lost[0], advice.lost_errors[0], advice.win_errors[0]) == (0, 0, 0)
        assert all(error >= 0 for error in (*advice.lost_errors, *advice.win_errors))
        assert judge_action(advice, advice.actions[0]) == ("best", 0, 0)
        led = int(batch.states["led"][0])
        for action, chance in zip(advice.actions, advice.trick, strict=True):
            if advice.exact or not int(batch.views()["hand"][0]) >> action & 1:  # a choice, or a card of the row
                assert np.isnan(chance)
            elif led >= 0:
                trump = int(batch.states["trump"][0])
                assert chance == ((action // 13 == led // 13 and action > led) or action // 13 == trump != led // 13)
            else:
                assert 0 <= chance <= 1


def test_judge_of_each_game() -> None:
    judges = dict.fromkeys(("classic", "small", "short", "draft"), "champion:search=4")
    for game, expected in {**judges, "humbug": ROLLOUTS}.items():
        batch = DealBatch(game, 1, seed=1)
        assert advise(batch.decisions(), worlds=4)[0].judge == expected


@pytest.mark.parametrize("game", ["small", "open_stock"])
def test_advice_is_the_search(game: str) -> None:
    rng, tried = np.random.default_rng(4), 0
    for seed in range(4):
        batch = DealBatch(game, 1, seed=seed, history=True)
        play_randomly(batch, rng, 6)
        views, histories = batch.views(), batch.history()
        searcher: Any = judge_of(batch.rules, 32).agent  # type: ignore[union-attr]

        def decisions(views: Any = views, histories: Any = histories) -> Decisions:
            return Decisions(views, game, AgentRng(5, views["hand"]), histories)

        best, _ = searcher.search(decisions())
        found = searcher.evaluate(decisions(), "action_values").action_values
        assert found.actions.tolist() == best.tolist()
        advice = advise(decisions(), 32, 5)[0]
        assert advice.actions[0] == best[0]
        legal = list(cards_of(int(views["legal"][0])))
        assert np.flatnonzero(np.isfinite(found.margin_gains[0])).tolist() == legal
        for action in legal:
            place = advice.actions.index(action)
            assert advice.lost[place] == pytest.approx(-found.margin_gains[0, action] / 2, abs=1e-9)
            assert advice.lost_errors[place] == pytest.approx(found.margin_sds[0, action] / 2)
            assert advice.win_errors[place] == pytest.approx(found.win_sds[0, action])
            if 0 < advice.wins[place] < 1 and 0 < advice.wins[0] < 1:
                assert advice.wins[place] - advice.wins[0] == pytest.approx(found.win_gains[0, action], abs=1e-9)
                tried += action != best[0]
    assert tried > 4


def test_advice_in_endgame_is_exact() -> None:
    batch = DealBatch("small", 1, seed=3)
    while batch.views()["stock"][0]:
        play_randomly(batch, np.random.default_rng(1), 1)
    view = batch.views()[0]
    state = batch.states[0]
    leader = int(batch.turn[0])
    hands = [int(hand) for hand in state["hands"]]
    trump = "CDHS"[state["trump"]]
    best = solve_endgame(hands[leader], hands[1 - leader], trump)
    advice = advise(batch.decisions(), worlds=1)[0]
    assert advice.exact
    assert (advice.tricks[0], advice.opponent_tricks[0]) == (best, 7 - best)
    assert advice.wins[0] == (best > 3.5)
    assert not any(advice.lost_errors)
    assert set(advice.actions) == set(cards_of(int(view["legal"])))


def advice_of(actions: tuple[int, ...], **columns: tuple[float, ...]) -> Advice:
    """Return advice in which all values that are not given are the same."""
    same = {name: (0.0,) * len(actions) for name in ("lost", "lost_errors", "wins", "win_errors", "trick")}
    tricks = {name: (6.5,) * len(actions) for name in ("tricks", "opponent_tricks")}
    return Advice(actions, **{**same, **tricks, **columns}, exact=False, judge="champion")  # type: ignore[arg-type]


@pytest.mark.parametrize("game", ["classic", "race", "classic:race=9"])
def test_lost_trick_costs_one(game: str) -> None:
    """The margin counts two for it, in a race one unless the trick decides who wins, or nobody does."""
    made = rules(game)
    own, other = parse_hand("KQ.K.."), parse_hand("A.AQ..")
    for taken in ((5, 5), (4, 6), (6, 4)):
        advice = advise(Decisions(endgame_view(made, own, other, trump=3, tricks=taken), made))[0]
        scores = list(zip(advice.tricks, advice.opponent_tricks, strict=True))
        assert advice.exact
        for score, lost in zip(scores, advice.lost, strict=True):
            mine, theirs = scores[0][0] - score[0], score[1] - scores[0][1]
            assert lost == max(mine, theirs)
    last_two = endgame_view(made, parse_hand("A2..."), parse_hand("K.2.."), trump=3, tricks=(6, 5))
    spades = advise(Decisions(last_two, made))[0]
    assert (spades.actions, spades.lost) == ((51, 39), (0, 1))


def test_tricks_of_race_without_winner() -> None:
    made = rules("race9:counts=endgame")
    last = endgame_view(made, parse_hand("A..."), parse_hand("K..."), trump=3, tricks=(7, 5))
    advice = advise(Decisions(last, made))[0]
    assert (advice.tricks, advice.opponent_tricks) == ((8,), (5,))


def test_label_follows_tricks_and_chances_lost() -> None:
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
        found = judge_action(advice, 1)
        assert found.label == label
        assert (found.tricks, found.win) == pytest.approx((max(lost, 0), win) if win >= 0 else (0, 0))


def test_sampling_network_as_judge() -> None:
    batch = DealBatch("tiny", 1, seed=3)
    sampled, best = (
        advise(batch.decisions(), 8, judge=make_agent(f"champion:temperature={temperature}", "tiny"))[0]
        for temperature in (1, 0)
    )
    assert sampled[:-1] == best[:-1]
    assert (best.lost_errors[0], best.win_errors[0]) == (0, 0)


def test_the_judge_of_the_page_is_the_network_alone() -> None:
    for game, expected in (("classic", "network"), ("race", "network"), ("humbug", "rollouts")):
        batch = DealBatch(game, 1, seed=5)
        advice, again = (advise(batch.decisions(), 16, judge="network")[0] for _ in range(2))
        assert advice.judge == expected
        np.testing.assert_equal(advice, again)
    network = make_agent("champion", "classic").prior
    batch = DealBatch("classic", 1, seed=5)
    near = advise(batch.decisions(), 16, judge=network)[0]
    advice = advise(batch.decisions(), 16, judge="network")[0]
    losses = dict(zip(near.actions, near.lost, strict=True))
    assert [losses[action] for action in advice.actions] == pytest.approx(advice.lost, abs=0.05)  # rounded weights
    assert advice.wins[0] == pytest.approx(near.wins[0], abs=0.02)


def test_a_judge_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="champion"):
        advise(DealBatch("tiny", 1).decisions(), judge="champion")


def test_functions_of_the_judge_need_no_library_of_mathematics() -> None:
    for value in np.linspace(-44, 44, 1001):
        assert exponential(value) == pytest.approx(math.exp(value), rel=1e-14)
    for value in np.linspace(-9, 9, 1001):
        assert normal_share(value) == pytest.approx(0.5 * math.erfc(-value / math.sqrt(2)), abs=1e-7)
        assert logistic(value) == pytest.approx(1 / (1 + math.exp(-value)), rel=1e-14)

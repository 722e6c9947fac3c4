"""An explanation has the moves that were played, and the values of the agents, the solver and the rollouts."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.registry import make_agent
from german_whist.arena.explanation import Explanation, explain_deal
from german_whist.arena.match import play_match
from german_whist.arena.recording import Recording
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.networks import some_network, valued_network


def explain(first: object, second: object, game: str = "classic", **settings: object) -> Explanation:
    agents = (make_agent(first, game), make_agent(second, game))  # type: ignore[call-overload]
    return explain_deal(agents, ("first", "second"), game, 3, 1, **settings)  # type: ignore[arg-type]


def network(game: str = "classic") -> PolicyAgent:
    return PolicyAgent(dataclasses.replace(some_network(game=game), logits_per_trick=4.0))


@pytest.mark.parametrize("game", rule_names())
def test_the_moves_are_those_of_a_match(game: str) -> None:
    explained = explain("heuristic", "random", game, worlds=0)
    recordings: list[Recording] = []
    play_match("heuristic", "random", deals=2, seed=3, rules=game, record=recordings.append)
    recorded = recordings[2]  # deal 1, the first agent in seat 0
    assert tuple(move.action for move in explained.moves) == recorded.actions
    assert [move.number for move in explained.moves] == list(range(1, len(recorded.actions) + 1))
    assert explained.result == recorded.result
    for move, batch in zip(explained.moves, recorded.steps(), strict=False):
        state = batch.states[0]
        assert (move.seat, move.hand) == (state["turn"], state["hands"][state["turn"]])
        assert (move.face_up, move.led) == (state["face_up"], state["led"])
        assert {option.action for option in move.options} == set(np.flatnonzero(batch.action_mask()[0]))
        assert move.options[0].action == move.action


def test_a_networks_probabilities_and_advantages_are_reported() -> None:
    agent = network()
    explained = explain(agent, "greedy", seats=(0,), worlds=0)
    assert {move.seat for move in explained.moves} == {0}
    batch = DealBatch("classic", 1, seed=3, first=1)
    moves = iter(explained.moves)
    while not batch.done[0]:
        views = batch.views()
        if batch.turn[0] == 0:
            move = next(moves)
            probabilities, advantages = agent.probabilities(views)[0], agent.advantages(views)
            assert advantages is not None
            for option in move.options:
                assert option.probability == pytest.approx(probabilities[option.action])
                assert option.advantage == pytest.approx(advantages[0, option.action])
            ranks = [option.probability for option in move.options]
            assert ranks == sorted(ranks, reverse=True)  # type: ignore[type-var]
            assert move.heuristic_action == make_agent("heuristic").act(views, None)[0]
            batch.step([move.action])
        else:
            batch.step(make_agent("greedy").act(views, None))
    assert next(moves, None) is None


def test_exact_margins_match_perfect_play() -> None:
    explained = explain("heuristic+exact", "greedy+exact", worlds=0)
    endgame = [move for move in explained.moves if not move.stock]
    assert len(endgame) == 26
    margin = explained.result.margin
    for move in endgame:
        exact = [option.exact for option in move.options]
        assert exact[0] == max(exact) == move.value == (margin if move.seat == 0 else -margin)  # type: ignore[type-var]
        assert all(option.rollouts is None for option in move.options)
    assert all(option.exact is None for move in explained.moves if move.stock for option in move.options)


def test_rollouts_report_reproducible_margins_of_the_whole_deal() -> None:
    explained = explain("heuristic", "heuristic", "small", worlds=8)
    foreplay = [move for move in explained.moves if move.stock and len(move.options) > 1]
    assert foreplay
    for move in foreplay:
        values = [option.rollouts for option in move.options if option.rollouts is not None]
        assert all(abs(value) <= 7 and value * 8 == round(value * 8) for value in values)
        assert move.value == move.options[0].rollouts
    assert explained == explain("heuristic", "heuristic", "small", worlds=8)


@pytest.mark.parametrize(
    ("spec", "solves"),
    [
        ("champion", True),
        ("champion+exact", True),
        ("champion:endgame=played+exact", True),
        ("champion:endgame=played", False),
    ],
)
def test_solved_endgames_have_no_network_estimates(spec: str, solves: bool) -> None:
    agents = (make_agent(spec), make_agent("greedy"))
    explained = explain_deal(agents, ("a", "b"), "classic", 3, 1, (0,), 0)
    for move in explained.moves:
        assert all((option.probability is None) == (solves and move.stock == 0) for option in move.options)
        assert all((option.exact is None) == (move.stock > 0) for option in move.options)


@pytest.mark.parametrize("game", rule_names())
def test_it_is_plain_data_in_every_game(game: str) -> None:
    explained = explain(network(game), network(game), game, worlds=2)
    moves = [move.to_dict(rules(game)) for move in explained.moves]
    assert json.loads(json.dumps(moves)) == moves
    assert all(set(move["expected"]) == set("CDHS") for move in moves)


def test_a_searchs_gains_are_those_that_it_played_by() -> None:
    spec = "small:search=8,threads=1"
    explained = explain(spec, "heuristic", "small", seats=(0,), worlds=0)
    searched = [move for move in explained.moves if any(option.search is not None for option in move.options)]
    assert searched
    for move in searched:
        gains = [option.search for option in move.options if option.search is not None]
        assert min(abs(gain) for gain in gains) == 0  # that of the policy's card
        assert move.options[0].search in (max(gains), None)  # None: an equivalent card was tried
        assert move.options[0].probability is not None


def test_moves_have_what_a_value_network_expects_and_exact_values_in_open_endgames() -> None:
    agent = ExactEndgame(PolicyAgent(valued_network("tiny")))
    explained = explain(agent, "greedy", "tiny", seats=(0,), worlds=0)
    batch = DealBatch("tiny", 1, seed=3, first=1)
    first = explained.moves[0]
    values = agent.values(batch.views(seats=[0]))
    assert values is not None
    assert (first.expected_margin, first.win_chance) == pytest.approx((values.margin[0], values.win[0]))
    for move in explained.moves:
        if move.options[0].exact is not None:
            best = max(option.exact for option in move.options if option.exact is not None)
            assert (move.expected_margin, move.win_chance) == (best, (1 + np.sign(best)) / 2)
    assert explained.moves[-1].options[0].exact is not None
    plain = explain(network(), "heuristic+exact", worlds=0).moves
    assert {(move.expected_margin, move.win_chance) for move in plain} == {(None, None)}


@pytest.mark.parametrize("index", [2**63 + 1, 2**64 - 1])
def test_deals_of_large_numbers_are_explained_too(index: int) -> None:
    agents = (make_agent("random"), make_agent("random"))
    explained = explain_deal(agents, ("first", "second"), "tiny", 0, index, worlds=0)
    recordings: list[Recording] = []
    play_match("random", "random", deals=1, first_deal=index, rules="tiny", record=recordings.append)
    assert explained.deal == (0, index)
    assert tuple(move.action for move in explained.moves) == recordings[0].actions

"""OpenSpiel's algorithms run, and its NashConv is ours."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy as policies
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import exploitability, ismcts, mcts, random_agent

from german_whist.envs.engine.rules import rules
from german_whist.openspiel.game import GermanWhistGame, load_game
from german_whist.openspiel.observer import history_text
from tests.openspiel.exact_best_response import Key, SmallGame

UNIFORM = 91 / 180  # NashConv of uniform play with six cards, 0.5056


@cache
def six_cards() -> SmallGame:
    return SmallGame(rules("six_cards"))


@cache
def game() -> GermanWhistGame:
    loaded: GermanWhistGame = pyspiel.load_game("python_german_whist(rules=six_cards)")
    return loaded


def nash_conv(average: Any) -> float:
    return float(exploitability.nash_conv(game(), average, use_cpp_br=True))


def test_nash_conv_of_uniform_play() -> None:
    assert nash_conv(policies.UniformRandomPolicy(game())) == pytest.approx(UNIFORM, abs=1e-9)


def test_nash_conv_agrees() -> None:
    table = policies.TabularPolicy(game())
    rng = np.random.default_rng(0)
    table.action_probability_array[:] = rng.random(table.action_probability_array.shape) * table.legal_actions_mask
    table.action_probability_array /= table.action_probability_array.sum(axis=1, keepdims=True)

    def looked_up(key: Key, legal: tuple[int, ...]) -> dict[int, float]:
        seat, history = key
        tokens = np.frombuffer(history, np.int8).reshape(-1, 4)
        state = f"player {seat}: {history_text(tokens, int((tokens[:, 0] > 0).sum()))}"
        chances = table.policy_for_key(state)
        return {action: float(chances[action]) for action in legal}

    on_policy = six_cards().value(looked_up)
    expected = six_cards().best_response(0, looked_up), six_cards().best_response(1, looked_up)
    result = exploitability.nash_conv(game(), table, return_only_nash_conv=False)
    assert result.nash_conv == pytest.approx(sum(expected), abs=1e-9)
    assert result.player_improvements == pytest.approx([expected[0] - on_policy, expected[1] + on_policy], abs=1e-9)


@pytest.mark.parametrize("preset", ["six_cards", "humbug"])
def test_ismcts_runs(preset: str) -> None:
    loaded = load_game(preset)
    bot = ismcts.ISMCTSBot(
        loaded, mcts.RandomRolloutEvaluator(1, np.random.RandomState(0)), 2.0, 4, random_state=np.random.RandomState(1)
    )
    bots = [bot, pyspiel.make_uniform_random_bot(1, 7)]
    rng = random.Random(0)
    state = loaded.new_initial_state()
    turns = 0
    while not state.is_terminal() and turns < 8:
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(cards, chances)[0])
        else:
            turns += 1
            state.apply_action(bots[state.current_player()].step(state))


@pytest.mark.parametrize("preset", ["six_cards", "humbug"])
def test_rl_environment_runs(preset: str) -> None:
    environment = rl_environment.Environment(load_game(preset), include_full_state=True)
    environment.seed(3)
    actions = environment.action_spec()["num_actions"]
    agents = [random_agent.RandomAgent(player, actions) for player in (0, 1)]
    step = environment.reset()
    assert step.first()
    while not step.last():
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == environment.observation_spec()["info_state"][0]
        step = environment.step([agents[player].step(step).action])
    assert sum(step.rewards) == 0

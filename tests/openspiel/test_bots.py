"""Our agents play as bots of OpenSpiel, and bots of OpenSpiel play as our agents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.presets import PRESETS

pyspiel = pytest.importorskip("pyspiel")


from german_whist.agents.registry import make_agent
from german_whist.game.cards import cards_of
from german_whist.openspiel.bots import AgentBot, BotAgent
from german_whist.openspiel.game import load_game
from german_whist.openspiel.state import state_of
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions


class Recorder(pyspiel.Bot):  # type: ignore[misc]
    """Plays the lowest legal card and keeps what it was shown."""

    def __init__(self, shown: list[tuple[int, str]]) -> None:
        super().__init__()
        self._shown = shown

    def step(self, state: Any) -> int:
        player = state.current_player()
        self._shown.append((player, state.information_state_string(player)))
        return int(state.legal_actions()[0])


def uniform(game: Any, player: int) -> Any:
    return pyspiel.make_uniform_random_bot(player, 3)


class Ranked:
    """Plays the legal card at one place in their order."""

    def __init__(self, place: int) -> None:
        self.place = place

    def act(self, decisions: Decisions) -> Any:
        return np.array([[*cards_of(int(view["legal"]))][self.place] for view in decisions.views])


@pytest.mark.parametrize("preset", ["classic", "draft", "humbug"])
def test_bot_plays_as_its_agent(preset: str) -> None:
    batch = DealBatch(preset, 2, 3)
    bot, agent = AgentBot("heuristic"), make_agent("heuristic")
    decks = batch.states["deck"][:, : len(batch.rules.cards)].tolist()
    games = [load_game(preset, dealer=row) for row in (0, 1)]
    played: list[list[int]] = [[], []]
    while not batch.done.all():
        decisions = batch.decisions()
        actions = agent.act(decisions)
        for row, action in zip(decisions.rows, actions, strict=True):
            state = state_of(games[row], decks[row], played[row])
            assert bot.step(state) == action
            played[row].append(action)
        batch.step(actions, decisions.rows)


def test_bots_of_one_seed_draw_different_numbers_in_each_seat_and_game() -> None:
    drawn: list[float] = []

    class Draws:
        def act(self, decisions: Decisions) -> Any:
            drawn.append(float(decisions.rng.random()[0]))
            return decisions.action_masks.argmax(axis=1)

    bots = [AgentBot(Draws()), AgentBot(Draws())]
    for _ in range(2):
        state = load_game("tiny").new_initial_state()
        while not state.is_terminal():
            seat = state.current_player()
            state.apply_action(state.legal_actions()[0] if state.is_chance_node() else bots[seat].step(state))
        for bot in bots:
            bot.restart()
    assert len(set(drawn)) == len(drawn) == 16


def test_bot_draws_shares_by_deal() -> None:
    """One of the agents plays a whole game, and which one depends on the game."""
    lines = set()
    for seed in range(20):
        bots = [AgentBot({Ranked(0): 1, Ranked(-1): 1}, seed), AgentBot(Ranked(0))]
        state = load_game("tiny").new_initial_state()
        rng = np.random.default_rng(0)
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(actions, p=chances)))
            else:
                state.apply_action(bots[state.current_player()].step(state))
        lines.add(tuple(state.history()))
    assert len(lines) == 2


@pytest.mark.parametrize("preset", PRESETS)
def test_bot_gets_information_states(preset: str) -> None:
    shown: list[tuple[int, str]] = []
    agent = BotAgent(lambda game, player: Recorder(shown), preset)
    batch = DealBatch(preset, 2, 8, history=True)
    rng = np.random.default_rng(0)
    decks = batch.states["deck"][:, : len(batch.rules.cards)].tolist()
    played: list[list[int]] = [[], []]
    while not batch.done.all():
        actions = np.zeros(2, np.int64)
        for row in np.flatnonzero(~batch.done):
            seat = int(batch.turn[row])
            [actions[row]] = agent.act(batch.decisions([row], rng))
            player = int(seat == batch.states["dealer"][row])
            state = state_of(load_game(preset), decks[row], played[row])
            assert shown[-1] == (player, state.information_state_string(player))
            played[row].append(int(actions[row]))
        batch.step(actions)

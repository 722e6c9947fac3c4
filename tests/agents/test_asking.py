"""The loop that asks agents and plays what they answer, and what follows when an agent answers wrongly or raises."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.agents.asking import ask, play
from german_whist.agents.registry import make_agent
from german_whist.simulator.episode import Episode
from german_whist.simulator.episodes import Episodes
from tests.players import Lowest, ReadsHistory


def some_episodes(size: int = 6, **settings: Any) -> Episodes:
    episodes = Episodes("tiny", size, **settings)
    episodes.reset(5)
    return episodes


class Noting(gw.Agent):
    """Plays a random legal card, and notes the rows and seats that it was asked about."""

    def __init__(self, episodes: Episodes) -> None:
        self.episodes = episodes
        self.asked: list[tuple[int, int]] = []

    def act(self, decisions: gw.Decisions) -> Any:
        self.asked += zip(decisions.rows.tolist(), self.episodes.batch.turn[decisions.rows].tolist(), strict=True)
        return make_agent("random").act(decisions)


def test_agents_are_asked_for_their_seats() -> None:
    episodes, seats = some_episodes(), np.array([0, 1, 1, 0, 0, 1])
    agents = Noting(episodes), Noting(episodes)
    turns = sum(1 for _ in play(episodes, agents, seats))
    assert episodes.over.all()
    for agent, its in zip(agents, (seats, 1 - seats), strict=True):
        assert set(agent.asked) == set(enumerate(its.tolist()))
        assert len(agent.asked) == 6 * 4  # 8 cards each
    assert turns <= 2 * 8  # all rows together


def test_caller_is_seen_after_each_turn() -> None:
    """Between turns every row waits for the other agent, or is over; where it begins again, play goes on."""
    episodes, restarted = some_episodes(), 0
    agents = Noting(episodes), Noting(episodes)
    for _ in play(episodes, agents):
        over = np.flatnonzero(episodes.over)
        if restarted < 12 and len(over):
            episodes.start_next(over)
            restarted += len(over)
    assert episodes.over.all()
    assert len(agents[0].asked) == len(agents[1].asked) == (6 + restarted) * 4


@pytest.mark.parametrize("learner", [0, 1])
def test_learner_acts_elsewhere(learner: int) -> None:
    episodes, opponent = some_episodes(), Noting(some_episodes())
    opponent.episodes = episodes
    agents = (None, opponent) if learner == 0 else (opponent, None)
    while not episodes.over.all():
        for _ in play(episodes, agents):
            pass
        rows = episodes.to_act(0, learner)
        assert (episodes.batch.turn[~episodes.over] == learner).all()
        assert np.array_equal(rows, np.flatnonzero(~episodes.over))
        if len(rows):
            episodes.step(rows, episodes.batch.action_mask(rows=rows).argmax(axis=1))
    assert set(opponent.asked) == {(row, 1 - learner) for row in range(6)}


def test_one_episode_as_many() -> None:
    margins = []
    for index in range(6):
        episode = Episode("tiny")
        episode.reset(options={"deal": (5, index)})
        for _ in play(episode, (make_agent("random"), make_agent("greedy"))):
            pass
        margins.append(episode.returns("margin")[0])
    episodes = some_episodes()
    for _ in play(episodes, (make_agent("random"), make_agent("greedy"))):
        pass
    assert margins == episodes.returns("margin", episodes.every_row)[:, 0].tolist()


def test_default_numbers_follow_from_the_deal() -> None:
    """A seat's numbers depend on deal and ply, not on the rows that are asked about together."""
    drawn = []
    for rows in (np.arange(6), np.array([4])):
        decisions = some_episodes().decisions(rows)
        drawn.append(dict(zip(rows.tolist(), decisions.rng.random(), strict=True)))
    assert drawn[0][4] == drawn[1][4]


# Wrong answers, on the host and on a device.


@pytest.mark.parametrize("device", [None, "cpu"])
@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (lambda masks: masks.argmax(axis=1)[1:], r"int64\[5\]"),
        (lambda masks: masks.argmax(axis=1) + 0.0, "float64"),
        (lambda masks: np.full(len(masks), 60), "action 60 in deal 0 of seed 5"),
    ],
)
def test_wrong_answer_moves_nothing(device: str | None, answer: Callable[[Any], Any], got: str) -> None:
    class Wrong:
        name = "wrong"

        def act(self, decisions: gw.Decisions) -> Any:
            return answer(decisions.action_masks)

    episodes = some_episodes(device=device)
    decisions = episodes.decisions(episodes.every_row)
    with pytest.raises(ValueError, match=rf"'wrong' .*{got}"):
        ask(make_agent(Wrong()), decisions)
    assert not episodes.plies.any()
    assert len(decisions.views) == 6


@pytest.mark.parametrize(
    "door",
    [
        lambda agent: gw.play_match(agent, "random", deals=2, device="cpu"),
        lambda agent: gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=2, opponent=agent, device="cpu"),
    ],
)
def test_histories_are_refused_on_a_device(door: Callable[[Any], Any]) -> None:
    for agent in (ReadsHistory(), gw.with_exact_endgame(ReadsHistory()), {"random": 1, ReadsHistory(): 1}):
        with pytest.raises(ValueError, match=r"reads.*'cpu'"):
            door(agent)


# An agent that raises once, as when a remote model does not answer: every door can be used again.


class Unreachable(Lowest):
    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def act(self, decisions: gw.Decisions) -> Any:
        actions = super().act(decisions)
        if self.calls == self.at:
            raise TimeoutError("no answer")
        return actions


def bot_of_openspiel(agent: Any) -> Callable[[], Any]:
    pytest.importorskip("pyspiel")
    from german_whist.openspiel import AgentBot, load_game

    bot = AgentBot(agent)

    def once() -> list[int]:
        state = load_game("tiny").new_initial_state()
        bot.restart()
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0] if state.is_chance_node() else bot.step(state))
        return list(state.history())

    return once


def margins(agent: Any, **settings: Any) -> Any:
    return gw.play_match(agent, "random", deals=3, **settings).margins.tolist()


# What makes of an agent a function that uses it once.
DOORS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "match": lambda agent: partial(margins, agent),
    "device": lambda agent: partial(margins, agent, device="cpu"),
    "match of deals": lambda agent: partial(margins, agent, match="best_of:3"),
    "exploitability": lambda agent: lambda: gw.exploitability(agent, "six_cards").best_responses,
    "bot of OpenSpiel": bot_of_openspiel,
}


@pytest.mark.parametrize("door", DOORS)
def test_door_goes_on_after_an_exception(door: str) -> None:
    once = DOORS[door](Unreachable(at=2))
    with pytest.raises(TimeoutError):
        once()
    assert once() == DOORS[door](Lowest())()


def test_loop_goes_on_after_an_exception() -> None:
    expected, episodes = some_episodes(), some_episodes()
    for _ in play(expected, (Lowest(), make_agent("random"))):  # type: ignore[arg-type]
        pass
    agents = Unreachable(at=3), make_agent("random")
    with pytest.raises(TimeoutError):
        for _ in play(episodes, agents):  # type: ignore[arg-type]
            pass
    assert not episodes.over.all()
    for _ in play(episodes, agents):  # type: ignore[arg-type]
        pass
    assert episodes.batch.states.tobytes() == expected.batch.states.tobytes()

"""Agents and play that tests of several folders share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import cards_of
from german_whist.game.rules import Rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.episode import Episode
from german_whist.simulator.observation.history import EVENTS

PLAYED = [event.name for event in EVENTS].index("played")
HALF_POINTS = Rules(suits=2, ranks=4, hand=3, stock=2, points="over_half")


class Lowest:
    """Plays the lowest legal card by number, and counts its calls and their rows."""

    def __init__(self) -> None:
        self.calls = self.rows = 0

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        self.calls += 1
        self.rows += len(decisions)
        return np.array([next(cards_of(mask)) for mask in decisions.views["legal"].tolist()])


class ReadsHistory:
    """Plays its lowest legal card, and checks that its history is that of the deal that it plays."""

    name = "reads"
    uses_histories = True

    def __init__(self) -> None:
        self.decisions = 0

    def act(self, decisions: Decisions) -> np.ndarray:
        views, (tokens, lengths) = decisions.views, decisions.histories
        assert len(tokens) == len(lengths) == len(views)
        for view, events, length in zip(views, tokens, lengths, strict=True):
            played = {1: 0, 2: 0}
            for event, who, card, _ in events[:length]:
                if event == PLAYED:
                    played[who] |= 1 << int(card) - 1
            assert played == {1: int(view["played_self"]), 2: int(view["played_opponent"])}
        self.decisions += len(views)
        return np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in views["legal"]])


class Random:
    """Plays a random legal card, using only the given random numbers."""

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        draws = decisions.rng.random(len(decisions))
        hands = [list(cards_of(mask)) for mask in decisions.views["legal"].tolist()]
        return np.array([hand[int(draw * len(hand))] for hand, draw in zip(hands, draws, strict=True)])


class LowestByMask:
    """Plays the lowest legal card by number, asked with observations and masks, and keeps what it was given."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any]] = []

    def act(self, observations: Any, action_masks: Any) -> Any:
        self.seen.append((observations, action_masks))
        return lowest(action_masks)


def lowest(masks: np.ndarray) -> np.ndarray:
    """The lowest legal action in every row, int64[n]."""
    return masks.argmax(axis=1)


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> Any:
    """A random legal action in every row, int64[n], from action masks; of a single mask, an int."""
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


def play_randomly(batch: DealBatch, rng: np.random.Generator, steps: int | None = None) -> None:
    """Play ``steps`` random legal actions in every deal, or all that are left."""
    while not batch.done.all() and (steps is None or steps > 0):
        batch.step(random_legal(batch.action_mask(), rng))
        steps = None if steps is None else steps - 1


def play_deal(environment: Any, rng: np.random.Generator, rewards: dict[str, float] | None = None) -> list[int]:
    """Play the deal to its end through ``last()``, add up each agent's rewards and return the actions."""
    actions = []
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        if rewards is not None:
            rewards[agent] = rewards.get(agent, 0) + reward
        if termination or truncation:
            environment.step(None)
        else:
            actions.append(random_legal(observation["action_mask"], rng))
            environment.step(actions[-1])
    return actions


def is_at_deal(environment: Any, seed: int, index: int) -> bool:
    """Return whether the environment is at the start of deal ``index`` of ``seed``."""
    batch = DealBatch(environment.unwrapped.rules, 1, seed, index)
    seat = int(batch.turn[0])
    return environment.agent_selection == f"player_{seat}" and np.array_equal(
        environment.observe(f"player_{seat}")["observation"], batch.observe()[0]
    )


def play_out_match(
    episode: Episode, rng: np.random.Generator
) -> list[tuple[int, int, list[float], tuple[float, float]]]:
    """Play a match out and return for each deal its index, dealer, returns, and the scores after it."""
    assert episode.match is not None
    deals = []
    while episode.legal:
        index, dealer = episode.address[1], int(episode.batch.states["dealer"][0])
        last = episode.batch.states.copy()
        batch = DealBatch(episode.rules, endgame=episode.batch.endgame_hook or "played")
        while episode.legal and episode.address[1] == index:
            last[:] = episode.batch.states
            actions = [action for action in range(64) if episode.legal >> action & 1]
            action = int(rng.choice(actions))
            assert episode.play(action)
        batch.states[:] = last
        batch.step([action])
        assert batch.done.all()
        deals.append((index, dealer, batch.returns(episode.match.deal_reward)[0].tolist(), episode.scores))
    return deals

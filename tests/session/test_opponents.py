"""The agent at the table plays as in a match, with the memory and the histories that it has there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.bots.base import DEAL
from german_whist.arena.match import play_match
from german_whist.arena.recording import Recording
from german_whist.session.game_session import Session
from german_whist.session.settings import Settings
from tests.session.playing import play

SEED = 6
MEMORY = np.dtype([("deal", DEAL), ("digest", np.uint64)])


class Remembers:
    """Remembers a digest of its deal and of all that it has seen, and plays by it."""

    name = "remembers"

    def __init__(self, uses_history: bool) -> None:
        self.uses_history = uses_history
        self.matches: set[int] = set()

    def initial_memory(self, deals: np.ndarray) -> np.ndarray:
        memory = np.zeros(len(deals), MEMORY)
        memory["deal"] = deals
        self.matches.update(deals["match"].tolist())
        return memory

    def act(self, views: np.ndarray, rng: Any, memory: np.ndarray, histories: Any = None) -> np.ndarray:
        assert (histories is not None) == self.uses_history
        chosen = []
        for row, (view, drawn) in enumerate(zip(views, rng.integers(0, 1000, len(views)).tolist(), strict=True)):
            seen = [str(memory[row]["deal"]), int(memory[row]["digest"]), int(view["hand"]), drawn]
            if self.uses_history:
                tokens, lengths = histories
                seen.append(tokens[row, : lengths[row]].tolist())
            digest = hash(str(seen)) % 2**64
            memory[row]["digest"] = digest
            legal = [card for card in range(64) if int(view["legal"]) >> card & 1]
            chosen.append(legal[digest % len(legal)])
        return np.array(chosen)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("uses_history", [False, True])
def test_an_agent_that_remembers_plays_as_in_a_match(uses_history: bool, seat: int) -> None:
    games: list[Recording] = []
    play_match(Remembers(uses_history), "greedy", 2, SEED, "small", record=games.append)
    made = Session(Settings(rules="small", agent="greedy", seed=SEED, seat=seat), Remembers(uses_history))
    for game in games[1 - seat :: 2]:
        made.reply()
        play(made)
        assert tuple(made.deal.actions) == game.actions
        made.next_deal()


def test_an_agent_that_remembers_is_not_told_the_seed() -> None:
    in_match, in_session = Remembers(False), Remembers(False)
    play_match(in_match, "greedy", 1, SEED, "small")
    made = Session(Settings(rules="small", agent="greedy", seed=SEED, seat=1), in_session)
    made.reply()
    play(made)
    assert in_session.matches == in_match.matches
    assert SEED not in in_session.matches

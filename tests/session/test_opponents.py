"""The agent at the table plays as in a match, with the histories and the key of its game that it has there."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from german_whist.envs.agent import Games
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import Recording
from german_whist.session.game_session import Session
from german_whist.session.settings import Settings
from tests.session.playing import play

SEED = 6


class Remembers:
    """Remembers a digest of all that it has seen of a deal, and plays by it."""

    name = "remembers"
    uses_games = True

    def __init__(self) -> None:
        self.digests: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def act(self, views: np.ndarray, rng: Any, games: Games) -> np.ndarray:
        chosen, (tokens, lengths) = [], games.histories()
        drawn = rng.integers(0, 1000, len(views)).tolist()
        for row, game in enumerate(games.ids()):
            view = views[row]
            seen = [self.digests.get(game, 0), int(view["hand"]), drawn[row], tokens[row, : lengths[row]].tolist()]
            digest = self.digests[game] = hash(str(seen)) % 2**64
            legal = [card for card in range(64) if int(view["legal"]) >> card & 1]
            chosen.append(legal[digest % len(legal)])
        return np.array(chosen)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_that_remembers_plays_as_in_a_match(seat: int) -> None:
    games: list[Recording] = []
    play_match(Remembers(), "greedy", deals=2, seed=SEED, rules="small", record=games.append)
    made = Session(Settings(rules="small", agent="greedy", seed=SEED, seat=seat), Remembers())
    for game in games[1 - seat :: 2]:
        made.reply()
        play(made)
        assert tuple(made.deal.actions) == game.actions
        made.next_deal()


def test_after_a_card_is_taken_back_it_is_another_game() -> None:
    met: list[Any] = []

    class Collects(Remembers):
        def act(self, views: np.ndarray, rng: Any, games: Games) -> np.ndarray:
            met.extend(games.ids())
            return super().act(views, rng, games)

    made = Session(Settings(rules="small", agent="greedy", seed=SEED), Collects())
    made.reply()
    play(made, 2)
    assert len(set(met)) == 1
    made.take_back()
    play(made, 1)
    assert len(set(met)) == 2

"""Sessions in which a bot plays the person's cards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent, ask
from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.cards import parse_deck
from german_whist.envs.engine.rules import rules
from german_whist.session.database import NAME, Database
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import Session
from german_whist.session.saved import insert_session, load_session
from german_whist.session.settings import Settings

PERSON = make_agent("greedy")


def session(game: str = "small", agent: str = "heuristic", seed: int = 1, seat: int = 0, **settings: Any) -> Session:
    """A new session in which it is the person's turn."""
    made = Session(Settings(rules=game, agent=agent, seed=seed, seat=seat, **settings))
    made.reply()
    return made


def play(made: Session, actions: int = 1000) -> Session:
    """Play up to so many of the person's actions of the deal, and the agent's replies."""
    while made.deal.turn == made.seat and actions:
        made.act(int(ask(PERSON, made.deal.batch, np.zeros(1, np.int64), None)[0]))
        made.reply()
        actions -= 1
    return made


def reload(made: Session, agent: Agent | None = None) -> Session:
    """Save a session in a new database, and load it from there."""
    with tempfile.TemporaryDirectory() as folder, closing(Database(Path(folder) / NAME)) as database:
        with database.write() as connection:
            insert_session(connection, "one", made)
        return load_session(database, "one", agent)


class Script:
    """An agent that plays given actions in order, whatever it sees."""

    name = "script"

    def __init__(self, actions: Iterable[int]) -> None:
        self._actions = iter(actions)

    def act(self, views: Any, rng: Any) -> Any:
        return np.array([next(self._actions)], np.int64)


# Seat 0 deals and follows: it holds C2 C4 C5 C7 H6 D3 D4 S6 SJ … and CA is led; trumps are spades.
DECK = (
    "CA C2 C3 C4 HK C5 C6 C7 H5 H6 D2 D3 DA D4 S7 S6 ST SJ H2 H3 D9 DT S2 S3 C9 CK "
    "SA S4 S5 S8 S9 SQ SK C8 CT CJ CQ D5 D6 D7 D8 DJ DQ DK H4 H7 H8 H9 HT HJ HQ HA"
)


def table(game: str = "classic", *words: str) -> TableDeal:
    """A deal with these cards, after some actions."""
    made = rules(game)
    return TableDeal(made, parse_deck(DECK, made.cards), 0, [parse_action(word, made) for word in words])

"""Compare the page's sessions with Python's: ``python -m tests.play.sessions --deals 5000``.

Deals of every game that the page offers are played by random and textbook. For each, Python writes what a session says
in the middle and at the end, what both seats saw of the table after every event, exact hints and best lines, beliefs,
reasons for made-up advice, and recordings; then what it says in the lesson, and of statistics. ``sessions.mjs`` asks
the JavaScript of the page the same and stops at the first difference, with the field, the game and the deal.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.inference.belief import beliefs
from german_whist.agents.judge import Advice, judge_action
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import cards_of, deck_text
from german_whist.envs.engine.rules import Rules
from german_whist.evaluation.recording import Recording
from german_whist.session.coach.hints import hint_of, options
from german_whist.session.coach.reasons import reason
from german_whist.session.coach.reviews import best_line, open_positions
from german_whist.session.database import Database, insert_row
from german_whist.session.deal.events import deal_events, move_texts
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.tables import event_tables
from german_whist.session.game_session import FinishedDeal, Session
from german_whist.session.recall import quiz_step
from german_whist.session.saved import lesson_session
from german_whist.session.settings import Settings
from german_whist.session.shared_deals import code_of, open_recordings
from german_whist.session.statistics import Statistics
from german_whist.web.session_json import session_json

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "sessions.mjs"
BUILD = runpy.run_path(str(ROOT / "docs" / "play" / "build.py"))

_SALT = "5f0c"
_TIME = "2026-11-26T01:02:03+00:00"
_MATCHES = (None, "first_to:1", "first_to:10", "best_of:1", "best_of:3")
_BOTS = ("random", "heuristic")

Question = dict[str, Any]


def questions(deals: int, seed: int = 0, first: int = 0) -> Iterator[Question]:
    """Yield questions with Python's answers: of some deals, the games in turn, of the lesson, and of statistics."""
    games = list(BUILD["page_rules"]().items())
    for index in range(first, first + deals):
        spec, rules = games[index % len(games)]
        for question in _of_deal(spec, rules, seed, index):
            yield {"game": spec, "deal": index, **question}
    for question in (*_of_lesson(), _of_statistics(seed)):
        yield {"game": "no game", "deal": 0, **question}


def _of_deal(spec: str, rules: Rules, seed: int, index: int) -> Iterator[Question]:
    rng = np.random.default_rng((seed, index))
    deal = TableDeal.at_address(rules, seed, index)
    address = {"rules": spec, "deck": deck_text(deal.deck), "dealer": deal.dealer}
    yield {"what": "deck", "given": {"rules": spec, "seed": seed, "index": index}, "wanted": deck_text(deal.deck)}
    while not deal.done:
        deal.play(int(make_agent(str(rng.choice(_BOTS))).act(deal.views(deal.turn), rng)[0]))
    given = {**address, "actions": _words(deal)}
    for seat in range(2):
        names = ("You", "Textbook") if seat == 0 else ("Textbook", "You")
        events = deal_events(deal, seat, names)
        yield {
            "what": "tables",
            "given": {**given, "seat": seat, "names": names},
            "wanted": [
                dataclasses.asdict(one) | {"table": table}
                for one, table in zip(events, event_tables(deal, seat, events), strict=True)
            ],
        }
    seat = int(rng.integers(2))
    yield {
        "what": "open",
        "given": {**given, "seat": seat},
        "wanted": [open_positions(deal, seat), move_texts(deal, ("You", "B"))],
    }
    for count in (int(rng.integers(len(deal.actions))), len(deal.actions)):
        session = _session(spec, deal, count, seat, rng)
        yield {"what": "session", "given": _saved(session), "wanted": session_json(session)}
    line = deal.recording(("you", "heuristic")).to_line()
    yield {"what": "recording", "given": given, "wanted": line}
    shared = session_json(open_recordings([Recording.from_line(line)]))
    yield {"what": "shared", "given": {"code": code_of(line)}, "wanted": shared}
    yield from _coach(given, deal, rng)


def _session(spec: str, deal: TableDeal, count: int, seat: int, rng: np.random.Generator) -> Session:
    """Return a session with a finished deal and one of which some actions are played."""
    settings = Settings(spec, "heuristic", match=_MATCHES[rng.integers(len(_MATCHES))], seat=seat)
    played = TableDeal(deal.rules, deal.deck, deal.dealer, deal.actions[:count])
    session = Session(settings, None, played, "Textbook")
    finished = [TableDeal(deal.rules, deal.deck, 1 - deal.dealer, deal.actions)]
    session.finished = [FinishedDeal(one, _SALT, bool(rng.integers(2)), _TIME) for one in finished]
    session.salt, session.assisted, session.version = _SALT, bool(rng.integers(2)), int(rng.integers(99))
    if rng.integers(2) and quiz_step(played, seat) is not None:
        session.recalled = tuple(rng.choice(deal.rules.cards, deal.rules.hand, replace=False).tolist())
    if played.done:
        session.finished.append(FinishedDeal(played, _SALT, session.assisted, _TIME, session.recalled))
    return session


def _saved(session: Session) -> Question:
    """Return a session as the page saves it."""
    settings = session.settings
    deals = [_saved_deal(one.deal, one.assisted, one.recalled, one.time) for one in session.finished]
    if not session.deal.done:
        deals.append(_saved_deal(session.deal, session.assisted, session.recalled, None))
    return {
        "settings": dataclasses.asdict(settings),
        "title": session.title,
        "person": session.person,
        "version": session.version,
        "earlier": session.earlier,
        "hint": None,
        "deals": deals,
    }


def _saved_deal(deal: TableDeal, assisted: bool, recalled: tuple[int, ...] | None, ended: str | None) -> Question:
    deck = deck_text(deal.deck)
    salt = {"salt": _SALT, "assisted": assisted, "recalled": recalled, "ended": ended}
    return {"deck": deck, "dealer": deal.dealer, "actions": _words(deal), **salt}


def _words(deal: TableDeal) -> str:
    return " ".join(action_text(action, deal.rules) for action in deal.actions)


def _coach(given: Question, deal: TableDeal, rng: np.random.Generator) -> Iterator[Question]:
    """Yield what the coach says of one decision with open hands, and of one without."""
    rules = deal.rules
    views, _ = deal.decisions()
    known = opponent_hand_known(views)
    for is_known in (True, False):
        steps = np.flatnonzero(known == is_known)
        if not len(steps):
            continue
        step = int(rng.choice(steps))
        here = {**given, "step": step}
        view = views[step : step + 1]
        if is_known:
            yield {"what": "hint", "given": here, "wanted": hint_of(view, rules)}
            line = best_line(deal, step)
            yield {"what": "line", "given": here, "wanted": _words(line)}
            continue
        belief = beliefs(view, rules)
        found = [belief.expected[0].round(6).tolist(), belief.void[0].round(6).tolist()]
        yield {"what": "belief", "given": here, "wanted": found}
        for _ in range(4):
            advice = _made_up(list(cards_of(int(view["legal"][0]))), bool(view["choice"][0]), rng)
            said = [
                reason(view[0], rules, advice),
                options(advice, rules),
                [judge_action(advice, one)._asdict() for one in advice.actions],
            ]
            trick = [None if np.isnan(chance) else chance for chance in advice.trick]  # JSON has no NaN
            yield {"what": "reason", "given": {**here, "advice": {**advice._asdict(), "trick": trick}}, "wanted": said}


def _made_up(actions: list[int], is_choice: bool, rng: np.random.Generator) -> Advice:
    """Return advice out of the blue."""
    count, scale = len(actions), rng.choice([0.02, 0.3, 2.0])
    rng.shuffle(actions)
    lost = [0.0, *sorted(rng.normal(0.5, 1, count - 1) * scale)]
    wins = np.clip(0.5 - np.array([0.0, *rng.normal(0.3, 1, count - 1)]) * scale / 5, 0, 1)
    trick = [float("nan")] * count if is_choice else rng.choice([0.0, 0.25, 0.5, 0.8125, 1.0], count).tolist()
    tricks = (rng.integers(0, 14) - np.array(lost)).tolist()
    errors = [0.0, *[0.15] * (count - 1)]
    return Advice(
        actions=tuple(actions),
        tricks=tuple(tricks),
        opponent_tricks=tuple(13 - one for one in tricks),
        lost=tuple(lost),
        lost_errors=tuple(errors),
        wins=tuple(wins.tolist()),
        win_errors=tuple(0.08 * one for one in errors),
        trick=tuple(trick),
        exact=False,
        judge="small",
    )


def _of_lesson() -> Iterator[Question]:
    """Yield the lesson at every step."""
    session = lesson_session()
    session.salt = _SALT
    while True:
        said: Any = session_json(session)
        yield {"what": "session", "given": _saved(session), "wanted": said}
        if session.deal.done:
            return
        legal = {action_text(action, session.deal.rules): action for action in cards_of(session.deal.legal)}
        wanted = said["lesson"]["wanted"] or list(legal)
        session.act(legal[wanted[0]])
        session.reply()


def _of_statistics(seed: int) -> Question:
    """Ask for the statistics of made-up deals."""
    rng = np.random.default_rng(seed)
    deals, matches = [_made_up_deal(number, rng) for number in range(200)], []
    for number in range(20):
        won, assisted = bool(rng.integers(2)), bool(rng.integers(2))
        played = {
            "session": f"m{number}",
            "rules": "small",
            "agent": "random",
            "match": str(rng.choice(["first_to:10", "best_of:3"])),
        }
        matches.append({**played, "won": won, "assisted": assisted, "time": _TIME})
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "games.sqlite3")
        with database.write() as connection:
            for deal in deals:
                insert_row(connection, "counted_deals", deal)
            for one in matches:
                insert_row(connection, "counted_matches", one)
        wanted = Statistics(database).summary()
        database.close()
    return {"what": "statistics", "given": {"deals": deals, "matches": matches}, "wanted": wanted}


def _made_up_deal(number: int, rng: np.random.Generator) -> Question:
    spec = str(rng.choice(["classic", "small", "race", "high_low"]))
    margin, is_rated, had_quiz = int(rng.integers(-7, 8)), bool(rng.integers(2)), bool(rng.integers(2))
    return {
        "session": f"s{number // 3}",
        "deal": number % 3 + 1,
        "time": f"2026-11-{number // 10 + 1:02}T01:02:03+00:00",
        "rules": spec,
        "agent": str(rng.choice(["heuristic", "small"])),
        "margin": margin,
        "points": float(margin),
        "slam": margin == 7,
        "assisted": bool(rng.integers(2)),
        "day": None,
        "recalled": int(rng.integers(8)) if had_quiz else None,
        "held": 7 if had_quiz else None,
        "given_away": float(rng.random()) if is_rated else None,
        "at_stake": 3 * float(rng.random()) if is_rated else None,
        "par": int(rng.integers(-7, 8)) if is_rated else None,
    }


def compare(asked: Iterable[Question]) -> str:
    """Ask the page the same questions, and return how much was compared.

    Raises:
        ValueError: at the first difference.
    """
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "page"
        BUILD["assemble"](page)
        command, pipe = ["node", str(PROGRAM), str(page)], subprocess.PIPE
        node = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert node.stdin is not None
        try:
            for question in asked:
                node.stdin.write(json.dumps(question, allow_nan=False) + "\n")
        except BrokenPipeError:
            pass  # it has said why
        said, wrong = node.communicate()
    if node.returncode:
        raise ValueError(wrong.strip())
    return said.strip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        print(compare(questions(given.deals, given.seed)))
    except ValueError as error:
        sys.exit(str(error))

"""Other ways to play a finished deal: another card, the other seat, or the agent with your cards."""

from __future__ import annotations

import dataclasses

from german_whist.envs.engine.actions import action_text
from german_whist.envs.text.words import action_name
from german_whist.session import schema
from german_whist.session.catalogue import agent_title
from german_whist.session.coach.reviews import best_line, open_positions, play_out
from german_whist.session.deal.events import move_texts
from german_whist.session.deal.position import result, side_of, trump_of
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import Conflict, Session


def try_action(session: Session, place: int, move: int, action: int) -> Session:
    """Return a practice session that goes on from a decision of the person with another action.

    Args:
        session: the session in which the deal was played.
        place: which of its finished deals, from 0.
        move: number of the decision, from 1.
        action: the action to try.

    Raises:
        ValueError: if that decision was not the person's, or the action was not legal there.
        Conflict: in a lesson.
    """
    deal = _played(session, place)
    if not (1 <= move <= len(deal.actions) and deal.actor(move - 1) == session.seat):
        raise ValueError(f"move {move} is not one of yours")
    tried = TableDeal(deal.rules, deal.deck, deal.dealer, [*deal.actions[: move - 1], action])
    return _practice(session, place, tried, move=move)


def swap_seats(session: Session, place: int) -> Session:
    """Return a practice session with the same deal, in which the person has the cards that the agent had.

    Raises:
        Conflict: in a lesson.
    """
    deal = _played(session, place)
    return _practice(session, place, TableDeal(deal.rules, deal.deck, deal.dealer), swapped=True)


def _played(session: Session, place: int) -> TableDeal:
    if session.settings.kind == "lesson":
        raise Conflict("The teacher plays this deal only as the lesson goes.")
    return session.finished[place].deal


def _practice(
    session: Session, place: int, deal: TableDeal, *, move: int | None = None, swapped: bool = False
) -> Session:
    """Return a practice session with a deal that was played before, which remembers what it brought then."""
    seat = 1 - session.seat if swapped else session.seat
    settings = dataclasses.replace(session.settings, kind="practice", match=None, day=None, seat=seat)
    practice = Session(settings, session.agent, deal, _title(session))
    played = result(session.finished[place].deal, session.seat, session.names)
    practice.earlier = {
        "text": played["text"],
        "swapped": swapped,
        "session": None,  # sessions do not know their ids
        "deal": place + 1,
        "move": move,
    }
    practice.close_deal()  # the last card of the deal may be the one that is tried
    return practice


def _title(session: Session) -> str:
    """Return the agent's name; a recorded player need not be the agent that plays in its place."""
    return agent_title(session.settings.agent) if session.settings.kind == "recording" else session.title


def watch(session: Session, place: int, move: int | None = None) -> schema.Watch:
    """Return what the agent makes of the person's cards against itself, or perfect play from a decision on.

    Args:
        session: the session in which the deal was played.
        place: which of its finished deals, from 0.
        move: number of the decision, from 1; both hands have to be known there.

    Raises:
        ValueError: if they are not.
        Conflict: in a lesson.
    """
    played, seat = _played(session, place), session.seat
    if move is None:
        agents = (session.agent, session.agent)
        deal = play_out(TableDeal(played.rules, played.deck, played.dealer), agents, session.settings.seed, place)
        title, first = _title(session), 0
        names = (f"{title} with your cards", title) if seat == 0 else (title, f"{title} with your cards")
    else:
        deal, title, first, names = best_line(played, move - 1), "Perfect play", move - 1, session.names
    same = next(
        (step for step, pair in enumerate(zip(deal.actions, played.actions, strict=False)) if pair[0] != pair[1]),
        min(len(deal.actions), len(played.actions)),
    )
    moves: list[schema.WatchMove] = [
        {
            "number": step + 1,
            "by": side_of(deal.actor(step), seat),
            "action": action_text(action, deal.rules),
            "name": action_name(action, deal.rules),
            "text": text,
            "yours": action_text(played.actions[step], deal.rules) if step <= same < len(played.actions) else None,
        }
        for step, (action, text) in enumerate(zip(deal.actions, move_texts(deal, names), strict=True))
    ]
    return {
        "title": title,
        "names": {"you": names[seat], "opponent": names[1 - seat]},
        "trump": trump_of(deal.state),
        "recording": deal.recording((session.settings.agent, session.settings.agent)).to_line(),
        "result": result(deal, seat, names),
        "compare": {
            "you": result(played, seat, names)["tricks"]["you"],
            "agent": result(deal, seat, names)["tricks"]["you"],
        },
        "moves": moves[first:],
        "positions": open_positions(deal, seat)[first:],
    }

"""Requests to the coach: hints, reviews, recordings, and other ways to play a deal."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from german_whist.envs.engine.actions import parse_action
from german_whist.session.coach.hints import hint
from german_whist.session.coach.replays import swap_seats, try_action, watch
from german_whist.session.game_session import Session
from german_whist.session.shared_deals import MAX_TEXT, code_of, lines_of, open_recordings, read_deals
from german_whist.web.errors import ApiError
from german_whist.web.rating import review_json
from german_whist.web.requests import needed, read_body, whole_parameter
from german_whist.web.service import Service
from german_whist.web.store import Entry

_DEAL = {"deal": int}
_TRY = {"deal": int, "move": int, "action": str}


class CoachHandlers:
    """The functions behind the addresses."""

    def __init__(self, service: Service) -> None:
        """Answer from a service."""
        self.service = service

    def routes(self, prefix: str) -> list[Route]:
        """Return the addresses below a prefix."""
        session = f"{prefix}/sessions/{{id}}"
        return [
            Route(f"{session}/hint", self.hint, methods=["POST"]),
            Route(f"{session}/review", self.review, methods=["GET"]),
            Route(f"{session}/recording", self.recording, methods=["GET"]),
            Route(f"{session}/try", self.try_action, methods=["POST"]),
            Route(f"{session}/swap", self.swap, methods=["POST"]),
            Route(f"{session}/watch", self.watch, methods=["POST"]),
            Route(f"{prefix}/recordings", self.open_recordings, methods=["POST"]),
        ]

    async def hint(self, request: Request) -> Response:
        """What the strongest agent would play."""
        body = await read_body(request, {"version": int})
        return await self.service.change(request, body, lambda entry: entry.session.ask(hint))

    async def review(self, request: Request) -> Response:
        """What every decision of a finished deal was worth."""
        number = whole_parameter(request, "deal")
        return await self.service.read(request, lambda entry: self._review(entry, number))

    def _review(self, entry: Entry, number: int | None) -> dict[str, Any]:
        session = entry.session
        place = _place(session, number)
        if place not in entry.reviews:
            found = review_json(session, place, session.finished[place].deal)
            entry.keep_review(place, found)
            self.service.statistics.rate(entry.id, place + 1, found["accuracy"]["you"], found["luck"])
        return entry.reviews[place]

    async def recording(self, request: Request) -> Response:
        """Finished deals as text and as a code."""
        number = whole_parameter(request, "deal")

        def read(entry: Entry) -> dict[str, Any]:
            session = entry.session
            last = _place(session, number)
            places = [last]
            if number is None:  # those that were played to their end
                places = [place for place in range(last + 1) if session.finished[place].deal.forfeit is None] or places
            lines = lines_of([session.recording(place) for place in places])
            return {"recording": lines, "code": code_of(lines)}

        return await self.service.read(request, read)

    async def try_action(self, request: Request) -> Response:
        """A practice session from a decision on, with another action."""
        body = await read_body(request, _TRY)
        move, word = needed(body, "move"), needed(body, "action")

        def make(session: Session) -> Session:
            place = _place(session, body.get("deal"))
            return try_action(session, place, move, parse_action(word, session.deal.rules))

        return await self.service.derive(request, make)

    async def swap(self, request: Request) -> Response:
        """A practice session with the seats swapped."""
        body = await read_body(request, _DEAL)
        return await self.service.derive(
            request, lambda session: swap_seats(session, _place(session, body.get("deal")))
        )

    async def watch(self, request: Request) -> Response:
        """What the agent makes of the person's cards."""
        body = await read_body(request, _DEAL)
        return await self.service.read(
            request, lambda entry: watch(entry.session, _place(entry.session, body.get("deal")))
        )

    async def open_recordings(self, request: Request) -> Response:
        """A session that holds recorded deals."""
        body = await read_body(request, {"recording": str, "seat": int}, longest=MAX_TEXT)
        text, seat = needed(body, "recording"), body.get("seat")
        if seat not in (None, 0, 1):
            raise ApiError(400, f"body: seat {seat} is not allowed: 0 or 1")
        return await self.service.create(lambda: open_recordings(read_deals(text), seat))


def _place(session: Session, number: int | None) -> int:
    """Return the place of a finished deal, from 0, by its number from 1; the last one by default.

    Raises:
        ApiError: if there is no such finished deal.
    """
    count = len(session.finished)
    number = count if number is None else number
    if not 1 <= number <= count:
        raise ApiError(404, f"There is no finished deal {number} in this session." if count else "No deal is finished.")
    return number - 1

"""The addresses of the API and the functions behind them: play, coach, statistics."""

from __future__ import annotations

import datetime
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.specs import must_be
from german_whist.session import catalogue
from german_whist.session.coach.hints import hint
from german_whist.session.coach.replays import swap_seats, try_action, watch
from german_whist.session.game_session import IllegalAction, Session
from german_whist.session.saved import lesson_session
from german_whist.session.settings import Settings, day_settings, random_seed
from german_whist.session.shared_deals import MAX_TEXT, code_of, lines_of, open_recordings, read_deals
from german_whist.web.rating import review_json
from german_whist.web.requests import ApiError, needed, read_body, whole_parameter
from german_whist.web.service import Service, entry_json
from german_whist.web.store import Entry

_CREATE = {"rules": str, "agent": str, "match": str, "seed": int, "seat": int, "day": str}
_NOT_WITH_DAY = ("rules", "match", "seed", "seat")
_OUTSIDE = ("checkpoint", "process")  # kinds of agents that read files or run programs
_DEAL = {"deal": int}
_TRY = {"deal": int, "move": int, "action": str}


class Handlers:
    """The functions behind the addresses."""

    def __init__(self, service: Service) -> None:
        """Answer from a service."""
        self.service = service

    def routes(self) -> list[Route]:
        """Return the addresses."""
        session = "/api/sessions/{id}"
        return [
            Route("/api/catalog", self.catalog, methods=["GET"]),
            Route("/api/sessions", self.create, methods=["POST"]),
            Route("/api/lesson", self.lesson, methods=["POST"]),
            Route("/api/sessions", self.list_sessions, methods=["GET"]),
            Route(session, self.show, methods=["GET"]),
            Route(session, self.delete, methods=["DELETE"]),
            Route(f"{session}/action", self.act, methods=["POST"]),
            Route(f"{session}/take-back", self.take_back, methods=["POST"]),
            Route(f"{session}/next", self.next_deal, methods=["POST"]),
            Route(f"{session}/hint", self.hint, methods=["POST"]),
            Route(f"{session}/review", self.review, methods=["GET"]),
            Route(f"{session}/recording", self.recording, methods=["GET"]),
            Route(f"{session}/try", self.try_action, methods=["POST"]),
            Route(f"{session}/swap", self.swap, methods=["POST"]),
            Route(f"{session}/watch", self.watch, methods=["POST"]),
            Route("/api/recordings", self.open_recordings, methods=["POST"]),
            Route("/api/statistics", self.statistics, methods=["GET"]),
            Route("/api/statistics", self.clear_statistics, methods=["DELETE"]),
            Route("/api/statistics/export", self.export_statistics, methods=["GET"]),
        ]

    async def catalog(self, request: Request) -> Response:
        """What can be played."""
        options = self.service.options

        def make() -> dict[str, Any]:
            agent = options.agent or catalogue.default_agent(rules_named(options.rules))
            return {
                "version": version("german-whist"),
                "games": catalogue.games(),
                "agents": catalogue.agents(),
                "matches": catalogue.matches(),
                "defaults": {"rules": options.rules, "agent": agent, "match": None},  # the seed would tell the cards
                "today": datetime.date.today().isoformat(),
            }

        return await self.service.answer(make)

    async def create(self, request: Request) -> Response:
        """A new session."""
        body = await read_body(request, _CREATE)

        def make() -> Session:
            settings = self._settings(body)
            return Session(settings, title=catalogue.agent_title(settings.agent))

        return await self.service.create(make)

    def _settings(self, body: dict[str, Any]) -> Settings:
        options = self.service.options
        if "day" in body:
            for name in _NOT_WITH_DAY:
                if name in body:
                    raise ApiError(400, f"body: {name} does not go with day: the deal of a day is the same for all")
            return day_settings(body["day"], self._agent(body, "classic"))
        rules, seed = body.get("rules", options.rules), body.get("seed", options.seed)
        return Settings(
            rules=rules,
            agent=self._agent(body, rules),
            match=body.get("match"),
            seed=random_seed() if seed is None else seed,
            seat=body.get("seat", random_seed() % 2),
        )

    def _agent(self, body: dict[str, Any], rules: str) -> str:
        """Return the agent that a body asks for.

        Raises:
            ApiError: if it is a file or a program that the command line does not name.
        """
        default = self.service.options.agent
        agent: str = body.get("agent") or default or catalogue.default_agent(rules_named(rules))
        if agent.strip().startswith(_OUTSIDE) and agent != default:
            raise ApiError(400, "Agents from files and programs are allowed only as german-whist serve --agent.")
        return agent

    async def lesson(self, request: Request) -> Response:
        """A session with the lesson."""
        await read_body(request, {})
        return await self.service.create(lesson_session)

    async def list_sessions(self, request: Request) -> Response:
        """The sessions played last."""
        return await self.service.answer(lambda: {"sessions": self.service.store.summaries()})

    async def show(self, request: Request) -> Response:
        """A session. If the server was stopped while the agent was thinking, it thinks again now."""

        def read(entry: Entry) -> dict[str, Any]:
            self.service.reply(entry)
            return entry_json(entry)

        return await self.service.read(request, read)

    async def delete(self, request: Request) -> Response:
        """Delete a session."""

        def delete() -> dict[str, Any]:
            self.service.store.delete(request.path_params["id"])
            return {}

        return await self.service.answer(delete)

    async def act(self, request: Request) -> Response:
        """The person's action, and what the agent answers."""
        body = await read_body(request, {"version": int, "action": str})
        word = needed(body, "action")

        def play(entry: Entry) -> None:
            session = entry.session
            try:
                session.act(parse_action(word, session.deal.rules))
            except IllegalAction as error:
                raise ApiError(400, str(error), "illegal_action") from None

        return await self.service.change(request, body, play)

    async def take_back(self, request: Request) -> Response:
        """Back to the person's last decision."""
        body = await read_body(request, {"version": int})
        return await self.service.change(request, body, lambda entry: entry.session.take_back())

    async def next_deal(self, request: Request) -> Response:
        """The next deal."""
        body = await read_body(request, {"version": int})
        return await self.service.change(request, body, lambda entry: entry.session.next_deal())

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
            self.service.rate(entry, place, found)
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
            raise ApiError(400, must_be("body: seat", "0 or 1", seat))
        return await self.service.create(lambda: open_recordings(read_deals(text), seat))

    async def statistics(self, request: Request) -> Response:
        """The statistics."""
        return await self.service.answer(self.service.statistics.summary)

    async def clear_statistics(self, request: Request) -> Response:
        """Forget everything."""

        def clear() -> dict[str, Any]:
            self.service.statistics.clear()
            return {}

        return await self.service.answer(clear)

    async def export_statistics(self, request: Request) -> Response:
        """Everything as a file to save."""
        text = await self.service.in_thread(self.service.statistics.export)
        headers = {"content-disposition": 'attachment; filename="german-whist-statistics.json"'}
        return Response(text, media_type="application/json", headers=headers)


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

"""The addresses of the API and the functions behind them: play, coach, statistics."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from german_whist.agents.registry import split_suffixes
from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.cards import parse_card
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.specs import must_be, split_spec
from german_whist.session import catalogue
from german_whist.session.coach.hints import hint
from german_whist.session.coach.replays import swap_seats, try_action, watch
from german_whist.session.game_session import IllegalAction, Session
from german_whist.session.saved import lesson_session
from german_whist.session.schema import Statistics, Watch
from german_whist.session.settings import Settings, day_settings, random_seed
from german_whist.session.shared_deals import code_of, lines_of, open_recordings, read_deals
from german_whist.web import schema
from german_whist.web.rating import review_json
from german_whist.web.requests import ApiError, read_body, whole_parameter
from german_whist.web.service import Service, entry_json
from german_whist.web.store import Entry

_NOT_WITH_DAY = ("rules", "match", "seed", "seat")
_OUTSIDE = ("checkpoint", "process", "python")  # kinds of agents that read files or run code
# Of searches that a request may ask for: an action takes about a second of processor time at most.
MAX_SEARCH = 10_000
_LARGEST_SEARCHES = {"worlds": MAX_SEARCH, "iterations": MAX_SEARCH, "search": MAX_SEARCH}


class Handlers:
    """The functions behind the addresses."""

    def __init__(self, service: Service) -> None:
        """Answer from a service."""
        self.service = service

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [Route(f"/api/{one.address}", self._route(one), methods=[one.method]) for one in ENDPOINTS]

    def _route(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def respond(request: Request) -> Response:
            if endpoint.body is None:
                return await endpoint.respond(self, request)
            return await endpoint.respond(self, request, await read_body(request, endpoint.body))

        return respond

    async def catalog(self, request: Request) -> Response:
        """What can be played."""
        options = self.service.options

        def make() -> schema.Catalog:
            agent = options.agent or catalogue.default_agent(rules_named(options.rules))
            return {
                "version": version("german-whist"),
                "games": list(catalogue.games()),
                "agents": list(catalogue.agents()),
                "matches": catalogue.matches(),
                "defaults": {"rules": options.rules, "agent": agent, "match": None},  # the seed would tell the cards
                "today": datetime.date.today().isoformat(),
            }

        return await self.service.answer(make)

    async def create(self, request: Request, body: schema.CreateBody) -> Response:
        """A new session."""

        def make() -> Session:
            settings = self._settings(body)
            return Session(settings, title=catalogue.agent_title(settings.agent))

        return await self.service.create(make)

    def _settings(self, body: schema.CreateBody) -> Settings:
        options = self.service.options
        if body.day is not None:
            for name in _NOT_WITH_DAY:
                if getattr(body, name) is not None:
                    raise ApiError(400, f"body: {name} does not go with day: the deal of a day is the same for all")
            return day_settings(body.day, self._agent(body, "classic"))
        rules = options.rules if body.rules is None else body.rules
        seed = options.seed if body.seed is None else body.seed
        return Settings(
            rules=rules,
            agent=self._agent(body, rules),
            match=body.match,
            seed=random_seed() if seed is None else seed,
            seat=random_seed() % 2 if body.seat is None else body.seat,
        )

    def _agent(self, body: schema.CreateBody, rules: str) -> str:
        """Return the agent that a body asks for.

        Raises:
            ApiError: if it is a file or a program, or searches for long, and the command line does not name it.
        """
        default = self.service.options.agent
        agent = body.agent or default or catalogue.default_agent(rules_named(rules))
        if agent.strip().startswith(_OUTSIDE) and agent != default:
            raise ApiError(400, "Agents from files and programs are allowed only as german-whist serve --agent.")
        if agent != default:
            _check_search(agent)
        return agent

    async def lesson(self, request: Request, body: schema.EmptyBody) -> Response:
        """A session with the lesson."""
        return await self.service.create(lesson_session)

    async def list_sessions(self, request: Request) -> Response:
        """The sessions played last."""
        return await self.service.answer(lambda: {"sessions": self.service.store.summaries()})

    async def show(self, request: Request) -> Response:
        """A session. If the server was stopped while the agent was thinking, it thinks again now."""

        def read(entry: Entry) -> schema.Session:
            self.service.reply(entry)
            return entry_json(entry)

        return await self.service.read(request, read)

    async def delete(self, request: Request) -> Response:
        """Delete a session."""

        def delete() -> schema.Nothing:
            self.service.store.delete(request.path_params["id"])
            return {}

        return await self.service.answer(delete)

    async def act(self, request: Request, body: schema.ActionBody) -> Response:
        """The person's action, and what the agent answers."""

        def play(entry: Entry) -> None:
            session = entry.session
            try:
                session.act(parse_action(body.action, session.deal.rules))
            except IllegalAction as error:
                raise ApiError(400, str(error), "illegal_action") from None

        return await self.service.change(request, body, play)

    async def take_back(self, request: Request, body: schema.VersionBody) -> Response:
        """Back to the person's last decision."""
        return await self.service.change(request, body, lambda entry: entry.session.take_back())

    async def next_deal(self, request: Request, body: schema.VersionBody) -> Response:
        """The next deal."""
        return await self.service.change(request, body, lambda entry: entry.session.next_deal())

    async def hint(self, request: Request, body: schema.VersionBody) -> Response:
        """What the strongest agent would play."""
        return await self.service.change(request, body, lambda entry: entry.session.ask(hint))

    async def recall(self, request: Request, body: schema.RecallBody) -> Response:
        """The answer to the memory quiz: the opponent's cards when the stock is gone."""

        def answer(entry: Entry) -> None:
            entry.session.recall([parse_card(card) for card in body.cards])

        return await self.service.change(request, body, answer)

    async def review(self, request: Request) -> Response:
        """What every decision of a finished deal was worth."""
        number = whole_parameter(request, "deal")
        return await self.service.read(request, lambda entry: self._review(entry, number))

    def _review(self, entry: Entry, number: int | None) -> schema.Review:
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

        def read(entry: Entry) -> schema.Recording:
            session = entry.session
            last = _place(session, number)
            places = [last]
            if number is None:  # those that were played to their end
                places = [place for place in range(last + 1) if session.finished[place].deal.forfeit is None] or places
            lines = lines_of([session.recording(place) for place in places])
            return {"recording": lines, "code": code_of(lines)}

        return await self.service.read(request, read)

    async def try_action(self, request: Request, body: schema.TryBody) -> Response:
        """A practice session from a decision on, with another action."""

        def make(session: Session) -> Session:
            action = parse_action(body.action, session.deal.rules)
            return try_action(session, _place(session, body.deal), body.move, action)

        return await self.service.derive(request, make)

    async def swap(self, request: Request, body: schema.DealBody) -> Response:
        """A practice session with the seats swapped."""
        return await self.service.derive(request, lambda session: swap_seats(session, _place(session, body.deal)))

    async def watch(self, request: Request, body: schema.WatchBody) -> Response:
        """What the agent makes of the person's cards, or perfect play from a decision on."""

        def read(entry: Entry) -> Watch:
            return watch(entry.session, _place(entry.session, body.deal), body.move)

        return await self.service.read(request, read)

    async def open_recordings(self, request: Request, body: schema.RecordingBody) -> Response:
        """A session that holds recorded deals."""
        if body.seat not in (None, 0, 1):
            raise ApiError(400, must_be("body: seat", "0 or 1", body.seat))
        return await self.service.create(lambda: open_recordings(read_deals(body.recording), body.seat))

    async def statistics(self, request: Request) -> Response:
        """The statistics."""
        return await self.service.answer(self.service.statistics.summary)

    async def clear_statistics(self, request: Request) -> Response:
        """Forget everything."""

        def clear() -> schema.Nothing:
            self.service.statistics.clear()
            return {}

        return await self.service.answer(clear)

    async def export_statistics(self, request: Request) -> Response:
        """Everything as a file to save."""
        text = await self.service.in_thread(self.service.statistics.export)
        headers = {"content-disposition": 'attachment; filename="german-whist-statistics.json"'}
        return Response(text, media_type="application/json", headers=headers)


def _check_search(agent: str) -> None:
    """Refuse an agent whose searches are too large.

    Raises:
        ApiError: if one is.
    """
    name, settings = split_spec(split_suffixes(agent)[0], "agent")
    for key, largest in _LARGEST_SEARCHES.items():
        try:
            given = int(settings.get(key, "0"))
        except ValueError:  # refused when the agent is made
            continue
        if given > largest:
            raise ApiError(400, must_be(f"agent {name!r}: {key}", f"at most {largest} at this table", given))


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


class Endpoint(NamedTuple):
    """An address of the API.

    Attributes:
        method: the HTTP method.
        address: the address below ``api/``.
        respond: the handler; it gets the request, and the body if there is one.
        body: what the body has to be; ``None`` without one.
        answer: what the answer is; ``None`` for a file to save.
    """

    method: str
    address: str
    respond: Callable[..., Awaitable[Response]]
    body: type[schema.Body] | None
    answer: type[Any] | None


ENDPOINTS = (
    Endpoint("GET", "catalog", Handlers.catalog, None, schema.Catalog),
    Endpoint("POST", "sessions", Handlers.create, schema.CreateBody, schema.Session),
    Endpoint("GET", "sessions", Handlers.list_sessions, None, schema.Sessions),
    Endpoint("GET", "sessions/{id}", Handlers.show, None, schema.Session),
    Endpoint("DELETE", "sessions/{id}", Handlers.delete, None, schema.Nothing),
    Endpoint("POST", "sessions/{id}/action", Handlers.act, schema.ActionBody, schema.Session),
    Endpoint("POST", "sessions/{id}/take-back", Handlers.take_back, schema.VersionBody, schema.Session),
    Endpoint("POST", "sessions/{id}/next", Handlers.next_deal, schema.VersionBody, schema.Session),
    Endpoint("POST", "sessions/{id}/hint", Handlers.hint, schema.VersionBody, schema.Session),
    Endpoint("POST", "sessions/{id}/recall", Handlers.recall, schema.RecallBody, schema.Session),
    Endpoint("GET", "sessions/{id}/review", Handlers.review, None, schema.Review),
    Endpoint("GET", "sessions/{id}/recording", Handlers.recording, None, schema.Recording),
    Endpoint("POST", "sessions/{id}/try", Handlers.try_action, schema.TryBody, schema.Session),
    Endpoint("POST", "sessions/{id}/swap", Handlers.swap, schema.DealBody, schema.Session),
    Endpoint("POST", "sessions/{id}/watch", Handlers.watch, schema.WatchBody, Watch),
    Endpoint("POST", "recordings", Handlers.open_recordings, schema.RecordingBody, schema.Session),
    Endpoint("POST", "lesson", Handlers.lesson, schema.EmptyBody, schema.Session),
    Endpoint("GET", "statistics", Handlers.statistics, None, Statistics),
    Endpoint("GET", "statistics/export", Handlers.export_statistics, None, None),
    Endpoint("DELETE", "statistics", Handlers.clear_statistics, None, schema.Nothing),
)

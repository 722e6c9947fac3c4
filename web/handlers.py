"""Requests about sessions: create one, play, hint, take back, next deal; and the catalogue."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.session import catalogue
from german_whist.session.game_session import Conflict, IllegalAction, Session
from german_whist.session.settings import Settings, day_settings, random_seed
from german_whist.web.errors import ApiError
from german_whist.web.options import ServeOptions
from german_whist.web.requests import needed, read_body
from german_whist.web.session_json import session_json
from german_whist.web.store import Entry, SessionStore

_THREADS = 16  # requests that think at the same time; others wait for their turn
_CREATE = {"rules": str, "agent": str, "match": str, "seed": int, "seat": int, "day": str}
_DAY_ALONE = ("rules", "match", "seed", "seat")

Handler = Callable[[Request], Awaitable[Response]]
_Result = TypeVar("_Result")


class Handlers:
    """The functions behind the addresses of the API.

    Sessions are read and changed in worker threads: an agent that thinks does not hold up other requests.
    """

    def __init__(self, store: SessionStore, options: ServeOptions, folder: Path) -> None:
        """Use a store of sessions.

        Args:
            store: the sessions.
            options: the defaults of new sessions.
            folder: the data folder.
        """
        self.store, self.options, self.folder = store, options, folder
        self._limiter: anyio.CapacityLimiter | None = None

    def routes(self, prefix: str) -> list[Route]:
        """Return the addresses below a prefix."""
        session = f"{prefix}/sessions/{{id}}"
        return [
            Route(f"{prefix}/catalog", self.catalog, methods=["GET"]),
            Route(f"{prefix}/sessions", self.create, methods=["POST"]),
            Route(f"{prefix}/sessions", self.list_sessions, methods=["GET"]),
            Route(session, self.show, methods=["GET"]),
            Route(session, self.delete, methods=["DELETE"]),
            Route(f"{session}/action", self.act, methods=["POST"]),
            Route(f"{session}/take-back", self.take_back, methods=["POST"]),
            Route(f"{session}/next", self.next_deal, methods=["POST"]),
        ]

    async def in_thread(self, work: Callable[[], _Result]) -> _Result:
        """Run something in a worker thread; bad input becomes an answer with status 400.

        Raises:
            ApiError: for bad input and conflicts.
        """
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        return await anyio.to_thread.run_sync(_answering(work), limiter=self._limiter)

    async def catalog(self, request: Request) -> Response:
        """What can be played."""

        def make() -> dict[str, Any]:
            rules = rules_named(self.options.rules)
            return {
                "version": version("german-whist"),
                "games": catalogue.games(),
                "agents": catalogue.agents(),
                "matches": catalogue.matches(),
                "defaults": {
                    **self.options.to_dict(),
                    "agent": self.options.agent or catalogue.default_agent(rules),
                    "match": None,
                },
                "today": datetime.date.today().isoformat(),
            }

        return JSONResponse(await self.in_thread(make))

    async def create(self, request: Request) -> Response:
        """A new session."""
        body = await read_body(request, _CREATE)

        def make() -> Entry:
            return self._start(Session(settings := self._settings(body), title=catalogue.agent_title(settings.agent)))

        return await self._answer_entry(make)

    def _settings(self, body: dict[str, Any]) -> Settings:
        rules = rules_named(body.get("rules", self.options.rules))
        agent = body.get("agent") or self.options.agent or catalogue.default_agent(rules)
        if "checkpoint" in agent.partition(":")[0] and agent != self.options.agent:
            raise ApiError(400, "Agents from files are allowed only where german-whist serve --agent names them.")
        if "day" in body:
            for name in _DAY_ALONE:
                if name in body:
                    raise ApiError(400, f"body: {name} does not go with day: the deal of a day is the same for all")
            return day_settings(body["day"], agent)
        seed = body.get("seed", self.options.seed)
        return Settings(
            rules=body.get("rules", self.options.rules),
            agent=agent,
            match=body.get("match"),
            seed=random_seed() if seed is None else seed,
            seat=body.get("seat", random_seed() % 2),
        )

    def _start(self, session: Session) -> Entry:
        """Save a new session and let the agent begin if it is its turn."""
        entry = self.store.add(session)
        with self.store.open(entry.id):
            self._reply(entry)
        return entry

    async def list_sessions(self, request: Request) -> Response:
        """The sessions played last."""
        return JSONResponse({"sessions": await self.in_thread(self.store.summaries)})

    async def show(self, request: Request) -> Response:
        """A session. If the server was stopped while the agent was thinking, it thinks again now."""

        def read() -> dict[str, Any]:
            with self.store.open(request.path_params["id"]) as entry:
                self._reply(entry)
                return _json(entry)

        return JSONResponse(await self.in_thread(read))

    async def delete(self, request: Request) -> Response:
        """Delete a session."""
        await self.in_thread(lambda: self.store.delete(request.path_params["id"]))
        return JSONResponse({})

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
            self.store.save(entry)  # the person's card is safe before the agent thinks
            self._reply(entry)

        return await self._change(request, body, play)

    async def take_back(self, request: Request) -> Response:
        """Back to the person's last decision."""
        body = await read_body(request, {"version": int})
        return await self._change(request, body, lambda entry: entry.session.take_back())

    async def next_deal(self, request: Request) -> Response:
        """The next deal."""
        body = await read_body(request, {"version": int})

        def deal(entry: Entry) -> None:
            entry.session.next_deal()
            self._reply(entry)

        return await self._change(request, body, deal)

    def _reply(self, entry: Entry) -> None:
        if entry.session.waits_for_agent:
            entry.session.reply()
            self.store.save(entry)

    async def _change(self, request: Request, body: dict[str, Any], change: Callable[[Entry], object]) -> Response:
        """Change a session that is still as the page has seen it, save it and answer with it."""
        version = needed(body, "version")

        def work() -> dict[str, Any]:
            with self.store.open(request.path_params["id"]) as entry:
                if version != entry.session.version:
                    message = "The session has moved on in another window."
                    raise ApiError(409, message, extra={"session": _json(entry)})
                change(entry)
                self.store.save(entry)
                return _json(entry)

        return JSONResponse(await self.in_thread(work))

    async def _answer_entry(self, make: Callable[[], Entry]) -> Response:
        def work() -> dict[str, Any]:
            entry = make()
            with self.store.open(entry.id):
                return _json(entry)

        return JSONResponse(await self.in_thread(work), 201)


def _json(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, **session_json(entry.session)}


def _answering(work: Callable[[], _Result]) -> Callable[[], _Result]:
    """Return the same work; its errors of bad input are answers."""

    def guarded() -> _Result:
        try:
            return work()
        except Conflict as error:
            raise ApiError(409, str(error)) from None
        except ValueError as error:
            raise ApiError(400, str(error)) from None

    return guarded

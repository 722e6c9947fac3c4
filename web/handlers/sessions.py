"""Requests that play: the catalogue, new sessions, actions, take back, next deal."""

from __future__ import annotations

import datetime
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.session import catalogue
from german_whist.session.game_session import IllegalAction, Session
from german_whist.session.saved import lesson_session
from german_whist.session.settings import Settings, day_settings, random_seed
from german_whist.web.errors import ApiError
from german_whist.web.requests import needed, read_body
from german_whist.web.service import Service, entry_json, let_agent_reply
from german_whist.web.store import Entry

_CREATE = {"rules": str, "agent": str, "match": str, "seed": int, "seat": int, "day": str}
_NOT_WITH_DAY = ("rules", "match", "seed", "seat")
_OUTSIDE = ("checkpoint", "process")  # kinds of agents that read files or run programs


class SessionHandlers:
    """The functions behind the addresses."""

    def __init__(self, service: Service) -> None:
        """Answer from a service."""
        self.service = service

    def routes(self, prefix: str) -> list[Route]:
        """Return the addresses below a prefix."""
        session = f"{prefix}/sessions/{{id}}"
        return [
            Route(f"{prefix}/catalog", self.catalog, methods=["GET"]),
            Route(f"{prefix}/sessions", self.create, methods=["POST"]),
            Route(f"{prefix}/lesson", self.lesson, methods=["POST"]),
            Route(f"{prefix}/sessions", self.list_sessions, methods=["GET"]),
            Route(session, self.show, methods=["GET"]),
            Route(session, self.delete, methods=["DELETE"]),
            Route(f"{session}/action", self.act, methods=["POST"]),
            Route(f"{session}/take-back", self.take_back, methods=["POST"]),
            Route(f"{session}/next", self.next_deal, methods=["POST"]),
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
            if session.waits_for_agent:
                self.service.store.save(entry, durable=False)  # the card is safe before the agent thinks
                let_agent_reply(session)

        return await self.service.change(request, body, play)

    async def take_back(self, request: Request) -> Response:
        """Back to the person's last decision."""
        body = await read_body(request, {"version": int})
        return await self.service.change(request, body, lambda entry: entry.session.take_back())

    async def next_deal(self, request: Request) -> Response:
        """The next deal."""
        body = await read_body(request, {"version": int})

        def deal(entry: Entry) -> None:
            entry.session.next_deal()
            let_agent_reply(entry.session)

        return await self.service.change(request, body, deal)

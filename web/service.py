"""What all requests share: the sessions, worker threads, and answers that carry a session."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from german_whist.envs.text.rules_text import rules_spec
from german_whist.session.database import NAME, Database, NotReadError, NotSavedError
from german_whist.session.game_session import Conflict, Session
from german_whist.session.opponent import start_agent
from german_whist.session.statistics import Statistics
from german_whist.web import schema
from german_whist.web.data_folder import make_folder
from german_whist.web.rating import Rater, rating_of
from german_whist.web.requests import ApiError
from german_whist.web.session_json import session_json
from german_whist.web.store import Entry, SessionStore

_IDLE_SECONDS = 0.5  # after the last answer; from then on deals are rated
_THREADS = 16  # requests that think at the same time; others wait for their turn

_LOG = logging.getLogger(__name__)

Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True)
class ServeOptions:
    """Defaults of new sessions.

    Attributes:
        rules: specification of the rules.
        agent: specification of the agent; ``None`` for the strongest that plays the game.
        seed: seed of the deals; ``None`` for a new one each time.
    """

    rules: str = "classic"
    agent: str | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        """Write the rules in their shortest form, as sessions do: the page looks for them in its list."""
        object.__setattr__(self, "rules", rules_spec(self.rules))


class Service:
    """The state behind all addresses.

    Sessions are read and changed in worker threads: an agent that thinks does not hold up other requests.

    Attributes:
        database: the file with both of the following.
        store: the sessions.
        statistics: the person's statistics.
        options: the defaults of new sessions.
        rater: rates finished deals while nobody waits.
    """

    def __init__(self, folder: Path, options: ServeOptions) -> None:
        """Use a data folder.

        Raises:
            ValueError: if it cannot be made, or its database cannot be used.
        """
        self.database = Database(make_folder(folder) / NAME)
        self.store, self.statistics = SessionStore(self.database), Statistics(self.database)
        self.options = options
        self.rater = Rater(self.store.open, self.statistics, self._is_idle)
        self._limiter: anyio.CapacityLimiter | None = None
        self._waiting, self._answered = 0, time.monotonic()

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        """Run something in a worker thread.

        Raises:
            ApiError: for bad input and conflicts.
        """
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(_answering(work), limiter=self._limiter)
        finally:
            self._waiting -= 1
            self._answered = time.monotonic()

    def _is_idle(self) -> bool:
        """Return whether nobody waits for an answer, and nobody has a moment ago."""
        return not self._waiting and time.monotonic() - self._answered >= _IDLE_SECONDS

    async def answer(self, work: Callable[[], Any], status: int = 200) -> Response:
        """Answer with what some work in a worker thread returns."""
        return JSONResponse(await self.in_thread(work), status)

    async def read(self, request: Request, work: Callable[[Entry], Any]) -> Response:
        """Answer from the session that the address names."""

        def opened() -> Any:
            with self.store.open(request.path_params["id"]) as entry:
                return work(entry)

        return await self.answer(opened)

    async def change(self, request: Request, body: schema.VersionBody, change: Callable[[Entry], object]) -> Response:
        """Change a session that is still as the page has seen it, save it, let the agent act and answer with it.

        What cannot be saved has not happened.
        """

        def work(entry: Entry) -> schema.Session:
            if body.version != entry.session.version:
                raise ApiError(409, "The session has moved on in another window.", session=entry_json(entry))
            change(entry)
            try:
                self.save(entry, durable=not entry.session.waits_for_agent)  # safe before the agent thinks
            except Exception:
                self.store.forget(entry.id)
                raise
            self.reply(entry)
            return entry_json(entry)

        return await self.read(request, work)

    async def create(self, make: Callable[[], Session]) -> Response:
        """Answer with a new session, in which the agent has begun if it is its turn."""

        def work() -> schema.Session:
            session = make()
            start_agent(session.agent)
            session.reply()
            return entry_json(self.store.add(session))

        return await self.answer(work, 201)

    async def derive(self, request: Request, make: Callable[[Session], Session]) -> Response:
        """Answer with a new session that is made from the one that the address names, and remembers it."""

        def derived() -> Session:
            with self.store.open(request.path_params["id"]) as entry:
                made = make(entry.session)
                if made.earlier is not None:
                    made.earlier["session"] = entry.id
                return made

        return await self.create(derived)

    def reply(self, entry: Entry) -> None:
        """Let the agent act where it is its turn, and save what it did.

        Where that cannot be saved, it is saved with the next card: after a restart the agent would do the same again.
        """
        if entry.session.waits_for_agent:
            _let_agent_reply(entry.session)
            with suppress(NotSavedError):
                self.save(entry)

    def save(self, entry: Entry, *, durable: bool = True) -> None:
        """Save a session; its finished deals are counted and will be rated."""
        self.store.save(entry, durable=durable)
        if entry.session.finished:
            self.rater.wake()

    def rate(self, entry: Entry, place: int, review: schema.Review) -> None:
        """Add a review to the statistics; where it cannot be saved, the rater does so later."""
        with suppress(NotSavedError):
            self.statistics.rate(entry.id, place + 1, rating_of(review))


def _let_agent_reply(session: Session) -> None:
    """Let the agent act where it is its turn.

    An agent that cannot act loses the deal: after an error nobody could go on with the session.
    """
    try:
        session.reply()
    except ValueError as error:
        _LOG.warning("%s forfeits a deal: %s", session.title, error, exc_info=True)
        session.agent_forfeits(str(error))


def entry_json(entry: Entry) -> schema.Session:
    """Return a session as the page gets it."""
    return {"id": entry.id, **session_json(entry.session)}


def _answering(work: Callable[[], Result]) -> Callable[[], Result]:
    """Return the same work; its errors of bad input and of the database are answers."""

    def guarded() -> Result:
        try:
            return work()
        except Conflict as error:
            raise ApiError(409, str(error)) from None
        except NotSavedError as error:
            raise ApiError(507, f"This cannot be saved, so nothing has changed: {error}.") from None
        except NotReadError as error:
            raise ApiError(500, f"The saved games cannot be read: {error}.") from None
        except ValueError as error:
            _LOG.info("refused: %s", error, exc_info=True)  # where it is a fault of ours, this says where
            raise ApiError(400, str(error)) from None

    return guarded

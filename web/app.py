"""The application: every address of the API, and the files of the page."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from german_whist.session.opponent import name_on_command
from german_whist.web import bundle
from german_whist.web.guard import Guard
from german_whist.web.handlers import Handlers
from german_whist.web.requests import CODES, ApiError, error_response
from german_whist.web.service import ServeOptions, Service
from german_whist.web.store import SessionStore

_IDLE_CHECK = 60.0  # seconds
_COMPRESSION = 6  # of 9: a session takes half a millisecond
_LOG = logging.getLogger(__name__)


def page_folder() -> Path:
    """Return the folder of the page's files."""
    return Path(str(resources.files("german_whist.web"))) / "static"


def make_app(
    options: ServeOptions, folder: Path, token: str, hosts: Iterable[str] = (), allowed_hosts: Iterable[str] = ()
) -> Guard:
    """Return the application, with its guard in front.

    Args:
        options: what the command line asked for.
        folder: the data folder.
        token: the first part of every path.
        hosts: further names that ``Host`` may have.
        allowed_hosts: names under which a proxy serves the page, from ``allowed_host``.
    """
    service = Service(folder, options)
    name_on_command(options.agent)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_forget_idle, service.store)
            service.rater.start()
            yield
            service.rater.close()
            service.database.close()
            tasks.cancel_scope.cancel()

    app = Starlette(
        routes=_routes(service),
        exception_handlers={ApiError: _api_error, HTTPException: _http_error, Exception: _server_error},
        middleware=[Middleware(GZipMiddleware, compresslevel=_COMPRESSION)],
        lifespan=lifespan,
    )
    app.state.service = service
    return Guard(app, token, hosts, allowed_hosts)


def _routes(service: Service) -> list[BaseRoute]:
    return [
        Route("/", _page, methods=["GET"]),
        *(Route(f"/static/js/{name}", _script, methods=["GET"]) for name in bundle.SCRIPTS),
        Route(f"/static/css/{bundle.STYLE}", _style, methods=["GET"]),
        # An editable install links to its files.
        Mount("/static", _Static(directory=page_folder(), check_dir=False, follow_symlink=True)),
        *Handlers(service).routes(),
    ]


async def _page(request: Request) -> Response:
    index = page_folder() / "index.html"
    if not index.exists():
        raise ApiError(404, "The page's files are not installed.")
    return FileResponse(index, headers={"cache-control": "no-cache"})


async def _script(request: Request) -> Response:
    text = bundle.script(page_folder() / "js", request.url.path.rpartition("/")[2])
    return _unless_known(request, Response(text, media_type="text/javascript"))


async def _style(request: Request) -> Response:
    return _unless_known(request, Response(bundle.style(page_folder() / "css"), media_type="text/css"))


def _unless_known(request: Request, answer: Response) -> Response:
    """Return an answer, or 304 if the browser has it."""
    tag = f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    answer.headers.update(headers)
    return answer


class _Static(StaticFiles):
    """Static files that browsers ask about each time, so that a new version shows at once."""

    def file_response(self, *args: Any, **settings: Any) -> Response:
        response = super().file_response(*args, **settings)
        response.headers["cache-control"] = "no-cache"
        return response


async def _forget_idle(store: SessionStore) -> None:
    while True:
        await anyio.sleep(_IDLE_CHECK)
        await anyio.to_thread.run_sync(store.forget_idle)


async def _api_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)  # registered for it
    return error_response(error)


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    messages = {404: "There is no such address.", 405: f"{request.method} is not allowed here."}
    status = error.status_code
    code = CODES.get(status, "bad_request")
    return error_response(ApiError(status, messages.get(status, error.detail), code))


async def _server_error(request: Request, error: Exception) -> JSONResponse:
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return error_response(ApiError(500, "The server has failed; its terminal says more."))

"""The server of ``german-whist serve``: it serves the page, answers its requests, and ends cleanly on a signal.

It stores no games; the browser keeps them. A browser's storage belongs to an origin, so the port has to stay the same.
The token in the URL, which keeps out other sites and other users of the machine, stays the same, too.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import logging
import mimetypes
import re
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import anyio
import segno
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from german_whist.solver.tablebase.cache import limit_tablebases
from german_whist.solver.tablebase.kinds import DEFAULT_CARDS
from german_whist.table.address import DEFAULT_HOST, DEFAULT_PORT, kept_token
from german_whist.table.api import Answer, Api
from german_whist.table.bundle import POLICY, page_files
from german_whist.table.page_data import ServeOptions

_THREADS = 4  # questions answered at the same time; others wait for their turn
_WAITING = 64  # questions waiting at most; more get status 503
_BACKLOG = 2048
_LAST_ANSWERS = 1  # seconds after the signal in which questions may still be answered
_COMPRESSION = 6  # the highest level is 9
MAX_BODY = 32 * 1024  # bytes; a whole history takes a tenth of this
_TYPES = {".webmanifest": "application/manifest+json", ".js": "text/javascript", ".wasm": "application/wasm"}
_LOCAL = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
_LOCAL_NAMES = ("localhost", *_LOCAL.values())
_ANY_HOST = ("0.0.0.0", "::", "")
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # reserved for documentation
_HOST = re.compile(r"[^]:@/\s[*]+")
_HEADERS = {
    "content-security-policy": "; ".join((*POLICY, "frame-ancestors 'none'")),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # the URL contains the token
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_LOG = logging.getLogger(__name__)


def make_app(api: Api, token: str, host: str = DEFAULT_HOST, allowed_hosts: Sequence[str] = ()) -> Starlette:
    """Return the application.

    Every path begins with the token. ``Host`` has to be a name of this server, which prevents DNS rebinding. Requests
    need no check of ``Origin``: browsers ask before other sites may send ``application/json``, and are not answered.

    Args:
        api: answers the requests.
        token: the first segment of every path.
        host: the address that the server listens on; for all addresses, any ``Host`` is allowed.
        allowed_hosts: names under which a proxy serves the page, from ``allowed_host``.
    """
    hosts = ["*"] if host in _ANY_HOST else [_shown(name) for name in (*_LOCAL_NAMES, host, *allowed_hosts)]
    routes = [
        *(
            Route(f"/{'' if name == 'index.html' else name}", _file(name, text))
            for name, text in page_files(api.options).items()
        ),
        Route("/api/act", _question(api.act), methods=["POST"]),
        Route("/api/advise", _question(api.advise), methods=["POST"]),
        Route("/api/warm", lambda request: JSONResponse({"warm": api.is_warm.is_set()})),
    ]
    return Starlette(
        routes=[
            Route(f"/{token}", lambda request: RedirectResponse(f"{token}/")),  # relative, for proxies
            Mount(f"/{token}", routes=routes),
            Mount("/", _without_token),
        ],
        exception_handlers={HTTPException: _refuse, Exception: _fail},
        middleware=[
            Middleware(_SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
            Middleware(GZipMiddleware, compresslevel=_COMPRESSION),
        ],
    )


class _SecurityHeaders:
    """Middleware that adds security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


async def _without_token(scope: Scope, receive: Receive, send: Send) -> None:
    raise HTTPException(403, "The address lacks the token: open the address that german-whist serve printed.")


def allowed_host(name: str) -> str:
    """Return the name of an additional host.

    Raises:
        ValueError: if it is not a plain host name or IPv4 address.
    """
    if name in _ANY_HOST or not _HOST.fullmatch(name):
        raise ValueError(f"allow-host must be a host name or IPv4 address, without scheme, port or path, got {name!r}")
    return name.lower()


def _file(name: str, content: bytes) -> Callable[[Request], Any]:
    """Return a handler that serves a file, or 304 if the browser has this version, so that a new one shows at once."""
    suffix = Path(name).suffix
    kind = _TYPES.get(suffix) or mimetypes.types_map.get(suffix, "application/octet-stream")
    headers = {"etag": f'"{hashlib.sha256(content).hexdigest()[:32]}"', "cache-control": "no-cache"}

    async def answer(request: Request) -> Response:
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return answer


def _question(think: Callable[[Any], Answer]) -> Callable[[Request], Any]:
    """Return a handler that answers a question in a thread, so that a thinking agent does not block other requests."""
    limiter: list[anyio.CapacityLimiter] = []

    async def answer(request: Request) -> Response:
        body = await _body(request)
        if not limiter:
            limiter.append(anyio.CapacityLimiter(_THREADS))
        if limiter[0].statistics().tasks_waiting >= _WAITING:
            raise HTTPException(503, "Too many questions at once: try again in a moment.")
        try:
            found = await anyio.to_thread.run_sync(think, body, limiter=limiter[0])
        except ValueError as error:
            _LOG.info("refused: %s", error, exc_info=True)  # the traceback says whether the fault is ours
            raise HTTPException(400, str(error)) from None
        return Response(json.dumps(found), media_type="application/json")

    return answer


async def _body(request: Request) -> Any:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "The body must be application/json.")
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                raise HTTPException(413, f"The body is larger than {MAX_BODY // 1024} kB.")
        return json.loads(body)
    except ClientDisconnect:
        raise HTTPException(400, "The body is incomplete.") from None  # nobody is left to read this
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"The body is not JSON: {error}") from None


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # registered for it
    return JSONResponse({"error": error.detail}, error.status_code)


async def _fail(request: Request, error: Exception) -> Response:
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "The server has failed; its terminal says more."}, 500)


class _Server(uvicorn.Server):
    """A uvicorn server that a signal ends with exit code 0."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.should_exit = True  # uvicorn's own handler would raise the signal again at the end


def serve(
    options: ServeOptions,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    *,
    allowed_hosts: Sequence[str] = (),
    opens_browser: bool = True,
) -> None:
    """Serve the page until a signal arrives.

    Args:
        options: the options of the command line.
        host: the address to listen on.
        port: the port; 0 for any free one.
        allowed_hosts: names under which a proxy serves the page, from ``allowed_host``.
        opens_browser: whether to open the page in the desktop's browser.

    Raises:
        ValueError: if the server cannot listen on the address, or there is no such game or agent.
        OSError: if the address cannot be printed.
    """
    limit_tablebases(DEFAULT_CARDS)  # searches take a fifth longer than with larger tables, but 190 MB less memory
    with contextlib.closing(listen(host, port)) as listener:
        token = kept_token()
        api = Api(options)
        config = uvicorn.Config(
            make_app(api, token, host, allowed_hosts),
            log_level="critical",  # errors of the application are logged by _fail
            timeout_graceful_shutdown=_LAST_ANSWERS,
            access_log=False,
            server_header=False,
            ws="none",
            lifespan="off",
        )
        # The socket is listening, so clients that connect from now on are served as soon as the server runs.
        address = _announce(host, f"{listener.getsockname()[1]}/{token}/")
        threading.Thread(target=api.warm_up, daemon=True).start()
        if opens_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        _Server(config).run(sockets=[listener])


def _announce(host: str, path: str) -> str:
    """Print the addresses of the page and return the one for this machine."""
    family = _family(host)
    address = f"http://{_shown(_LOCAL[family] if host in _ANY_HOST else host)}:{path}"
    print(f"German Whist is served at {address}", flush=True)
    if host in _ANY_HOST and (name := _network_name(family)) is not None:
        elsewhere = f"http://{_shown(name)}:{path}"
        print(f"and to other devices of this network at {elsewhere}\n{_qr_code(elsewhere)}", flush=True)
    return address


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        ValueError: if the address cannot be used; if another program is listening there, the message says so.
    """
    # asyncio disables Nagle's algorithm only if the protocol is given; otherwise every answer waits 40 ms for an ACK.
    listener = socket.socket(_family(host), socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror
        if error.errno == errno.EADDRINUSE:
            reason = "another program uses it; --port N picks another, where the browser keeps other games"
        raise ValueError(f"{host}:{port} cannot be served: {reason}") from None
    return listener


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _network_name(family: socket.AddressFamily) -> str | None:
    """Return this machine's address on the network, the one from which it would send; ``None`` without a network."""
    with socket.socket(family, socket.SOCK_DGRAM) as sender, contextlib.suppress(OSError):
        sender.connect((_ELSEWHERE[family], 9))  # UDP only picks a route here and sends nothing
        return str(sender.getsockname()[0])
    return None


def _qr_code(text: str) -> str:
    """Return a QR code in block characters."""
    code = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(code, border=2, compact=True)
    return code.getvalue()

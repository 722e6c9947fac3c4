"""The server process: a socket, uvicorn, and a calm end on SIGINT and SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import io
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import segno
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from german_whist.envs.utils.files import check_writable
from german_whist.session.warm_up import warm_up
from german_whist.solver.tablebase.cache import limit_tables
from german_whist.solver.tablebase.kinds import DEFAULT_CARDS
from german_whist.web.app import make_app
from german_whist.web.data_folder import (
    keep_address,
    kept_address,
    kept_token,
    make_folder,
    only_server,
)
from german_whist.web.guard import ANY_HOST
from german_whist.web.service import ServeOptions

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8917

_BACKLOG = 2048
_CONNECTIONS = 2000  # more at once are answered with status 503
_LAST_ANSWERS = 1.0  # seconds from the signal on
_LOCAL = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # addresses that nobody has


class _Server(uvicorn.Server):
    """Prints its addresses once it answers, then warms up; a signal ends it with exit code 0.

    Attributes:
        failure: why the addresses could not be printed, which ends it, too.
    """

    failure: OSError | None = None

    def __init__(
        self, config: uvicorn.Config, address: str, elsewhere: str | None, options: ServeOptions, opens_browser: bool
    ) -> None:
        super().__init__(config)
        self._address, self._elsewhere = address, elsewhere
        self._options, self._opens_browser = options, opens_browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        try:
            print(f"German Whist is served at {self._address}", flush=True)
            if self._elsewhere is not None:
                print(f"and to other devices of this network at {self._elsewhere}", flush=True)
                print(_qr_code(self._elsewhere), flush=True)
        except OSError as error:
            self.failure, self.should_exit = error, True
            return
        threading.Thread(target=warm_up, args=(self._options.rules, self._options.agent), daemon=True).start()
        if self._opens_browser:
            threading.Thread(target=webbrowser.open, args=(self._address,), daemon=True).start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Unlike uvicorn's own, this does not raise the signal again at the end, and a second one skips nothing: if the
        # database were not closed, a bot that is ended then would lose its deal.
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(_LAST_ANSWERS, self._give_up)
        await super().shutdown(sockets)

    def _give_up(self) -> None:
        """Close the connections that wait for an answer. The card that an agent thinks about has been saved."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        for task in list(self.server_state.tasks):
            task.cancel()


def _cancelled_quietly(app: ASGIApp) -> ASGIApp:
    """Return an application for which a cancelled request is no error."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await app(scope, receive, send)

    return call


def serve(
    options: ServeOptions,
    folder: Path,
    host: str = DEFAULT_HOST,
    port: int | None = None,
    *,
    allowed_hosts: Sequence[str] = (),
    opens_browser: bool = True,
) -> None:
    """Serve the page until a signal ends it. Every session is on disk by then: each card was saved when it was played.

    Where another server uses the data folder, its address is printed and opened instead.

    Args:
        options: defaults of new sessions.
        folder: the data folder.
        host: the address to listen on.
        port: the port; 0 for any free one, ``None`` for 8917, or a free one if that is taken.
        allowed_hosts: names under which a proxy serves the page, from ``allowed_host``.
        opens_browser: whether to open the page in the browser of the desktop.

    Raises:
        ValueError: if the address cannot be listened on, or the data folder cannot be used.
        OSError: if the address cannot be printed.
    """
    with only_server(check_writable(make_folder(folder))) as alone:
        if alone:
            _serve(options, folder, host, port, allowed_hosts, opens_browser=opens_browser)
            return
    address = kept_address(folder)
    print(f"German Whist is already served at {address}")
    print(f"The games in {folder} have one server at a time; --data names another folder.", flush=True)
    if opens_browser:
        webbrowser.open(address)


def _serve(
    options: ServeOptions,
    folder: Path,
    host: str,
    port: int | None,
    allowed_hosts: Sequence[str],
    *,
    opens_browser: bool,
) -> None:
    limit_tables(DEFAULT_CARDS)  # searches take a fifth longer than with larger tables, and 190 MB less
    token = kept_token(folder)
    app = make_app(options, folder, token, hosts=(host,), allowed_hosts=allowed_hosts)
    listener = listen(host, port)
    family, path = _family(host), f"{listener.getsockname()[1]}/{token}/"
    address, elsewhere = f"http://{_shown(host)}:{path}", None
    if host in ANY_HOST:
        address = f"http://{_shown(_LOCAL[family])}:{path}"
        name = _network_name(family)
        elsewhere = None if name is None else f"http://{_shown(name)}:{path}"
    keep_address(folder, address)
    config = uvicorn.Config(
        _cancelled_quietly(app),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        limit_concurrency=_CONNECTIONS,
    )
    server = _Server(config, address, elsewhere, options, opens_browser)
    with contextlib.closing(listener):
        server.run(sockets=[listener])
    if server.failure is not None:
        raise server.failure


def listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens.

    Raises:
        ValueError: if it cannot.
    """
    ports = (DEFAULT_PORT, 0) if port is None else (port,)
    for number in ports:
        # With the protocol named, asyncio turns Nagle's algorithm off; else every answer waits 40 ms for an ACK.
        listener = socket.socket(_family(host), socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(_BACKLOG)
        except OSError as error:
            listener.close()
            if number == ports[-1]:
                raise ValueError(f"{host}:{number} cannot be served: {error.strerror}") from None
            continue
        return listener
    raise AssertionError("unreachable")


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _network_name(family: socket.AddressFamily) -> str | None:
    """Return this machine's address on the network, that is, the one from which it would send; ``None`` without one."""
    with socket.socket(family, socket.SOCK_DGRAM) as sender, contextlib.suppress(OSError):
        sender.connect((_ELSEWHERE[family], 9))  # which sends nothing
        return str(sender.getsockname()[0])
    return None


def _qr_code(text: str) -> str:
    """Return a QR code in block characters; empty where the terminal cannot show them."""
    code = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(code, border=2, compact=True)
    try:
        code.getvalue().encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return ""
    return code.getvalue()

"""The page on a static host, without a server that thinks."""

from __future__ import annotations

import gzip
import socket
import threading
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class StaticSite:
    """A folder on a host that compresses, as most do; ``stop`` takes the connection away.

    Attributes:
        address: the address of the page, which lies in ``play/``.
    """

    def __init__(self, folder: Path) -> None:
        """Serve a folder."""
        self._server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/play/"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()
        for connection in self._server.connections:
            with suppress(OSError):  # the browser has closed it
                connection.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingHTTPServer):
    """Remembers its connections: browsers keep them open."""

    daemon_threads = True

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.connections: list[socket.socket] = []

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address


class _Handler(SimpleHTTPRequestHandler):
    """Answers with compressed files."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        is_empty = path.name == "empty"  # tests write settings there; a service worker asks, so no route can answer
        if not is_empty and not path.is_file():
            self.send_error(404)
            return
        body = gzip.compress(b'<link rel="icon" href="data:,">' if is_empty else path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("content-type", "text/html" if is_empty else self.guess_type(str(path)))
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *given: object) -> None:
        """Say nothing."""

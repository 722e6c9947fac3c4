"""The page without a server, on a static host."""

from __future__ import annotations

import gzip
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class StaticSite:
    """A folder on a host that compresses, as most do; ``stop`` takes the connection away.

    Attributes:
        address: the address of the page.
        requested: paths that were asked for.
    """

    def __init__(self, folder: Path) -> None:
        """Serve a folder under a path of some depth."""
        self.requested: list[str] = []
        handler = partial(_Handler, self.requested, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/play/"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, requested: list[str], *given: object, directory: str) -> None:
        self._requested = requested
        super().__init__(*given, directory=directory)  # type: ignore[arg-type]

    def do_GET(self) -> None:  # noqa: N802 - the name of the base class
        self._requested.append(self.path)
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("content-type", self.guess_type(str(path)))
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *given: object) -> None:
        """Say nothing."""

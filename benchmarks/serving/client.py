"""A server in a process of its own, and a small HTTP client for many connections at once."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit


class Server(NamedTuple):
    """A running server.

    Attributes:
        host: its host.
        port: its port.
        prefix: what every path begins with.
        process: its process id.
    """

    host: str
    port: int
    prefix: str
    process: int

    def memory(self) -> int:
        """Return the memory that the process holds, in bytes; 0 where the system does not tell."""
        try:
            pages = int(Path(f"/proc/{self.process}/statm").read_text(encoding="ascii").split()[1])
        except OSError:
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def running_server(folder: str) -> Iterator[Server]:
    """Start ``german-whist serve`` with a data folder, and end it.

    Raises:
        ValueError: if it does not start.
    """
    command = [sys.executable, "-m", "german_whist", "serve", "--no-browser", "--port", "0", "--data", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # a pipe
        line = process.stdout.readline()
        if not line:
            raise ValueError("german-whist serve did not start")
        address = urlsplit(line.split()[-1])
        try:
            yield Server(str(address.hostname), int(address.port or 0), address.path, process.pid)
        finally:
            process.terminate()


class Connection:
    """One connection that is kept open.

    Attributes:
        received: bytes of all answers, without their headers.

    Raises:
        ValueError: for an answer with an error.
    """

    def __init__(self, server: Server) -> None:
        """Use a server; the first request connects."""
        self._server, self.received = server, 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request and return the JSON of its answer."""
        server = self._server
        if self._streams is None:
            self._streams = await asyncio.open_connection(server.host, server.port)
        reader, writer = self._streams
        content = b"" if body is None else json.dumps(body).encode()
        lines = (
            f"{method} {server.prefix}{path} HTTP/1.1",
            f"Host: {server.host}:{server.port}",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
        )
        writer.write("\r\n".join((*lines, "", "")).encode() + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        length = int(headers["content-length"])
        self.received += length
        answer = json.loads(await reader.readexactly(length))
        status = int(head[0].split()[1])
        if status >= 400:
            raise ValueError(f"{method} {path}: status {status}: {answer}")
        return answer

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()

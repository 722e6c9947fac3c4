"""``german-whist serve``: the page's weight, the time of an agent's answer, and 200 tables at once."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from german_whist.benchmarks.harness import Figure, Skipped, Tick

SUBJECT = "serve"
PROGRAM = [sys.executable, "-m", "german_whist"]
NETWORK = "champion"
SEARCHES = ("champion:search=256", "mc:worlds=60", "ismcts:iterations=500", "pimc:worlds=20")  # all levels that search
TABLES = 200
PAGE_LIMIT = 60_000.0  # bytes
FIRST_VISIT = (  # what the page asks for until the first game is on the table
    ("GET", ""),
    ("GET", "static/css/style.css"),
    ("GET", "static/js/main.js"),
    ("GET", "static/cards.svg"),
    ("GET", "static/icon.svg"),
    ("GET", "api/catalog"),
    ("GET", "api/sessions"),
    ("POST", "api/sessions"),
)
ANSWER_LIMITS = (0.1, 1.0)  # seconds, of a network and of a search
MEMORY_LIMIT = 400e6  # bytes
GROWTH_LIMIT = 1.2  # of memory, by playing on at new tables

_SMALL = {"rules": "small", "agent": "small"}  # of the many tables
_WARM_UP = 3.0  # seconds in which the server loads kernels and tables: a person is not at an endgame by then
_ROUNDS = 3  # of memory: the first fills caches, the later ones should add nothing


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
    command = [*PROGRAM, "serve", "--no-browser", "--port", "0", "--data", folder]
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

    Raises:
        ValueError: for an answer with an error.
    """

    def __init__(self, server: Server) -> None:
        """Use a server; the first request connects."""
        self._server = server
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
        answer = json.loads(await reader.readexactly(int(headers["content-length"])))
        status = int(head[0].split()[1])
        if status >= 400:
            raise ValueError(f"{method} {path}: status {status}: {answer}")
        return answer

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()


def measure_serve(seconds: float, tick: Tick, tables: int = TABLES) -> list[Figure | Skipped]:
    """Measure a server in a process of its own; ``seconds`` for each kind of agent, then some deals at every table."""
    try:
        import uvicorn  # noqa: F401 - the server imports it
    except ImportError as error:
        return [Skipped.missing(SUBJECT, "the server", error)]
    figures: list[Figure | Skipped] = []
    with tempfile.TemporaryDirectory() as folder, running_server(folder) as server:
        size = float(page_bytes(server))
        figures.append(Figure(SUBJECT, "the page with its first game", " B", size, limit=PAGE_LIMIT))
        asyncio.run(answer_times(server, NETWORK, min(_WARM_UP, seconds)))
        agents = (NETWORK, *SEARCHES)
        for place, agent in enumerate(agents):
            limit = ANSWER_LIMITS[agent in SEARCHES]
            times = asyncio.run(answer_times(server, agent, seconds))
            for name, time_taken in (("median", statistics.median(times)), (f"slowest of {len(times)}", max(times))):
                figures.append(Figure(SUBJECT, f"answer of {agent}, {name}", "s", time_taken, limit=limit))
            tick((place + 1) / (len(agents) + _ROUNDS))
        memory = []
        for number in range(_ROUNDS):
            began = time.perf_counter()
            answers = asyncio.run(play_tables(server, tables))
            rate = answers / (time.perf_counter() - began)
            memory.append(server.memory())
            tick((len(agents) + 1 + number) / (len(agents) + _ROUNDS))
    figures.append(Figure(SUBJECT, f"answers at {tables} tables at once", "/s", rate))
    figures.append(Figure(SUBJECT, f"memory after {tables} deals", " B", float(memory[0])))
    last = float(memory[-1])
    figures.append(Figure(SUBJECT, f"memory after {_ROUNDS * tables} deals", " B", last, limit=MEMORY_LIMIT))
    growth = memory[-1] / memory[0] if memory[0] else 1.0  # 0 where the system does not tell
    figures.append(Figure(SUBJECT, "growth of memory", "", growth, limit=GROWTH_LIMIT))
    return figures


def page_bytes(server: Server) -> int:
    """Return the size of ``FIRST_VISIT``, compressed as browsers get it, without headers.

    Raises:
        ValueError: for an answer with an error.
    """
    size = 0
    with contextlib.closing(http.client.HTTPConnection(server.host, server.port)) as connection:
        for method, path in FIRST_VISIT:
            headers = {"accept-encoding": "gzip", "content-type": "application/json"}
            connection.request(method, server.prefix + path, "{}" if method == "POST" else None, headers)
            answer = connection.getresponse()
            size += len(answer.read())
            if answer.status >= 400:
                raise ValueError(f"{method} {path}: status {answer.status}")
    return size


async def answer_times(server: Server, agent: str, seconds: float) -> list[float]:
    """Play the first legal card in classic deals against an agent, and return the time of each answer."""
    connection = Connection(server)
    times: list[float] = []
    session = await connection.request("POST", "api/sessions", {"rules": "classic", "agent": agent, "seat": 1})
    while session["position"]["decision"]:  # the first deal, which loads what the agent needs, does not count
        session = await _play(connection, session)
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends or not times:
        if session["position"]["decision"] is None:
            session = await connection.request("POST", f"api/sessions/{session['id']}/next", _version(session))
        began = time.perf_counter()
        session = await _play(connection, session)
        times.append(time.perf_counter() - began)
    await connection.close()
    return times


async def play_tables(server: Server, tables: int) -> int:
    """Play one deal at each of many tables at once, and return the number of answers.

    Raises:
        ValueError: if any of them is an error.
    """
    return sum(await asyncio.gather(*(_play_deal(server, seed) for seed in range(tables))))


async def _play_deal(server: Server, seed: int) -> int:
    connection, answers = Connection(server), 0
    session = await connection.request("POST", "api/sessions", {**_SMALL, "seed": seed, "seat": 0})
    while session["position"]["decision"]:
        session = await _play(connection, session)
        answers += 1
    await connection.close()
    return answers


async def _play(connection: Connection, session: Any) -> Any:
    word = session["position"]["decision"]["actions"][0]["action"]
    body = {**_version(session), "action": word}
    return await connection.request("POST", f"api/sessions/{session['id']}/action", body)


def _version(session: Any) -> dict[str, Any]:
    return {"version": session["version"]}

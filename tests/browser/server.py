"""``german-whist serve`` in a process of its own."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from tests.processes import RUN, USE_SMALL_TABLES

AGENT = "heuristic"
# The page does not wait for the warm-up, and few tests need what it loads.
PROGRAM = f"{USE_SMALL_TABLES}from german_whist.web import server; server.warm_up = lambda *_: None\n{RUN}"


class Server:
    """A server that can be stopped, killed and started again on the same port and data.

    Attributes:
        address: the address of the page, token included.
    """

    def __init__(self, data: Path, rules: str = "small", agent: str = AGENT) -> None:
        """Choose the folder that sessions are kept in, and what the page proposes."""
        self._data, self._rules, self._agent = data, rules, agent
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        """Start the server, and wait until it says its address."""
        command = [sys.executable, "-c", PROGRAM, "serve", "--no-browser", "--port", str(self._port)]
        command += ["--data", str(self._data), "--agent", self._agent, "--rules", self._rules, "--seed", "7"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().split()[-1]
        self._port = int(self.address.split(":")[2].split("/")[0])

    def kill(self) -> None:
        """End the server without any warning."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the server to leave."""
        self._end(signal.SIGTERM)

    def fill_disk(self, *, full: bool = True) -> None:
        """Let no file of the server grow, or let them again (Linux)."""
        assert self._process is not None
        limits = (0 if full else resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, limits)

    def _end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(timeout=20)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def create(self, **choices: Any) -> str:
        """Create a session and return its id."""
        return str(self.ask("sessions", {"agent": AGENT, "seed": 7, **choices})["id"])

    def session(self, session: str) -> Any:
        """Return a session as the page gets it."""
        return self.ask(f"sessions/{session}")

    def ask(self, address: str, body: dict[str, Any] | None = None) -> Any:
        """Return the answer of the API to GET, or to POST if there is a body."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}api/{address}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

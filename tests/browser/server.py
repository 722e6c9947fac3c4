"""``german-whist serve`` in another process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.processes import RUN, USE_SMALL_TABLES

AGENT = "heuristic"
# Few tests need what the warm-up loads. The server is cold as long as its folder has a file of this name.
COLD = "cold"
_WARM_UP = f"""
import os, pathlib, time
from german_whist.table.api import Api

def warm_up(api):
    while pathlib.Path(os.environ["XDG_DATA_HOME"], "{COLD}").exists():
        time.sleep(0.05)
    api.is_warm.set()

Api.warm_up = warm_up
"""
PROGRAM = f"{USE_SMALL_TABLES}{_WARM_UP}\n{RUN}"


class Server:
    """A server that can be stopped, killed and started again on the same port, with the same token.

    Attributes:
        address: the address of the page, token included.
    """

    def __init__(self, data: Path, rules: str = "small", *agents: str) -> None:
        """Choose the folder of the token, and what the page proposes."""
        self._data, self._rules, self._agents = data, rules, agents or (AGENT,)
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        """Start the server, and wait until it says its address."""
        command = [sys.executable, "-c", PROGRAM, "serve", "--no-browser", "--port", str(self._port)]
        command += ["--rules", self._rules, "--seed", "7", *(f"--agent={agent}" for agent in self._agents)]
        place = {**os.environ, "XDG_DATA_HOME": str(self._data)}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=place)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().split()[-1]
        self._port = int(self.address.split(":")[2].split("/")[0])

    def kill(self) -> None:
        """End the server without any warning."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the server to leave."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(timeout=20)
        assert self._process.stdout is not None
        self._process.stdout.close()

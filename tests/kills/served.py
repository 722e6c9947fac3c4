"""A server in a process of its own, which is killed while somebody plays."""

from __future__ import annotations

import resource
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from httpx2 import Client, Response, TimeoutException, TransportError

from tests.processes import PROGRAM

STOPS = ("SIGKILL", "SIGKILL", "SIGTERM", "SIGINT", "a full disk")
SECONDS = 2.0  # of play, at most
PATIENCE = 120  # seconds for a server to end, or to answer


def problems(client: Client, told: dict[str, dict[str, Any]]) -> list[str]:
    """Return what is not as the page was told, or not counted, or not counted once.

    Args:
        client: asks the server.
        told: all sessions as they were last answered, by id; those that went on meanwhile are replaced.
    """
    found = []
    for identifier, before in told.items():
        answer = client.get(f"api/sessions/{identifier}")
        if answer.status_code != 200:
            found.append(f"{identifier}: status {answer.status_code}: {answer.text}")
            continue
        now = told[identifier] = answer.json()
        if now["version"] < before["version"] or now["deals"][: len(before["deals"])] != before["deals"]:
            found.append(f"{identifier} was at version {before['version']}, and is at {now['version']}")
    counted = client.get("api/statistics/export").json()
    finished = [(key, one["deal"], one["margin"]) for key, now in told.items() for one in now["deals"]]
    won = [key for key, now in told.items() if now["match"] is not None and now["match"]["winner"] is not None]
    ours = [(one["session"], one["deal"], one["margin"]) for one in counted["deals"]]
    if sorted(ours) != sorted(finished):
        found.append(f"counted, not over, or not counted: {sorted(set(ours) ^ set(finished)) or 'one twice'}")
    if sorted(one["session"] for one in counted["matches"]) != sorted(won):
        found.append(f"{len(counted['matches'])} matches are counted, not {len(won)}")
    return found


class Server:
    """A server that is attacked while somebody plays.

    Attributes:
        kills: what has been done to it.
        problems: what went wrong.
        told: the sessions as they were last answered, by id.
    """

    def __init__(self, folder: Path) -> None:
        """Prepare a server with this data folder, without starting it."""
        self.kills: list[str] = []
        self.problems: list[str] = []
        self.told: dict[str, dict[str, Any]] = {}
        self._folder = folder
        self._seconds = 10.0  # until it answers
        self._playing: dict[str, Any] | None = None

    def _start(self) -> subprocess.Popen[str]:
        words = [*PROGRAM, "serve", "--data", str(self._folder), "--no-browser", "--port", "0", "--rules", "tiny"]
        return subprocess.Popen(
            [*words, "--agent", "greedy"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def attack(self, rng: np.random.Generator) -> None:
        """Start the server, check what it knows, play, and stop it at a random moment."""
        how = str(rng.choice(STOPS))
        process = self._start()
        stopping = threading.Thread(target=_stop, args=(process, how, rng.uniform(0, self._seconds + SECONDS)))
        stopping.start()
        began = time.monotonic()
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1:]
        if address:
            self._seconds = time.monotonic() - began
            try:
                with Client(base_url=address[0], timeout=PATIENCE) as client:
                    self._check(client)
                    while True:
                        self._play(client, rng, may_refuse=how == "a full disk")
            except TimeoutException:
                self.problems.append(f"{how}: no answer for {PATIENCE} s")
            except TransportError:
                pass  # it is gone
        stopping.join()
        error = process.communicate(timeout=PATIENCE)[1]
        code, stop = process.returncode, getattr(signal, how, signal.SIGKILL)
        program_began = "init_import_site" not in error  # else Python was interrupted while it started
        if program_began and (
            code not in (0, 130, -stop) or ("Traceback" in error and "KeyboardInterrupt" not in error)
        ):
            self.problems.append(f"{how}: exit code {code}, {error[-300:]!r}")
        self.kills.append(how)

    def finish(self) -> int:
        """Check what a server knows that is left alone, and return how many deals are over."""
        process = self._start()
        assert process.stdout is not None
        with Client(base_url=process.stdout.readline().split()[-1], timeout=PATIENCE) as client:
            self._check(client)
        process.terminate()
        process.communicate(timeout=PATIENCE)
        if process.returncode != 0:
            self.problems.append(f"in the end: exit code {process.returncode}")
        return sum(len(session["deals"]) for session in self.told.values())

    def _check(self, client: Client) -> None:
        self.problems += [f"after {', '.join(self.kills[-3:])}: {what}" for what in problems(client, self.told)]
        if self._playing is not None:
            self._playing = self.told[self._playing["id"]]

    def _play(self, client: Client, rng: np.random.Generator, *, may_refuse: bool) -> None:
        """Play a card, go on to the next deal, or begin a session."""
        session = self._playing
        if session is not None and session["position"]["decision"]:
            action = session["position"]["decision"]["actions"][0]["action"]
            answer = self._post(client, "action", {"action": action})
        elif session is not None and session["can"]["next"] and len(session["deals"]) < 20:
            answer = self._post(client, "next", {})
        else:
            match = "best_of:3" if rng.random() < 0.5 else None
            answer = client.post("api/sessions", json={"match": match, "seed": int(rng.integers(2**32))})
        if answer.is_success:
            self._playing = answer.json()
            self.told[self._playing["id"]] = self._playing
        elif not (may_refuse and answer.status_code == 507):
            self.problems.append(f"status {answer.status_code}: {answer.text}")
            self._playing = None

    def _post(self, client: Client, name: str, fields: dict[str, Any]) -> Response:
        session = self._playing
        assert session is not None
        body = {"version": session["version"], **fields}
        return client.post(f"api/sessions/{session['id']}/{name}", json=body)


def _stop(process: subprocess.Popen[str], how: str, seconds: float) -> None:
    """Stop a server after some seconds, where its disk is full a moment later; one that goes on is killed."""
    time.sleep(seconds)
    if how == "a full disk":
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        time.sleep(0.3)
        process.kill()
        return
    process.send_signal(getattr(signal, how))
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()

"""Warm-up: the server answers meanwhile, and afterwards nothing is left to load."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("uvicorn")

from german_whist.session import warm_up as module
from german_whist.session.warm_up import warm_up
from german_whist.web import server
from german_whist.web.service import ServeOptions
from tests.processes import USE_SMALL_TABLES, children, is_running, wait_until
from tests.web.test_serve import ask


def test_the_server_answers_while_it_warms_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, warm, found = threading.Event(), threading.Event(), []

    def slow(rules: str, agent: str | None) -> None:
        go_on.wait(30)
        warm.set()

    async def visit(self: Any) -> None:
        """Ask while the server runs, and let it end."""
        answer = await anyio.to_thread.run_sync(ask, f"{self._address}api/sessions")
        found.append((answer, warm.is_set()))
        go_on.set()
        self.should_exit = True

    monkeypatch.setattr(server, "warm_up", slow)
    monkeypatch.setattr(server._Server, "main_loop", visit)
    server.serve(ServeOptions(rules="tiny", agent="greedy"), tmp_path, port=0, opens_browser=False)
    assert found == [({"sessions": []}, False)]
    assert warm.wait(30)


def tell_process(folder: str, agent: str | None, is_ready: Connection) -> None:
    """Fill the cache in two steps, the second of which waits until the server has loaded the first."""
    Path(folder, "process").write_text(str(os.getpid()), encoding="ascii")
    is_ready.send(True)
    wait_until(Path(folder, "loaded").exists)


def test_where_the_cache_of_kernels_is_new_another_process_fills_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, loaded = tmp_path / "process", tmp_path / "loaded"
    monkeypatch.setattr(module, "kernel_cache", lambda: tmp_path)
    monkeypatch.setattr(module, "_fill", tell_process)
    monkeypatch.setattr(module, "_load", lambda rules, agent: loaded.touch())
    warm_up(str(tmp_path))
    assert told.read_text(encoding="ascii") != str(os.getpid())
    for made in (told, loaded):
        made.unlink()
    warm_up(str(tmp_path))
    assert not told.exists()
    assert loaded.exists()


def fail(folder: str, agent: str | None, is_ready: Connection) -> None:
    raise SystemExit(1)


def test_where_the_other_process_ends_early_the_server_loads_for_itself_and_tries_again_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(module, "kernel_cache", lambda: tmp_path)
    monkeypatch.setattr(module, "_fill", fail)
    monkeypatch.setattr(module, "_load", lambda rules, agent: loaded.append(rules))
    warm_up("tiny")
    assert loaded == ["tiny"]
    assert not [*tmp_path.iterdir()]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc")
def test_the_process_that_compiles_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    code = "from german_whist.session.warm_up import warm_up; warm_up('tiny')"
    environment = {**os.environ, "GERMAN_WHIST_CACHE": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(children(process.pid)) == 2)  # it, and Python's own that tidies up
    started = children(process.pid)
    process.kill()
    process.wait()
    try:
        wait_until(lambda: not any(map(is_running, started)))
    finally:
        for one in filter(is_running, started):
            os.kill(one, signal.SIGKILL)


NOTHING_LEFT = """
from numba.core.dispatcher import Dispatcher

from german_whist.agents.registry import make_agent
from german_whist.session.coach.hints import hint
from german_whist.session.coach.reviews import review
from german_whist.session.game_session import Session
from german_whist.envs.agent import ask
from numpy import zeros
from german_whist.session.settings import Settings
from german_whist.web.session_json import session_json
from german_whist.session.warm_up import warm_up

warm_up("small", "small")
late, load = [], Dispatcher.compile

def loading(self, signature):
    late.append(self.py_func.__name__)
    return load(self, signature)

Dispatcher.compile = loading
session = Session(Settings(rules="small", agent="small", seed=3))
session.reply()
session.ask(hint)
person = make_agent("small")
while not session.deal.done:
    session.act(int(ask(person, session.deal.batch, zeros(1, int), None)[0]))
    session.reply()
    session_json(session)
review(session.deal, 0, session.names)
print(late)
"""


def test_afterwards_the_first_card_hint_and_review_load_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", USE_SMALL_TABLES + NOTHING_LEFT],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_an_agent_that_does_not_play_the_game_is_logged(classic_agent: str, caplog: pytest.LogCaptureFixture) -> None:
    warm_up("small", classic_agent)
    assert "trained for 'classic'" in caplog.text

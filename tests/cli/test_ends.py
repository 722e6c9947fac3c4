"""Commands that are killed or get Ctrl-C end at once, and so does all that they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.processes import PROGRAM, RUN, USE_SMALL_TABLES, WITHIN, children, is_running, slow_bot, wait_until

in_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc")


def start(*words: str, program: Sequence[str] = PROGRAM) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def end(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """Kill a command, or interrupt it with the processes of its group, and return its standard error."""
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    try:
        return process.communicate(timeout=WITHIN)[1]
    finally:
        process.kill()


@pytest.mark.nightly
@in_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_command(number: signal.Signals, tmp_path: Path) -> None:
    process = start(
        "evaluate", slow_bot(tmp_path / "bot"), "random", "--deals", "1", "--rules", "tiny", "--workers", "1"
    )
    wait_until((tmp_path / "bot").exists)
    started = children(process.pid)
    assert int((tmp_path / "bot").read_text()) in started
    errors = end(process, number)
    try:
        wait_until(lambda: not any(map(is_running, started)))
    finally:
        for one in filter(is_running, started):
            os.kill(one, signal.SIGKILL)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert "Traceback" not in errors
    assert errors == "" or number == signal.SIGKILL  # multiprocessing then reports what its parent leaked


@pytest.mark.nightly
def test_error_in_worker_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Bot:\n    def act(self, decisions):\n        return 1 / 0\n")
    process = start(*f"evaluate python:{tmp_path}/mine.py:Bot random --deals 1 --rules tiny --workers 1".split())
    assert "mine.py, line 3: ZeroDivisionError" in process.communicate(timeout=120)[1]
    assert process.returncode == 2


def test_interrupt_during_search() -> None:
    # It says when a thread searches, which takes a minute or so. The second before that is for the main thread:
    # Python can miss a Ctrl-C that comes in the instant in which it starts to wait for threads, until one has finished.
    watch = """
import threading, time

def watch():
    while not any("ThreadPool" in thread.name for thread in threading.enumerate()):
        time.sleep(0.01)
    time.sleep(1)
    print("searches", flush=True)

threading.Thread(target=watch, daemon=True).start()
"""
    program = (sys.executable, "-c", USE_SMALL_TABLES + watch + RUN)
    process = start("evaluate", "mc:worlds=100_000", "random", "--deals", "100", program=program)
    assert process.stdout is not None
    assert process.stdout.readline() == "searches\n"
    errors = end(process, signal.SIGINT)
    assert process.returncode == 130
    assert "Traceback" not in errors

"""Commands that are killed or get Ctrl-C end at once, and so does all that they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import PROGRAM, USE_SMALL_TABLES, WITHIN, children, is_running, slow_bot, wait_until

in_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc")


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
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
    (tmp_path / "mine.py").write_text("class Bot:\n    def act(self, views, rng):\n        return 1 / 0\n")
    process = start(*f"evaluate python:{tmp_path}/mine.py:Bot random --deals 1 --rules tiny --workers 1".split())
    assert "mine.py, line 3: ZeroDivisionError" in process.communicate(timeout=120)[1]
    assert process.returncode == 2


def test_interrupt_during_search() -> None:
    # It sends itself the signal as soon as it has a thread that searches, for a minute or so.
    code = """
import os, signal, threading, time
from german_whist.cli import run_program

def interrupt():
    until = time.monotonic() + 60
    while not (searches := any("ThreadPool" in thread.name for thread in threading.enumerate())):
        if time.monotonic() > until:
            break
        time.sleep(0.01)
    print("interrupted" if searches else "no search", flush=True)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
run_program()
"""
    words = [sys.executable, "-c", USE_SMALL_TABLES + code, "evaluate", "mc:worlds=100_000", "random", "--deals", "100"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "interrupted\n"
            errors = process.communicate(timeout=30)[1]
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in errors

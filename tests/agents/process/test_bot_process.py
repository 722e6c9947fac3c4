"""The process of a bot that does not read, or prints too much: nothing hangs, and nothing is left of it."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from german_whist.agents.process.bot_process import MAX_LINE, BotError, BotProcess
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from tests.agents.process.bots import FIRST, bot
from tests.processes import wait_until

LINE = b"x" * 20_000 + b"\n"  # a few of them fill a pipe


def running(code: str) -> BotProcess:
    return BotProcess([sys.executable, "-S", "-c", f"import os, sys, time\n{code}"])


def ask_until_it_fails(process: BotProcess, seconds: float) -> tuple[int, str, float]:
    """The number of replies, the error that ends them, and how long it took."""
    began = time.monotonic()
    for replies in range(50):
        try:
            assert process.ask(LINE, seconds)
        except BotError as error:
            return replies, str(error), time.monotonic() - began
        time.sleep(0.01)
    raise AssertionError("it goes on")


def test_the_time_limit_holds_while_a_bot_that_answers_does_not_read() -> None:
    process = running("for _ in range(1000): print('a reply', flush=True)\ntime.sleep(60)")
    replies, reason, seconds = ask_until_it_fails(process, 0.4)
    assert replies > 0
    assert reason == "time limit: no reply within 0.4 s"
    assert seconds < 10


def test_a_line_that_the_bot_is_slow_to_read_is_written_within_the_time_limit() -> None:
    process = running("time.sleep(0.2)\nfor line in sys.stdin: print(len(line), flush=True)")
    line = b"x" * 2_000_000 + b"\n"
    assert process.ask(line, 20.0) == b"2000001\n"
    process.end()


def test_a_bot_that_reads_no_more_fails_at_once() -> None:
    process = running("os.close(0)\nprint('a reply', flush=True)\ntime.sleep(60)")
    _, reason, seconds = ask_until_it_fails(process, 30.0)
    assert reason == "it closed its input or output"
    assert seconds < 20


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs a list of open files")
@pytest.mark.parametrize(
    "code",
    [
        "while True: print('talk', flush=True)",
        "line = sys.stdin.readline()\nprint('reply\\n' * 50, flush=True)\ntime.sleep(60)",
        "os.close(0)\nwhile True: print('talk', flush=True)",
        f"print('x' * {2 * MAX_LINE}, flush=True)\ntime.sleep(60)",
        "time.sleep(60)",
    ],
)
def test_an_ended_process_leaves_no_thread_and_no_open_file(code: str) -> None:
    threads, files = threading.active_count(), len(os.listdir("/dev/fd"))
    process = running(code)
    ask_until_it_fails(process, 0.2)
    process.end()
    wait_until(lambda: threading.active_count() <= threads)
    wait_until(lambda: len(os.listdir("/dev/fd")) <= files)


def test_a_bot_that_nobody_holds_any_more_is_ended() -> None:
    threads = threading.active_count()
    process = running("for line in sys.stdin: print(line, end='', flush=True)")
    assert process.ask(b"line\n", 20.0) == b"line\n"
    pid = process._process.pid
    del process
    wait_until(lambda: threading.active_count() <= threads)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_talkative_bot_loses_its_deals_and_leaves_nothing(tmp_path: Path) -> None:
    threads = threading.active_count()
    agent = make_agent(bot(tmp_path, f"[say({FIRST}) for _ in range(50)]"))
    for _ in range(2):
        reasons = [one.reason for one in play_match(agent, "greedy", deals=4, rules="tiny").forfeits]
        assert any("it replied to request" in reason for reason in reasons)
    wait_until(lambda: threading.active_count() <= threads)

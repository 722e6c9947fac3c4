"""What is printed, or returned to be printed, can be written where standard output lacks suit signs."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from german_whist.envs.utils.plain_text import writable
from tests.docs.examples import ROOT, blocks

FIRST = next(block.text for block in blocks(ROOT / "README.md") if block.kind == "python")
MORE = """
import gymnasium
from german_whist.envs.text.rules_text import rules_text
gymnasium.make("german_whist:GermanWhist-v0", render_mode="human").reset(seed=1)
envs = gymnasium.make_vec("german_whist:GermanWhist-v0", 1, render_mode="ansi")
envs.reset(seed=1)
print(*envs.render())
print(gw.play_match("random", "greedy", deals=10, rules="tiny"))
print(gw.play_series("random", "greedy", "best_of:3", matches=5, rules="tiny"))
recordings = []
gw.play_match("random", "greedy", deals=1, rules="tiny", record=recordings.append)
print(recordings, gw.agent_names(), [(gw.rules(name), rules_text(name)) for name in gw.rule_names()])
print(gw.observation_layout("classic"))
for call in (lambda: gw.card("x" * 999), lambda: gw.DealBatch("tiny").history()):
    try:
        call()
    except ValueError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("encoding", "program", "tables"),
    [("cp1252", FIRST, 1), ("cp437", FIRST, 1), ("ascii", FIRST + MORE, 3)],
)
def test_the_first_example_and_results_print_in_any_encoding(encoding: str, program: str, tables: int) -> None:
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={name: value for name, value in os.environ.items() if name not in hidden} | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=240,
        check=False,
    )
    text = done.stdout.decode(encoding)
    assert done.returncode == 0, done.stderr.decode(encoding)
    assert text.startswith("German Whist   trumps D ")
    assert text.count("German Whist   trumps ") == tables
    assert "?" not in text


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("latin-1", "SA ± 1.5 ..."),
        *((encoding, "SA +-1.5 ...") for encoding in ("ascii", "no such encoding")),
        *((encoding, "♠A ± 1.5 …") for encoding in ("utf-8", "utf-8-sig", "utf-16", None)),
    ],
)
def test_a_stream_gets_what_its_encoding_has(encoding: str | None, written: str) -> None:
    stream: Any = SimpleNamespace(encoding=encoding)
    assert writable("♠A ± 1.5 …", stream) == written

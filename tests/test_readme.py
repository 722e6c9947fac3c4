"""The README's examples, run as they stand."""

import re
import shlex
from pathlib import Path

import pytest

from german_whist.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON = [text for kind, text in BLOCKS if kind == "python"]
COMMANDS = [line for kind, text in BLOCKS if kind == "console" for line in text.splitlines()]

# What keeps a training example short; the rest of its line is as written.
SHORT = ["--decisions", "4000", "--num_envs", "16", "--hidden", "[16]", "--final_deals", "20", "--evaluate_deals", "20"]


@pytest.mark.parametrize("code", PYTHON, ids=[f"block {i}" for i in range(len(PYTHON))])
def test_python_example_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


def test_commands_run_in_order_and_exit_cleanly(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        program, *words = shlex.split(command)
        assert program == "german-whist"
        if words[0] == "train" and "--resume" not in words:
            at = words.index("--decisions")
            words[at : at + 2] = []
            words += SHORT
        assert main(words) == 0, command
        assert capsys.readouterr().out, command


def test_first_screen_shows_the_two_commands():
    first = BLOCKS[0][1]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make quickstart", "make test"]


def test_every_linked_file_exists():
    root = Path(__file__).parents[1]
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (root / link).exists()] == []

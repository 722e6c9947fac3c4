"""Runs the examples of a Markdown page, and finds its links.

The kind of a code block says what becomes of it:

- ``python``: executed, each block in a namespace of its own, so that a reader can copy it alone. One that begins with
  the name of a file, as ``# my_bot.py``, is written there too.
- ``console``: every line is a ``german-whist`` command and must exit with 0. Long ones get fewer decisions and deals.
- ``output``: what the block before it must have printed; ``...`` stands for any text.
- ``yaml``: a training configuration, written to the file that its first line names.
- ``sh``: not run (set-up, several processes, hours of training), but its commands, modules and extras must exist. The
  exception is ``make quickstart``, whose training run is made, a short one: later examples of the page use its agent.
- anything else shows something and is left alone.

All blocks of a page share a working directory.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from german_whist.cli import build_parser, main
from german_whist.evaluation import benchmark
from german_whist.training.recipes import load_config

ROOT = Path(__file__).parents[2]

# What keeps a training example short; a trainer that does not know a setting goes without it.
SMALL_RUN = {
    "decisions": "400",
    "num_envs": "16",
    "batch_size": "64",
    "suit_layers": "0",
    "hidden": "[16]",
    "value_hidden": "[16]",
    "checkpoint_every": "200",
    "evaluate_deals": "10",
    "final_deals": "10",
    "processes": "1",
}
FEWER = {"--deals": 10}
LONGER_RUN = {"--decisions": 800}  # a run that goes on
OF_INIT = ("hidden", "suit_layers", "value_hidden")  # settings that ``init`` takes from its network


class Block(NamedTuple):
    """A fenced block: its kind, its text, and the line of the page that its text begins in."""

    kind: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```([^\n`]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(m[1].strip(), m[2], text.count("\n", 0, m.start(2)) + 1) for m in found]


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every example of a page in ``folder``, from top to bottom."""
    monkeypatch.chdir(folder)
    printed = ""
    for block in blocks(page):
        place = f"{page.relative_to(ROOT)}:{block.line}"
        if block.kind == "python" and _lacks_a_library(block.text):
            printed = ""
        elif block.kind == "python":
            if found := re.match(r"# (\w+\.py)\n", block.text):
                Path(found[1]).write_text(block.text, encoding="utf-8")
            printed = _run_python(block, page)
        elif block.kind == "console":
            printed = "".join(_run_command(line, place, monkeypatch) for line in block.text.splitlines())
        elif block.kind == "output":
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert doctest.OutputChecker().check_output(block.text, printed, flags), f"{place}: prints\n{printed}"
        elif block.kind == "yaml":
            name = block.text.partition("\n")[0].removeprefix("# ")
            Path(name).write_text(block.text, encoding="utf-8")
            load_config(name)
        elif block.kind == "sh":
            for line in block.text.splitlines():
                check_command(line, place)
                if line == "make quickstart":
                    _run_command(made_by("quickstart"), place, monkeypatch)


def _lacks_a_library(text: str) -> bool:
    """Return whether a block imports a tracker that is not installed here."""
    found = re.search(r"^import (wandb|mlflow|optuna|hydra)$", text, re.MULTILINE)
    return found is not None and find_spec(found[1]) is None


def _run_python(block: Block, page: Path) -> str:
    out = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")  # errors point at the line of the page
    with contextlib.redirect_stdout(out):
        exec(code, {"__name__": f"tests.{page.stem}"})
    return out.getvalue()


def _run_command(line: str, place: str, monkeypatch: pytest.MonkeyPatch) -> str:
    program, *words = shlex.split(line, comments=True)
    assert program == "german-whist", f"{place}: {line}"
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))  # `play` is left at once
    monkeypatch.setattr(benchmark, "LADDER", tuple(rung._replace(deals=FEWER["--deals"]) for rung in benchmark.LADDER))
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(shortened(words))
    assert code == 0, f"{place}: {line}\n{errors.getvalue()}"
    assert out.getvalue(), f"{place}: {line} prints nothing"
    return out.getvalue()


def made_by(target: str) -> str:
    """Return the ``german-whist`` command that ``make TARGET`` ends with."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(rf"^{target}:.*\n\t\$\(BIN\)/(german-whist .*)$", makefile, re.MULTILINE)
    assert found, target
    return found[1]


def shortened(words: list[str]) -> list[str]:
    """Return a command with fewer decisions and deals, the rest as it stands."""
    words = list(words)
    for option, most in (FEWER | (LONGER_RUN if "--resume" in words else {})).items():
        if option in words:
            place = words.index(option) + 1
            words[place] = str(min(int(words[place]), most))
    if words[0] != "train" or "--resume" in words:
        return words
    for key in SMALL_RUN:
        if f"--{key}" in words:
            place = words.index(f"--{key}")
            words[place : place + 2] = []
    source = words[1] if len(words) > 1 and not words[1].startswith("--") else "quickstart"
    given = dict(zip((word.removeprefix("--") for word in words[2::2]), words[3::2], strict=False))
    small = {key: given[key] for key in ("trainer",) if key in given}
    for key, value in SMALL_RUN.items():
        with contextlib.suppress(ValueError):  # a setting that the trainer does not know
            if key not in OF_INIT or "init" not in given:
                load_config(source, {**small, key: value})
                small[key] = value
                words += [f"--{key}", value]
    return words


def check_command(line: str, place: str) -> None:
    """Check a command that is not run: what it names must exist."""
    words = shlex.split(line, comments=True)
    if not words:
        return
    if words[0] == "torchrun":
        words = ["python", *words[words.index("-m") :]]
    if words[:2] == ["python", "-m"]:
        assert find_spec(words[2]), f"{place}: no module {words[2]}"
        words = ["german-whist", *words[3:]] if words[2] == "german_whist" else words
    if words[0] == "german-whist":
        try:
            build_parser().parse_args(words[1:])
        except SystemExit as refused:
            raise AssertionError(f"{place}: {line}") from refused
    elif words[:2] == ["pip", "install"] or words[:3] == ["uv", "pip", "install"]:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for extra in re.findall(r"\[(.+?)\]", " ".join(words)):
            assert set(extra.split(",")) <= set(project["optional-dependencies"]), f"{place}: {line}"
    elif words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{words[1]}:", makefile, re.MULTILINE), f"{place}: {line}"
    else:
        assert words[0] in ("python", "source", "tensorboard"), f"{place}: {line}"


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def links(page: Path) -> Iterator[str]:
    """Yield the targets of a page's links and pictures that are no addresses of the web."""
    for target in re.findall(r"""(?:\]\(|(?:href|src)=")([^)"\s]+)""", prose(page)):
        if not re.match(r"[a-z]+:", target):
            yield target

"""The ``german-whist`` command: thin commands over the library."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from german_whist.cli.commands import (
    agents,
    bench,
    curve,
    draw,
    evaluate,
    explain,
    export,
    play,
    replay,
    rules,
    solve,
    table,
    train,
)
from german_whist.envs.utils.specs import unknown_name

OPTIONS = ("-h", "--help", "--version")  # before a command
COMMANDS = {
    "train": train,
    "curve": curve,
    "evaluate": evaluate,
    "play": play,
    "replay": replay,
    "draw": draw,
    "explain": explain,
    "export": export,
    "rules": rules,
    "agents": agents,
    "solve": solve,
    "table": table,
    "bench": bench,
}

# What a command needs beyond the core install, and the extra that brings it.
EXTRA_OF_MODULE = {
    "torch": "train",
    "stable_baselines3": "train",
    "sb3_contrib": "train",
    "tensorboard": "train",
    "matplotlib": "train",
    "onnx": "export",
    "PIL": "render",
    "pygame": "bench",
    "rlcard": "bench",
    "pyspiel": "bench",
}

INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line on standard error, with exit code 2."""

    def __init__(self, **settings: Any) -> None:
        """Take no abbreviated options, for a new one must not change what an old command means; keep examples whole."""
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse; an option that does not exist is refused with the nearest that does."""
        options, rest = super().parse_known_args(args, namespace)
        unknown = next((word for word in rest if word.startswith("--")), None)
        if unknown is not None:
            options_shown = self._option_string_actions.items()
            known = [name for name, it in options_shown if name.startswith("--") and it.help != argparse.SUPPRESS]
            self.error(str(unknown_name("option", unknown.partition("=")[0], known)))
        return options, rest

    def error(self, message: str) -> NoReturn:
        """Say what was wrong and leave."""
        self.exit(2, f"{self.prog}: {' '.join(message.split())}\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command."""
    parser = _Parser(
        prog="german-whist",
        description="German Whist for reinforcement learning: train agents by self-play and measure them.",
        epilog="example: german-whist evaluate heuristic greedy --deals 1000",
    )
    parser.add_argument("--version", action="version", version=f"german-whist {version('german-whist')}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS.values():
        module.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, or 2 with one line on standard error for bad input."""
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has left (as `head` does): say nothing more, not even when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _run(words: Sequence[str]) -> int:
    try:
        _check_first(words)
        options = build_parser().parse_args(words)
        return int(options.run(options))
    except SystemExit as leaving:
        # argparse leaves with 0 or 2, rich with 1 when the reader of its tables has left.
        return 0 if leaving.code == 1 else int(leaving.code or 0)
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRA_OF_MODULE:
            raise
        extra = EXTRA_OF_MODULE[module]
        return _refuse(f'{module} is not installed: pip install "german-whist[{extra}]"')
    except (ValueError, FloatingPointError) as error:
        return _refuse(str(error))
    except MemoryError as error:
        return _refuse(f"not enough memory: {str(error).partition(' with shape')[0]}")
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk, a folder that has gone
        return _refuse(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def _check_first(words: Sequence[str]) -> None:
    """Refuse what cannot stand first: argparse would only say that a command is required."""
    if not words:
        raise ValueError(f"a command is needed: {', '.join(COMMANDS)}")
    if words[0].startswith("-") and words[0] not in OPTIONS:
        raise unknown_name("option", words[0], OPTIONS)
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        raise unknown_name("command", words[0], COMMANDS)


def _refuse(message: str) -> int:
    line = " ".join(message.split())
    print(f"german-whist: {line}", file=sys.stderr)
    return 2

"""The ``german-whist`` command: thin commands over the library."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import german_whist
from german_whist.cli import agents, bench, evaluate, train
from german_whist.envs.names import unknown_name

COMMANDS = {"train": train, "evaluate": evaluate, "agents": agents, "bench": bench}

# What a command needs beyond the core install, and the extra that brings it.
EXTRA_OF_MODULE = {
    "torch": "train",
    "stable_baselines3": "train",
    "sb3_contrib": "train",
    "tensorboard": "train",
    "matplotlib": "train",
    "pygame": "bench",
    "rlcard": "bench",
}

INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line on standard error, with exit code 2."""

    def __init__(self, **settings: Any) -> None:
        """Take no abbreviated options: a new option must not change what an old command means."""
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse; an option that does not exist is refused with the nearest that does."""
        options, rest = super().parse_known_args(args, namespace)
        unknown = next((word for word in rest if word.startswith("--")), None)
        if unknown is not None:
            known = [name for name in self._option_string_actions if name.startswith("--")]
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
    parser.add_argument("--version", action="version", version=f"german-whist {german_whist.__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS.values():
        module.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, or 2 with one line on standard error for bad input."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = build_parser()
    try:
        _check_command(words)
        options = parser.parse_args(words)
        return int(options.run(options))
    except SystemExit as leaving:
        return int(leaving.code or 0)
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
        # The reader has left (as `head` does): say nothing more, not even when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, a folder that has gone
        return _refuse(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def _check_command(words: Sequence[str]) -> None:
    first = next((word for word in words if not word.startswith("-")), None)
    if first is not None and first not in COMMANDS and words[0] == first:
        raise unknown_name("command", first, COMMANDS)


def _refuse(message: str) -> int:
    line = " ".join(message.split())
    print(f"german-whist: {line}", file=sys.stderr)
    return 2

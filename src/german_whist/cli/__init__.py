"""The ``german-whist`` command: its parser, and errors as a single line."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, NoReturn

from german_whist import __version__
from german_whist.cli.commands import (
    agents,
    arena,
    benchmark,
    curve,
    draw,
    evaluate,
    exploit,
    hint,
    play,
    rules,
    serve,
    solve,
    train,
    warmup,
)
from german_whist.cli.terminal import BAD_INPUT, INTERRUPTED, wrapped
from german_whist.game.utils.libraries import missing_library
from german_whist.game.utils.names import unknown_name_error

COMMANDS = {
    "train": train,
    "curve": curve,
    "evaluate": evaluate,
    "exploit": exploit,
    "arena": arena,
    "benchmark": benchmark,
    "play": play,
    "serve": serve,
    "draw": draw,
    "rules": rules,
    "agents": agents,
    "solve": solve,
    "hint": hint,
    "warmup": warmup,
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, with the nearest option; descriptions are wrapped, examples are not."""

    def __init__(self, description: str, **settings: Any) -> None:
        """Refuse abbreviated options, so that a new option cannot change the meaning of an old command."""
        super().__init__(
            description=wrapped(description),
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **settings,
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse, with ``--batch_size`` as ``--batch-size``; an error for an unknown option names the nearest one."""
        words = [re.sub(r"^--[\w-]+", _hyphenated, word) for word in (sys.argv[1:] if args is None else args)]
        options, rest = super().parse_known_args(words, namespace)
        unknown = next((word for word in rest if word.startswith("-")), None)
        if unknown is not None:
            plain_help = re.sub(r"\x1b\[[\d;]*m", "", self.format_help())  # Python 3.14 adds colours
            known = re.findall(r"^  (?:-\w, )?(--[\w-]+)", plain_help, re.MULTILINE)
            self.error(str(unknown_name_error("option", unknown.partition("=")[0], known)))
        return options, rest

    def error(self, message: str) -> NoReturn:
        """Print the error and exit."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of one command, or of all, from which the documentation is generated."""
    parser = _Parser(
        prog="german-whist",
        description="German Whist for reinforcement learning: train agents by self-play and measure their strength.",
        epilog="example: german-whist evaluate heuristic greedy --deals 1000",
    )
    parser.add_argument("-V", "--version", action="version", version=f"german-whist {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in COMMANDS if command is None else [command]:
        try:
            COMMANDS[name].add_parser(subparsers)
        except ModuleNotFoundError:  # the settings of `train` need its extra
            if command is not None:
                raise
    return parser


def run_program() -> NoReturn:
    """Run the command and end the process, without waiting for threads that still search."""
    code = main()
    if threading.active_count() > 1:
        os._exit(code)
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        argv: the arguments; those of the process by default.

    Returns:
        0 on success; 2 on bad input, after one line on standard error; 130 after Ctrl-C.
    """
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell; no other file may get its number, which child processes would use
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - for as long as the process lives
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except SystemExit as exiting:
        own_line = _own_line(exiting)
        if own_line is None:  # argparse raises it
            return int(exiting.code or 0)
        message = own_line
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError as error:
        own_line = _own_line(error)
        if own_line is None:  # the reader has closed the pipe, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        message = own_line
    except ModuleNotFoundError as error:
        library = missing_library(error)
        if library is None:
            raise
        message = library.missing
    except OSError as error:
        message = _own_line(error) or (str(error) if error.filename is None else f"{error.filename}: {error.strerror}")
    except (ValueError, FloatingPointError, MemoryError, BrokenExecutor) as error:
        message = _own_line(error) or str(error)
    except Exception as error:
        own_line = _own_line(error)
        if own_line is None:
            raise
        message = own_line
    print(f"german-whist: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


def _own_line(error: BaseException) -> str | None:
    """Describe an exception raised in the user's own agent code, with its line; ``None`` for other exceptions."""
    if hasattr(error, "__notes__"):  # a worker process adds them
        return str(error.__notes__[0])
    external = sys.modules.get("german_whist.agents.external_agents")  # loaded if there is such an agent
    return None if external is None else external.own_line(error)


def _run(words: Sequence[str]) -> int:
    words = words or ["--help"]
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        raise unknown_name_error("command", words[0], COMMANDS)
    options = build_parser(words[0] if words[0] in COMMANDS else None).parse_args(words)
    return int(options.run(options))


def _hyphenated(option: re.Match[str]) -> str:
    return option[0].replace("_", "-")

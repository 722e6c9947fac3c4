"""The ``german-whist`` command: its parser, and errors as a single line."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any, NoReturn

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
from german_whist.cli.terminal import BAD_INPUT, INTERRUPTED, replace_closed_streams, use_plain_text
from german_whist.envs.utils.libraries import missing_library
from german_whist.envs.utils.processes import end_process
from german_whist.envs.utils.specs import printable, unknown_name_error

MAX_ERROR = 500  # characters
TOP_LEVEL_OPTIONS = ("-h", "--help", "--version")
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


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps descriptions to the width of the terminal; keeps examples and lists as they are written."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += 2  # commands are indented, which argparse overlooks: the longest would wrap

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text or text.startswith("example:"):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line on standard error, with exit code 2."""

    def __init__(self, **settings: Any) -> None:
        """Refuse abbreviated options, so that a new option cannot change the meaning of an old command."""
        settings.setdefault("formatter_class", _HelpFormatter)
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse, treating hyphens and underscores alike. An error for an unknown option names the nearest valid one."""
        words = [self._as_defined(word) for word in (sys.argv[1:] if args is None else args)]
        options, rest = super().parse_known_args(words, namespace)
        unknown = next((word for word in rest if word.startswith("--")), None)
        if unknown is not None:
            options_shown = self._option_string_actions.items()
            known = [name for name, entry in options_shown if name.startswith("--") and entry.help != argparse.SUPPRESS]
            self.error(str(unknown_name_error("option", unknown.partition("=")[0], known)))
        return options, rest

    def _as_defined(self, word: str) -> str:
        """Return an option with the hyphens and underscores of its definition: ``--batch-size`` as ``--batch_size``."""
        name, equals, value = word.partition("=")
        if name.startswith("--") and name not in self._option_string_actions:
            for known in self._option_string_actions:
                if known.replace("_", "-") == name.replace("_", "-"):
                    return known + equals + value
        return word

    def error(self, message: str) -> NoReturn:
        """Print the error and exit."""
        self.exit(BAD_INPUT, f"{_one_line(f'{self.prog}: {message}')}\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command; the documentation is generated from it."""
    parser = _Parser(
        prog="german-whist",
        description="German Whist for reinforcement learning: train agents by self-play and measure their strength.",
        epilog="example: german-whist evaluate heuristic greedy --deals 1000",
    )
    parser.add_argument("--version", action="version", version=f"german-whist {version('german-whist')}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS.values():
        module.add_parser(subparsers)
    return parser


def run_program() -> NoReturn:
    """Run the command and end the process with its exit code, without waiting for threads that still search."""
    code = main()
    if threading.active_count() > 1:
        end_process(code)
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        argv: the arguments; those of the process by default.

    Returns:
        0 on success; 2 on bad input, after one line on standard error; 130 after Ctrl-C.
    """
    replace_closed_streams()
    if sys.stdout is None:
        return _refuse("standard output is closed")
    use_plain_text()
    code = _run(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # then nothing more may be written, not even when Python flushes the streams at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def _run(words: Sequence[str]) -> int:
    try:
        code = _execute(words)
        sys.stdout.flush()
        return code
    except ModuleNotFoundError as error:
        library = missing_library(error)
        if library is None:
            raise
        return _refuse(f'{library.name} is not installed: pip install "german-whist[{library.extra}]"')
    except (ValueError, FloatingPointError) as error:
        return _refuse(_own_line(error) or str(error))
    except MemoryError as error:
        return _refuse(f"not enough memory: {str(error).partition(' with shape')[0]}")
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        return 0
    except OSError as error:  # such as a full disk or a deleted folder
        return _refuse(str(error) if error.filename is None else f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        own = _own_line(error)
        if own is None:
            raise
        return _refuse(own)


def _own_line(error: Exception) -> str | None:
    """Describe an exception raised in the user's own agent code, with its line; ``None`` for other exceptions."""
    own_code = sys.modules.get("german_whist.agents.own_code")  # loaded if there is such an agent
    return None if own_code is None else own_code.own_line(error)


def _execute(words: Sequence[str]) -> int:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise ValueError("the working directory has been deleted") from None
    try:
        if list(words) in ([], ["train"]):  # too little to know what to do
            words = [*words, "--help"]
        _check_first(words)
        options = build_parser().parse_args(words)
        return int(options.run(options))
    except SystemExit as exiting:
        # argparse exits with 0 or 2, rich with 1 when the reader has closed the pipe.
        return 0 if exiting.code == 1 else int(exiting.code or 0)


def _check_first(words: Sequence[str]) -> None:
    """Check the first word, because argparse would not name the nearest command."""
    if words[0].startswith("-") and words[0] not in TOP_LEVEL_OPTIONS:
        raise unknown_name_error("option", words[0], TOP_LEVEL_OPTIONS)
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        raise unknown_name_error("command", words[0], COMMANDS)


def _refuse(message: str) -> int:
    with suppress(OSError):
        print(_one_line(f"german-whist: {message}"), file=sys.stderr)
    return BAD_INPUT


def _one_line(message: str) -> str:
    """Return a message as one line of at most 500 characters, escaped because it may hold others' file names."""
    line = printable(" ".join(message.split()))
    return line if len(line) <= MAX_ERROR else f"{line[: MAX_ERROR - 1]}…"

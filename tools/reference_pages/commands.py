"""Every command of the command line, with its arguments, options and example."""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from collections.abc import Iterator
from unittest.mock import patch

from german_whist.cli import build_parser
from tools.markdown import fenced, markdown_table, plain

_KEPT = "\N{NO-BREAK SPACE}"  # no line may break there


def commands() -> str:
    """Return a section for each command."""
    with patch.dict(os.environ, {"COLUMNS": "1000", "NO_COLOR": "1"}):  # every Python breaks lines in another way
        return "\n\n".join(part for parser in _parsers() for part in _command(parser))


def _parsers() -> Iterator[argparse.ArgumentParser]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def _command(parser: argparse.ArgumentParser) -> list[str]:
    parts = [f"## {parser.prog}", plain(parser.description or ""), fenced("text", _usage(parser))]
    rows = []
    for group in parser._action_groups:
        if group.title == "settings":  # settings of training have a page of their own
            parts.append(f"Every key of [Training settings](training-settings.md) is an option: {group.description}.")
        else:
            rows += [_option(parser, action) for action in group._group_actions if _is_shown(action)]
    if rows:
        parts.append(markdown_table(("argument", "meaning"), rows))
    return parts + _epilog(parser.epilog or "")


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return a command's usage in lines that do not break within brackets."""
    usage = parser.format_usage().removeprefix("usage: ")
    usage = re.sub(r"\[(?:[^][]|\[[^][]*\])*\]", lambda found: found[0].replace(" ", _KEPT), usage)
    indent = " " * (len(parser.prog) + 1)
    lines = textwrap.wrap(usage, 78, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace(_KEPT, " ")


def _is_shown(action: argparse.Action) -> bool:
    return not isinstance(action, argparse._HelpAction) and action.help is not argparse.SUPPRESS


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> tuple[str, str]:
    value = parser._get_formatter()._format_args(action, action.dest.upper())
    names = ", ".join(action.option_strings)
    return f"`{f'{names} {value}'.strip()}`", plain((action.help or "") % {**vars(action), "prog": parser.prog})


def _epilog(text: str) -> list[str]:
    """Return what stands below a command's help: examples as commands, lists as they stand."""
    parts = []
    for paragraph in filter(None, text.strip().split("\n\n")):
        title, colon, rest = paragraph.partition(":")
        if colon and title in ("example", "examples"):
            parts += [f"{title.capitalize()}:", fenced("sh", "\n".join(map(str.strip, rest.strip().splitlines())))]
        else:
            parts.append(fenced("text", paragraph))
    return parts

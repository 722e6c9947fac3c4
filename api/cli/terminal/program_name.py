"""Commands that are printed to be copied into a shell."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

NAME = "german-whist"


def printed_command(*words: object) -> str:
    """Return a command of this program, quoted so that a POSIX shell takes every word as it is."""
    return f"{program_name()} {shlex.join(map(str, words))}"


def program_name() -> str:
    """Return the program's name if the shell finds it, else the path that was typed, as ``.venv/bin/german-whist``."""
    if shutil.which(NAME):
        return NAME
    return shlex.quote(sys.argv[0]) if Path(sys.argv[0]).name == NAME else "python -m german_whist"

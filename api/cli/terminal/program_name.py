"""How a printed command calls this program."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

NAME = "german-whist"


def program_name() -> str:
    """Return the program's name if the shell finds it, else the path that was typed, as ``.venv/bin/german-whist``."""
    if shutil.which(NAME):
        return NAME
    return sys.argv[0] if Path(sys.argv[0]).name == NAME else "python -m german_whist"

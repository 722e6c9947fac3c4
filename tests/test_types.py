"""The public types, as a user's type checker sees them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

MISTAKES = Path(__file__).with_name("type_mistakes.py")


def test_type_checker_finds_typical_mistakes() -> None:
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(MISTAKES)]
    lines = MISTAKES.read_text(encoding="utf-8").splitlines()
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    errors = {int(line) for line in re.findall(rf"^\S*{MISTAKES.name}:(\d+): error", found, re.MULTILINE)}
    assert errors == {number for number, line in enumerate(lines, 1) if line.endswith("# mistake")}, found
    assert len(errors) >= 20

"""Fuzz every input: ``python -m tests.fuzz --minutes 10``. A case is repeated with ``--only TARGET --case NUMBER``."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

from tests.fuzz.contract import BrokenError
from tests.fuzz.targets import TARGETS


def fuzz(name: str, seconds: float, first: int = 0, cases: int | None = None) -> tuple[int, list[int]]:
    """Run cases of a target and return how many, and the numbers of those that broke the contract."""
    broken: list[int] = []
    number = first
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        case = TARGETS[name](Path(folder))
        end = time.monotonic() + seconds
        while (cases is None and time.monotonic() < end) or (cases is not None and number < first + cases):
            try:
                case(np.random.default_rng([number, *name.encode()]))
            except BrokenError as error:
                broken.append(number)
                print(f"{name} {number}: {error}", flush=True)
                if error.__cause__ is not None and cases == 1:
                    traceback.print_exception(error.__cause__)
            number += 1
    return number - first, broken


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="of all targets together")
    parser.add_argument("--only", choices=TARGETS, help="one target")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="one case")
    given = parser.parse_args()
    names = [given.only] if given.only else list(TARGETS)
    failures = 0
    for name in names:
        one = given.case is not None
        done, broken = fuzz(
            name, 60 * given.minutes / len(names), given.case if one else given.first, 1 if one else None
        )
        failures += len(broken)
        print(f"{name}: {done:,} cases from {given.first}, {len(broken)} broke the contract", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

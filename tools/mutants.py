"""Mutation testing: plants small faults in the code, one at a time, and reports which of them the tests find.

``python -m tools.mutants game --tests tests/game --out before.json`` plants twenty faults. After removing
tests, ``--again before.json`` plants those that were found once more, and exits with 1 if the tests now miss one. Run
it in a fresh clone: a mutated file stays wrong until the tests have ended.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "+", ast.BitAnd: "|",
    ast.BitOr: "&", ast.BitXor: "|", ast.LShift: ">>", ast.RShift: "<<", ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=",
    ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Mutant(NamedTuple):
    """A fault: ``text`` replaces the bytes of a UTF-8 file from ``start`` to ``stop``."""

    file: str
    line: int
    start: int
    stop: int
    text: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield the faults that can be planted in a file: another operator, constant or condition."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: Any) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def fault(node: Any, start: int, stop: int, text: str) -> Mutant:
        return Mutant(str(path), node.lineno, start, stop, text)

    def between(left: Any, right: Any, operator: ast.AST) -> Iterator[Mutant]:
        start, stop = span(left)[1], span(right)[0]
        gap = source[start:stop].decode()
        old = ast.unparse(ast.BoolOp(operator, [left, right])) if isinstance(operator, ast.boolop) else ""
        sign = ("and" if " and " in old else "or") if old else gap.strip(" ()\n\\")
        if type(operator) in OPERATORS and gap.count(sign) == 1:
            yield fault(left, start, stop, gap.replace(sign, OPERATORS[type(operator)]))

    for node in _code(ast.parse(source)):
        if isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.comparators[0], node.ops[0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            other: float = not node.value if isinstance(node.value, bool) else node.value + 1
            yield fault(node, *span(node), repr(other))
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            start, stop = span(node.test)
            yield fault(node.test, start, stop, f"(not ({source[start:stop].decode()}))")


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are executed: no annotations, type-checking blocks, f-strings, assertions or ``raise``."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            skipped = name in ("annotation", "returns") or isinstance(child, (ast.JoinedStr, ast.Raise, ast.Assert))
            if isinstance(child, ast.AST) and not skipped and "TYPE_CHECKING" not in ast.dump(child)[:80]:
                yield child
                yield from _code(child)


def pytest_command(tests: list[str]) -> list[str]:
    """Return the command that runs tests until one fails."""
    return [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]


def is_found(mutant: Mutant, tests: list[str], seconds: float) -> bool:
    """Plant a fault, run the tests until one fails, restore the file, and return whether one failed."""
    path = Path(mutant.file)
    source = path.read_bytes()
    try:
        path.write_bytes(source[: mutant.start] + mutant.text.encode() + source[mutant.stop :])
        run = subprocess.Popen(
            pytest_command(tests), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            return run.wait(seconds) != 0
        except subprocess.TimeoutExpired:  # an endless loop
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            return True
    finally:
        path.write_bytes(source)


def main() -> int:
    """Plant faults, run the tests, and report which faults were found; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("code", nargs="*", type=Path, help="files to mutate, or folders of such files")
    parser.add_argument("--tests", nargs="+", required=True, help="arguments for pytest")
    parser.add_argument("--planted", type=int, default=20, help="number of faults (default 20)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the choice of faults (default 0)")
    parser.add_argument(
        "--seconds", type=float, default=600, help="time limit of the tests; a timeout counts as found (default 600)"
    )
    parser.add_argument("--out", type=Path, help="write the faults, and whether they were found, to this JSON file")
    parser.add_argument("--again", type=Path, help="plant the faults of such a file that were found then")
    options = parser.parse_args()
    if options.again is not None:
        chosen = [Mutant(*one["mutant"]) for one in json.loads(options.again.read_text()) if one["found"]]
    else:
        files = sorted({file for path in options.code for file in ([path] if path.is_file() else path.rglob("*.py"))})
        possible = [mutant for file in files for mutant in mutants(file)]
        chosen = random.Random(options.seed).sample(possible, min(options.planted, len(possible)))
    subprocess.run(pytest_command(options.tests), check=True)  # a command that fails by itself finds nothing
    results: list[tuple[Mutant, bool]] = []
    for mutant in chosen:
        found = is_found(mutant, options.tests, options.seconds)
        old = Path(mutant.file).read_bytes()[mutant.start : mutant.stop].decode()
        print(f"{'found ' if found else 'MISSED'} {mutant.file}:{mutant.line}: {old!r} → {mutant.text!r}", flush=True)
        results.append((mutant, found))
    number = sum(found for _, found in results)
    print(f"{number} of {len(results)} found, seed {options.seed}")
    if options.out is not None:
        rows = [{"mutant": mutant, "found": found} for mutant, found in results]
        options.out.write_text(json.dumps(rows, indent=1))
    return int(options.again is not None and number < len(results))


if __name__ == "__main__":
    sys.exit(main())

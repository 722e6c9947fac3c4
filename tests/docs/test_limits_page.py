"""``docs/reference/limits.md`` states the limits that the code has."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import german_whist
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \| ([\d,]+) \| `([\w.]+)\.(\w+)` \|$", PAGE, re.MULTILINE)


def test_every_row_of_the_table_is_read() -> None:
    assert len(ROWS) == PAGE.count("\n| ") - 2  # header and rule


@pytest.mark.parametrize(("number", "module", "name"), ROWS)
def test_a_limit_is_that_of_the_code(number: str, module: str, name: str) -> None:
    assert getattr(importlib.import_module(f"german_whist.{module}"), name) == int(number.replace(",", ""))


EXCEPTIONS = {
    "training.networks.MAX_GRAD_NORM",  # of every gradient step
    "training.value_fit.MAX_ROWS",  # a sample is large enough
    "agents.inference.deck_sampling_kernels.MAX_ITEMS",  # the longest history of any deal
    "agents.inference.deck_sampling_kernels.MAX_TRICKS",  # the longest deal
    "agents.inference.world_sampling_kernels.MAX_HAND",  # the largest hand of any game
    "agents.search.ismcts_kernels.MAX_PATH",  # more than the decisions of any deal
    "agents.search.rollout_kernels.MAX_RACE_CARDS",  # larger races are played by rules, not solved, in rollouts
    "evaluation.games.MAX_TASKS",  # into which a match is cut for its workers
}


def test_every_limit_of_the_code_has_a_row() -> None:
    found = set()
    package = Path(german_whist.__file__).parent
    for path in package.rglob("*.py"):
        module = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("MAX_"):
                found.add(f"{module}.{ast.unparse(node.targets[0])}")
    assert found - EXCEPTIONS == {f"{module}.{name}" for _, module, name in ROWS if name.startswith("MAX_")}
    assert found > EXCEPTIONS

"""``docs/reference/limits.md`` states the limits that the code has."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \| ([\d,]+) \| `([\w.]+)\.(\w+)` \|$", PAGE, re.MULTILINE)


def test_every_row_of_the_table_is_read() -> None:
    assert len(ROWS) == PAGE.count("\n| ") - 2  # header and rule


@pytest.mark.parametrize(("number", "module", "name"), ROWS)
def test_a_limit_is_that_of_the_code(number: str, module: str, name: str) -> None:
    assert getattr(importlib.import_module(f"german_whist.{module}"), name) == int(number.replace(",", ""))

"""The tables of old names in the glossary and the changelog: complete, and their new names exist."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

from german_whist.training.config import renamed
from tests.docs.examples import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## Old names")[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("### Renamed")[2]


@pytest.mark.parametrize("page", [GLOSSARY, CHANGELOG], ids=["glossary", "changelog"])
def test_every_renamed_setting_is_listed(page: str) -> None:
    rows = [re.findall(r"`([^`]+)`", line) for line in page.splitlines() if line.startswith("| `")]
    pairs = {pair for names in rows for pair in zip(names, names[len(names) // 2 :], strict=False)}
    assert set(renamed.KEYS.items()) <= pairs
    assert all(f"{key}: {old}" in page for key, names in renamed.VALUES.items() for old in names)


def test_every_new_module_of_the_changelog_exists() -> None:
    modules = []
    for line in CHANGELOG.splitlines():
        if line.startswith(("| `german_whist.", "| `python -m")):
            modules += re.findall(r"(german_whist[\w.]+)`", line.split("|")[2])
    assert len(modules) > 12
    for module in modules:
        assert find_spec(module), module

"""README.md: its examples run unchanged, its first screen shows the commands, and its badges are true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from german_whist.agents.pretrained import pretrained_networks, win_rate
from tests.docs.examples import ROOT, blocks, run_page

README = ROOT / "README.md"


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [block.kind for block in blocks(README)]
    assert {"python", "console"} <= set(kinds)
    run_page(README, tmp_path, monkeypatch)


def test_first_screen_shows_the_commands() -> None:
    first = blocks(README)[0].text
    commands = [line.split("#")[0].strip() for line in first.splitlines()]
    assert commands == ["make quickstart", "make play", "make test"]


def cells(page: Path) -> list[list[str]]:
    """Return the rows of all tables of a page."""
    return [line.strip("|").split("|") for line in page.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]


def test_strength_is_that_of_the_model_cards_and_of_the_record() -> None:
    record = {(row[1].strip(), row[4].strip()) for row in cells(ROOT / "docs/explanation/strength.md") if len(row) == 6}
    cards = {network.name: network.model_card["results"] for network in pretrained_networks()}
    rows = [[cell.strip() for cell in row] for row in cells(README)]
    header = next(row for row in rows if row[1] == "ms a decision")
    table = [row for row in rows[rows.index(header) + 2 :] if len(row) == len(header)]
    assert {row[0].split("`")[1] for row in table} >= set(cards)
    for name, _, *rates in table:
        results = cards.get(name.split("`")[1])
        for opponent, rate in zip(header[2:], rates, strict=True):
            plain = opponent.strip("`").removesuffix("+exact")
            if results is None:
                assert (f"`{plain}`", rate) in record, (name, opponent)
            else:
                own = opponent == "`heuristic`"  # each plays its own endgame
                assert rate == win_rate(results[plain if own else f"{plain}+exact"]), (name, opponent)


def test_badges_say_what_the_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [found[1] for one in project["classifiers"] if (found := re.fullmatch(r".* :: (3\.\d+)", one))]
    said = f"Python {versions[0]} to {versions[-1]}", f"licence: {project['license']}"
    for badge, words in zip(("python", "licence"), said, strict=True):
        picture = ElementTree.parse(ROOT / "docs" / "images" / f"badge-{badge}.svg").getroot()
        assert picture.attrib["aria-label"] == words
        assert "".join(picture.itertext()).split() == words.replace(":", "").split()

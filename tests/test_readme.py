"""README.md: its examples run unchanged, its first screen shows the commands, and its badges are true."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.pretrained import pretrained_networks, win_rate
from tests.docs.examples import ROOT, blocks, run_page

README = ROOT / "README.md"


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [block.kind for block in blocks(README)]
    assert {"python", "console"} <= set(kinds)
    run_page(README, tmp_path, monkeypatch)


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

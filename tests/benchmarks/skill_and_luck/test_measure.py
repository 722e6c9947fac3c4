"""The command that measures skill and luck, and the page that shows its figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from german_whist.arena.match import play_match
from german_whist.benchmarks.skill_and_luck.measure import main
from german_whist.benchmarks.skill_and_luck.report import SECTIONS, report, write_page

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "explanation" / "skill-and-luck.md"
AGENTS = ("random", "greedy", "heuristic")


def test_the_command_writes_all_figures_and_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("\n".join(f"# {name}\n<!-- measured: {name} -->\nold\n<!-- end -->" for name in SECTIONS))
    words = [*AGENTS, "--deals", "8", "--seed", "5", "--foreplay", "heuristic", "--out", str(tmp_path / "out")]
    assert main([*words, "--page", str(page)]) == 0
    figures = json.loads((tmp_path / "out" / "figures.json").read_text())
    assert figures["deals"] == 8
    assert figures["standings"]["agents"][0]["agent"] == "heuristic"
    for one in figures["record"]:
        again = one["command"].split()
        assert again[:2] == ["german-whist", "evaluate"]
        match = play_match(again[2], again[3], int(again[5]), int(again[7]))
        won = match.win_rate if again[2] == "heuristic" else 1 - match.win_rate
        assert one["win_rate"] == pytest.approx(won)
    for text in (capsys.readouterr().out, page.read_text()):
        assert all(section in text for section in report(figures).values())
    assert "old" not in page.read_text()
    assert (tmp_path / "out" / "skill-and-luck.png").stat().st_size > 10_000
    command = figures["command"]
    assert command.startswith("python -m german_whist.benchmarks.skill_and_luck.measure random greedy")
    assert "--out" not in command


@pytest.mark.parametrize(
    ("words", "message"),
    [(["random"], "at least 2"), (["random", "rando"], "rando"), (["random", "greedy", "--deals", "0"], "deals 0")],
)
def test_bad_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main([*words, "--out", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_a_page_without_a_place_for_a_section_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- measured: luck -->\n<!-- end -->")
    with pytest.raises(ValueError, match="'<!-- measured: stock -->' … '<!-- end -->' is there 0 times"):
        write_page(page, {"luck": "x", "stock": "y"})


def test_the_page_shows_the_figures_beside_it(tmp_path: Path) -> None:
    figures = json.loads((DOCS / "_static" / "skill-and-luck.json").read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"<!-- measured: (\w+) -->", text)) == set(SECTIONS)
    copy = tmp_path / "page.md"
    copy.write_text(text, encoding="utf-8")
    write_page(copy, report(figures))
    assert copy.read_text(encoding="utf-8") == text


def test_what_the_page_says_of_equal_agents_is_in_its_table() -> None:
    pairs = json.loads((DOCS / "_static" / "skill-and-luck.json").read_text(encoding="utf-8"))["luck"]
    equal = [pair for pair in pairs if abs(pair["win_rate"] - 0.5) <= 0.08]
    cards, seats = (
        f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"
        for shares in ([pair["shares"]["cards"] for pair in equal], [pair["both"]["seat"] for pair in equal])
    )
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"(at most 58 % of the games), the cards are about half of a result, {cards}, and the same seat" in text
    assert f"wins both games of {seats} of the deals" in text

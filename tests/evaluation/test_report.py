"""Results print as tables, and are HTML in a notebook."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from german_whist.evaluation.exploitability.best_response import exploitability
from german_whist.evaluation.match import play_match
from german_whist.evaluation.sprt import play_sprt
from german_whist.evaluation.tournament.play import play_tournament
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome

MARKUP = "<b>x & [red]co"  # the name of an agent that is neither HTML nor rich's markup


def outcome() -> TrainingOutcome:
    results = tuple(play_match("heuristic", other, deals=4, rules="tiny") for other in ("greedy", "random"))
    return TrainingOutcome(RunDirectory(Path("runs/quickstart")), 1024, results)


# What makes a result, and the figures that its table shows.
RESULTS: dict[str, tuple[Callable[[], Any], Callable[[Any], list[str]]]] = {
    "match": (
        lambda: play_match("heuristic", "random", deals=4, rules="tiny"),
        lambda result: [f"{100 * result.win_rate:.1f} %", f"{result.margin:+.2f}"],
    ),
    "matches of several deals": (
        lambda: play_match("heuristic", "random", match="best_of:3", deals=4, rules="tiny"),
        lambda result: [f"{100 * result.win_rate:.1f} %", f"{result.margin:+.2f}"],
    ),
    "sequential test": (
        lambda: play_sprt("heuristic", "random", elo0=0, elo1=50, seed=2, rules="small", max_deals=64),
        lambda result: [f"{result.nelo:+.1f}", f"{result.unbiased:+.1f}", f"{result.log_ratio:.2f}", f"{result.deals}"],
    ),
    "standings": (
        lambda: play_tournament(["random", "greedy", "heuristic"], deals=20, rules="tiny"),
        lambda result: [
            *(f"{rating:+z.0f}" for rating in result.ratings),
            f"{100 * result.pairs[0, 2].win_rate:.1f}",
            f"{100 * result.pairs[2, 0].win_rate:.1f}",
        ],
    ),
    "exploitability": (
        lambda: exploitability("greedy", "six_cards"),
        lambda result: [f"{result.nash_conv:.4f}", *(f"{value:+.4f}" for value in result.best_responses)],
    ),
    "training": (
        outcome,
        lambda result: ["1,024 decisions", *(f"{100 * one.win_rate:.1f} %" for one in result.results)],
    ),
}


def cells(line: str) -> list[str]:
    return [cell for cell in line.split("  ") if cell]


@pytest.mark.parametrize("kind", RESULTS)
def test_report_shows_its_figures(kind: str) -> None:
    make, figures = RESULTS[kind]
    result = make()
    text = str(result)
    results = getattr(result, "results", (result,))
    names = getattr(result, "agents", None) or [getattr(one, "second", None) or one.agent for one in results]
    for name in names:
        assert sum(name in map(str.strip, cells(line)) for line in text.splitlines()) == 1
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    assert {element.tag for element in page.iter()} >= {"table", "caption", "tr", "th", "td"}
    shown = "\n".join(page.itertext())
    assert sorted(shown.split()) == sorted(text.split())
    for figure in figures(result):
        assert figure in text
        assert figure in shown
    assert all(line == line.rstrip() for line in text.splitlines())


def test_name_is_escaped() -> None:
    result = dataclasses.replace(play_match("random", "greedy", deals=2, rules="tiny"), first=MARKUP)
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    assert next(page.iter("td")).text == MARKUP


def test_repr_is_one_line() -> None:
    result = outcome()
    assert repr(result).startswith("TrainingOutcome(heuristic, greedy, ")
    assert "stopped after 1,024 decisions" in repr(dataclasses.replace(result, results=()))

"""Small runs of the benchmarks of presets, OpenSpiel, threads, first call, frames and memory."""

from __future__ import annotations

import math

import pytest

from german_whist.benchmarks.harness.figures import Figure
from german_whist.benchmarks.speed import frames, games, memory, openspiel, threads
from german_whist.benchmarks.speed.batch import RandomPlay
from german_whist.benchmarks.startup import first_call
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.simulator.batch import DealBatch

SHORT = 0.02  # seconds


def nothing(share: float) -> None:
    assert 0 <= share <= 1


@pytest.mark.parametrize("rules", rule_names())
def test_random_play_counts_every_decision_of_a_game(rules: str) -> None:
    play = RandomPlay(8, observed=True, rules=rules)
    batch = DealBatch(rules, 1)
    fewest = 2 * (batch.rules.race or batch.rules.tricks)
    assert play() >= 8 * fewest


def test_every_preset_is_compared_with_the_classic_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "SIZE", 8)
    figures = games.measure(SHORT, nothing)
    assert {figure.name for figure in figures} == set(rule_names()) - {"classic"}
    assert all(isinstance(figure, Figure) and 0 < (figure.ratio or 0) < math.inf for figure in figures)


def test_openspiel_plays_whole_deals() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    assert openspiel.OpenSpielPlay(pyspiel)() > 0
    figures = openspiel.measure(SHORT, nothing)
    assert all(isinstance(figure, Figure) and 0 < (figure.ratio or 0) < math.inf for figure in figures)
    named = [(figure.name, figure.peer) for figure in figures if isinstance(figure, Figure)]
    assert named == [
        ("with obs. and mask", "gin_rummy"),
        ("inside OpenSpiel", "gin_rummy"),
        ("inside OpenSpiel", "python_tic_tac_toe"),
    ]


def test_threads_play_a_batch_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "SIZE", 16)
    assert threads.ThreadedPlay(2)() == 2 * threads.ThreadedPlay(1)()


def test_first_call_is_measured_with_an_empty_and_a_full_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_call, "seconds_of_first_deal", lambda cache: 1.0)
    (figure,) = first_call.measure(SHORT, nothing)
    assert isinstance(figure, Figure)
    assert figure.ratio == 1.0


def test_memory_sizes_are_those_of_the_arrays() -> None:
    sizes = {figure.name: figure.ours for figure in memory.measure(SHORT, nothing) if isinstance(figure, Figure)}
    assert sizes["an observation"] == 443
    assert sizes["an action mask"] == 52


def test_frames_are_drawn_at_every_decision() -> None:
    assert frames.DrawnDeal(lambda batch: None)() == 52
    (figure,) = frames.measure(SHORT, nothing)
    assert isinstance(figure, Figure)
    assert (figure.ratio or 0) > 0

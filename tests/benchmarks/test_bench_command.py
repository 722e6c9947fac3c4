from __future__ import annotations

import json
import re

import pytest
from rich.console import Console

from german_whist.benchmarks import catalog as subjects
from german_whist.benchmarks.harness import Figure, Skipped
from german_whist.cli import main
from german_whist.cli.commands.bench import amount

LINES = [
    Figure("aec", "steps", "/s", 120_000.0, "tictactoe_v3", 20_000.0),
    Figure("bots", "random decisions", "/s", 6e6),
    Skipped("training", "SB3 decisions", "torch is not installed: pip install it"),
]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "run_subjects", lambda names, seconds, tick: iter(LINES))


def test_a_real_run_gives_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "batch", "--seconds", "0.02", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [figure["subject"] for figure in report["figures"]] == ["batch", "batch"]
    assert all(figure["ours"] > 0 and figure["ratio"] > 0 for figure in report["figures"])
    assert report["skipped"] == []
    assert report["machine"]["cores"] >= 1
    assert report["machine"]["instruction_sets"].keys() == {"processor", "numba", "torch"}
    assert {"numpy", "numba", "pettingzoo", "gymnasium"} <= set(report["machine"]["versions"])


@pytest.mark.usefixtures("measured")
def test_the_table_has_ours_theirs_and_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 0
    out = capsys.readouterr().out
    [line] = [line for line in out.splitlines() if "tictactoe_v3" in line]
    assert "120 k/s" in line
    assert "20 k/s" in line
    assert "6 ×" in line
    assert "skipped: training, SB3 decisions: torch is not installed: pip install it" in out
    assert "cores" in out


@pytest.mark.parametrize("columns", [None, "80"])
def test_names_are_whole_in_a_pipe_and_in_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str | None
) -> None:
    names = [
        ("answer of champion:search=256, slowest of 12", "DummyVecEnv of 8"),
        ("one call of solve_endgame", "without tables"),
        ("inside OpenSpiel", "python_tic_tac_toe"),
        ("import german_whist", "pettingzoo, gymnasium"),
    ]
    lines = [Figure("training", name, "/s", 1.23e-5, peer, 123_456.0, limit=1.0) for name, peer in names]
    monkeypatch.setattr(subjects, "run_subjects", lambda names, seconds, tick: iter(lines))
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:  # as on a terminal of that width
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setattr("german_whist.cli.terminal.table_console", lambda: Console(width=int(columns)))
    assert main(["bench"]) == 0
    out = capsys.readouterr().out
    assert "…" not in out
    words = out.replace(";", " ").split()
    assert all(word in words for pair in names for name in pair for word in name.split())
    table = out.partition("cores")[0].splitlines()[:-1]
    assert max(map(len, table)) <= (160 if columns is None else 80)
    if columns is None:
        assert all(any(name in line and f"123 k/s, {peer}" in line for line in table) for name, peer in names)


@pytest.mark.parametrize(
    ("features", "name"),
    [
        ({"avx512f": True, "avx2": True}, "AVX-512"),
        ({"avx512f": False, "avx2": True}, "AVX2"),
        ({"neon": True}, "NEON"),
    ],
)
@pytest.mark.usefixtures("measured")
def test_the_processors_instruction_set_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], features: dict[str, bool], name: str
) -> None:
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: features)
    assert main(["bench"]) == 0
    assert re.search(rf"\d+ cores, .+ with {name}, ", capsys.readouterr().out)


def test_a_missed_limit_is_marked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [Figure("serve", "quick", "s", 0.1, limit=0.1), Figure("serve", "slow", "s", 0.2, limit=0.1)]
    monkeypatch.setattr(subjects, "run_subjects", lambda names, seconds, tick: iter(lines))
    assert main(["bench"]) == 0
    out = capsys.readouterr().out
    assert "limit missed: serve, slow\n" in out
    assert out.count("missed") == 2
    assert main(["bench", "--json"]) == 0
    assert [one["missed"] for one in json.loads(capsys.readouterr().out)["figures"]] == [False, True]


@pytest.mark.usefixtures("measured")
def test_json_lists_skipped_measurements(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [figure["ratio"] for figure in report["figures"]] == [6.0, None]
    assert report["skipped"][0]["subject"] == "training"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bench", "start"], "unknown benchmark 'start': did you mean 'startup'?"),
        (["bench", "--seconds", "0"], "seconds must be a number > 0, got 0.0"),
        (["bench", "--seconds", "nan"], "seconds must be a number > 0, got nan"),
        (["bench", "--seconds", "soon"], "--seconds: must be a number, got 'soon'"),
        (["bench", "--secs", "1"], "--seconds"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_help_has_an_example_and_every_subject(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--help"]) == 0
    text = capsys.readouterr().out
    assert "german-whist bench aec batch --seconds 5" in text
    for name, meaning in subjects.SUBJECTS.items():
        assert re.search(rf"^  {name} +{re.escape(meaning)}$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (51_234_567, "/s", "51.2 M/s"),
        (8_123, "/s", "8.12 k/s"),
        (12.3, "/s", "12.3/s"),
        (0.21349, "s", "0.213 s"),
    ],
)
def test_amounts_are_readable(number: float, unit: str, text: str) -> None:
    assert amount(number, unit) == text

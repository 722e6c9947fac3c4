"""``docs/how-to/train.md``: stand-ins, as strict as the trackers themselves, take what its callbacks send."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import german_whist as gw
from german_whist.training import train as training
from tests.docs.examples import ROOT, SMALL_RUN, blocks
from tests.training.whole_runs import interrupt_in

PAGE = ROOT / "docs" / "how-to" / "train.md"
pytestmark = pytest.mark.nightly
SMALL = SMALL_RUN | {"evaluate_every": "200"}


@pytest.fixture(autouse=True)
def short_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page's runs take a second."""
    load = training.load_config
    monkeypatch.setattr(training, "load_config", lambda source, settings: load(source, {**settings, **SMALL}))
    monkeypatch.chdir(tmp_path)


def program(word: str) -> dict[str, Any]:
    """What the block of the page that holds a word defines."""
    (text,) = (block.text for block in blocks(PAGE) if block.kind == "python" and word in block.text)
    names: dict[str, Any] = {}
    exec(text, names)
    return names


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **attributes: Any) -> None:
    """Put a module in the place of a library."""
    module = ModuleType(name)
    module.__dict__.update(attributes)
    monkeypatch.setitem(sys.modules, name, module)


def test_the_first_example_prints_win_rates(capsys: pytest.CaptureFixture[str]) -> None:
    program("def report")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 2
    assert all(re.fullmatch(r"\d+ decisions: \d+ %", line) for line in lines)
    assert lines[0].startswith("0 decisions")


@pytest.mark.parametrize(
    ("library", "function", "pattern", "sends"),
    [
        ("wandb", "log", r"[A-Za-z_][\w./-]*", "losses/loss"),
        ("mlflow", "log_metrics", r"[\w\-./ :]{1,250}", "evaluation/win_rate_heuristic_exact"),
    ],
)
def test_a_tracker_takes_every_number(
    library: str, function: str, pattern: str, sends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[int, dict[str, float]]] = []

    def log(numbers: dict[str, float], step: int) -> None:
        assert numbers
        assert not sent or step >= sent[-1][0]
        assert all(re.fullmatch(pattern, name, re.ASCII) for name in numbers)
        assert all(map(math.isfinite, numbers.values()))
        sent.append((step, numbers))

    stand_in(monkeypatch, library, **{function: log})
    callback = program(f"to_{library}")[f"to_{library}"]
    against = ["random", "mc:worlds=2", "heuristic+exact"]
    gw.train("quickstart", evaluate_against=against, quiet=True, callback=callback)
    assert sent[0][0] == 0
    assert any(sends in numbers for _, numbers in sent)


@pytest.mark.parametrize("course", ["to its end", "pruned", "Ctrl-C"])
def test_an_optuna_study_gets_the_final_rate_of_its_trials_prunes_and_stops(
    monkeypatch: pytest.MonkeyPatch, course: str
) -> None:
    class TrialPruned(Exception):  # noqa: N818 - Optuna's name
        pass

    def suggest_float(name: str, low: float, high: float, *, log: bool) -> float:
        assert low < high
        return low

    def report(value: float, step: int) -> None:
        assert 0 <= value <= 1
        assert step not in reported
        reported.append(step)

    reported: list[int] = []
    stand_in(monkeypatch, "optuna", TrialPruned=TrialPruned)
    objective = program("def objective")["objective"]
    trial = SimpleNamespace(
        number=0, suggest_float=suggest_float, report=report, should_prune=lambda: course == "pruned"
    )
    if course == "Ctrl-C":
        interrupt_in(monkeypatch, "at 0: won")
    if course != "to its end":
        with pytest.raises(TrialPruned if course == "pruned" else KeyboardInterrupt):
            objective(trial)
    else:
        assert 0 <= objective(trial) <= 1
        assert len(reported) > 1
    assert 0 in reported

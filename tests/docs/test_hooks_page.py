"""``docs/how-to/hooks.md``: trackers take what its programs send; stand-ins, as strict, for those not installed."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from german_whist.training import load_config as loading
from german_whist.training.run.directory import RunDirectory
from german_whist.training.train import train
from tests.docs.examples import ROOT, SMALL_RUN, blocks

PAGE = ROOT / "docs" / "how-to" / "hooks.md"
SMALL = SMALL_RUN | {"evaluate_every": "200"}
Sent = list[tuple[int, dict[str, float]]]


@pytest.fixture(autouse=True)
def short_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page's runs take a second."""
    load = loading.load_config
    monkeypatch.setattr(loading, "load_config", lambda source, settings: load(source, {**settings, **SMALL}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")


def program(word: str) -> dict[str, Any]:
    """What the block of the page that holds a word defines."""
    (text,) = (block.text for block in blocks(PAGE) if block.kind == "python" and word in block.text)
    names: dict[str, Any] = {}
    exec(text, names)
    return names


def run_with(callback: Callable[[int, dict[str, float]], None]) -> None:
    config = loading.load_config("quickstart", {"evaluate_against": "[random, 'mc:worlds=2', heuristic+exact]"})
    train(config, RunDirectory.create("hooked"), quiet=True, callback=callback)


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **attributes: Any) -> bool:
    """Put a module in the place of a library that is not installed; return whether it was."""
    if find_spec(name) is not None:
        return False
    module = ModuleType(name)
    module.__dict__.update(attributes)
    monkeypatch.setitem(sys.modules, name, module)
    return True


def check(names: list[str], pattern: str) -> None:
    assert names
    assert [name for name in names if not re.fullmatch(pattern, name, re.ASCII)] == []


def test_the_first_example_prints_win_rates(capsys: pytest.CaptureFixture[str]) -> None:
    program("def report")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 2
    assert all(re.fullmatch(r"\d+ decisions: \d+ %", line) for line in lines)
    assert lines[0].startswith("0 decisions")


def test_wandb_takes_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: Sent = []

    def log(numbers: dict[str, float], step: int) -> None:
        assert not sent or step >= sent[-1][0]
        check(list(numbers), r"[A-Za-z_][\w./-]*")
        sent.append((step, numbers))

    is_missing = stand_in(monkeypatch, "wandb", log=log)
    to_wandb = program("to_wandb")["to_wandb"]
    if is_missing:
        run_with(to_wandb)
        assert sent[0][0] == 0
        assert any("losses/loss" in numbers for _, numbers in sent)
    else:
        import wandb

        with wandb.init(project="german-whist"):
            run_with(to_wandb)
            assert "evaluation/win_rate_heuristic_exact" in dict(wandb.run.summary)


def test_mlflow_takes_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: Sent = []

    def log_metrics(numbers: dict[str, float], step: int) -> None:
        check(list(numbers), r"[\w\-./ :]+")
        assert all(math.isfinite(number) and len(name) <= 250 for name, number in numbers.items())
        sent.append((step, numbers))

    is_missing = stand_in(monkeypatch, "mlflow", log_metrics=log_metrics)
    to_mlflow = program("to_mlflow")["to_mlflow"]
    if is_missing:
        run_with(to_mlflow)
        assert any("evaluation/win_rate_heuristic_exact" in numbers for _, numbers in sent)
    else:
        import mlflow

        with mlflow.start_run() as run:
            run_with(to_mlflow)
        metrics = mlflow.get_run(run.info.run_id).data.metrics
        assert "evaluation/win_rate_heuristic_exact" in metrics


@pytest.mark.parametrize("is_behind", [False, True])
def test_an_optuna_study_gets_the_final_rate_of_its_trials_and_prunes(
    monkeypatch: pytest.MonkeyPatch, is_behind: bool
) -> None:
    class TrialPruned(Exception):  # noqa: N818 - Optuna's name
        pass

    is_missing = stand_in(monkeypatch, "optuna", TrialPruned=TrialPruned)
    reported: list[int] = []
    objective = program("def objective")["objective"]
    if is_missing:

        def suggest_float(name: str, low: float, high: float, *, log: bool) -> float:
            assert low < high
            return low

        def report(value: float, step: int) -> None:
            assert 0 <= value <= 1
            assert step not in reported
            reported.append(step)

        trial = SimpleNamespace(number=0, suggest_float=suggest_float, report=report, should_prune=lambda: is_behind)
        if is_behind:
            with pytest.raises(TrialPruned):
                objective(trial)
        else:
            assert 0 <= objective(trial) <= 1
    else:
        import optuna

        def listen(study: Any, trial: Any) -> None:
            reported.extend(trial.intermediate_values)
            assert trial.state.name == ("PRUNED" if is_behind else "COMPLETE")

        pruner = optuna.pruners.ThresholdPruner(lower=1.1) if is_behind else optuna.pruners.NopPruner()
        optuna.create_study(direction="maximize", pruner=pruner).optimize(objective, n_trials=2, callbacks=[listen])
    assert 0 in reported
    assert len(reported) > 1 or is_behind

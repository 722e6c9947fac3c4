"""The speedrun board: what an entry has, and what a run of it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from german_whist.training.recipes import recipe_names
from tests.training.policy_iteration_runs import SMALL_SETTINGS
from tools import speedrun


@pytest.fixture
def one_short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speedrun, "SEEDS", (3,))
    monkeypatch.setattr(speedrun, "DEALS", 4)


def test_run_is_timed_and_evaluated(one_short_run: None, tmp_path: Path) -> None:
    config = tmp_path / "short.yaml"
    config.write_text(json.dumps({**SMALL_SETTINGS, "rules": "classic", "decisions": 500}))
    found = speedrun.measure(f"german-whist train {config} --seed {{seed}} --out {{out}} --quiet", "{out}")
    (run,) = found["runs"]
    assert run["seed"] == 3
    assert 0 < found["processor_seconds"] == run["processor_seconds"]
    assert found["win_rate"] == pytest.approx(run["win_rate"])
    assert run["win_rate"] in {number / 16 for number in range(17)}  # eight games; draws count half


def test_failing_command_raises(one_short_run: None) -> None:
    with pytest.raises(Exception, match="nowhere"):
        speedrun.measure("german-whist train nowhere.yaml --seed {seed}", "{out}")


def test_entries_have_their_fields() -> None:
    entries = {file.stem: json.loads(file.read_text()) for file in speedrun.ENTRIES.glob("*.json")}
    assert entries
    for name, entry in entries.items():
        assert {"command", "agent", "by", "machine", "commit", "seconds", "win_rate", "runs"} <= entry.keys()
        assert (name in recipe_names()) == entry["command"].startswith(f"german-whist train {name} ")
        assert len({run["seed"] for run in entry["runs"]}) == len(entry["runs"])

"""``german_whist.train`` takes plain values, and gives what one wants next."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import german_whist as gw
from german_whist.training.load_config import load_config

FEW: dict[str, Any] = {
    "rules": "tiny",
    "decisions": 300,
    "num_envs": 16,
    "hidden": [8, 8, 8],
    "value_hidden": [8, 8],
    "processes": 1,
    "evaluate_against": ["random"],
    "evaluate_deals": 5,
    "final_deals": 10,
    "value_deals": 0,
}


def test_a_run_gives_its_agent_win_rates_and_folder(tmp_path: Path) -> None:
    seen: list[int] = []
    outcome = gw.train(out=tmp_path / "run", quiet=True, callback=lambda decisions, _: seen.append(decisions), **FEW)
    assert outcome.path == tmp_path / "run"
    assert set(outcome.win_rates) == {"random"}
    assert outcome.decisions >= 300
    assert seen[-1] == outcome.decisions
    assert gw.play_match(outcome.agent, "random", deals=5, rules="tiny", seed=1_000_003).deals == 5
    further = gw.train(resume=outcome.path, decisions=600, quiet=True)
    assert further.decisions >= 600


def test_a_run_stays_where_it_began_when_the_working_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    outcome = gw.train(out="run", quiet=True, callback=lambda *_: monkeypatch.chdir(tmp_path / "elsewhere"), **FEW)
    assert outcome.path == tmp_path / "run"
    assert gw.play_match(outcome.agent, "random", deals=5, rules="tiny").deals == 5
    assert not list((tmp_path / "elsewhere").iterdir())


def test_two_runs_at_once_in_one_process_are_refused(tmp_path: Path) -> None:
    errors: list[BaseException | None] = []

    def train_another(*_: Any) -> None:
        with ThreadPoolExecutor() as pool:
            errors.append(pool.submit(gw.train, out=tmp_path / "second", quiet=True, **FEW).exception())

    gw.train(out=tmp_path / "first", quiet=True, callback=train_another, **FEW)
    assert {type(error) for error in errors} == {RuntimeError}
    assert not (tmp_path / "second").exists()


def test_values_mean_what_their_text_means() -> None:
    values = {"hidden": [64, 64], "opponents": {"self": 0.5, "greedy": 0.5}, "decisions": 2000, "rules": "small"}
    texts = {"hidden": "64,64", "opponents": "{self: 0.5, greedy: 0.5}", "decisions": "2_000", "rules": "small"}
    assert load_config("quickstart", values) == load_config("quickstart", texts)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hiden": [8]}, "train: unknown key 'hiden': did you mean 'hidden'"),
        ({"hidden": [0]}, "train: hidden must be"),
        ({"decisions": "many"}, "train: decisions must be"),
        ({"opponents": {"self": 1, gw.make_agent("greedy"): 1}}, "train: opponents: .*import path"),
        ({"evaluate_against": [gw.make_agent("greedy")]}, "train: evaluate_against: .*import path"),
        ({"config": "quikstart"}, "did you mean 'quickstart'"),
        ({"resume": "nowhere"}, "is not a run directory"),
        ({"resume": "nowhere", "out": "here"}, "leave out config and out"),
    ],
)
def test_wrong_settings_are_refused_before_a_folder_is_made(
    settings: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        gw.train(**settings)
    assert not list(tmp_path.iterdir())


def test_a_run_is_named_after_its_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert gw.train("quickstart", quiet=True, **FEW).path == tmp_path / "runs" / "quickstart"

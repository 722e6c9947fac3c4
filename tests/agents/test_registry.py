"""Agents by name: what specifications make, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.agents.registry import as_spec, make_agent
from tests.agents.networks import some_network
from tests.players import Lowest

WRONG = {
    "tiny": "agent 'tiny'",  # a game
    "heuristics": "did you mean 'heuristic'",
    "runs/nowhere": "'runs/nowhere'",
    "heuristic:search=4,depth=3": "'depth'",
    "mc:worlds=0": "worlds .* 0",
    "mc:worlds=many": "'many'",
    "mc:worlds=1,worlds=2": "'worlds'",
    "ismcts:reward=wins": "did you mean 'win'",
    "champion:search=4,temperature=1": "temperature=1",
    "champion:threads=4": "search=N",
    "heuristic:search=0": "search",
    "checkpoint": "checkpoint:PATH",
    "checkpoint:FILE,temprature=1": "did you mean 'temperature'",
    "checkpoint:FILE,temperature=nan": "nan",
    "greedy+exact+exact": "greedy",
    "bot.py": "python:bot.py:CLASS",
}


@pytest.mark.parametrize("spec", WRONG)
def test_wrong_spec_is_refused(tmp_path: Path, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    some_network().save(Path("FILE"))
    with pytest.raises(ValueError, match=WRONG[spec]):
        make_agent(spec)


@pytest.fixture
def a_run(tmp_path: Path) -> Path:
    """A run's folder with two checkpoints, of 4 and 8 decisions, and a final one, of 12."""
    folder = tmp_path / "mine"
    (folder / "checkpoints").mkdir(parents=True)
    for decisions in (4, 8):
        some_network(decisions).save(folder / "checkpoints" / f"{decisions:012d}.safetensors")
    some_network().save(folder / "final.safetensors")
    some_network(9).save(folder / "resume.safetensors")
    return folder


def test_run_folder_is_newest_checkpoint(a_run: Path) -> None:
    def weights(spec: str | Path) -> Any:
        prior = make_agent(spec).prior
        assert prior is not None
        return prior.checkpoint.layers[0][0]

    known = {path: weights(path) for path in [*a_run.glob("**/0*.safetensors"), a_run / "final.safetensors"]}

    def newest(spec: str | Path) -> Path:
        found = weights(spec)
        (path,) = (path for path, given in known.items() if np.array_equal(given, found))
        return path

    for spec in (a_run, str(a_run), f"checkpoint:{a_run}", f"checkpoint:{a_run},temperature=0", f"{a_run}+exact"):
        assert newest(spec) == a_run / "final.safetensors"
    assert newest(a_run / "checkpoints").stem == f"{8:012d}"
    assert (make_agent(a_run).name, make_agent(a_run / "checkpoints").name) == ("mine", f"mine-{8:012d}")
    (a_run / "checkpoints" / f"{4:012d}.safetensors").rename(a_run / "checkpoints" / f"{16:012d}.safetensors")
    assert make_agent(a_run).name == f"mine-{16:012d}"  # the run was resumed
    newest_file = f"checkpoint:{a_run}/checkpoints/{16:012d}.safetensors"
    assert as_spec(str(a_run)) == as_spec(f"checkpoint:{a_run}") == newest_file
    assert as_spec(f"checkpoint:{a_run},temperature=1+exact") == f"{newest_file},temperature=1+exact"
    assert as_spec({str(a_run): 0.5, "random": 0.5}) == {newest_file: 0.5, "random": 0.5}
    (a_run / "final.safetensors").unlink()
    assert make_agent(a_run).name == f"mine-{16:012d}"


def test_empty_folder_is_refused(tmp_path: Path) -> None:
    for spec in (tmp_path, str(tmp_path), f"checkpoint:{tmp_path}"):
        with pytest.raises(ValueError, match="no checkpoints"):
            make_agent(spec)


def test_settings_are_part_of_the_name(tmp_path: Path) -> None:
    some_network(game="tiny").save(path := tmp_path / "mine.safetensors")
    for settings in ("temperature=1", "endgame=played", "search=2"):
        assert make_agent(f"checkpoint:{path},{settings}").name == f"mine:{settings}"
        assert make_agent(f"small:{settings}", "tiny").name == f"small:{settings}"


def test_path_is_an_agent_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "lr=0.1,seed=1"
    some_network(game="tiny").save(path)
    assert gw.TextEnv("tiny", opponent=path).reset(seed=1)[0]
    for make in (gymnasium.make, gymnasium.make_vec):
        make("german_whist:GermanWhist-v0", opponent=path, rules="tiny").reset(seed=1)
    assert set(gw.play_tournament([path, "random"], deals=2, rules="tiny").agents) == {path.stem, "random"}
    assert gw.exploitability(path, "tiny").agent == path.stem


def test_class_as_agent_is_refused() -> None:
    with pytest.raises(ValueError, match=r"class .*Lowest"):
        gw.play_match(Lowest, "random", deals=1)  # type: ignore[arg-type]

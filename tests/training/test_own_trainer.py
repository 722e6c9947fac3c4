"""Trainers and networks of the user's own: by file, by class, resumed, as opponents, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from safetensors.numpy import load_file, save_file

import german_whist as gw
from german_whist.agents.policy.checkpoint import read_model_card
from german_whist.cli import main
from german_whist.training.recipes import load_config
from tests.training.whole_runs import at, evaluated, interrupt, resume_run

CODE = """
import torch
from safetensors.torch import load_file

import german_whist as gw
from german_whist.agents.module_checkpoint import ModuleCheckpoint, load_weights
from german_whist.game.rules import rules
from german_whist.training.config import TrainConfig
from german_whist.training.loop import Trainer


class Net(torch.nn.Module):
    canonical = True

    def __init__(self, checkpoint=None):
        super().__init__()
        self.last = torch.nn.LazyLinear(52)
        if checkpoint:
            self.last = torch.nn.Linear(*load_file(checkpoint)["last.weight"].shape[::-1])
            self.load_state_dict(load_file(checkpoint))

    @torch.no_grad()
    def act(self, observations, action_masks):
        logits = self.last(torch.from_numpy(observations).float())
        return logits[:, :action_masks.shape[1]].masked_fill(~torch.from_numpy(action_masks), -torch.inf).argmax(1)


class Config(TrainConfig):
    noise: float = 1.0
    init: str = ""


class Walk(Trainer[Config]):
    config_class = Config

    def __init__(self, config, run, processes):
        super().__init__(config, run, processes)
        torch.manual_seed(config.seed)
        self.net = Net()
        decisions = gw.DealBatch(config.rules, 1).decisions()
        self.net.act(decisions.observations, decisions.action_masks)

    def begin(self):
        if self.config.init:
            load_weights(self.net, self.config.init)

    def update(self):
        torch.manual_seed(self.decisions)
        result = gw.play_match(self.net, self.opponents(), deals=4, rules=self.config.rules)
        with torch.no_grad():
            self.net.last.weight += self.config.noise * torch.randn_like(self.net.last.weight)
        self.decisions += 100
        return 100, {"losses/margin": result.margin}

    def checkpoint(self):
        return ModuleCheckpoint(self.net, rules(self.config.rules), self.model_card("random walk"), endgame="exact")

    def save_snapshot(self):
        torch.save((self.decisions, self.net.state_dict()), self.run.model)

    def restore(self):
        self.decisions, state = torch.load(self.run.model)
        self.net.load_state_dict(state)


class NoTrainer:
    pass
"""
DERIVED = """
from german_whist.training.policy_iteration.trainer import PolicyIteration

class Derived(PolicyIteration):
    pass
"""
SETTINGS: dict[str, Any] = {
    "rules": "tiny",
    "decisions": 300,
    "opponents": {"self": 0.4, "pool": 0.3, "greedy": 0.3},
    "checkpoint_every": 100,
    "evaluate_every": 200,
    "evaluate_deals": 4,
    "final_deals": 6,
    "evaluate_against": ["random"],
    "quiet": True,
}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    file = tmp_path / "walk.py"
    file.write_text(CODE)
    return file


def weights(run: Path) -> bytes:
    return (run / "final.safetensors").read_bytes()[-400:]


def test_run_of_a_file(code: Path, tmp_path: Path) -> None:
    outcome = gw.train(f"python:{code}:Walk,noise=0.5", out=tmp_path / "run", **SETTINGS)
    assert (outcome.decisions, evaluated(outcome.run)) == (300, [0, 200, 300])
    assert [int(path.stem) for path in outcome.run.checkpoint_paths()] == [0, 100, 200, 300]
    assert (tmp_path / "run" / "walk.py").read_text() == CODE
    assert "noise: 0.5" in outcome.run.config.read_text()
    card = read_model_card(outcome.run.final)
    assert (card["class"], card["endgame"]) == ("walk.py:Net", "exact")
    code.unlink()  # the run has its copy
    match = gw.play_match(outcome.path, "random", deals=6, seed=1_000_003, rules="tiny", endgame="exact")
    assert (match.first, match.margin) == ("Net+exact", outcome.results[0].margin)
    assert gw.play_match(outcome.agent, {"random": 0.5, str(outcome.path): 0.5}, deals=2, rules="tiny").deals == 2


def test_run_in_a_folder_with_yaml_signs(code: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a: b, c #3"
    folder.mkdir()
    code = code.rename(folder / "walk.py")
    gw.train(f"python:{code}:Walk,noise=0.5", out=folder / "run", callback=at(100, interrupt), **SETTINGS)
    outcome = resume_run(folder / "run")
    assert outcome.decisions == 300
    assert gw.play_match(outcome.path, "random", deals=2, rules="tiny").first == "Net+exact"


def test_trainer_derived_from_a_shipped_one(tmp_path: Path) -> None:
    file = tmp_path / "derived.py"
    file.write_text(DERIVED)
    settings = {**SETTINGS, "num_envs": 16, "num_steps": 4, "hidden": [8], "value_hidden": [8]}
    before = torch.get_rng_state()
    outcome = gw.train(f"python:{file}:Derived", out=tmp_path / "run", **settings)
    assert torch.equal(torch.get_rng_state(), before)
    assert outcome.decisions >= 300
    assert "num_envs: 16" in outcome.run.config.read_text()


def test_curves_forget_what_a_killed_run_played(code: Path, tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    settings = {**SETTINGS, "checkpoint_every": 1000}

    def fail(decisions: int, numbers: dict[str, float]) -> None:
        if decisions == 100:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        gw.train(f"python:{code}:Walk", out=tmp_path / "run", callback=fail, **settings)
    events = accumulator.EventAccumulator(str(resume_run(tmp_path / "run").path / "tensorboard")).Reload()
    for tag in events.Tags()["scalars"]:
        steps = [event.step for event in events.Scalars(tag)]
        assert len(set(steps)) == len(steps), tag


def test_stopped_run_ends_like_any_other(code: Path, tmp_path: Path) -> None:
    whole = gw.train(f"python:{code}:Walk", out=tmp_path / "whole", **SETTINGS)
    stopped = gw.train(f"python:{code}:Walk", out=tmp_path / "run", callback=at(100, interrupt), **SETTINGS)
    assert (stopped.interrupted, stopped.decisions) == (True, 100)
    code.write_text("raise RuntimeError('changed since')")
    assert weights(resume_run(tmp_path / "run").path) == weights(whole.path)
    with pytest.raises(ValueError, match="seven"):
        resume_run(tmp_path / "run", decisions=400, noise="seven")


def test_trainer_class_resumes_bit_for_bit(tmp_path: Path, code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    import walk  # type: ignore[import-not-found]

    outcome = gw.train(walk.Walk, out=tmp_path / "run", noise=0.5, **SETTINGS)
    again = gw.train(f"python:{code}:Walk,noise=0.5", out=tmp_path / "again", **SETTINGS)
    assert weights(outcome.path) == weights(again.path)
    notebook = type("InANotebook", (walk.Walk,), {"__module__": "nowhere"})
    with pytest.raises(ValueError, match="InANotebook"):
        gw.train(notebook, out=tmp_path / "notebook", **SETTINGS)


def test_edited_trainer_file_is_loaded_again(code: Path, tmp_path: Path) -> None:
    gw.train(f"python:{code}:Walk", out=tmp_path / "run", **SETTINGS)
    edited = CODE.replace("self.decisions += 100", "self.decisions += 150")
    code.write_text(edited.replace("return 100,", "return 150,"))
    again = gw.train(f"python:{code}:Walk", out=tmp_path / "again", **SETTINGS)
    assert [int(path.stem) for path in again.run.checkpoint_paths()] == [0, 150, 300]


def test_trainer_in_a_file_of_settings(code: Path, tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text(f"trainer: python:{code}:Walk")
    with pytest.raises(ValueError, match="runs code"):
        load_config(config)
    assert load_config(config, {"trainer": f"python:{code}:Walk"}).decisions == 1_000_000


def test_attention_trainer_resumes_bit_for_bit(tmp_path: Path) -> None:
    source, few = "python:examples/attention_trainer.py:PPO", {"num_envs": 8, "num_steps": 13}
    settings = {**SETTINGS, **few, "rules": "classic", "opponents": {"self": 0.5, "pool": 0.5}}
    whole = gw.train(source, out=tmp_path / "whole", **settings)
    gw.train(source, out=tmp_path / "run", callback=at(100, interrupt), **settings)
    assert weights(resume_run(tmp_path / "run").path) == weights(whole.path)


@pytest.mark.parametrize("name", ["NoTrainer", "Absent"])
def test_what_is_no_trainer_is_refused(code: Path, name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=name):
        gw.train(f"python:{code}:{name}", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_lone_weights_import_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = {"format": "german-whist-module", "version": 1, "class": "os:system", "endgame": "played", "training": {}}
    file = tmp_path / "final.safetensors"
    save_file({"a": np.zeros(1)}, file, {"card": json.dumps(card)})
    for agent in (file, str(file), f"checkpoint:{file}"):
        with pytest.raises(ValueError, match=r"os:system.*python:FILE:CLASS,checkpoint="):
            gw.make_agent(agent)
    assert main(["evaluate", str(file), "random"]) == 2
    assert "os:system" in capsys.readouterr().err
    with pytest.raises(ValueError, match="os"):  # a folder is trusted, but only with its own code
        gw.make_agent(tmp_path)


class LowestCard:
    """A player that is an object of this process."""

    def __init__(self) -> None:
        self.asked = 0
        self.name = "LowestCard"

    def act(self, observations: Any, action_masks: Any) -> Any:
        self.asked += len(action_masks)
        return action_masks.argmax(1)


@pytest.mark.parametrize("config", ["quickstart", "sb3", "own"])
def test_opponents_that_are_objects(config: str, code: Path, tmp_path: Path) -> None:
    if config == "sb3":
        pytest.importorskip("sb3_contrib")
    first, second = LowestCard(), LowestCard()
    settings = {**SETTINGS, "num_envs": 16, "num_steps": 4, "hidden": [8]}
    settings |= {"config": f"python:{code}:Walk" if config == "own" else config, "rules": "small"}
    settings |= {"suit_layers": 0, "processes": 1, "value_hidden": [8]} if config == "quickstart" else {}
    settings["opponents"] = opponents = {first: 0.4, second: 0.3, "greedy": 0.3}
    outcome = gw.train(out=tmp_path / "run", **settings)
    assert min(first.asked, second.asked) > 0
    assert outcome.run.config.read_text().count("LowestCard") == 2
    with pytest.raises(ValueError, match=r"object:LowestCard.*opponents="):
        gw.train(resume=outcome.path, decisions=400, quiet=True)
    assert gw.train(resume=outcome.path, decisions=400, opponents=opponents, quiet=True).decisions >= 400


def test_opponents_of_one_name(code: Path, tmp_path: Path) -> None:
    agents = [LowestCard() for _ in range(3)]
    for agent, name in zip(agents, ("x-3", "x", "x"), strict=True):
        agent.name = name
    settings = {**SETTINGS, "opponents": dict.fromkeys(agents, 1.0)}
    outcome = gw.train(f"python:{code}:Walk", out=tmp_path / "run", **settings)
    assert yaml.safe_load(outcome.run.config.read_text())["opponents"].keys() == {
        "object:x-3",
        "object:x",
        "object:x-2",
    }


def test_opponents_that_are_objects_of_one_process(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"LowestCard.*one process.*2"):
        gw.train(out=tmp_path / "run", processes=2, **{**SETTINGS, "opponents": {LowestCard(): 1.0}})
    with pytest.raises(ValueError, match="act"):
        gw.train(out=tmp_path / "run", **{**SETTINGS, "opponents": {7: 1.0}})
    assert not (tmp_path / "run").exists()


def test_weights_of_a_run_to_start_from(code: Path, tmp_path: Path) -> None:
    first = gw.train(f"python:{code}:Walk", out=tmp_path / "first", **SETTINGS)
    start = gw.train(f"python:{code}:Walk", out=tmp_path / "run", **{**SETTINGS, "init": first.path})
    begun, ended = load_file(start.run.checkpoint_path(0)), load_file(first.run.final)
    assert begun.keys() == ended.keys()
    assert all((begun[name] == ended[name]).all() for name in ended)
    other = tmp_path / "other.py"
    other.write_text(CODE)
    with pytest.raises(ValueError, match=r"walk\.py:Net.*other\.py:Net"):
        gw.train(f"python:{other}:Walk", out=tmp_path / "other", **{**SETTINGS, "init": first.path})
    with pytest.raises(ValueError, match="champion"):
        gw.train(f"python:{code}:Walk", out=tmp_path / "pretrained", **{**SETTINGS, "init": "champion"})

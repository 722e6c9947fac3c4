"""Pretrained agents: found by their files, described by their cards, playing anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.pretrained import (
    PRETRAINED_NAMES,
    PretrainedNetwork,
    find_network,
    load_pretrained,
    pretrained_networks,
    weights_folder,
)
from german_whist.agents.registry import make_agent
from german_whist.envs.observation.canonical import canonical_views, decode_actions
from german_whist.envs.simulator.batch import DealBatch
from german_whist.evaluation.match import play_match
from tests.agents.networks import some_network
from tests.conftest import play_randomly
from tools.model_cards import page


def test_model_card_page() -> None:
    assert (weights_folder() / "README.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("name", PRETRAINED_NAMES)
def test_pretrained_by_name(name: str) -> None:
    agent = make_agent(name)
    assert isinstance(agent, ExactEndgame)
    assert isinstance(agent.agent, PolicyAgent)
    assert (agent.name, agent.agent.name, agent.network.temperature) == (name, name, 0)
    sampling = make_agent(f"{name}:temperature=0.5,endgame=played+exact")
    assert isinstance(sampling, ExactEndgame)
    assert sampling.name == f"{name}+exact"
    assert sampling.agent.temperature == 0.5  # type: ignore[attr-defined]
    result = play_match(agent, sampling, deals=10, rules=agent.network.checkpoint.rules)
    assert result.wins + result.draws + result.losses == 20


@pytest.mark.parametrize("played", [3, 21])
@pytest.mark.parametrize("name", PRETRAINED_NAMES)
def test_torch_agrees(name: str, played: int) -> None:
    torch = pytest.importorskip("torch")
    from german_whist.agents.policy.network.mlp import MLP

    checkpoint = load_pretrained(name)
    batch = DealBatch(checkpoint.rules, 200, seed=5)
    play_randomly(batch, np.random.default_rng(3), played)
    views = batch.views()[~batch.done]
    canonical, relabeling = canonical_views(views, checkpoint.ranks)
    features, *sizes, actions = checkpoint.sizes
    network = MLP(torch.ones(features), sizes, actions, 1.0, checkpoint.suit_layers)
    network.load_raw_layers(checkpoint.layers, name)
    network.double().compute_dtype = torch.float64
    last = network.linear_layers()[-1]
    units = network.units(
        torch.from_numpy(network_inputs(canonical, checkpoint.rules, checkpoint.inputs)), network.weights()
    )
    logits = network.joined(torch.nn.functional.linear(units, last.weight, last.bias)).detach()
    legal = canonical["legal"][:, None] >> np.arange(logits.shape[1], dtype=np.uint64) & np.uint64(1)
    logits[torch.from_numpy(legal == 0)] = -torch.inf
    best, second = logits.topk(2).values.T
    chosen = decode_actions(logits.argmax(1).numpy(), relabeling)
    same = chosen == PolicyAgent(checkpoint).act(views, None)
    assert (same | (best - second < 1e-3).numpy()).all()  # what float32 cannot tell apart
    assert same.mean() > 0.99


@pytest.mark.parametrize("network", pretrained_networks(), ids=PRETRAINED_NAMES)
def test_pretrained_strength(network: PretrainedNetwork) -> None:
    opponent = "heuristic+exact"
    result = play_match(network.name, opponent, deals=1000, seed=7, endgame="exact")
    assert result.win_rate == pytest.approx(network.model_card["results"][opponent]["win_rate"], abs=0.035)


def test_find_network(tmp_path: Path) -> None:
    assert find_network("champion") is load_pretrained("champion")
    some_network(seed=3).save(tmp_path / "mine.safetensors")
    assert find_network(tmp_path / "mine.safetensors").training["seed"] == 3
    with pytest.raises(ValueError, match=r"'champon': did you mean 'champion'\?"):
        find_network("champon")


def test_plays_without_torch() -> None:
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['torch', 'stable_baselines3', 'sb3_contrib']));"
        "import german_whist as gw; print(gw.play_match('champion', 'small', deals=2).wins)"
    )
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(completed.stdout) == play_match("champion", "small", deals=2).wins

"""Pretrained agents: found by their files, described by their cards, playing anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import (
    PRETRAINED_NAMES,
    PretrainedNetwork,
    find_network,
    load_pretrained,
    pretrained_networks,
)
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from tests.agents.networks import some_network


@pytest.mark.parametrize("name", PRETRAINED_NAMES)
def test_pretrained_agents_play_exact_endgames(name: str) -> None:
    agent = make_agent(name)
    assert isinstance(agent, ExactEndgame)
    assert isinstance(agent.agent, PolicyAgent)
    assert agent.prior is agent.agent
    assert (agent.name, agent.agent.name, agent.agent.temperature) == (name, name, 0)
    sampling = make_agent(f"{name}:temperature=0.5,endgame=played+exact")
    assert isinstance(sampling, ExactEndgame)
    assert sampling.name == f"{name}:temperature=0.5,endgame=played+exact"
    assert sampling.agent.temperature == 0.5  # type: ignore[attr-defined]


@pytest.mark.parametrize("network", pretrained_networks(), ids=PRETRAINED_NAMES)
def test_pretrained_agents_are_as_strong_as_their_cards_say(network: PretrainedNetwork) -> None:
    opponent = "heuristic+exact"
    result = play_match(network.name, opponent, deals=1000, seed=7, endgame="exact")
    assert result.win_rate == pytest.approx(network.model_card["results"][opponent]["win_rate"], abs=0.035)


def test_find_network_by_name_and_path(tmp_path: Path) -> None:
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

"""Pretrained agents: found by their files, described by their cards, playing anywhere."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.canonical import canonical_views, true_cards
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.agents.pretrained import catalog
from german_whist.agents.pretrained.catalog import (
    find_network,
    load_pretrained,
    pretrained_agents,
    pretrained_names,
    weights_folder,
)
from german_whist.agents.pretrained.model_cards import page
from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.networks import some_network, suit_network
from tests.conftest import play_randomly

AGENTS = pretrained_agents()
(MEASURED,) = [agent.card["results"]["heuristic+exact"] for agent in AGENTS if agent.name == "small"]
NETWORKS = {
    "champion": "classic",
    "league": "classic",
    "champion-v1": "classic",
    "small": "classic",
    "champion-all": "all",
    "champion-small": "small",
    "champion-no_trump": "no_trump",
}
EVERY = ("champion-every", "league-every", "league-every-no_trump", "small-every")


def test_the_pretrained_agents_are_those_that_the_documentation_names() -> None:
    assert set(NETWORKS) <= set(pretrained_names())
    for name, game in NETWORKS.items():
        assert load_pretrained(name).rules == rules(game)
    assert {name for name in pretrained_names() if load_pretrained(name).inputs == UNIVERSAL} == set(EVERY)


def test_files_are_small() -> None:
    assert max(agent.size for agent in AGENTS) < 5_000_000
    (small,) = [agent for agent in AGENTS if agent.name == "small"]
    assert small.size <= 200_000


@pytest.mark.parametrize("agent", AGENTS, ids=pretrained_names())
def test_every_card_says_where_its_network_comes_from(agent: catalog.PretrainedAgent) -> None:
    training = agent.card["training"]
    assert training["commands"]
    made_by = ("german-whist train ", "python -m german_whist.training.average_checkpoints ")
    assert all(command.startswith(made_by) for command in training["commands"])
    assert training["decisions"] > 0
    assert training["config"]["seed"] >= 0
    assert training["code"]["python"]


def test_the_page_matches_the_model_cards() -> None:
    assert (weights_folder() / "README.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("name", pretrained_names())
def test_a_pretrained_agent_is_made_by_name_and_plays_its_game(name: str) -> None:
    agent = make_agent(name)
    assert isinstance(agent, ExactEndgame)
    assert isinstance(agent.agent, PolicyAgent)
    assert (agent.name, agent.agent.name, agent.temperature) == (name, name, 0)
    sampling = make_agent(f"{name}:temperature=0.5,endgame=played+exact")
    assert isinstance(sampling, ExactEndgame)
    assert sampling.name == f"{name}+exact"
    assert sampling.agent.temperature == 0.5  # type: ignore[attr-defined]
    result = play_match(agent, sampling, deals=10, rules=agent.checkpoint.rules)
    assert result.wins + result.draws + result.losses == 20


@pytest.mark.parametrize("played", [3, 18, 21, 24])
@pytest.mark.parametrize("name", pretrained_names())
def test_torch_chooses_the_same_actions(name: str, played: int) -> None:
    torch = pytest.importorskip("torch")
    from german_whist.training.networks import new_mlp

    checkpoint = load_pretrained(name)
    batch = DealBatch(checkpoint.rules, 400, seed=5)
    play_randomly(batch, np.random.default_rng(3), played)
    views = batch.views()[~batch.done]
    renamed, roles = canonical_views(views, checkpoint.ranks)
    phase = sum(int(views["stock"][0]) <= last for last in checkpoint.phases)
    features, *sizes, actions = checkpoint.sizes
    network = new_mlp(torch.ones(features), sizes, actions, 1.0, checkpoint.suit_layers)
    network.load_raw_layers(checkpoint.networks[phase], name)
    network.double().compute_dtype = torch.float64
    last = network.linear_layers()[-1]
    units = network.units(
        torch.from_numpy(network_inputs(renamed, checkpoint.rules, checkpoint.inputs)), network.weights()
    )
    logits = network.joined(torch.nn.functional.linear(units, last.weight, last.bias)).detach()
    legal = renamed["legal"][:, None] >> np.arange(logits.shape[1], dtype=np.uint64) & np.uint64(1)
    logits[torch.from_numpy(legal == 0)] = -torch.inf
    best, second = logits.topk(2).values.T
    chosen = true_cards(logits.argmax(1).numpy(), roles)
    same = chosen == PolicyAgent(checkpoint).act(views, None)
    assert (same | (best - second < 1e-3).numpy()).all()  # what float32 cannot tell apart
    assert same.mean() > 0.99


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("champio", "unknown agent 'champio': did you mean 'champion'"),
        ("champion:temprature=1", "unknown champion setting 'temprature': did you mean 'temperature'"),
        ("champion:temperature=hot", "temperature 'hot' is not a number"),
        ("champion:endgame=exat", "unknown endgame 'exat': did you mean 'exact'\\? allowed: played, exact"),
        ("champion:1", "'1' is not key=value"),
        ("champion+exat", r"unknown agent suffix '\+exat': did you mean '\+exact'"),
    ],
)
def test_a_wrong_name_or_setting_is_named(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(spec)


def test_a_network_is_found_by_name_or_by_path(tmp_path: Path) -> None:
    assert find_network("champion") is load_pretrained("champion")
    some_network(seed=3).save(tmp_path / "mine.safetensors")
    assert find_network(tmp_path / "mine.safetensors").training["seed"] == 3
    with pytest.raises(ValueError, match=r"'champon': there is no such file: did you mean the agent 'champion'\?"):
        find_network("champon")


def test_a_new_file_is_a_new_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some_network(game="tiny").save(tmp_path / "mine.safetensors")
    (tmp_path / "README.md").write_text("no agent")
    monkeypatch.setattr(catalog, "weights_folder", lambda: tmp_path)
    pretrained_names.cache_clear()
    try:
        assert pretrained_names() == ("mine",)
        (agent,) = pretrained_agents()
        assert (agent.rules, agent.size) == ("tiny", (tmp_path / "mine.safetensors").stat().st_size)
        assert agent.strength == {"opponent": "random", "win_rate": 0.75}
        assert isinstance(make_agent("mine"), PolicyAgent)
    finally:
        pretrained_names.cache_clear()


def test_the_page_says_who_plays_the_endgame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = dict.fromkeys(("greedy", "greedy, network to the end"), MEASURED)
    for endgame in ("exact", "played"):
        made = dataclasses.replace(some_network(), endgame=endgame, results=results)
        made.save(tmp_path / f"{endgame}.safetensors")
    monkeypatch.setattr(catalog, "weights_folder", lambda: tmp_path)
    pretrained_names.cache_clear()
    try:
        exact, played = page().split("\n## ")[1:]
    finally:
        pretrained_names.cache_clear()
    assert "- endgame: played by the network\n" in played
    assert "- endgame: exact; `endgame=played` leaves it to the network\n" in exact
    assert "| `greedy` | " in exact
    assert "| `greedy`, network to the end | " in exact


def test_the_page_says_which_layers_the_suits_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suit_network(2).save(tmp_path / "mine.safetensors")
    monkeypatch.setattr(catalog, "weights_folder", lambda: tmp_path)
    pretrained_names.cache_clear()
    try:
        assert "→ 52, of which the suits share the first and last 2 hidden layers, " in page()
    finally:
        pretrained_names.cache_clear()


def test_the_page_says_where_another_network_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = {"heuristic+exact": MEASURED}
    for name, phases in (("one", ()), ("three", (10, 2))):
        dataclasses.replace(some_network(phases=phases), results=results).save(tmp_path / f"{name}.safetensors")
    monkeypatch.setattr(catalog, "weights_folder", lambda: tmp_path)
    pretrained_names.cache_clear()
    try:
        one, three = page().split("\n## ")[1:]
    finally:
        pretrained_names.cache_clear()
    assert "- network: 443 → 8 → 52, " in one
    assert "another" not in one
    assert "- network: 443 → 8 → 52; another network from 10 and 2 stock cards left on, " in three


def test_no_learning_library_is_needed() -> None:
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['torch', 'stable_baselines3', 'sb3_contrib', 'onnx']));"
        "import german_whist as gw; print(gw.play_match('champion', 'small', deals=2).wins)"
    )
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(completed.stdout) == play_match("champion", "small", deals=2).wins

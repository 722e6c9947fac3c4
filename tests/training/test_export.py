"""Exported networks choose the cards that the agent chooses, and say how they are to be used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.registry import make_agent
from german_whist.envs.observation.canonical import canonical_views, decode_actions
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.export import ABOUT, export
from tests.agents.networks import some_network, suit_network
from tests.conftest import play_randomly

Run = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]


def with_reference(path: Path) -> Run:
    """onnx's own slow evaluator."""
    reference = pytest.importorskip("onnx.reference")
    evaluator = reference.ReferenceEvaluator(str(path))
    return lambda rows: evaluator.run(["logits"], {"observation": rows})[0]


def with_onnxruntime(path: Path) -> Run:
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return lambda rows: session.run(["logits"], {"observation": rows})[0]


def check_choices(agent: PolicyAgent, logits_of: Run) -> None:
    """Compare the choices on 1,000 views; only what float32 cannot tell apart may differ."""
    rules = agent.checkpoint.rules
    batch = DealBatch(rules, 1000, seed=9)
    play_randomly(batch, np.random.default_rng(1), rules.tricks // 2)
    views = batch.views()
    assert len(views) == 1000
    canonical, relabeling = canonical_views(views, agent.checkpoint.ranks)
    logits = logits_of(network_inputs(canonical, rules, agent.checkpoint.inputs).astype(np.float32))
    assert logits.shape == (1000, agent.checkpoint.sizes[-1])
    legal = canonical["legal"][:, None] >> np.arange(logits.shape[1], dtype=np.uint64) & np.uint64(1)
    logits = np.where(legal == 1, logits, -np.inf)
    second, best = np.sort(logits, axis=1)[:, -2:].T
    chosen = decode_actions(logits.argmax(axis=1), relabeling)
    same = chosen == agent.act(views, None)
    assert (same | (best - second < 1e-3)).all()
    assert same.mean() > 0.99


@pytest.mark.parametrize("load", [with_reference, with_onnxruntime])
@pytest.mark.parametrize("name", ["champion", "small"])
def test_an_exported_network_chooses_the_same_cards(tmp_path: Path, name: str, load: Callable[[Path], Run]) -> None:
    pytest.importorskip("onnx")
    agent = make_agent(name).network
    assert agent is not None
    export(agent.checkpoint, tmp_path / "network")
    check_choices(agent, load(tmp_path / "network"))
    assert [path.name for path in tmp_path.iterdir()] == ["network"]


@pytest.mark.parametrize("hidden", [(), (5, 4, 3)])
def test_networks_of_any_depth_and_game_are_exported(tmp_path: Path, hidden: tuple[int, ...]) -> None:
    pytest.importorskip("onnx")
    agent = PolicyAgent(some_network(hidden=hidden, game="draft"))
    export(agent.checkpoint, tmp_path / "network.onnx")
    check_choices(agent, with_reference(tmp_path / "network.onnx"))


@pytest.mark.parametrize("game", ["classic", "draft"])
def test_networks_that_the_suits_share_are_exported(tmp_path: Path, game: str) -> None:
    pytest.importorskip("onnx")
    agent = PolicyAgent(suit_network(2, game))
    export(agent.checkpoint, tmp_path / "network")
    check_choices(agent, with_reference(tmp_path / "network"))


def test_an_onnx_file_describes_its_inputs_and_outputs(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    export(some_network(), tmp_path / "network.onnx")
    model = onnx.load(str(tmp_path / "network.onnx"))
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    assert metadata == {**ABOUT, "card": json.dumps(some_network().model_card())}
    ((given,), (made,)) = model.graph.input, model.graph.output
    assert (given.name, made.name) == ("observation", "logits")
    assert [dim.dim_param or dim.dim_value for dim in given.type.tensor_type.shape.dim] == ["batch", 443]
    assert [dim.dim_param or dim.dim_value for dim in made.type.tensor_type.shape.dim] == ["batch", 52]

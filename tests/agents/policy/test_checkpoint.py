"""Checkpoint files: what is saved is loaded exactly, and what is missing, truncated, foreign or damaged is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import load_checkpoint, read_model_card
from german_whist.game.rules import rules
from german_whist.simulator.batch import DealBatch
from tests.agents.networks import some_network


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a small network."""
    path = tmp_path / "net.safetensors"
    some_network().save(path)
    return path


def refusal(path: Path) -> str:
    """Why a file is refused."""
    with pytest.raises(ValueError, match="checkpoint") as caught:
        load_checkpoint(path)
    assert path.name in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("hidden", [(), (8,), (16, 4, 8)])
@pytest.mark.parametrize("game", ["classic", "tiny", "classic:counts=all,points=over_book"])
def test_checkpoint_round_trip(tmp_path: Path, hidden: tuple[int, ...], game: str) -> None:
    made = some_network(hidden=hidden, game=game)
    made.save(tmp_path / "net.safetensors")
    loaded = load_checkpoint(tmp_path / "net.safetensors")
    assert len(loaded.layers) == len(hidden) + 1
    assert loaded.sizes[1:-1] == list(hidden)
    for layer, again in zip(made.layers, loaded.layers, strict=True):
        for array, same in zip(layer, again, strict=True):
            assert same.dtype == np.float32
            assert array.tobytes() == same.tobytes()
    assert (loaded.rules, loaded.training, loaded.results) == (rules(game), made.training, made.results)
    decisions = DealBatch(game, 30).decisions()
    assert np.array_equal(PolicyAgent(loaded).act(decisions), PolicyAgent(made).act(decisions))


def test_damaged_file_is_refused(path: Path, tmp_path: Path) -> None:
    for content in (path.read_bytes()[:500], path.read_bytes()[:-1], b"", b"hello\nworld\n"):
        path.write_bytes(content)
        refusal(path)
    refusal(tmp_path / "gone.safetensors")


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}, {"card": "{"}, {"card": "7"}])
def test_foreign_file_is_refused(path: Path, metadata: dict[str, str] | None) -> None:
    save_file(load_file(path), path, metadata=metadata)
    refusal(path)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        ("format", "somebody-elses-policy", "somebody-elses-policy"),
        ("version", 2, r"\(2, 1\)"),
        ("observation_version", 7, r"\(1, 7\)"),
        ("rules hnad", 13, "did you mean 'hand'"),
        ("network", None, "does not fit this version"),
        ("network type", "transformer", "transformer"),
        ("network sizes", [443, 8, 53], r"\[443, 8, 53\]"),
        ("network sizes", [443, 9, 52], r"\(9, 443\), got \(8, 443\)"),
        ("network suit_layers", 1, "suit layers"),
        ("logits_a_trick", 0, "got 0"),
    ],
)
def test_wrong_card_is_refused(path: Path, keys: str, value: object, message: str) -> None:
    model_card = changed = read_model_card(path)
    *folders, last = keys.split()
    for folder in folders:
        changed = changed[folder]
    changed[last] = value
    save_file(load_file(path), path, metadata={"card": json.dumps(model_card)})
    assert re.search(message, refusal(path))


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors: tensors.pop("layer.0.bias"),
        lambda tensors: tensors.update({"layer.0.weight": np.ascontiguousarray(tensors["layer.0.weight"].T)}),
        lambda tensors: tensors["layer.1.weight"].fill(np.nan),
    ],
    ids=["missing", "transposed", "NaN"],
)
def test_wrong_tensors_are_refused(path: Path, change: Callable[[Any], object]) -> None:
    tensors, model_card = load_file(path), read_model_card(path)
    change(tensors)
    save_file(tensors, path, metadata={"card": json.dumps(model_card)})
    assert "layer" in refusal(path)

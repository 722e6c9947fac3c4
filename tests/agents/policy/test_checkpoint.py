"""Checkpoint files: what is saved is loaded exactly, and what is missing, truncated, foreign or damaged is refused."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import load_checkpoint, read_model_card, write_results
from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.observation.vector import OBSERVATION_VERSION
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.networks import some_network
from tests.agents.policy.conftest import ModelCard, Tensors, read_raw, refusal


@pytest.mark.parametrize("hidden", [(), (8,), (16, 4, 8)])
@pytest.mark.parametrize("game", ["classic", "tiny", "classic:counts=all,points=over_book"])
def test_a_checkpoint_round_trips_bit_for_bit(tmp_path: Path, hidden: tuple[int, ...], game: str) -> None:
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
    views = DealBatch(game, 30).views()
    assert (PolicyAgent(loaded).act(views, None) == PolicyAgent(made).act(views, None)).all()


def test_half_the_size_rounds_the_weights_to_float16(tmp_path: Path) -> None:
    made = some_network()
    made.save(tmp_path / "whole.safetensors")
    made.save(tmp_path / "half.safetensors", half=True)
    whole, half = load_checkpoint(tmp_path / "whole.safetensors"), load_checkpoint(tmp_path / "half.safetensors")
    for layer, rounded in zip(whole.layers, half.layers, strict=True):
        for array, same in zip(layer, rounded, strict=True):
            assert same.dtype == np.float32
            assert (same == array.astype(np.float16)).all()
            assert (same != array).any()
    sizes = [(tmp_path / f"{name}.safetensors").stat().st_size for name in ("half", "whole")]
    assert sizes[0] == pytest.approx(sizes[1] / 2, rel=0.1)
    views = DealBatch("classic", 1000).views()
    assert (PolicyAgent(whole).act(views, None) == PolicyAgent(half).act(views, None)).mean() > 0.99


def test_results_are_put_into_the_card_and_nothing_else_changes(path: Path) -> None:
    tensors, model_card = read_raw(path)
    assert read_model_card(path) == model_card
    write_results(path, {"greedy": {"win_rate": 0.5}})
    again, changed = read_raw(path)
    assert changed == {**model_card, "results": {"greedy": {"win_rate": 0.5}}}
    assert all(again[name].tobytes() == tensors[name].tobytes() for name in tensors)
    with pytest.raises(ValueError, match="no such file"):
        write_results(path.with_name("gone.safetensors"), {})


def test_the_endgame_and_the_scale_of_the_logits_are_written_and_read(tmp_path: Path) -> None:
    for endgame, scale in (("exact", 4.0), ("played", None)):
        dataclasses.replace(some_network(), endgame=endgame, logits_per_trick=scale).save(tmp_path / "net.safetensors")
        loaded = load_checkpoint(tmp_path / "net.safetensors")
        assert (loaded.endgame, loaded.logits_per_trick) == (endgame, scale)


def test_the_same_network_gives_the_same_bytes(tmp_path: Path) -> None:
    """The order of the texts in the header must not change from file to file."""
    files = [tmp_path / f"{number}.safetensors" for number in range(8)]
    for file in files:
        some_network().save(file)
    assert len({file.read_bytes() for file in files}) == 1


def test_the_card_says_what_the_file_is(path: Path) -> None:
    model_card = read_raw(path)[1]
    assert model_card == some_network().model_card()
    assert model_card["format"] == "german-whist-policy"
    assert model_card["network"] == {
        "type": "mlp",
        "activation": "relu",
        "suits": "canonical",
        "ranks": "named",
        "sizes": [443, 8, 52],
    }
    assert Rules(**model_card["rules"]) == rules("classic")
    assert model_card["observation_version"] == OBSERVATION_VERSION
    assert model_card["training"] == {"decisions": 12, "seed": 0}
    assert model_card["results"] == {"random": {"win_rate": 0.75}}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "gone.safetensors")


@pytest.mark.parametrize("content", [b"", b"hello\nworld\n", b"\xff" * 64, b'{"a": 1}', b"PK\x03\x04" + b"\0" * 90])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.safetensors"
    path.write_bytes(content)
    assert "not a readable safetensors file" in refusal(path)


def test_a_truncated_file_is_refused(path: Path) -> None:
    content = path.read_bytes()
    for length in [*range(0, 3000, 97), len(content) // 2, len(content) - 1]:
        path.write_bytes(content[:length])
        refusal(path)


class _Touch:
    """An object whose unpickling makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.path,)


def test_no_code_of_a_file_runs(tmp_path: Path) -> None:
    path, proof = tmp_path / "evil.safetensors", tmp_path / "ran"
    path.write_bytes(pickle.dumps(_Touch(proof)))
    refusal(path)
    assert not proof.exists()
    pickle.loads(path.read_bytes())
    assert proof.exists()  # it would have run


def test_a_foreign_safetensors_file_is_refused(path: Path) -> None:
    tensors = read_raw(path)[0]
    for metadata in (None, {"format": "pt"}, {"card": "{"}, {"card": "7"}, {"card": "[1]"}, {"card": '"text"'}):
        save_file(tensors, path, metadata=metadata)
        assert "it was not made by german-whist" in refusal(path)
    save_file(tensors, path, metadata={"card": "[" * 100_000})
    assert "it was not made by german-whist" in refusal(path)


def put(key: str, value: object) -> Callable[[ModelCard], None]:
    def change(model_card: ModelCard) -> None:
        *folders, last = key.split(".")
        for folder in folders:
            model_card = model_card[folder]
        model_card[last] = value

    return change


def drop(key: str) -> Callable[[ModelCard], None]:
    return lambda model_card: model_card.pop(key)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("format", "somebody-elses-policy"), "it was not made by german-whist"),
        (drop("format"), "it was not made by german-whist"),
        (put("version", 2), "has format 2 and observation layout 1: this version reads 1 and 1"),
        (drop("observation_version"), "observation layout None"),
        (put("rules.hnad", 13), "unknown rules field 'hnad': did you mean 'hand'"),
        (put("rules.hand", 14), r"2 \* hand \+ stock = 54 cards"),
        (put("network", None), "damaged model card"),
        (put("network.type", "transformer"), "has the network {'type': 'transformer'"),
        (put("network.suits", "named"), "this version reads"),
        (put("network.sizes", None), "damaged model card"),
        (put("network.sizes", []), r"the sizes of the layers must be 443, \.\.\., 52 for these rules, got \[\]"),
        (put("network.sizes", [443, "8", 52]), "damaged model card"),
        (put("network.sizes", [443, float("inf"), 52]), "damaged model card"),
        (put("network.sizes", [443, 8, 53]), "for these rules, got"),
        (put("network.sizes", [443, 9, 52]), "layer 0 is missing or has another shape"),
        (put("network.sizes", [443, 8, 52, 52]), "layer 2 is missing"),
        (put("logits_a_trick", 0), "damaged model card: logits_a_trick must be a positive number up to .*, got 0"),
        (put("endgame", "exat"), "damaged model card: unknown endgame 'exat': did you mean 'exact'"),
        (put("logits_a_trick", 10**400), r"must be a positive number up to 1e\+06, got"),
        (put("network.sizes", [443, 10**9, 52]), "at most 20 of 1 to 65536 units"),
        (put("network.sizes", [443, *[8] * 5000, 52]), "at most 20 of 1 to 65536 units"),
        (put("rules.hand", 10**400), "hand must be an integer from 1 to 26, got"),
        (drop("endgame"), "damaged model card: 'endgame'"),
        (put("results", "good"), "damaged model card"),
    ],
)
def test_a_wrong_model_card_is_refused(path: Path, change: Callable[[ModelCard], None], message: str) -> None:
    tensors, model_card = read_raw(path)
    change(model_card)
    save_file(tensors, path, metadata={"card": json.dumps(model_card)})
    refused = refusal(path)
    with pytest.raises(ValueError, match=message):
        raise ValueError(refused)


def wrong_tensors() -> dict[str, Callable[[Tensors], None]]:
    def spoil(value: float) -> Callable[[Tensors], None]:
        def change(tensors: Tensors) -> None:
            tensors["layer.1.weight"][3, 2] = value

        return change

    def replace(name: str, array: Callable[[np.ndarray], np.ndarray]) -> Callable[[Tensors], None]:
        def change(tensors: Tensors) -> None:
            tensors[name] = array(tensors[name])

        return change

    return {
        "nan": spoil(np.nan),
        "no bias": lambda tensors: tensors.pop("layer.0.bias"),
        "other names": lambda tensors: [tensors.update({f"old.{name}": tensors.pop(name)}) for name in list(tensors)],
        "transposed": replace("layer.0.weight", lambda array: np.ascontiguousarray(array.T)),
        "bias of another length": replace("layer.1.bias", lambda array: array[:-1].copy()),
        "float64": replace("layer.0.weight", lambda array: array.astype(np.float64)),
    }


@pytest.mark.parametrize("layer", [0, 1])
def test_finite_weights_that_overflow_are_refused(path: Path, layer: int) -> None:
    tensors, model_card = read_raw(path)
    tensors[f"layer.{layer}.weight"][0, :2] = 3e38, -3e38
    save_file(tensors, path, metadata={"card": json.dumps(model_card)})
    assert f"layer {layer} holds numbers so large that its outputs overflow" in refusal(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.safetensors")
    assert "it is not a file" in refusal(tmp_path / "pipe.safetensors")


def test_sizes_are_looked_at_before_anything_is_read(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(struct.pack("<Q", 90 << 20) + content[8:])
    assert "its header has 94371840 bytes, and at most 1048576 are read" in refusal(path)
    path.write_bytes(content)
    os.truncate(path, (1 << 30) + 1)  # a hole: no disk is used
    assert "it has 1073741825 bytes" in refusal(path)


@pytest.mark.parametrize("kind", wrong_tensors())
def test_wrong_tensors_are_refused(path: Path, kind: str) -> None:
    tensors, model_card = read_raw(path)
    wrong_tensors()[kind](tensors)
    save_file(tensors, path, metadata={"card": json.dumps(model_card)})
    assert "layer" in refusal(path)


@pytest.mark.parametrize("kind", ["BF16", "I64", "Q9"])
def test_tensors_of_a_type_that_is_not_float32_are_refused(path: Path, kind: str) -> None:
    content = path.read_bytes()
    [length] = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header["layer.0.bias"]["dtype"] = kind
    changed = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(changed)) + changed + content[8 + length :])
    refusal(path)


@hypothesis_settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1700), st.integers(0, 255))
def test_a_damaged_byte_is_refused_or_changes_nothing_but_values(path: Path, place: int, byte: int) -> None:
    some_network().save(path)
    content = bytearray(path.read_bytes())
    content[place] = byte
    path.write_bytes(bytes(content))
    refused, loaded = "", None
    try:
        loaded = load_checkpoint(path)
    except ValueError as error:
        refused = str(error)
    assert "\n" not in refused
    if loaded is not None:
        assert [layer[0].shape for layer in loaded.layers] == [(8, 443), (52, 8)]

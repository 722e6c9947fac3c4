"""Checkpoint files: what they hold comes back exactly, and what is no checkpoint is refused in one line."""

from __future__ import annotations

import dataclasses
import json
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
from safetensors.numpy import load_file, save_file

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint, read_card, write_results
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.observation.vector import OBSERVATION_VERSION
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.networks import some_network
from tests.conftest import play_randomly

Tensors = dict[str, np.ndarray]
Card = dict[str, Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "net.safetensors"
    some_network().save(path)
    return path


def read_raw(path: Path) -> tuple[Tensors, Card]:
    content = path.read_bytes()
    [length] = struct.unpack("<Q", content[:8])
    return load_file(path), json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["card"])


def refusal(path: Path) -> str:
    """Why a file is refused: one line that names it."""
    with pytest.raises(ValueError, match="checkpoint") as caught:
        load_checkpoint(path)
    message = str(caught.value)
    assert "\n" not in message
    assert path.name in message
    assert caught.value.__cause__ is None
    return message


@pytest.mark.parametrize("phases", [(), (2,), (10, 2)])
@pytest.mark.parametrize("hidden", [(), (8,), (16, 4, 8)])
@pytest.mark.parametrize("game", ["classic", "tiny", "classic:counts=all,points=over_book"])
def test_a_checkpoint_round_trips_bit_for_bit(
    tmp_path: Path, hidden: tuple[int, ...], game: str, phases: tuple[int, ...]
) -> None:
    made = some_network(hidden=hidden, game=game, phases=phases)
    made.save(tmp_path / "net.safetensors")
    loaded = load_checkpoint(tmp_path / "net.safetensors")
    assert len(loaded.layers) == len(hidden) + 1
    assert (loaded.phases, loaded.sizes[1:-1]) == (phases, list(hidden))
    for layer, again in zip(made.layers, loaded.layers, strict=True):
        for array, same in zip(layer, again, strict=True):
            assert same.dtype == np.float32
            assert array.tobytes() == same.tobytes()
    assert (loaded.rules, loaded.training, loaded.results) == (rules(game), made.training, made.results)
    views = DealBatch(game, 30).views()
    assert (PolicyAgent(loaded).act(views, None) == PolicyAgent(made).act(views, None)).all()


def test_a_view_of_an_array_in_another_order_is_saved_as_its_values(tmp_path: Path) -> None:
    made = some_network()
    turned = Checkpoint(tuple((np.asfortranarray(weight), bias) for weight, bias in made.layers), made.rules)
    turned.save(tmp_path / "net.safetensors")
    assert (load_checkpoint(tmp_path / "net.safetensors").layers[0][0] == made.layers[0][0]).all()


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


def test_a_weight_too_large_for_half_the_size_is_refused(tmp_path: Path) -> None:
    made = some_network()
    made.layers[1][0][3, 2] = 70_000
    with pytest.raises(ValueError, match="layer 1: a weight is too large for float16"):
        made.save(tmp_path / "half.safetensors", half=True)
    assert not list(tmp_path.iterdir())


def test_results_are_put_into_the_card_and_nothing_else_changes(path: Path) -> None:
    tensors, card = read_raw(path)
    assert read_card(path) == card
    write_results(path, {"greedy": {"win_rate": 0.5}})
    again, changed = read_raw(path)
    assert changed == {**card, "results": {"greedy": {"win_rate": 0.5}}}
    assert all(again[name].tobytes() == tensors[name].tobytes() for name in tensors)
    with pytest.raises(ValueError, match="no such file"):
        write_results(path.with_name("gone.safetensors"), {})


def test_the_scale_of_the_logits_is_saved(tmp_path: Path) -> None:
    dataclasses.replace(some_network(), logits_per_trick=4.0).save(tmp_path / "net.safetensors")
    assert load_checkpoint(tmp_path / "net.safetensors").logits_per_trick == 4
    some_network().save(tmp_path / "net.safetensors")
    assert load_checkpoint(tmp_path / "net.safetensors").logits_per_trick is None


def test_the_endgame_is_written_and_read(tmp_path: Path) -> None:
    for endgame, canonical in (("exact", "exact"), ("solved", "exact"), ("played", "played")):
        dataclasses.replace(some_network(), endgame=endgame).save(tmp_path / "net.safetensors")
        assert read_raw(tmp_path / "net.safetensors")[1]["endgame"] == canonical
        assert load_checkpoint(tmp_path / "net.safetensors").endgame == canonical


def test_solved_in_a_card_is_read_as_exact(path: Path) -> None:
    tensors, card = read_raw(path)
    save_file(tensors, path, metadata={"card": json.dumps({**card, "endgame": "solved"})})
    assert load_checkpoint(path).endgame == "exact"


def test_a_card_without_endgame_means_played(path: Path) -> None:
    tensors, card = read_raw(path)
    assert card.pop("endgame") == "played"
    save_file(tensors, path, metadata={"card": json.dumps(card)})
    assert load_checkpoint(path).endgame == "played"
    agent = make_agent(f"checkpoint:{path}")
    batch = DealBatch("classic", 30)
    play_randomly(batch, np.random.default_rng(0), 30)
    views = batch.views()
    assert (agent.act(views, None) == PolicyAgent(some_network()).act(views, None)).all()


def test_the_card_says_what_the_file_is(path: Path) -> None:
    card = read_raw(path)[1]
    assert card == some_network().card()
    assert card["format"] == "german-whist-policy"
    assert card["network"] == {
        "type": "mlp",
        "activation": "relu",
        "suits": "canonical",
        "ranks": "named",
        "sizes": [443, 8, 52],
    }
    assert Rules(**card["rules"]) == rules("classic")
    assert card["observation_version"] == OBSERVATION_VERSION
    assert card["training"] == {"decisions": 12, "seed": 0}
    assert card["results"] == {"random": {"win_rate": 0.75}}


def test_a_saved_file_replaces_the_one_before(path: Path) -> None:
    some_network(seed=1).save(path)
    assert load_checkpoint(path).training["seed"] == 1
    assert [file.name for file in path.parent.iterdir()] == ["net.safetensors"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "gone.safetensors")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"hello\nworld\n",
        b"\x00" * 64,
        b"\xff" * 64,
        json.dumps({"a": 1}).encode(),
        b"PK\x03\x04" + b"\0" * 90,
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.safetensors"
    path.write_bytes(content)
    assert "not a readable safetensors file" in refusal(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    refusal(tmp_path)


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


def put(key: str, value: object) -> Callable[[Card], None]:
    def change(card: Card) -> None:
        *folders, last = key.split(".")
        for folder in folders:
            card = card[folder]
        card[last] = value

    return change


def drop(key: str) -> Callable[[Card], None]:
    return lambda card: card.pop(key)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("format", "somebody-elses-policy"), "it was not made by german-whist"),
        (put("format", ["x"]), "it was not made by german-whist"),
        (drop("format"), "it was not made by german-whist"),
        (put("version", 2), "has format 2 and observation layout 1: this version reads 1 and 1"),
        (put("observation_version", 99), "has format 1 and observation layout 99"),
        (drop("observation_version"), "observation layout None"),
        (drop("rules"), "damaged card"),
        (put("rules", 5), "damaged card"),
        (put("rules", ["ab", "cd"]), "damaged card: unknown rules field 'a'"),
        (put("rules.hnad", 13), "unknown rules field 'hnad': did you mean 'hand'"),
        (put("rules.hand", 14), r"2 \* hand \+ stock = 54 cards"),
        (put("rules.counts", ["all"]), "damaged card"),
        (drop("network"), "damaged card"),
        (put("network", None), "damaged card"),
        (put("network.type", "transformer"), "has the network {'type': 'transformer'"),
        (put("network.suits", "named"), "this version reads"),
        (put("network.ranks", "dead"), "this version reads"),
        (put("network.dropout", 0.5), "this version reads"),
        (put("network.sizes", None), "damaged card"),
        (put("network.sizes", []), r"has layers of sizes \[\]: these rules need 443, …, 52"),
        (put("network.sizes", [52]), "these rules need"),
        (put("network.sizes", [443, "8", 52]), "damaged card"),
        (put("network.sizes", [443, 8.0, 52]), "damaged card"),
        (put("network.sizes", [443, float("inf"), 52]), "damaged card"),
        (put("network.sizes", [442, 8, 52]), "these rules need"),
        (put("network.sizes", [443, 8, 53]), "these rules need"),
        (put("network.sizes", [443, 9, 52]), "layer 0 is missing or has another shape"),
        (put("network.sizes", [443, 52]), "layer 0 is missing or has another shape"),
        (put("network.sizes", [443, 8, 52, 52]), "layer 2 is missing"),
        (put("network.phases", None), "damaged card"),
        (put("network.phases", [2.5]), "damaged card"),
        (put("network.phases", [2]), "layer 0 is missing or has another shape"),
        (put("network.phases", [2, 2]), r"phases \[2, 2\] is not allowed: cards left in the stock, each above 0"),
        (put("network.phases", [2, 10]), r"phases \[2, 10\] is not allowed"),
        (put("network.phases", [2, 0]), r"phases \[2, 0\] is not allowed"),
        (put("logits_a_trick", 0), "damaged card: logits_a_trick 0 is not a positive number"),
        (put("logits_a_trick", "four"), "logits_a_trick 'four' is not a positive number"),
        (put("logits_a_trick", float("inf")), "damaged card"),
        (
            put("endgame", "exat"),
            "damaged card: unknown endgame 'exat': did you mean 'exact'\\? allowed: played, exact",
        ),
        (put("endgame", None), "damaged card: unknown endgame 'None'"),
        (put("training", [1]), "damaged card"),
        (put("results", "good"), "damaged card"),
    ],
)
def test_a_wrong_card_is_refused(path: Path, change: Callable[[Card], None], message: str) -> None:
    tensors, card = read_raw(path)
    change(card)
    save_file(tensors, path, metadata={"card": json.dumps(card)})
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
        "infinite": spoil(-np.inf),
        "no bias": lambda tensors: tensors.pop("layer.0.bias"),
        "other names": lambda tensors: [tensors.update({f"old.{name}": tensors.pop(name)}) for name in list(tensors)],
        "transposed": replace("layer.0.weight", lambda array: np.ascontiguousarray(array.T)),
        "flat": replace("layer.1.weight", lambda array: array.reshape(-1)),
        "bias of another length": replace("layer.1.bias", lambda array: array[:-1].copy()),
        "bias as a column": replace("layer.1.bias", lambda array: array[:, None].copy()),
        "float64": replace("layer.0.weight", lambda array: array.astype(np.float64)),
        "float16": replace("layer.1.bias", lambda array: array.astype(np.float16)),
        "int8": replace("layer.0.weight", lambda array: array.astype(np.int8)),
        "bool": replace("layer.0.bias", lambda array: array > 0),
    }


@pytest.mark.parametrize("kind", wrong_tensors())
def test_wrong_tensors_are_refused(path: Path, kind: str) -> None:
    tensors, card = read_raw(path)
    wrong_tensors()[kind](tensors)
    save_file(tensors, path, metadata={"card": json.dumps(card)})
    assert "layer" in refusal(path)


@pytest.mark.parametrize("kind", ["BF16", "F8_E4M3", "F8_E5M2", "I64", "Q9"])
def test_tensors_of_a_type_that_is_not_float32_are_refused(path: Path, kind: str) -> None:
    content = path.read_bytes()
    [length] = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header["layer.0.bias"]["dtype"] = kind
    changed = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(changed)) + changed + content[8 + length :])
    refusal(path)


def test_a_bfloat16_file_of_torch_is_refused(path: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_torch_file

    tensors, card = read_raw(path)
    halves = {name: torch.from_numpy(array).bfloat16() for name, array in tensors.items()}
    save_torch_file(halves, path, metadata={"card": json.dumps(card)})
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

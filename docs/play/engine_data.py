"""The data files of the page's engine: the rules, and the network of ``small`` with rounded weights.

``python docs/play/engine_data.py FOLDER`` writes ``rules.json`` and ``small.safetensors``, and the rounded network as a
checkpoint, ``small-rounded.safetensors``, to be measured.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.policy.tensor_file import tensor_bytes
from german_whist.agents.pretrained import SMALL, load_pretrained
from german_whist.envs.engine.cards import SUIT_SIZE
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.session.catalogue import games
from german_whist.solver.exact_endgame import has_open_endgame

_LARGEST = 127  # of a rounded weight


def page_rules() -> dict[str, Rules]:
    """Return the rules that the page offers, by specification: games with an open endgame, then their scorings."""
    found = [game["id"] for game in games()] + [one["rules"] for game in games() for one in game["scorings"]]
    return {spec: rules_named(spec) for spec in dict.fromkeys(found) if has_open_endgame(rules_named(spec))}


def rules_json(offered: dict[str, Rules]) -> str:
    """Return what ``rules.json`` holds: a list of rules, with the names of fields that JavaScript uses."""
    return json.dumps([_rules_record(spec, rules) for spec, rules in offered.items()], separators=(",", ":"))


def _rules_record(spec: str, rules: Rules) -> dict[str, Any]:
    derived = ("cards", "foreplay", "tricks", "counted", "has_choices", "num_actions")
    fields = {"spec": spec, **rules.to_dict(), **{name: getattr(rules, name) for name in derived}}
    game = {name: int(rules.game[name][0]) for name in rules.game.dtype.names or ()}
    deck = game.pop("deck")
    del fields["humbug"], game["humbug"]
    mask = [deck >> SUIT_SIZE * suit & 0x1FFF for suit in range(5)]
    return {**_camel_case(fields), "game": {**_camel_case(game), "deck": mask}}


def _camel_case(fields: dict[str, Any]) -> dict[str, Any]:
    return {re.sub(r"_(\w)", lambda letter: letter[1].upper(), name): value for name, value in fields.items()}


@lru_cache
def rounded_network() -> Checkpoint:
    """Return the network of ``small`` with the weights that the page uses: int8 with a scale for each input.

    Inputs that are counts have much smaller weights than cards, so a scale for each unit would round them away.
    """
    checkpoint = load_pretrained(SMALL)
    return dataclasses.replace(checkpoint, layers=tuple(_restored(*_rounded(layer)) for layer in checkpoint.layers))


def _rounded(layer: Layer) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return a layer's weights as int8[in, out], the scale of each input, and the bias."""
    weight, bias = layer
    largest = np.abs(weight).max(axis=0)
    scale = np.where(largest > 0, largest / _LARGEST, 1).astype(np.float32)
    return np.rint(weight / scale).clip(-_LARGEST, _LARGEST).astype(np.int8).T, scale, bias.astype(np.float32)


def _restored(rounded: npt.NDArray[np.int8], scale: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> Layer:
    return rounded.T.astype(np.float32) * scale, bias


def network_bytes() -> bytes:
    """Return what ``small.safetensors`` holds."""
    tensors: dict[str, npt.NDArray[Any]] = {}
    checkpoint = load_pretrained(SMALL)
    for i, layer in enumerate(checkpoint.layers):
        columns = zip(("weight", "scale", "bias"), _rounded(layer), strict=True)
        tensors.update({f"{i}.{column}": np.ascontiguousarray(array) for column, array in columns})
    about = {"layers": len(checkpoint.layers), "logitsPerTrick": checkpoint.logits_per_trick}
    return tensor_bytes(tensors, {"network": json.dumps(about)})


def write_engine_data(folder: Path) -> None:
    """Write ``rules.json`` and ``small.safetensors`` into a folder."""
    (folder / "rules.json").write_text(rules_json(page_rules()), encoding="utf-8")
    (folder / "small.safetensors").write_bytes(network_bytes())


if __name__ == "__main__":
    write_engine_data(Path(sys.argv[1]))
    rounded_network().save(Path(sys.argv[1]) / f"{SMALL}-rounded.safetensors")

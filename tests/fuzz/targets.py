"""What is fuzzed. Each target makes its originals once and then runs cases, each a function of a random generator."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import yaml
from safetensors.numpy import load_file, save_file

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.cli import main
from german_whist.training.load_config import load_config, recipe_names
from german_whist.web import server
from tests.agents.networks import some_network
from tests.fuzz.contract import command, refused_or
from tests.fuzz.mutations import Rng, as_json, mutate_bytes, mutate_json, mutate_text, mutate_words
from tests.fuzz.page_targets import requests

Case = Callable[[Rng], None]


def model_cards(folder: Path) -> Case:
    """Values of a checkpoint's model card: refused, or a playing network."""
    path = folder / "network.safetensors"
    some_network(game="tiny").save(path)
    tensors, model_card = load_file(path), load_checkpoint(path).model_card()
    evaluate = ["evaluate", f"checkpoint:{path}", "random", "--deals", "1", "--rules", "tiny"]
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(evaluate) == 0  # compiles, which no case may have to pay for

    def case(rng: Rng) -> None:
        save_file(tensors, path, {"card": as_json(mutate_json(rng, model_card))})
        command(evaluate)

    return case


def configurations(folder: Path) -> Case:
    """Configurations as files and single settings."""
    texts = [load_config(name).to_yaml() for name in recipe_names()]
    path = folder / "mine.yaml"

    def case(rng: Rng) -> None:
        text = texts[int(rng.integers(len(texts)))]
        settings = yaml.safe_load(text)
        if rng.random() < 0.5:
            path.write_bytes(mutate_bytes(rng, text.encode()))
        else:
            path.write_text(yaml.safe_dump(mutate_json(rng, settings)), encoding="utf-8")
        refused_or(lambda: load_config(path).to_yaml())
        key = str(rng.choice(list(settings)))
        value = mutate_text(rng, yaml.safe_dump(settings[key]))
        refused_or(lambda: load_config("quickstart", {key: value}).to_yaml())

    return case


COMMANDS = [
    "evaluate random greedy --deals 1 --rules tiny",
    "evaluate random greedy heuristic --deals 1 --rules tiny --json",
    "rules classic",
    "agents --json",
    "solve A... 2... --trump S",
    "replay absent.jsonl",
    "curve absent --out absent/x.png",
    "export absent",
    "arena random greedy --deals 1 --rules tiny --json",
    "exploit greedy --rules tiny --json",
    "draw random greedy --rules tiny --deal 7:0 --still table.png --size 96x64",
    "train absent.yaml --decisions -1 --ranks x --seed -1 --rules humbug",
    "review absent.jsonl --seat 0 --brief --json",
    "play random --rules tiny --seat 1 --match best_of:3 --seed 7",
    "serve --rules tiny --agent greedy --port 0 --seed 7 --no-browser",
]
# What keeps a command from playing, serving or measuring, behind whatever was mutated.
ENDS = {"play": ["--record", "absent/deals.jsonl"], "serve": ["--data", "data"]}


def commands(folder: Path) -> Case:
    """Command lines, in the folder."""

    def case(rng: Rng) -> None:
        words = mutate_words(rng, str(rng.choice(COMMANDS)).split())
        with mock.patch.object(server, "serve"):  # it would serve
            command(words + ENDS.get(words[0], []))

    return case


TARGETS: dict[str, Callable[[Path], Case]] = {
    "model-cards": model_cards,
    "configurations": configurations,
    "commands": commands,
    "requests": requests,
}

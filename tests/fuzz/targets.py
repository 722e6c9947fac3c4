"""What is fuzzed. Each target makes its originals once and then runs cases, each a function of a random generator."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import yaml
from safetensors.numpy import load_file, save_file

from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.cli import main
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.utils.files import CACHE_VARIABLE
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import Recording, writing_recordings
from german_whist.solver.tablebase import cache
from german_whist.solver.tablebase.build import build_table
from german_whist.solver.tablebase.kinds import KINDS
from german_whist.training.load_config import load_config, recipe_names
from german_whist.web import server
from tests.agents.networks import some_network
from tests.fuzz.contract import BrokenError, command, refused_or
from tests.fuzz.match_targets import bots
from tests.fuzz.mutations import Rng, as_json, mutate_bytes, mutate_json, mutate_text, mutate_words
from tests.fuzz.page_targets import database, requests
from tests.fuzz.run_targets import resumed_runs
from tests.fuzz.text_targets import messages

Case = Callable[[Rng], None]


def _same_layers(one: Checkpoint, other: Checkpoint) -> bool:
    return all(
        np.array_equal(a, b)
        for layer, wanted in zip(one.layers, other.layers, strict=True)
        for a, b in zip(layer, wanted, strict=True)
    )


def checkpoints(folder: Path) -> Case:
    """Bytes of a checkpoint: refused, or the same network. Values of its model card: refused, or a playing network."""
    path = folder / "network.safetensors"
    some_network(game="tiny").save(path)
    content, original = path.read_bytes(), load_checkpoint(path)
    tensors, model_card = load_file(path), original.model_card()
    evaluate = ["evaluate", f"checkpoint:{path}", "random", "--deals", "1", "--rules", "tiny"]
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(evaluate) == 0  # compiles, which no case may have to pay for

    def of_bytes(rng: Rng) -> None:
        path.write_bytes(mutate_bytes(rng, content))
        found = refused_or(lambda: load_checkpoint(path))
        if found is not None and not _same_layers(found, original):
            raise BrokenError("other weights were read in silence")

    def of_model_card(rng: Rng) -> None:
        save_file(tensors, path, {"card": as_json(mutate_json(rng, model_card))})
        command(evaluate)

    return lambda rng: of_bytes(rng) if rng.random() < 0.6 else of_model_card(rng)


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


def recordings(folder: Path) -> Case:
    """Files of recordings."""
    played: list[Recording] = []
    play_match("random", "greedy", deals=2, rules="tiny", record=played.append)
    play_match("random", "greedy", deals=1, rules="draft", record=played.append)
    lines = [recording.to_line() for recording in played]
    path = folder / "deals.jsonl"
    with writing_recordings(path) as write:
        for recording in played:
            write(recording)
    content = path.read_bytes()

    def case(rng: Rng) -> None:
        if rng.random() < 0.5:
            path.write_bytes(mutate_bytes(rng, content))
        else:
            line = json.loads(lines[int(rng.integers(len(lines)))])
            path.write_text(as_json(mutate_json(rng, line)) + "\n", encoding="utf-8")
        command(["replay", str(path)])

    return case


def tables(folder: Path) -> Case:
    """Endgame tables and what interrupted builds leave: refused and built anew, or the same values."""
    kind = KINDS["trump-high"]
    os.environ[CACHE_VARIABLE] = str(folder)
    cache.DEFAULT_CARDS = 4
    path = build_table(kind, 4)
    content = path.read_bytes()

    def case(rng: Rng) -> None:
        cache._open.clear()
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        kept = path if rng.random() < 0.7 else path.with_suffix(".partial")
        kept.write_bytes(mutate_bytes(rng, content))
        with contextlib.redirect_stderr(io.StringIO()):
            table = refused_or(lambda: cache.open_table(*kind))
        if table is None:
            raise BrokenError("a damaged table is not built anew")
        if table.values.tobytes() != content[4096:]:
            raise BrokenError("other values were read in silence")

    return case


def specifications(folder: Path) -> Case:
    """Names of rules and agents."""
    agents = [
        "random",
        "greedy+exact",
        "mc:worlds=3",
        "champion:temperature=1,endgame=played",
        "checkpoint:x",
    ]
    games = [*rule_names(), "classic:hand=10,stock=32", "tiny:counts=all", "classic:points=over_book,slam=20"]

    def case(rng: Rng) -> None:
        agent = mutate_text(rng, str(rng.choice(agents)))
        game = mutate_text(rng, str(rng.choice(games)))
        refused_or(lambda: make_agent(agent))
        refused_or(lambda: rules(game))

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
    "checkpoints": checkpoints,
    "configurations": configurations,
    "recordings": recordings,
    "tables": tables,
    "specifications": specifications,
    "commands": commands,
    "resumed-runs": resumed_runs,
    "bots": bots,
    "messages": messages,
    "requests": requests,
    "database": database,
}

"""The data that the page needs from Python: the catalogue and the rules (``data.json``), and the networks.

The networks are quantized to int8 weights. ``python -m german_whist.table.page_data FOLDER`` writes everything, and the
quantized networks as checkpoints, such as ``small-rounded.safetensors``, to measure their strength.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from german_whist.agents.base import ACTION_VALUES, agent_name
from german_whist.agents.judge import LEAST, SAME, SAME_WIN, SURE
from german_whist.agents.policy.agent import NETWORK_SD, WIN_PER_TRICK
from german_whist.agents.policy.network.forward import PackedNetwork
from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.pretrained import CHAMPION, SMALL, load_pretrained, rounded_layer, rounded_network
from german_whist.agents.registry import make_agent
from german_whist.game.cards import SUIT_SIZE
from german_whist.game.match_format import MAX_TARGET
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.scoring import REWARDS
from german_whist.game.state import DRAFT, EXCHANGE, NON_CARD_ACTIONS, PICK, PICK_AFTER, PLAY
from german_whist.simulator.observation.views import UNPLAYED
from german_whist.simulator.text.rules_text import rules_spec, rules_text
from german_whist.table import catalogue

NETWORKS = (SMALL, CHAMPION)  # each in a file that the page loads on demand
OWN_AGENTS = ("random", "greedy", "heuristic", "heuristic+exact", SMALL, CHAMPION)  # run in the page itself


@dataclasses.dataclass(frozen=True)
class ServeOptions:
    """The options of ``german-whist serve`` that concern the page.

    Attributes:
        rules: specification of the game that the page suggests first.
        agents: specifications of the opponents that it suggests first; none for the strongest that plays the game.
        seed: seed of the deals; ``None`` for a new one each time.
    """

    rules: str = "classic"
    agents: tuple[str, ...] = ()
    seed: int | None = None

    def __post_init__(self) -> None:
        """Normalise the rules to their shortest specification, by which the page looks them up."""
        object.__setattr__(self, "rules", rules_spec(self.rules))


def page_rules() -> dict[str, Rules]:
    """Return the rules that the page offers, by specification: first all games, then their other scorings."""
    found = [game["id"] for game in catalogue.games()]
    found += [one["rules"] for game in catalogue.games() for one in game["scorings"]]
    return {spec: get_rules(spec) for spec in dict.fromkeys(found)}


def page_data(options: ServeOptions | None = None) -> dict[str, Any]:
    """Return the content of ``data.json``.

    Args:
        options: the server's options; ``None`` for a static host, whose page has only the agents that run in it.
    """
    rules, games = page_rules(), catalogue.games()
    proposed = options or ServeOptions()
    if proposed.rules not in rules:
        games = (*games, catalogue.unlisted(proposed.rules))
    rules |= {spec: get_rules(spec) for spec in (catalogue.LESSON, proposed.rules)}
    strongest = SMALL if options is None else catalogue.default_agent(rules[proposed.rules])
    agent, *_ = *proposed.agents, strongest
    return {
        "server": options is not None,
        "seed": proposed.seed,
        "catalog": {
            "games": [_game(game, options) for game in games],
            "agents": _agents(options),
            "suggested": proposed.agents,
            "defaults": {"rules": proposed.rules, "agent": agent, "match": None},
        },
        **game_records(rules),
        "constants": page_constants(),
    }


def page_constants() -> dict[str, Any]:
    """Return the numbers and names that the page shares with Python."""
    decisions = {"play": PLAY, "pick": PICK, "pick_after": PICK_AFTER, "draft": DRAFT, "exchange": EXCHANGE}
    fields = ("number", "name", "setting", "clause")
    least = [[label, *values] for label, values in LEAST.items()]
    return {
        "decisions": camel_case(decisions),
        "nonCardActions": [{name: getattr(one, name) for name in fields} for one in NON_CARD_ACTIONS],
        "rewards": REWARDS,
        "maxTarget": MAX_TARGET,
        "networkSd": NETWORK_SD,
        "winPerTrick": WIN_PER_TRICK,
        "judgements": {"sure": SURE, "same": SAME, "sameWin": SAME_WIN, "least": least},
    }


def game_records(rules: dict[str, Rules]) -> dict[str, Any]:
    """Return rules in words (``games``, by specification) and in the form of the page's engine (``rules``)."""
    return {
        "games": {spec: _words(one) for spec, one in rules.items()},
        "rules": [_record(spec, one) for spec, one in rules.items()],
    }


def _agents(options: ServeOptions | None) -> list[dict[str, Any]]:
    """Return the agents of the catalogue: without a server those that run in the page, else all, and ``--agent``'s."""
    found = [_agent(agent) for agent in catalogue.agents()]
    if options is None:
        measured = catalogue.strengths()
        return [{**agent, "accuracy": measured[agent["spec"]]["page_accuracy"]} for agent in found if agent["own"]]
    mine = {spec: make_agent(spec, options.rules) for spec in options.agents if spec not in catalogue.specs()}
    names = [agent_name(agent) for agent in mine.values()]
    for number, (spec, agent) in enumerate(mine.items(), 1):
        name = agent_name(agent)
        found.append(
            _agent(
                {
                    "spec": spec,
                    "title": name if names.count(name) == 1 else f"{name} #{number}",
                    "level": "yours",
                    "strength": {},
                    "accuracy": None,
                    "description": "the agent of the command line",
                    "judges": ACTION_VALUES in agent.evaluates,
                }
            )
        )
    return found


def _agent(agent: dict[str, Any]) -> dict[str, Any]:
    """Add to an agent of the catalogue whether it runs in the page, and the size of its network in bytes."""
    spec = agent["spec"]
    return {**agent, "own": spec in OWN_AGENTS, "bytes": len(network_bytes(spec)) if spec in NETWORKS else None}


def _game(game: dict[str, Any], options: ServeOptions | None) -> dict[str, Any]:
    """Return a game of the catalogue with the agents that can play it on this page."""
    if options is None:
        return {**game, "agents": [spec for spec in game["agents"] if spec in OWN_AGENTS]}
    mine = [spec for spec in options.agents if spec not in catalogue.specs()]
    if not mine:
        return game
    scorings = [
        {**one, "agents": [*game["agents"], *(spec for spec in mine if _plays(spec, one["rules"]))]}
        for one in game["scorings"]
    ]
    return {**game, "scorings": scorings, "agents": scorings[0]["agents"]}


def _plays(agent: str, rules: str) -> bool:
    """Return whether an agent plays a game; most networks play only one."""
    try:
        make_agent(agent, rules)
    except ValueError:
        return False
    return True


def _words(rules: Rules) -> dict[str, Any]:
    """Return rules in words, with the settings that differ from the classic game, as in recordings."""
    classic = Rules().to_dict()
    changes = {name: value for name, value in rules.to_dict().items() if value != classic[name]}
    return {"title": catalogue.rules_title(rules), "text": rules_text(rules), "changes": changes}


def _record(spec: str, rules: Rules) -> dict[str, Any]:
    """Return rules in the form of the page's engine, with camel-case names."""
    derived = ("cards", "foreplay", "tricks", "counted", "has_choices")
    fields = {"spec": spec, **rules.to_dict(), **{name: getattr(rules, name) for name in derived}}
    game = {name: int(rules.record[name][0]) for name in rules.record.dtype.names or ()}
    deck = game.pop("deck")
    # Masks of 13 bits, by suit: JavaScript's numbers hold no 64-bit integers.
    mask = [deck >> SUIT_SIZE * suit & 0x1FFF for suit in range(5)]
    return {**camel_case(fields), "game": {**camel_case(game), "deck": mask}}


def camel_case(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with their names in camel case, as in JavaScript."""
    return {re.sub(r"_(\w)", lambda letter: letter[1].upper(), name): value for name, value in fields.items()}


@lru_cache
def network_bytes(name: str) -> bytes:
    """Return the safetensors file of a network, its layers packed as the kernels read them (``PackedNetwork``).

    Each part, ``policy`` and perhaps ``value``, has the rounded weights of its layers, a scale for each input, and the
    biases, one layer after the other.
    """
    checkpoint = load_pretrained(name)
    tensors: dict[str, npt.NDArray[Any]] = {}
    parts = {}
    for part, layers in (("policy", checkpoint.layers), ("value", checkpoint.value)):
        if not layers:
            continue
        rounded, scales = _packed(layers, checkpoint.suit_layers, 0), _packed(layers, checkpoint.suit_layers, 1)
        columns: list[tuple[npt.NDArray[Any], ...]] = []
        for start, rows, units in rounded.layers:
            place = slice(start, start + rows * units)
            weights, scale = (one.memory[place].reshape(rows, units) for one in (rounded, scales))
            columns.append((weights[:-1].astype(np.int8), scale[:-1, 0], weights[-1]))
        for column, arrays in zip(("weights", "scales", "biases"), zip(*columns, strict=True), strict=True):
            tensors[f"{part}.{column}"] = np.concatenate([array.ravel() for array in arrays])
        parts[part] = {
            "layers": rounded.layers.tolist(),
            **{"suitLayers": rounded.suit_layers, "cardLayers": rounded.card_layers, "outputs": rounded.outputs},
            **{"rankByUnplayed": int(checkpoint.ranks == UNPLAYED), "logitsPerTrick": checkpoint.logits_per_trick},
        }
    about = {"name": name, "parts": parts}
    return save(tensors, metadata={"network": json.dumps(about)})


def _packed(layers: Sequence[Layer], suit_layers: int, column: int) -> PackedNetwork:
    """Pack layers with other weights: their rounded ones (column 0), or the scales of their inputs (1)."""
    replaced = []
    for layer in layers:
        rounded, scale, bias = rounded_layer(layer)
        weight = rounded.T.astype(np.float32) if column == 0 else np.broadcast_to(scale, rounded.T.shape)
        replaced.append((weight, bias))
    return PackedNetwork.create(replaced, suit_layers)


def network_files() -> dict[str, bytes]:
    """Return the files of all networks, by file name."""
    return {f"{name}.safetensors": network_bytes(name) for name in NETWORKS}


def data_bytes(options: ServeOptions | None = None) -> bytes:
    """Return the bytes of ``data.json``."""
    return json.dumps(page_data(options), ensure_ascii=False, separators=(",", ":")).encode()


def write_data(folder: Path) -> None:
    """Write ``data.json`` and the networks into a folder."""
    for name, content in {"data.json": data_bytes(), **network_files()}.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    write_data(Path(sys.argv[1]))
    for network in NETWORKS:
        rounded_network(network).save(Path(sys.argv[1]) / f"{network}-rounded.safetensors")

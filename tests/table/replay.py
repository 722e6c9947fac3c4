"""Record deals, and replay them in the kernels of the page: ``python -m tests.table.replay --deals 100000``.

Deals of every game that the page offers are played by a mixture of random, greedy, textbook and the network. At every
position the recording holds the state, both views and the choices of the bots; where the opponent's hand is not
known, what a network makes of its inputs (``small``, in some deals ``champion``; in humbug, which no network plays,
none); elsewhere, in some deals, the exact margin of every card and the perfect card; of every deal, what both seats
have seen happen. ``replay.mjs`` plays the same deals and stops at the first byte that differs.

A recording is a sequence of blocks, each of some deals of one game: the length of a header (uint32), the header (JSON),
which names the columns, and the columns, one after the other.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.random import pick
from german_whist.agents.endgame.open_hands import best_cards, exact_margins, opponent_hand_known
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.input_kernels import UNIVERSAL_BLOCKS
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.pretrained import rounded_network
from german_whist.agents.registry import make_agent
from german_whist.game.cards import NUM_ACTIONS, NUM_CARDS
from german_whist.game.rules import Rules
from german_whist.game.scoring import REWARDS
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.table.page_data import NETWORKS, page_rules, write_data

REPLAY = Path(__file__).parent / "replay.mjs"

BLOCK = 32  # deals
INPUTS = sum(block.size for block in UNIVERSAL_BLOCKS)
EXACT_EVERY = 8  # exact margins in one deal of so many
_CHAMPION_EVERY = 16  # and the network `champion`, which is slow, in one of so many

Columns = dict[str, npt.NDArray[Any]]


def blocks(deals: int, seed: int = 0, first: int = 0, exact_every: int = EXACT_EVERY) -> Iterator[bytes]:
    """Yield a recording of deals, the games in turn.

    Args:
        deals: number of deals.
        seed: seed of the deals and of the choices.
        first: number of the first block.
        exact_every: one deal of so many has exact margins.
    """
    games = list(page_rules().items())
    block = first
    while deals > 0:
        spec, rules = games[block % len(games)]
        yield _block(spec, rules, seed, BLOCK * block, min(BLOCK, deals), exact_every)
        deals -= BLOCK
        block += 1


def _block(spec: str, rules: Rules, seed: int, first: int, deals: int, exact_every: int) -> bytes:
    """Play some deals and return their recording."""
    rng = np.random.default_rng((seed, first))
    networks = [] if rules.humbug else [PolicyAgent(rounded_network(name), rules=rules) for name in NETWORKS]
    greedy, textbook = make_agent("greedy", rules), make_agent("heuristic", rules)
    batch = DealBatch(rules, deals, seed, first, history=True)
    steps: list[Columns] = []
    judged: list[Columns] = []
    exact: list[Columns] = []
    while not batch.done.all():
        decisions = batch.decisions()
        rows, views, uniform = decisions.rows, decisions.views, rng.random(len(decisions))
        known = opponent_hand_known(views)
        solved = known & (rows % exact_every == 0)
        network = np.where(known | (not networks), 0, np.where(rows % _CHAMPION_EVERY == 1, 2, 1))
        judged.append(_judged(decisions, network, networks))
        exact.append(_exact(views[solved]))
        choices = np.stack([_random(views, uniform), greedy.act(decisions), *2 * [textbook.act(decisions)]])
        choices[3, network > 0] = judged[-1]["network"]
        action = choices[rng.integers(len(choices), size=len(rows)), np.arange(len(rows))]
        step = {"deal": rows.astype(np.int16), "state": batch.states[rows], "uniform": uniform}
        step |= {f"view{seat}": batch.views(rows, [seat] * len(rows)) for seat in range(2)}
        bots = dict(zip(("random", "greedy", "textbook"), choices, strict=False))
        small = {"judged": network, "exact": solved, "action": action, **bots}
        steps.append(step | {name: column.astype(np.int8) for name, column in small.items()})
        batch.step(action, rows)
    found = _joined(steps) | _joined(judged) | _joined(exact) | {"end": batch.states.copy()}
    for seat in range(2):
        found[f"history{seat}"], lengths = batch.history(seats=[seat] * deals)
        found[f"events{seat}"] = lengths.astype(np.int16)
    for reward in REWARDS:
        found[reward] = batch.returns(reward)[:, 0].astype(np.float64)
    return _bytes({"rules": spec, "seed": seed, "first": first, "deals": deals}, found)


def _random(views: Any, uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the random actions that go with some numbers in [0, 1), int64[n]."""
    actions = np.empty(len(views), np.int64)
    pick(views["legal"], uniform, actions)
    return actions


def _judged(decisions: Decisions, which: npt.NDArray[np.int64], networks: list[PolicyAgent]) -> Columns:
    """Return what a network makes of each of n decisions, the one with that number from 1 on; 0 leaves one out."""
    places = [np.flatnonzero(which == number) for number in range(1, 1 + len(NETWORKS))]
    columns = [_judged_by(network, decisions[rows]) for network, rows in zip(networks, places, strict=False)]
    if not columns:
        return _judged_by(None, decisions[:0])
    order = np.argsort(np.concatenate(places))
    return {name: column[order] for name, column in _joined(columns).items()}


def _judged_by(network: PolicyAgent | None, decisions: Decisions) -> Columns:
    """Return what a network makes of n decisions."""
    if network is None or not len(decisions):
        real = {"expected": np.zeros(0), "chance": np.zeros(0), "advantages": np.zeros((0, NUM_ACTIONS))}
        return {"network": np.zeros(0, np.int8), "inputs": np.zeros((0, INPUTS), np.int8), **real}
    canonical = decisions.canonical(network.checkpoint.ranks).views
    known = network.evaluate(decisions, "values", "action_values")
    values, unknown = known.values, np.full(len(decisions), np.nan)
    assert known.action_values is not None
    return {
        "network": np.asarray(network.act(decisions), np.int8),
        "inputs": network_inputs(canonical, network.rules, network.checkpoint.inputs),
        "advantages": known.action_values.margin_gains,
        "expected": unknown if values is None else values.margin,
        "chance": unknown if values is None else values.win,
    }


def _exact(views: Any) -> Columns:
    """Return the exact values of n views: margins of the cards, and the perfect card."""
    if not len(views):
        return {"margins": np.zeros((0, NUM_CARDS), np.int8), "perfect": np.zeros(0, np.int8)}
    return {
        "margins": exact_margins(views).astype(np.int8),
        "perfect": best_cards(views).astype(np.int8),
    }


def _joined(steps: list[Columns]) -> Columns:
    return {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}


def _bytes(about: dict[str, Any], columns: Columns) -> bytes:
    """Return a block: its header and its columns."""
    kinds = {"i": "Int", "f": "Float", "V": "Uint"}
    parts = [
        {"name": name, "size": array.nbytes, "row": array.nbytes // max(len(array), 1)}
        | {"kind": f"{kinds[array.dtype.kind]}{8 * array.itemsize if array.dtype.kind != 'V' else 8}Array"}
        for name, array in columns.items()
    ]
    header = json.dumps({**about, "columns": parts}).encode()
    arrays = (_padded_by_zeros(array).tobytes() for array in columns.values())
    return b"".join([len(header).to_bytes(4, "little"), header, *arrays])


def _padded_by_zeros(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array in which the bytes between the fields of records are 0."""
    if not array.dtype.names:
        return np.ascontiguousarray(array)
    padded = np.zeros(array.shape, array.dtype)
    for name in array.dtype.names:
        padded[name] = array[name]
    return padded


class DifferenceError(Exception):
    """JavaScript and Python differ; the message names the field, the game and the deal."""


def replay(recording: Iterable[bytes]) -> str:
    """Replay a recording in JavaScript and return what was compared, in words.

    Raises:
        DifferenceError: at the first difference.
    """
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder))
        command = ["node", str(REPLAY), folder]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as node:
            assert node.stdin is not None
            assert node.stdout is not None
            assert node.stderr is not None
            try:
                for block in recording:
                    node.stdin.write(block)
                node.stdin.close()
            except BrokenPipeError:
                pass  # it has found a difference
            said, complaint = node.stdout.read().decode(), node.stderr.read().decode()
        if node.returncode:
            raise DifferenceError(complaint.strip())
    return said.strip()


def _reported(recording: Iterable[bytes]) -> Iterator[bytes]:
    """Pass a recording on, and say now and then how far it is."""
    for number, block in enumerate(recording):
        if number and number % 100 == 0:
            print(f"{BLOCK * number:,} deals ...", flush=True)
        yield block


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.table.replay", description=__doc__)
    parser.add_argument("--deals", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--exact-every", type=int, default=EXACT_EVERY, help="exact margins in one deal of so many")
    given = parser.parse_args()
    recording = blocks(given.deals, given.seed, exact_every=given.exact_every)
    start = time.monotonic()
    try:
        print(f"{replay(_reported(recording))}, {time.monotonic() - start:.0f} s, 0 differences")
    except DifferenceError as difference:
        sys.exit(str(difference))


if __name__ == "__main__":
    main()

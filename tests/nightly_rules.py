"""Compare the engine with the reference on many deals: ``python -m tests.nightly_rules --deals 1000000 --processes 2``.

Half of the deals are of the presets, half of games with random settings. After every action states, masks, views,
observations and their inverse, full state vectors and returns are compared. The first difference ends the run and names
the field, the game and the deals. With ``--progress FILE`` a stopped check goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.utils.atomic_file import write_atomically
from tests.reference.compare import play_both
from tests.strategies import some_game

CHUNK = 250  # deals of one game per batch


def game_of(chunk: int, seed: int, cards: int = NUM_CARDS) -> Rules:
    """The game of a chunk: presets in turn in even chunks, random games in odd ones, with at most ``cards`` cards."""
    presets = [game_rules for game_rules in map(rules, rule_names()) if len(game_rules.cards) <= cards]
    if chunk % 2 == 0 and presets:
        return presets[chunk // 2 % len(presets)]
    rng = np.random.default_rng((seed, chunk))
    while True:
        game_rules = some_game(lambda options: options[int(rng.integers(len(options)))])
        if len(game_rules.cards) <= cards:
            return game_rules


def play_chunk(chunk: int, seed: int, size: int, cards: int = NUM_CARDS) -> int:
    """Play one chunk in both and return the number of positions compared.

    Raises:
        AssertionError: if engine and reference differ; the message names the chunk.
    """
    rules = game_of(chunk, seed, cards)
    try:
        return play_both(rules, size, seed, CHUNK * chunk, np.random.default_rng((seed, chunk, 1)))
    except AssertionError as difference:
        raise AssertionError(f"chunk {chunk} of seed {seed}, {rules}: {difference}") from difference


def _play_sized(job: tuple[int, int, int, int]) -> tuple[int, int]:
    return job[2], play_chunk(*job)


def check(
    deals: int, seed: int = 0, processes: int = 1, cards: int = NUM_CARDS, done: int = 0
) -> Iterator[tuple[int, int]]:
    """Play ``deals`` deals in chunks and yield the numbers of deals and positions of each.

    The first ``done`` deals, a number of whole chunks, are left out.
    """
    sizes = [CHUNK] * (deals // CHUNK) + [deals % CHUNK] * (deals % CHUNK > 0)
    jobs = [(chunk, seed, size, cards) for chunk, size in enumerate(sizes)][done // CHUNK :]
    if processes == 1:
        yield from map(_play_sized, jobs)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_play_sized, jobs)


def begin(progress: Path | None, what: dict[str, int]) -> tuple[int, int]:
    """Return the deals and positions that an earlier check of the same seed and games has done."""
    if progress is None or not progress.exists():
        return 0, 0
    done = json.loads(progress.read_text())
    return (done["deals"], done["positions"]) if {key: done[key] for key in what} == what else (0, 0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.nightly_rules", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cards", type=int, default=NUM_CARDS, help="leave out games of more cards")
    parser.add_argument("--progress", type=Path, help="file that remembers how far the check is")
    given = parser.parse_args()
    what = {"seed": given.seed, "cards": given.cards}
    deals, positions = begin(given.progress, what)
    start = last_report = time.monotonic()
    for played, compared in check(given.deals, given.seed, given.processes, given.cards, deals):
        deals, positions = deals + played, positions + compared
        if given.progress is not None and deals % CHUNK == 0:
            write_atomically(given.progress, json.dumps({**what, "deals": deals, "positions": positions}).encode())
        if time.monotonic() - last_report > 30 or deals == given.deals:
            last_report = time.monotonic()
            print(f"{deals:,} deals, {positions:,} positions, {last_report - start:.0f} s, 0 differences", flush=True)


if __name__ == "__main__":
    main()

"""Compare the engine with the reference on many deals: ``python -m tests.nightly_rules --deals 1000000 --processes 2``.

Half of the deals are of the presets, half of games with random settings; with ``--presets`` all are of presets. After
every action states, masks, views, observations and their inverse, histories, full states and returns are compared. The
first difference ends the run and names the field, the game and the deals. With ``--progress FILE`` a stopped check of
the same engine goes on where it was, and a check after a complete one has the next seed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.simulator import batch_kernels
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.kernel_cache import source_digest
from tests.reference.compare import play_both
from tests.strategies import some_game

CHUNK = 250  # deals of one game per batch


def game_of(chunk: int, seed: int, cards: int = NUM_CARDS, only_presets: bool = False) -> Rules:
    """The game of a chunk, with at most ``cards`` cards: presets in turn, with random games in odd chunks."""
    presets = [game_rules for game_rules in map(rules, rule_names()) if len(game_rules.cards) <= cards]
    if only_presets:
        return presets[chunk % len(presets)]
    if chunk % 2 == 0 and presets:
        return presets[chunk // 2 % len(presets)]
    rng = np.random.default_rng((seed, chunk))
    while True:
        game_rules = some_game(lambda options: options[int(rng.integers(len(options)))])
        if len(game_rules.cards) <= cards:
            return game_rules


def play_chunk(chunk: int, seed: int, size: int, cards: int = NUM_CARDS, only_presets: bool = False) -> int:
    """Play one chunk in both and return the number of positions compared.

    Raises:
        AssertionError: if engine and reference differ; the message names the chunk.
    """
    rules = game_of(chunk, seed, cards, only_presets)
    try:
        return play_both(rules, size, seed, CHUNK * chunk, np.random.default_rng((seed, chunk, 1)))
    except AssertionError as difference:
        raise AssertionError(f"chunk {chunk} of seed {seed}, {rules}: {difference}") from difference


def _play_sized(job: tuple[int, int, int, int, bool]) -> tuple[int, int]:
    return job[2], play_chunk(*job)


def check(
    deals: int, seed: int = 0, processes: int = 1, cards: int = NUM_CARDS, done: int = 0, only_presets: bool = False
) -> Iterator[tuple[int, int]]:
    """Play ``deals`` deals in chunks and yield the numbers of deals and positions of each.

    The first ``done`` deals, a number of whole chunks, are left out.
    """
    sizes = [CHUNK] * (deals // CHUNK) + [deals % CHUNK] * (deals % CHUNK > 0)
    jobs = [(chunk, seed, size, cards, only_presets) for chunk, size in enumerate(sizes)][done // CHUNK :]
    if processes == 1:
        yield from map(_play_sized, jobs)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_play_sized, jobs)


def begin(progress: Path | None, what: dict[str, Any], seed: int) -> tuple[int, int, int]:
    """Return the seed to check, and how many deals and positions of it an earlier check has done.

    Args:
        progress: the file of the earlier check.
        what: what both must have in common: engine and games.
        seed: the first seed.
    """
    if progress is None or not progress.exists():
        return seed, 0, 0
    done = json.loads(progress.read_text())
    if done["seed"] < seed or any(done[key] != value for key, value in what.items()):
        return seed, 0, 0
    return (done["seed"] + 1, 0, 0) if done["complete"] else (done["seed"], done["deals"], done["positions"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.nightly_rules", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cards", type=int, default=NUM_CARDS, help="leave out games of more cards")
    parser.add_argument("--presets", action="store_true", help="leave out random games")
    parser.add_argument("--progress", type=Path, help="file that remembers how far the check is")
    given = parser.parse_args()
    what = {"engine": source_digest(Path(batch_kernels.__file__)), "cards": given.cards, "presets": given.presets}
    seed, deals, positions = begin(given.progress, what, given.seed)
    print(f"seed {seed}, from deal {deals:,}", flush=True)
    start = last_report = time.monotonic()
    for played, compared in check(given.deals, seed, given.processes, given.cards, deals, given.presets):
        deals, positions = deals + played, positions + compared
        is_complete = deals >= given.deals
        if given.progress is not None and (is_complete or deals % CHUNK == 0):
            done = {**what, "seed": seed, "deals": deals, "positions": positions, "complete": is_complete}
            write_atomically(given.progress, json.dumps(done).encode())
        if time.monotonic() - last_report > 30 or is_complete:
            last_report = time.monotonic()
            print(f"{deals:,} deals, {positions:,} positions, {last_report - start:.0f} s, 0 differences", flush=True)


if __name__ == "__main__":
    main()

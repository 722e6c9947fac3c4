"""Compare the engine with the reference on many deals: ``python -m tests.nightly_rules --deals 1000000 --processes 2``.

Half of the deals are of the presets, half of games with random settings; with ``--presets`` all are of presets. After
every action states, masks, views, observations and their inverse, histories, full states and returns are compared. The
first difference ends the run and names the field, the game and the deals.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from german_whist.game.rules import Rules, rule_names, rules
from tests.reference.compare import play_both
from tests.strategies import some_game

CHUNK = 250  # deals of one game per batch


def game_of(chunk: int, seed: int, only_presets: bool = False) -> Rules:
    """The game of a chunk: presets in turn, with random games in odd chunks."""
    presets = [*map(rules, rule_names())]
    if only_presets:
        return presets[chunk % len(presets)]
    if chunk % 2 == 0:
        return presets[chunk // 2 % len(presets)]
    rng = np.random.default_rng((seed, chunk))
    return some_game(lambda options: options[int(rng.integers(len(options)))])


def play_chunk(job: tuple[int, int, int, bool]) -> tuple[int, int]:
    """Play one chunk in both and return the numbers of deals and of positions compared.

    Raises:
        AssertionError: if engine and reference differ; the message names the chunk.
    """
    chunk, seed, size, only_presets = job
    game_rules = game_of(chunk, seed, only_presets)
    try:
        return size, play_both(game_rules, size, seed, CHUNK * chunk, np.random.default_rng((seed, chunk, 1)))
    except AssertionError as difference:
        raise AssertionError(f"chunk {chunk} of seed {seed}: {difference}") from difference


def check(deals: int, seed: int = 0, processes: int = 1, only_presets: bool = False) -> Iterator[tuple[int, int]]:
    """Play ``deals`` deals in chunks and yield the numbers of deals and positions of each."""
    jobs = [(chunk, seed, min(CHUNK, deals - CHUNK * chunk), only_presets) for chunk in range(-(-deals // CHUNK))]
    if processes == 1:
        yield from map(play_chunk, jobs)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(play_chunk, jobs)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.nightly_rules", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--presets", action="store_true", help="leave out random games")
    given = parser.parse_args()
    deals = positions = 0
    start = last_report = time.monotonic()
    for played, compared in check(given.deals, given.seed, given.processes, given.presets):
        deals, positions = deals + played, positions + compared
        if time.monotonic() - last_report > 30 or deals == given.deals:
            last_report = time.monotonic()
            print(f"{deals:,} deals, {positions:,} positions, {last_report - start:.0f} s, 0 differences", flush=True)


if __name__ == "__main__":
    main()

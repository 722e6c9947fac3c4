"""The engine against the reference on very many deals: ``python -m tests.nightly_rules --deals 1000000 --processes 2``.

Half of the deals are of the presets, half of games drawn at random from all settings that go together. After every
action the state, the mask, both views, both observations and the way back, the state vector and the returns are
compared. Any difference ends the run with the field, the game and the address of the deals.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.rules import Rules, rule_names, rules
from tests.reference.compare import play_both
from tests.strategies import some_game

CHUNK = 250  # deals of one game that are played side by side


def game_of(chunk: int, seed: int, cards: int = NUM_CARDS) -> Rules:
    """The game of a chunk: the presets in turn in even ones, any game in odd ones; none of more cards than given."""
    presets = [game for game in map(rules, rule_names()) if len(game.cards) <= cards]
    if chunk % 2 == 0 and presets:
        return presets[chunk // 2 % len(presets)]
    rng = np.random.default_rng((seed, chunk))
    while True:
        game = some_game(lambda options: options[int(rng.integers(len(options)))])
        if len(game.cards) <= cards:
            return game


def play_chunk(chunk: int, seed: int, size: int, cards: int = NUM_CARDS) -> int:
    """Play one chunk in both and return the number of positions that were compared.

    Raises:
        AssertionError: when engine and reference differ; it tells the chunk.
    """
    game = game_of(chunk, seed, cards)
    try:
        return play_both(game, size, seed, CHUNK * chunk, np.random.default_rng((seed, chunk, 1)))
    except AssertionError as difference:
        raise AssertionError(f"chunk {chunk} of seed {seed}, {game}: {difference}") from difference


def _play_sized(job: tuple[int, int, int, int]) -> tuple[int, int]:
    return job[2], play_chunk(*job)


def check(deals: int, seed: int = 0, processes: int = 1, cards: int = NUM_CARDS) -> Iterator[tuple[int, int]]:
    """Play that many deals, chunk by chunk, and give the deals and positions of each."""
    sizes = [CHUNK] * (deals // CHUNK) + [deals % CHUNK] * (deals % CHUNK > 0)
    jobs = [(chunk, seed, size, cards) for chunk, size in enumerate(sizes)]
    if processes == 1:
        yield from map(_play_sized, jobs)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_play_sized, jobs)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.nightly_rules", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cards", type=int, default=NUM_CARDS, help="leave out games of more cards")
    given = parser.parse_args()
    start, deals, positions = time.monotonic(), 0, 0
    told = start
    for played, compared in check(given.deals, given.seed, given.processes, given.cards):
        deals, positions = deals + played, positions + compared
        if time.monotonic() - told > 30 or deals == given.deals:
            told = time.monotonic()
            print(f"{deals:,} deals, {positions:,} positions, {told - start:.0f} s, 0 differences", flush=True)


if __name__ == "__main__":
    main()

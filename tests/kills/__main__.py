"""Kill training runs and the page's server at random moments: ``python -m tests.kills --kills 100``.

Each run is killed (SIGKILL, SIGTERM, SIGINT, or a disk that is full) and resumed until it ends. It must end with the
weights, moments, metrics and evaluations of a run that was never stopped, bit for bit. The server is killed and started
again while somebody plays: every session must be as it was last answered, or further, and every finished deal counted
once.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.kills.runs import TRAINERS, Victim, differences, run_whole
from tests.kills.served import Server


def attack(trainer: str, kills: int, seed: int, folder: Path) -> tuple[int, list[str]]:
    """Kill a trainer's runs so many times, and return the number of runs that ended and what went wrong."""
    rng = np.random.default_rng([seed, *trainer.encode()])
    began = time.monotonic()
    whole = run_whole(trainer, folder / "whole")
    seconds = time.monotonic() - began
    ended, wrong, left = 0, [], kills
    while left > 0:
        victim = Victim(trainer, folder / "victim")
        while not victim.has_ended and left > 0:
            left -= victim.attack(rng, seconds) is not None
        victim.finish()
        ended += 1
        wrong += victim.problems
        wrong += [f"after {', '.join(victim.kills)}: {what}" for what in differences(victim.run, whole)]
        shutil.rmtree(folder / "victim")
    return ended, wrong


def attack_server(kills: int, seed: int, folder: Path) -> tuple[int, list[str]]:
    """Kill a server so many times, and return the number of deals that were played and what went wrong."""
    rng = np.random.default_rng([seed, *b"serve"])
    server = Server(folder / "data")
    for _ in range(kills):
        server.attack(rng)
    return server.finish(), server.problems


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="of each trainer and the server")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=(*TRAINERS, "serve"))
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs in the background ignore it
    failures = 0
    for name in [given.only] if given.only else (*TRAINERS, "serve"):
        with tempfile.TemporaryDirectory() as folder:
            if name == "serve":
                over, wrong = attack_server(given.kills, given.seed, Path(folder))
                done = f"{over} deals over and counted"
            else:
                ended, wrong = attack(name, given.kills, given.seed, Path(folder))
                done = f"{ended} runs ended"
        failures += len(wrong)
        print(f"{name}: {given.kills} kills, {done}, {len(wrong)} went wrong", flush=True)
        for what in wrong:
            print(f"  {what}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

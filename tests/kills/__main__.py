"""Kill training runs at random moments: ``python -m tests.kills --kills 100``.

Each run is killed (SIGKILL, SIGTERM, SIGINT, or a disk that is full) and resumed until it ends. It must end with the
weights, moments, metrics and evaluations of a run that was never stopped, bit for bit.
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="of each trainer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=TRAINERS)
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs in the background ignore it
    failures = 0
    for trainer in [given.only] if given.only else TRAINERS:
        with tempfile.TemporaryDirectory() as folder:
            ended, wrong = attack(trainer, given.kills, given.seed, Path(folder))
        failures += len(wrong)
        print(f"{trainer}: {given.kills} kills, {ended} runs ended, {len(wrong)} went wrong", flush=True)
        for what in wrong:
            print(f"  {what}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

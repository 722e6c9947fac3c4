"""Measures what search gains in the last tricks of the foreplay: ``python -m tools.search_by_trick 5:256 13:64``.

An arm is ``TRICKS:WORLDS``: ``champion`` searches ``WORLDS`` worlds in its last ``TRICKS`` foreplay tricks, and plays
mirrored deals, by default against itself without search. Each arm appends a line of JSON to a file, so that a stopped
measurement goes on with the arms that are missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from german_whist.agents.base import Agent
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import CHAMPION, SMALL, load_pretrained
from german_whist.agents.search.agent import SearchAgent
from german_whist.evaluation.executors import worker_processes
from german_whist.evaluation.match import play_match
from german_whist.game.rules import rules as get_rules


def searcher(tricks: int, worlds: int) -> Agent:
    """Return ``champion`` that searches in its last foreplay tricks."""
    game = get_rules("classic")
    policy = PolicyAgent(load_pretrained(CHAMPION), name=CHAMPION, rules=game)
    name = f"{CHAMPION}:search={worlds} in {tricks} tricks"
    search = SearchAgent(policy, game, worlds, load_pretrained(SMALL), name, threads=1, tricks=tricks)
    return ExactEndgame(search, name)


def main(argv: Sequence[str] | None = None) -> int:
    """Play the arms and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m tools.search_by_trick", description=__doc__)
    parser.add_argument("arms", nargs="+", metavar="TRICKS:WORLDS")
    parser.add_argument("--opponent", default=CHAMPION)
    parser.add_argument("--deals", type=int, default=600)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("search.jsonl"))
    options = parser.parse_args(argv)
    how = {name: getattr(options, name) for name in ("opponent", "deals", "seed")}
    done = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    with worker_processes(options.workers) as executor:
        for arm in options.arms:
            if any(line["arm"] == arm and how.items() <= line.items() for line in done):
                continue
            tricks, worlds = map(int, arm.split(":"))
            began = time.perf_counter()
            result = play_match(
                searcher(tricks, worlds), options.opponent, deals=options.deals, seed=options.seed, executor=executor
            )
            seconds = (time.perf_counter() - began) * options.workers / (2 * options.deals)
            low, high = result.interval
            figures = {"won": result.win_rate, "half_width": (high - low) / 2, "margin": result.margin}
            line = json.dumps({"arm": arm, **how, **figures, "core_seconds_per_game": round(seconds, 4)})
            with options.out.open("a") as file:
                file.write(line + "\n")
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

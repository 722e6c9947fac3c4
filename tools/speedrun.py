"""Time training from nothing to an agent, and write an entry of docs/reference/speedrun.md.

    python -m tools.speedrun quickstart --machine "two cores of an AMD EPYC (AVX2)"
    python -m tools.speedrun mine --machine "…" --by "…" --command "python mine.py {seed} {out}"

The command trains with ``{seed}`` and leaves a run, a checkpoint or another agent at ``{out}``; ``--agent`` names one
that is made differently. Three runs follow each other, seeds 0 to 2, with kernels compiled beforehand. Each agent then
plays ``DEALS`` mirrored deals, which no run has trained or evaluated on. Processor time includes a run's processes.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import german_whist as gw
from german_whist.training.recipes import recipe_names
from german_whist.training.run.version import code_version
from tools.reference_pages import ROOT

ENTRIES = ROOT / "docs" / "reference" / "speedrun"
OPPONENT, DEALS, DEALS_SEED = "heuristic+exact", 20_000, 20261129
SEEDS = (0, 1, 2)
# Evaluations while training are left out; every run makes one before it begins and one at its end, here of one deal.
RECIPE = (
    "german-whist train {name} --seed {{seed}} --out {{out}} --quiet --evaluate_every 1_000_000_000 "
    "--evaluate_deals 1 --final_deals 1"
)


def timed(command: str) -> tuple[float, float]:
    """Run a command; return its seconds and the processor-seconds of all its processes."""
    program, *words = shlex.split(command)
    own = {"german-whist": [sys.executable, "-m", "german_whist"], "python": [sys.executable]}  # this environment's
    words = [*own.get(program, [program]), *words]
    began = time.perf_counter()
    with subprocess.Popen(words) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def measure(command: str, agent: str) -> dict[str, Any]:
    """Train and evaluate with every seed; return the medians and each run's figures."""
    runs = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            place = {"seed": seed, "out": str(Path(folder) / "run")}
            seconds, processor_seconds = timed(command.format(**place))
            began = time.perf_counter()
            result = gw.play_match(agent.format(**place), OPPONENT, deals=DEALS, seed=DEALS_SEED, endgame="exact")
            runs.append(
                {
                    "seed": seed,
                    "seconds": round(seconds, 1),
                    "processor_seconds": round(processor_seconds, 1),
                    "win_rate": round(result.win_rate, 4),
                    "evaluation_seconds": round(time.perf_counter() - began, 1),
                }
            )
            print(runs[-1], file=sys.stderr)
    names = ("seconds", "processor_seconds", "win_rate", "evaluation_seconds")
    return {name: median(run[name] for run in runs) for name in names} | {"runs": runs}


def main() -> None:
    """Measure an entry and write its file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="a recipe, or the name of your entry")
    parser.add_argument("--command", help="a command that trains, with {seed} and {out}; by default that of a recipe")
    parser.add_argument("--agent", default="{out}", help="the agent that it leaves (default {out})")
    parser.add_argument("--machine", required=True, help="as 'two cores of an AMD EPYC (AVX2)' or 'one H100'")
    parser.add_argument("--by", default="German Whist", help="your name, and a link to the files")
    options = parser.parse_args()
    if options.command is None and options.name not in recipe_names():
        parser.error(f"{options.name} is no recipe: give --command")
    command = options.command or RECIPE.format(name=options.name)
    compiling, _ = timed("german-whist warmup")  # nothing to do where this has run before
    entry = {
        "command": command,
        "agent": options.agent,
        "by": options.by,
        "machine": options.machine,
        "commit": code_version()["commit"],
        "compiling_seconds": round(compiling, 1),
        **measure(command, options.agent),
    }
    ENTRIES.mkdir(exist_ok=True)
    (ENTRIES / f"{options.name}.json").write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(entry, indent=2))


if __name__ == "__main__":
    main()

"""Trains standard algorithms for the same time and measures them.

    python -m tools.baselines                       # the list
    python -m tools.baselines cleanrl-ppo --seed 2  # train for 20 minutes on two cores, measure, append a line of JSON
    python -m tools.baselines all                   # what is missing; can be stopped and started again
    python -m tools.baselines --table               # print the results as a table

A learner is the ``train(decisions, seed)`` of an example, and runs in its library's environment, which
``examples/run_all.py`` makes. Runs of growing length say how many decisions fit into the time; the last run trains on
them. Nothing is tuned on the deals that measure: settings are the examples' own, but for ``SETTINGS``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tools.markdown import markdown_table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "runs" / "baselines.jsonl"
OPPONENTS = ("random", "greedy", "heuristic")
ENDGAMES = ("played", "exact")
DEALS, SEED = 2000, 8201  # of the deals that measure; no example uses this seed
CORES = 2
SAMPLE = 30.0  # seconds: the shortest run that says how fast a learner is


class Baseline(NamedTuple):
    """A line of the table.

    Attributes:
        algorithm: the name in the table.
        library: the table of ``examples/versions.toml``, or "" for this environment.
        source: a file of ``examples/``, a recipe of ``configs/``, or an agent's specification.
        seeds: how many training seeds; 0 for agents that do not learn.
        minutes: times to train for.
    """

    algorithm: str
    library: str
    source: str
    seeds: int = 1
    minutes: tuple[int, ...] = (20,)


BASELINES = {
    "cleanrl-ppo": Baseline("PPO, CleanRL", "torch", "cleanrl_ppo.py", 3),
    "sb3-maskable-ppo": Baseline("MaskablePPO, Stable-Baselines3", "stable-baselines3", "sb3_maskable_ppo.py", 3),
    "torchrl-ppo": Baseline("PPO, TorchRL", "torchrl", "torchrl_gymnasium.py"),
    "tianshou-ppo": Baseline("PPO, Tianshou", "tianshou", "tianshou_ppo.py"),
    "tianshou-dqn": Baseline("double DQN, Tianshou", "tianshou", "tianshou_dqn.py"),
    "rllib-ppo": Baseline("PPO in self-play, RLlib", "rllib", "rllib_self_play.py"),
    "pool-ppo": Baseline("PPO against past selves, plain torch", "torch", "self_play_pool.py"),
    "cloning": Baseline("behaviour cloning of `champion`", "torch", "clone_champion.py"),
    "policy-iteration": Baseline("`policy_iteration`", "", "quickstart", 3, (20, 60)),
    "mc": Baseline("flat Monte Carlo, 60 worlds", "", "mc:worlds=60", 0),
    "ismcts": Baseline("ISMCTS, 500 iterations", "", "ismcts:iterations=500", 0),
    "search-16": Baseline("search, 16 worlds", "", "champion:search=16", 0),
    "search-64": Baseline("search, 64 worlds", "", "champion:search=64", 0),
    "search-256": Baseline("search, 256 worlds", "", "champion:search=256", 0),
}
SETTINGS: dict[str, dict[str, Any]] = {}  # changes from an example's own settings


def load_example(file: str) -> ModuleType:
    """Return an example as a module whose deals are played out to the end."""
    spec = importlib.util.spec_from_file_location(file.removesuffix(".py"), ROOT / "examples" / file)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.GAME["endgame"] = "played"
    return example


def learner_of(name: str) -> Callable[[int, int], Any]:
    """Return a function of decisions and seed that trains an agent."""
    import german_whist

    baseline = BASELINES[name]
    if not baseline.source.endswith(".py"):
        return lambda decisions, seed: (
            german_whist.train(baseline.source, decisions=decisions, seed=seed, processes=CORES, quiet=True).agent
        )
    example = load_example(baseline.source)
    return lambda decisions, seed: example.train(decisions=decisions, seed=seed, **SETTINGS.get(name, {}))


def decisions_within(train: Callable[[int, int], Any], seconds: float) -> int:
    """Return how many decisions a learner makes in a time, from runs of growing length."""
    decisions = 10_000
    train(decisions, 0)  # compiles
    while True:
        began = time.perf_counter()
        train(decisions, 0)
        spent = time.perf_counter() - began
        if spent >= min(SAMPLE, seconds):
            return round(decisions * seconds / spent)
        decisions = round(decisions * max(2.0, min(10.0, 1.2 * SAMPLE / spent)))


def measure(agent: Any, deals: int = DEALS) -> dict[str, Any]:
    """Return the win rates with half their 95 % intervals, by endgame and opponent, and the benchmark's rating."""
    from german_whist.evaluation.benchmark import benchmark
    from german_whist.evaluation.match import play_match

    found: dict[str, Any] = {}
    for endgame in ENDGAMES:
        for opponent in OPPONENTS:
            match = play_match(agent, opponent, deals=deals, seed=SEED, endgame=endgame)
            low, high = match.interval
            found[f"{opponent}, {endgame}"] = [round(match.win_rate, 4), round((high - low) / 2, 4)]
    rated = benchmark(agent)
    return {**found, "rating": round(rated.rating), "rating_interval": [round(end) for end in rated.interval]}


def run(name: str, seed: int, minutes: float, deals: int = DEALS) -> dict[str, Any]:
    """Train and measure a baseline in this process; return the line of its results."""
    baseline = BASELINES[name]
    line: dict[str, Any] = {"name": name, "seed": seed, "minutes": minutes}
    if baseline.seeds:
        train = learner_of(name)
        line["decisions"] = decisions_within(train, 60 * minutes)
        wall, cpu = time.perf_counter(), sum(os.times()[:4])
        agent = train(line["decisions"], seed)
        line["seconds"] = round(time.perf_counter() - wall)
        line["cpu_seconds"] = round(sum(os.times()[:4]) - cpu)
    else:
        agent = baseline.source
    return {**line, **measure(agent, deals)}


def python_of(library: str) -> Path | str:
    """Return the interpreter of a library's environment, which is made first if necessary."""
    if not library:
        return sys.executable
    example = importlib.util.spec_from_file_location("run_all", ROOT / "examples" / "run_all.py")
    assert example is not None
    assert example.loader is not None
    run_all = importlib.util.module_from_spec(example)
    example.loader.exec_module(run_all)
    table = tomllib.loads((ROOT / "examples" / "versions.toml").read_text(encoding="utf-8"))[library]
    python: Path = run_all.make_environment(ROOT / ".venv-examples" / library, table)
    return python


def finished(out: Path) -> list[dict[str, Any]]:
    """Return the lines of a file of results."""
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []


def missing(name: str, out: Path) -> list[tuple[int, int]]:
    """Return the seeds and minutes of a baseline that have no results yet."""
    baseline, done = BASELINES[name], {(line["name"], line["seed"], line["minutes"]) for line in finished(out)}
    wanted = [(seed, minutes) for minutes in baseline.minutes for seed in range(1, max(baseline.seeds, 1) + 1)]
    return [(seed, minutes) for seed, minutes in wanted if (name, seed, minutes) not in done]


def table(lines: Sequence[dict[str, Any]]) -> str:
    """Return the results as a table in Markdown, the strongest last."""

    def percent(line: dict[str, Any], column: str) -> str:
        rate, half = line[column]
        return f"{100 * rate:.1f} ± {100 * half:.1f}"

    columns = [f"{opponent}, {endgame}" for endgame in ENDGAMES for opponent in OPPONENTS]
    header = ["algorithm", "seed", "minutes", "decisions", *columns, "gw-bench-v1"]
    rows = [
        [
            BASELINES[line["name"]].algorithm,
            line["seed"] if "decisions" in line else "",
            line["minutes"] if "decisions" in line else "",
            f"{line['decisions']:,}" if "decisions" in line else "",
            *(percent(line, column) for column in columns),
            line["rating"],
        ]
        for line in sorted(lines, key=lambda line: line["rating"])
    ]
    return markdown_table(header, rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the baselines that are asked for, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(BASELINES)}")
    parser.add_argument("--seed", type=int, help="one seed instead of all that are missing")
    parser.add_argument("--minutes", type=float, help="time to train for (with --seed; default 20)")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals a match (default {DEALS})")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file of results")
    parser.add_argument("--table", action="store_true", help="print the results as a table in Markdown")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # in the library's environment
    options = parser.parse_args(argv)
    names = list(BASELINES) if options.names == ["all"] else options.names
    if options.here:
        line = run(names[0], options.seed, options.minutes, options.deals)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        with options.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return 0
    failed = 0
    for name in names:
        wanted = missing(name, options.out) if options.seed is None else [(options.seed, options.minutes or 20)]
        for seed, minutes in wanted:
            command = [python_of(BASELINES[name].library), "-W", "ignore", "-m", "tools.baselines", name, "--here"]
            command += ["--seed", str(seed), "--minutes", str(minutes), "--deals", str(options.deals)]
            print(f"{name}, seed {seed}, {minutes} minutes", flush=True)
            environment = {**os.environ, "OMP_NUM_THREADS": str(CORES)}
            code = subprocess.run(
                [*command, "--out", options.out.resolve()], cwd=ROOT, env=environment, check=False
            ).returncode
            failed += code != 0
    if options.table:
        print(table(finished(options.out)))
    elif not names:
        print("\n".join(f"{name:18}{each.algorithm}" for name, each in BASELINES.items()))
    return failed


if __name__ == "__main__":
    sys.exit(main())

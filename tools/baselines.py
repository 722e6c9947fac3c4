"""Trains standard algorithms for the same processor time and measures them.

    python -m tools.baselines                       # the list
    python -m tools.baselines cleanrl-ppo --seed 2  # train for 40 minutes on one core, measure, append a line of JSON
    python -m tools.baselines all                   # what is missing; can be stopped and started again
    python -m tools.baselines --table               # print the results as a table, or draw them with --picture

A learner is the ``train(decisions, seed)`` of an example, and runs in its library's environment, which
``examples/run_all.py`` makes. Runs of growing length say how many decisions fit into the time; the last run trains on
them. Nothing is tuned on the deals that measure: settings are the examples' own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import mean
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

from german_whist.game.endgame_setting import ENDGAMES, Endgame
from tools.markdown import markdown_table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "explanation" / "baselines.jsonl"
OPPONENTS = ("random", "greedy", "heuristic")
DEALS, SEED = 2000, 8201  # the deals that measure; no example uses this seed
MINUTES = 40  # processor time of every learner: 20 minutes of two cores
LONG = (MINUTES, 3 * MINUTES)  # the best three train for an hour of two cores, too
SAMPLE = 120.0  # seconds: the shortest run that says how fast a learner is; runs end with whole rollouts


class Baseline(NamedTuple):
    """A line of the table.

    Attributes:
        algorithm: the name in the table.
        library: the table of ``examples/versions.toml``, or "" for this environment.
        source: a file of ``examples/``, a recipe of ``configs/`` or a trainer, or an agent's specification.
        seeds: how many training seeds; 0 for agents that do not learn.
        minutes: processor times to train for, the later ones with one seed; 0 for agents that do not learn or train
            on fixed decisions.
        decisions: decisions to train on, instead of a time.
        endgame: how an example's deals end in training; with ``"exact"`` the agent plays with the solver, too.
        settings: an example's settings other than its own.
    """

    algorithm: str
    library: str
    source: str
    seeds: int = 1
    minutes: tuple[int, ...] = (MINUTES,)
    decisions: int | None = None
    endgame: Endgame = "played"
    settings: Mapping[str, Any] = MappingProxyType({})


BASELINES = {
    "cleanrl-ppo": Baseline("PPO, CleanRL", "torch", "cleanrl_ppo.py", 3, LONG),
    "cleanrl-ppo-exact": Baseline("PPO, CleanRL, exact endgames", "torch", "cleanrl_ppo.py", endgame="exact"),
    "sb3-maskable-ppo": Baseline("MaskablePPO, Stable-Baselines3", "stable-baselines3", "sb3_maskable_ppo.py", 3),
    "torchrl-ppo": Baseline("PPO, TorchRL", "torchrl", "torchrl_gymnasium.py"),
    "tianshou-ppo": Baseline("PPO, Tianshou", "tianshou", "tianshou_ppo.py"),
    "tianshou-dqn": Baseline("double DQN, Tianshou", "tianshou", "tianshou_dqn.py"),
    "rllib-ppo": Baseline("PPO in self-play, RLlib", "rllib", "rllib_self_play.py"),
    "pool-ppo": Baseline("PPO against past selves, λ = 1", "torch", "self_play_pool.py", settings={"gae_lambda": 1.0}),
    "pool-ppo-exact": Baseline(
        "PPO against past selves, λ = 0.95, exact endgames", "torch", "self_play_pool.py", endgame="exact"
    ),
    "history-ppo": Baseline(
        "PPO with attention over histories, plain torch",
        "torch",
        "python:examples/attention_trainer.py:PPO,endgame=played",
        minutes=(10,),
    ),
    "cloning": Baseline("behaviour cloning of `champion`", "torch", "clone_champion.py", 1, (0,), 1_000_000),
    "one-file": Baseline("policy iteration in one file", "torch", "policy_iteration.py", 1, (0,), 1_000_000),
    "quickstart": Baseline("`policy_iteration`, recipe `quickstart`", "", "quickstart", 1, (0,), 950_000),
    "half-hour": Baseline("`policy_iteration`, recipe `half-hour`", "", "half-hour", 3, LONG),
    "mc": Baseline("flat Monte Carlo, 60 worlds", "", "mc:worlds=60", 0, (0,)),
    "ismcts": Baseline("ISMCTS, 500 iterations", "", "ismcts:iterations=500", 0, (0,)),
    "search-16": Baseline("`champion:search=16`", "", "champion:search=16", 0, (0,)),
    "search-64": Baseline("`champion:search=64`", "", "champion:search=64", 0, (0,)),
    "search-256": Baseline("`champion:search=256`", "", "champion:search=256", 0, (0,)),
}


def load_example(file: str, endgame: Endgame = "played") -> ModuleType:
    """Return an example as a module whose deals end as said."""
    example = import_module(f"examples.{file.removesuffix('.py')}")
    example.GAME["endgame"] = endgame
    return example


def learner_of(name: str) -> Callable[[int, int], Any]:
    """Return a function of decisions and seed that trains an agent."""
    import german_whist

    baseline = BASELINES[name]
    if not baseline.source.endswith(".py"):
        one: Any = {} if baseline.source.startswith("python:") else {"processes": 1}
        return lambda decisions, seed: (
            german_whist.train(baseline.source, decisions=decisions, seed=seed, quiet=True, **one).agent
        )
    example = load_example(baseline.source, baseline.endgame)
    play = german_whist.with_exact_endgame if baseline.endgame == "exact" else lambda agent: agent
    return lambda decisions, seed: play(example.train(decisions=decisions, seed=seed, **baseline.settings))


def processor_time() -> float:
    """Return the seconds of processor time that this process and its children have taken."""
    return sum(os.times()[:4])


def decisions_within(train: Callable[[int, int], Any], seconds: float) -> int:
    """Return how many decisions a learner makes in a processor time, from its last two of several growing runs."""
    train(10_000, 0)  # compiles
    fewer, shorter, decisions = 0, 0.0, 10_000
    while True:
        began = processor_time()
        train(decisions, 0)
        spent = processor_time() - began
        if spent >= min(SAMPLE, seconds):  # what a run costs beside its decisions, such as evaluations, counts once
            return round(decisions + (seconds - spent) * (decisions - fewer) / (spent - shorter))
        fewer, shorter = decisions, spent
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


def run(name: str, seed: int, minutes: float, deals: int = DEALS, decisions: int | None = None) -> dict[str, Any]:
    """Train and measure a baseline in this process; return the line of its results."""
    baseline = BASELINES[name]
    line: dict[str, Any] = {"name": name, "seed": seed, "minutes": minutes}
    if baseline.seeds:
        train = learner_of(name)
        line["decisions"] = decisions or baseline.decisions or decisions_within(train, 60 * minutes)
        began = processor_time()
        agent = train(line["decisions"], seed)
        line["seconds"] = round(processor_time() - began)
    else:
        agent = baseline.source
    return {**line, **measure(agent, deals)}


def python_of(library: str) -> Path | str:
    """Return the interpreter of a library's environment, which is made first if necessary."""
    if not library:
        return sys.executable
    table = tomllib.loads((ROOT / "examples" / "versions.toml").read_text(encoding="utf-8"))[library]
    python: Path = import_module("examples.run_all").make_environment(ROOT / ".venv-examples" / library, table)
    return python


def run_in(library: str, module: str, *arguments: object) -> int:
    """Run a module of ``tools`` in a library's environment, on one thread; return its exit status."""
    command = [python_of(library), "-W", "ignore", "-m", module, "--here", *map(str, arguments)]
    print(*command[4:], flush=True)
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False).returncode


def append(line: dict[str, Any], out: Path) -> None:
    """Append a line of results to a file."""
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def finished(out: Path) -> list[dict[str, Any]]:
    """Return the lines of a file of results."""
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []


def missing(name: str, out: Path) -> list[tuple[int, int]]:
    """Return the seeds and minutes of a baseline that have no results yet."""
    baseline, done = BASELINES[name], {(line["name"], line["seed"], line["minutes"]) for line in finished(out)}
    wanted = [(seed, baseline.minutes[0]) for seed in range(1, max(baseline.seeds, 1) + 1)]
    wanted += [(1, minutes) for minutes in baseline.minutes[1:]]
    return [(seed, minutes) for seed, minutes in wanted if (name, seed, minutes) not in done]


class Row(NamedTuple):
    """A baseline's results, as means over its training seeds.

    Attributes:
        algorithm: the name in the table.
        seeds: number of training seeds; 0 for agents that do not learn.
        decisions: decisions that it trained on.
        minutes: processor time of the training.
        ratings: the benchmark's rating of each seed.
        interval: the 95 % interval of the first seed's rating.
        won: win rates by endgame and opponent.
    """

    algorithm: str
    seeds: int
    decisions: float
    minutes: float
    ratings: list[int]
    interval: list[int]
    won: dict[str, float]


def rows(lines: Sequence[dict[str, Any]]) -> list[Row]:
    """Return the results by baseline and minutes, the strongest first."""
    groups: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for line in lines:
        groups.setdefault((line["name"], line["minutes"]), []).append(line)
    found = []
    for (name, _), group in groups.items():
        baseline = BASELINES[name]
        won = {
            f"{opponent}, {endgame}": mean(line[f"{opponent}, {endgame}"][0] for line in group)
            for endgame in ENDGAMES
            for opponent in OPPONENTS
        }
        decisions, seconds = (mean(line.get(key, 0) for line in group) for key in ("decisions", "seconds"))
        ratings, seeds = [line["rating"] for line in group], len(group) if baseline.seeds else 0
        interval = group[0]["rating_interval"]
        found.append(Row(baseline.algorithm, seeds, decisions, seconds / 60, ratings, interval, won))
    return sorted(found, key=lambda row: -mean(row.ratings))


def table(lines: Sequence[dict[str, Any]]) -> str:
    """Return the results as a table in Markdown."""
    cells = []
    for row in rows(lines):
        spread = f" ({min(row.ratings)} to {max(row.ratings)})" if row.seeds > 1 else ""
        won = [" / ".join(f"{100 * row.won[f'{name}, {end}']:.1f}" for end in ENDGAMES) for name in OPPONENTS]
        decisions = f"{float(f'{row.decisions / 1e6:.2g}'):g} M" if row.seeds else ""
        minutes = f"{row.minutes:.0f}" if row.seeds else ""
        cells.append([row.algorithm, decisions, minutes, row.seeds or "", f"{mean(row.ratings):.0f}{spread}", *won])
    return markdown_table(
        ["algorithm", "decisions", "minutes", "seeds", "Elo", *(f"`{name}`" for name in OPPONENTS)], cells
    )


def draw(lines: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the ratings, with the ladder's rungs, as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from german_whist.evaluation.benchmark import LADDER

    found = rows(lines)[::-1]
    figure = Figure(figsize=(8, 1.2 + 0.32 * len(found)), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for rung in LADDER:
        axes.axvline(rung.elo, color="#cccccc", linewidth=1, zorder=0)
        axes.text(rung.elo, len(found) - 0.3, rung.agent, rotation=45, fontsize=7, color="#666666", va="bottom")
    for place, row in enumerate(found):
        axes.plot(row.interval, [place, place], color="#2a9d8f" if row.seeds else "#e76f51", linewidth=2)
        axes.plot(row.ratings, [place] * len(row.ratings), "o", color="#264653", markersize=4)
    labels = [row.algorithm.replace("`", "") + (f", {row.minutes:.0f} min" if row.seeds else "") for row in found]
    axes.set_yticks(range(len(found)), labels, fontsize=8)
    axes.set_xlabel("Elo, gw-bench-v1")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def main(argv: Sequence[str] | None = None) -> int:
    """Run baselines, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(BASELINES)}")
    parser.add_argument("--seed", type=int, help="one seed instead of all that are missing")
    parser.add_argument("--minutes", type=float, help=f"time to train for (with --seed; default {MINUTES})")
    parser.add_argument("--decisions", type=int, help="length of the training, instead of what fits (with --seed)")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals a match (default {DEALS})")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file of results")
    parser.add_argument("--table", action="store_true", help="print the results as a table in Markdown")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the ratings as a PNG")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # runs in the library's environment
    options = parser.parse_args(argv)
    names = list(BASELINES) if options.names == ["all"] else options.names
    if options.here:
        append(run(names[0], options.seed, options.minutes, options.deals, options.decisions), options.out)
        return 0
    failed = 0
    for name in names:
        given = [(options.seed, options.minutes or BASELINES[name].minutes[0])]
        wanted = missing(name, options.out) if options.seed is None else given
        for seed, minutes in wanted:
            how = ["--seed", seed, "--minutes", minutes, "--deals", options.deals, "--out", options.out.resolve()]
            if options.decisions is not None:
                how += ["--decisions", options.decisions]
            failed += run_in(BASELINES[name].library, "tools.baselines", name, *how) != 0
    if options.picture:
        draw(finished(options.out), options.picture)
    if options.table:
        print(table(finished(options.out)))
    elif not names:
        print("\n".join(f"{name:18}{each.algorithm}" for name, each in BASELINES.items()))
    return failed


if __name__ == "__main__":
    sys.exit(main())

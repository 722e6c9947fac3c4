"""``german-whist train``: self-play training from a configuration."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal import INTERRUPTED, print_report, printed_command
from german_whist.training.config import TRAINERS, PolicyIterationConfig, setting_defaults, setting_types
from german_whist.training.load_config import config_fields, load_config, recipe_names

if TYPE_CHECKING:
    from german_whist.training.records import TrainingOutcome

_METAVARS: dict[Any, str] = {
    int: "INT",
    float: "FLOAT",
    str: "NAME",
    list[int]: "INT,INT,…",
    list[str]: "NAME,NAME,…",
    dict[str, float]: "{NAME: FLOAT, …}",
}
DEFAULT_RECIPE = "quickstart"
DEFAULT_RULES = "classic"  # of `german-whist evaluate`


def add_parser(subparsers: Any) -> None:
    """Register the command; every key of the configuration is also an option."""
    parser = subparsers.add_parser(
        "train",
        usage="german-whist train [CONFIG] [--KEY VALUE …] [--out DIR] [--resume RUN] [--quiet] [--json]",
        help="train an agent by self-play",
        description="Train an agent by self-play and evaluate it against the rule bots.",
        epilog="example: german-whist train sb3 --decisions 5_000_000 --seed 1",
    )
    parser.add_argument(
        "config",
        nargs="?",
        help=f"a YAML file, or a recipe: {', '.join(recipe_names())} (default {DEFAULT_RECIPE}, if an option is given)",
    )
    parser.add_argument(
        "--resume", metavar="RUN", help="resume the run in this folder with its own settings; --KEY VALUE changes one"
    )
    parser.add_argument("--out", metavar="DIR", help="the run's folder (default: runs/NAME, runs/NAME-2, …)")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    settings = parser.add_argument_group(
        "settings",
        "each overrides the key of the same name in the configuration; defaults are for keys that it does not set",
    )
    for name, (kind, text) in config_fields().items():
        explained = f"{text} ({_defaults(name)})"
        settings.add_argument(f"--{name.replace('_', '-')}", metavar=_METAVARS[kind], help=explained.replace("%", "%%"))
    parser.set_defaults(run=run)


def _defaults(name: str) -> str:
    """Return the default of a setting, for each trainer if they differ."""
    found = {trainer: setting_defaults(kind)[name] for trainer, kind in TRAINERS.items() if name in setting_types(kind)}
    if len(found) == 1 < len(TRAINERS):
        ((trainer, default),) = found.items()
        return f"{trainer} only; default {default}"
    if len(set(found.values())) == 1:
        return f"default {next(iter(found.values()))}"
    return f"default {', '.join(f'{default} for {trainer}' for trainer, default in found.items())}"


def run(options: argparse.Namespace) -> int:
    """Train, and print the results and commands that use the trained agent."""
    overrides = {name: getattr(options, name) for name in config_fields() if getattr(options, name) is not None}
    if options.resume is not None and (options.config is not None or options.out is not None):
        given = options.config or f"--out {options.out}"
        raise ValueError(f"--resume uses the run's own configuration: leave out {given}")
    source = options.config or DEFAULT_RECIPE
    config = load_config(source, overrides) if options.resume is None else None  # fails at once on wrong settings

    from german_whist.training.processes import joined_processes
    from german_whist.training.run import RunDirectory
    from german_whist.training.train import load_trainer, train

    with joined_processes() as processes:
        if not processes.is_first:
            run_directory, config = processes.broadcast(None)
        elif config is None:
            run_directory, config = processes.broadcast(RunDirectory.open(options.resume, overrides))
        else:
            load_trainer(config)  # a missing library is reported before a folder is created
            if processes.size > 1 and isinstance(config, PolicyIterationConfig):
                config = config.replace(processes=processes.size)
            run_directory = RunDirectory.create(Path(source).stem, options.out)
            processes.broadcast((run_directory, config))
        resume = options.resume is not None
        resume_command = printed_command("train", "--resume", run_directory.path)
        try:
            outcome = train(config, run_directory, resume=resume, quiet=options.quiet, processes=processes)
        except KeyboardInterrupt:
            if processes.is_first and run_directory.has_snapshot:
                print(f"stopped at once; to resume from the last save: {resume_command}", file=sys.stderr)
            return INTERRUPTED
        if not processes.is_first:
            return 0
    if outcome.interrupted:
        print(
            f"stopped after {outcome.decisions:,} decisions; to resume: {resume_command}",
            file=sys.stderr if options.json else sys.stdout,
        )
        return INTERRUPTED
    _report(outcome, options.json, next(iter(config.shares)))
    return 0


def _report(outcome: TrainingOutcome, as_json: bool, rules: str) -> None:
    if as_json:
        print(json.dumps({"run": str(outcome.run.path), "results": [result.to_dict() for result in outcome.results]}))
        return
    rules_option = () if rules == DEFAULT_RULES else ("--rules", rules)
    print_report(outcome.report())
    path = outcome.run.path
    measure = printed_command("evaluate", path, "random", "greedy", "heuristic", *rules_option)
    watch = printed_command("draw", path, "heuristic", "--gif", "deal.gif", *rules_option)
    print(f"measure it:      {measure}")
    print(f"watch it play:   {watch}")
    print(f"play against it: {printed_command('play', path, *rules_option)}")

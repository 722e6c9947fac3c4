"""``german-whist train``: self-play training from a configuration."""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_json_option
from german_whist.cli.terminal import INTERRUPTED, print_report, printed_command

if TYPE_CHECKING:
    from german_whist.training.run.outcome import TrainingOutcome

DEFAULT_RULES = "classic"  # default of `german-whist evaluate`


def add_parser(subparsers: Any) -> None:
    """Register the command; every key of the configuration is also an option."""
    parser = subparsers.add_parser(
        "train",
        usage="german-whist train [CONFIG] [--KEY VALUE …] [--out DIR] [--resume RUN] [--quiet] [--json]",
        help="train an agent by self-play",
        description="Train an agent by self-play and evaluate it against the rule bots.",
        epilog="example: german-whist train sb3 --decisions 5_000_000 --seed 1",
    )
    parser.set_defaults(run=run)
    parser.add_argument("config", nargs="?", help="a YAML file, a recipe (default quickstart) or python:FILE:TRAINER")
    parser.add_argument(
        "--resume", metavar="RUN", help="resume the run in this folder with its own settings; --KEY VALUE changes one"
    )
    parser.add_argument("--out", metavar="DIR", help="the run's folder (default: runs/NAME, runs/NAME-2, …)")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    add_json_option(parser)
    settings = parser.add_argument_group(
        "settings",
        "each overrides the key of the same name in the configuration; defaults are for keys that it does not set",
    )
    for name, text in _settings().items():
        settings.add_argument(f"--{name.replace('_', '-')}", metavar="VALUE", help=text.replace("%", "%%"))


def _settings() -> dict[str, str]:
    """Return the help of every setting, with its default for each trainer if they differ."""
    from german_whist.training.registry import TRAINERS, trainer_settings  # pydantic takes 0.2 seconds

    found: dict[str, dict[str, str]] = {}
    texts: dict[str, str] = {}
    for trainer in TRAINERS:
        for name, setting in trainer_settings(trainer).items():
            found.setdefault(name, {})[trainer] = setting.default
            texts[name] = setting.text
    return {name: f"{texts[name]} ({_defaults(defaults, len(TRAINERS))})" for name, defaults in found.items()}


def _defaults(defaults: dict[str, str], trainers: int) -> str:
    if len(defaults) < trainers:
        ((trainer, default),) = defaults.items()
        return f"{trainer} only; default {default}"
    if len(set(defaults.values())) == 1:
        return f"default {next(iter(defaults.values()))}"
    return f"default {', '.join(f'{default} for {trainer}' for trainer, default in defaults.items())}"


def run(options: argparse.Namespace) -> int:
    """Train, and print the results and commands that use the trained agent."""
    from german_whist.training.train import train

    settings = {name: value for name in _settings() if (value := getattr(options, name)) is not None}
    outcome = train(options.config, out=options.out, resume=options.resume, quiet=options.quiet, **settings)
    if os.environ.get("RANK", "0") != "0":
        return 0  # the first process of torchrun reports
    if outcome.interrupted:
        resume = printed_command("train", "--resume", outcome.run.given)
        print(f"stopped after {outcome.decisions:,} decisions; to resume: {resume}", file=sys.stderr)
        return INTERRUPTED
    _report(outcome, options.json)
    return 0


def _report(outcome: TrainingOutcome, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"run": str(outcome.run.given), "results": [result.to_dict() for result in outcome.results]}))
        return
    from german_whist.agents.policy.checkpoint import read_model_card
    from german_whist.game.rules import rules_from_dict
    from german_whist.simulator.text.rules_text import rules_spec

    rules = rules_spec(rules_from_dict(read_model_card(outcome.run.final)["rules"]))
    rules_option = () if rules == DEFAULT_RULES else ("--rules", rules)
    print_report(outcome.report())
    path = outcome.run.given
    measure = printed_command("evaluate", path, "random", "greedy", "heuristic", *rules_option)
    watch = printed_command("draw", path, "heuristic", "--gif", "deal.gif", *rules_option)
    print(f"measure it:      {measure}")
    print(f"watch it play:   {watch}")
    has_page = find_spec("starlette") is not None  # the extra `web` has it
    play = printed_command(*(("serve", "--agent") if has_page else ("play",)), path, *rules_option)
    print(f"play against it: {play}")

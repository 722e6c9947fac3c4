"""Every training setting, and the configurations that come with the package."""

from __future__ import annotations

import json
from importlib import resources

from german_whist.training.recipes import recipe_names
from german_whist.training.registry import TRAINERS, trainer_settings
from tools.markdown import fenced, markdown_table, plain
from tools.reference_pages import REFERENCE

GOALS = (0.60, 0.65)  # win rates of a speedrun


def settings() -> str:
    """Return a table for all trainers and one for each group of them that shares some settings."""
    trainers = {name: trainer_settings(name) for name in TRAINERS}
    groups: dict[tuple[str, ...], list[str]] = {tuple(trainers): []}
    for key in dict.fromkeys(key for of_trainer in trainers.values() for key in of_trainer):
        groups.setdefault(tuple(name for name in trainers if key in trainers[name]), []).append(key)
    parts = []
    for names, keys in sorted(groups.items(), key=lambda group: -len(group[0])):
        rows = []
        for key in keys:
            defaults = {name: _default(trainers[name][key].default) for name in names}
            meaning = min((trainers[name][key].text for name in names), key=len)
            rows.append((f"`{key}`", _defaults(defaults), plain(meaning)))
        title = "all trainers" if len(names) == len(trainers) else " and ".join(names)
        parts += [f"## Settings of {title}", markdown_table(("setting", "default", "meaning"), rows)]
    return "\n\n".join(parts)


def _default(value: str) -> str:
    return value if value == "none" else f"`{value}`"


def _defaults(defaults: dict[str, str]) -> str:
    """Return the default that most trainers have, and those of the others by name."""
    values = list(defaults.values())
    common = max(values, key=values.count)
    if values.count(common) == 1 < len(values):
        return "<br>".join(f"{name}: {default}" for name, default in defaults.items())
    others = [f"{name}: {default}" for name, default in defaults.items() if default != common]
    return "<br>".join([common, *others])


def recipes() -> str:
    """Return each recipe as it stands in its file."""
    parts = []
    for name in recipe_names():
        text = (resources.files("german_whist.configs") / f"{name}.yaml").read_text(encoding="utf-8")
        parts += [f"### `{name}`", fenced("yaml", text.rstrip())]
    return "\n\n".join(parts)


def speedruns() -> str:
    """Return for each goal a table of the entries of ``tools.speedrun`` that reach it, the fastest first."""
    files = sorted((REFERENCE / "speedrun").glob("*.json"))
    entries = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
    parts = []
    for goal in GOALS:
        rows = []
        for name, entry in sorted(entries.items(), key=lambda item: float(item[1]["seconds"])):
            if entry["win_rate"] < goal:
                continue
            seconds = [_seconds(entry[key]) for key in ("seconds", "processor_seconds")]
            apart = [_seconds(entry[key]) for key in ("evaluation_seconds", "compiling_seconds")]
            rate = f"{100 * entry['win_rate']:.1f} %"
            source = ", ".join(filter(None, (entry["commit"] and f"`{entry['commit']}`", plain(entry["by"]))))
            command = entry["command"].replace("{seed}", "SEED").replace("{out}", "OUT")
            rows.append((f"`{name}`", *seconds, rate, plain(entry["machine"]), *apart, f"`{command}`", source))
        columns = ("entry", "seconds", "processor-seconds", "win rate", "machine", "evaluating", "compiling", "command")
        parts += [f"## {100 * goal:.0f} %", markdown_table((*columns, "commit, by"), rows)]
    return "\n\n".join(parts)


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"

"""The games that have a name."""

from __future__ import annotations

import german_whist as gw
from german_whist.simulator.text.rules_text import preset_summary, rules_text
from tools.markdown import fenced, markdown_table, plain


def _names() -> list[str]:
    return sorted(gw.rule_names(), key=lambda name: (name != "classic", name))


def presets() -> str:
    """Return a table of the games in one line each."""
    rows = ((f"[`{name}`](#{name})", plain(preset_summary(name))) for name in _names())
    return markdown_table(("preset", "game"), rows)


def presets_in_full() -> str:
    """Return every game's rules in words."""
    rules = {name: rules_text(name).partition("\n\n")[2] for name in _names()}
    return "\n\n".join(f"### `{name}`\n\n{fenced('text', text)}" for name, text in rules.items())

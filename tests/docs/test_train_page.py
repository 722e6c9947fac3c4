"""``docs/how-to/train.md``: the error messages that it explains are those of the code, and it names every recipe."""

from __future__ import annotations

import re

from german_whist.training.load_config import load_config, recipe_names
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "how-to" / "train.md").read_text(encoding="utf-8")


def test_the_messages_are_those_of_the_code() -> None:
    files = [path for top in ("training", "src", "agents") for path in (ROOT / top).rglob("*.py")]
    # String literals joined over lines.
    code = "\n".join(re.sub(r'"\s*f?"', "", path.read_text(encoding="utf-8")) for path in files)
    table = PAGE.partition("## What goes wrong")[2].splitlines()
    rows = [line.split("|")[1] for line in table if line.startswith("| `")]
    messages = [message for row in rows for message in re.findall(r"`([^`]+)`", row)]
    assert len(messages) > 10
    for message in messages:
        parts = [part.strip() for part in re.split("…|: ", message) if part.strip()]
        assert parts
        assert [part for part in parts if part not in code] == []


def test_the_recipes_are_those_of_the_package_with_their_trainers() -> None:
    section = PAGE.partition("| recipe |")[2].partition("\n\n")[0]
    listed = {}
    for line in section.splitlines()[2:]:
        names, trainer = line.split("|")[1:3]
        listed |= dict.fromkeys(re.findall(r"`([\w-]+)`", names), trainer.strip(" `"))
    assert listed == {name: load_config(name).TRAINER for name in recipe_names()}

"""Writes ``training/train_settings.py``, the types of ``german_whist.train``'s settings, from the trainers' fields.

python -m tools.train_settings
"""

from __future__ import annotations

import json
import typing
from typing import Annotated, Any, get_args, get_origin

from german_whist.training.registry import TRAINERS
from tools.reference_pages import ROOT

FILE = ROOT / "training" / "train_settings.py"
HEAD = '''"""Types of the settings of :func:`german_whist.train`, written by ``python -m tools.train_settings``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from german_whist.agents.base import Agent, SupportsAct

Named = str | os.PathLike[str]


class TrainSettings(TypedDict, total=False):
    """Settings of the trainers by name; the page on training settings says what they mean.

    The command line and YAML text are read alike, so lists and shares may be text, too, ``"64,64"``.
    """

'''
AGENTS = {
    "opponents": "Mapping[str, float] | Mapping[Named | Agent | SupportsAct, float] | str",
    "evaluate_against": "Sequence[Named] | str",
}
TYPES = {int: "int", float: "float", str: "str"}


def text() -> str:
    """Return the text of the file."""
    kinds: dict[str, dict[str, None]] = {}
    for entry in TRAINERS.values():
        for name, field in entry.config.model_fields.items():
            kinds.setdefault(name, {})[AGENTS.get(name) or _type(field.annotation)] = None
    kinds["trainer"] = {"str": None}  # a class of one's own, too
    lines = [f"    {name}: {' | '.join(found)}" for name, found in kinds.items()]
    return HEAD + "\n".join(lines) + "\n"


def _type(annotation: Any) -> str:
    if get_origin(annotation) is Annotated:
        return _type(get_args(annotation)[0])
    if get_origin(annotation) is typing.Literal:
        return f"Literal{json.dumps(get_args(annotation))}"
    if get_origin(annotation) is list:
        return f"Sequence[{_type(get_args(annotation)[0])}] | str"
    if get_origin(annotation) is dict:
        return f"Mapping[str, {_type(get_args(annotation)[1])}] | str"
    return TYPES[annotation]


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

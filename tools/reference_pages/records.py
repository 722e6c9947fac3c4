"""The fields of views and states, with the comments that stand beside them in the source."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np

from german_whist.game import state as states
from german_whist.simulator.observation import views
from tools.markdown import markdown_table, plain


def view() -> str:
    """Return a table of a view's fields."""
    return markdown_table(("field", "dtype", "meaning"), _fields(views, views.VIEW))


def state() -> str:
    """Return a table of a state's fields."""
    return markdown_table(("field", "dtype", "meaning"), _fields(states, states.STATE))


def _fields(module: ModuleType, dtype: np.dtype[np.void]) -> list[tuple[str, str, str]]:
    """Return name, dtype and meaning of each field of a record.

    Raises:
        ValueError: if a field has no comment.
    """
    source = Path(module.__file__ or "").read_text(encoding="utf-8")
    comments = dict(re.findall(r'^ +\("(\w+)", .*\),  # (.*)$', source, re.MULTILINE))
    fields = []
    for name in dtype.names or ():
        kind = dtype[name]
        shape = f"[{', '.join(map(str, kind.shape))}]" if kind.shape else ""
        twin = name.replace("_opponent", "_self")
        if name in comments:
            meaning = plain(comments[name])
        elif twin in comments:
            meaning = f"as `{twin}`, of the opponent"
        else:
            raise ValueError(f"{name}: no comment in {module.__name__}")
        fields.append((f"`{name}`", f"{kind.base.name}{shape}", meaning))
    return fields

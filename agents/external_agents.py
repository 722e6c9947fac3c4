"""``python:FILE:NAME`` and ``python:MODULE:NAME``: agents of the user's own Python code, which runs in this process."""

from __future__ import annotations

import ast
import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from german_whist.game.utils.names import split_settings, unknown_name_error

_own: set[str] = set()  # top-level modules of agents, which messages name lines of


def load_agent(settings: str) -> Any:
    """Load the agent that ``FILE:NAME`` or ``MODULE:NAME`` names, with the settings as keyword arguments.

    The name is that of a class, of a function that returns the agent, or of the agent itself. While it is loaded and
    constructed, imports look in the folder of the file (for a module, in the working directory) first.

    Args:
        settings: the part of the specification after ``python:``, such as ``mine.py:Bot,depth=2``. Python literals
            (numbers, ``True``, ``None``, …) are evaluated, everything else is passed as text.

    Returns:
        The agent object; not yet wrapped as an ``Agent``.

    Raises:
        ValueError: if there is no such file, module or class, or the code raises an exception; the message names the
            line.
    """
    spec = f"python:{settings}"
    target, _, rest = settings.partition(",")
    source, _, name = target.rpartition(":")
    if not source or not name.isidentifier():
        raise ValueError(f"agent {spec!r}: write python:mine.py:Bot or python:package.module:Bot")
    values = {key: _value(text) for key, text in split_settings(rest, f"agent {spec!r}").items()}
    file = Path(source).resolve()
    folder, module_name = (file.parent, file.stem) if file.suffix == ".py" else (Path.cwd(), source)
    _own.add(_top(module_name))
    with _located(spec), _imports_from(folder):
        module = importlib.import_module(module_name)
        found = getattr(module, name, None)
        if callable(getattr(found, "act", None)) and not isinstance(found, type) and not values:
            return found
        if found is not None:
            return found(**values)
    raise ValueError(f"agent {spec!r}: {unknown_name_error('class', name, _agents_in(module))}")


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


@contextmanager
def _imports_from(folder: Path) -> Iterator[None]:
    """Let imports look in a folder first. Its modules are forgotten at the end: another folder may have equal names."""
    loaded = {_top(name) for name in sys.modules}
    same = {name for name in loaded if (spec := PathFinder.find_spec(name, [str(folder)])) and spec.origin}
    hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if _top(name) in same}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    written = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # bytecode does not tell edits within a second apart
    try:
        yield
    finally:
        sys.dont_write_bytecode = written
        new = {name for name in sys.modules if "." not in name} - (loaded - same)
        own = {name for name in new if _is_in(folder, sys.modules[name])}
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))  # for imports inside ``act``
        for name in [name for name in sys.modules if _top(name) in own]:
            del sys.modules[name]
        sys.modules.update(hidden)
        _own.update(own)


def _top(name: str) -> str:
    return name.partition(".")[0]


def _is_in(folder: Path, module: ModuleType) -> bool:
    """Return whether a top-level module, file or folder, lies in a folder."""
    spec = getattr(module, "__spec__", None)
    locations = [] if spec is None else spec.submodule_search_locations or [spec.origin or ""]
    return any(Path(location).parent == folder for location in locations)


def _agents_in(module: ModuleType) -> list[str]:
    """Return the names of the agents, or else of the classes, that a module defines."""
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    agents = [name for name, value in own.items() if callable(getattr(value, "act", None))]
    return agents or [name for name, value in own.items() if isinstance(value, type)]


@contextmanager
def _located(spec: str) -> Iterator[None]:
    """Turn an exception of the user's code into a ``ValueError`` that names the line.

    Raises:
        ValueError: in place of the exception.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        raise ValueError(f"agent {spec!r}: {own_line(error) or f'{type(error).__name__}: {error}'}") from error


def own_line(error: BaseException) -> str | None:
    """Describe an exception by the innermost line of an agent's own code in its traceback.

    Such as ``mine.py, line 12: ZeroDivisionError: division by zero``.

    Returns:
        The description, or ``None`` if no such line is in the traceback.
    """
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return f"{os.path.relpath(error.filename or '')}, line {error.lineno}: {what}"
    for frame, number in reversed([*traceback.walk_tb(error.__traceback__)]):
        if _top(str(frame.f_globals.get("__name__"))) in _own:
            return f"{os.path.relpath(frame.f_code.co_filename)}, line {number}: {what}"
    return None

"""``python:FILE:CLASS`` and ``python:MODULE:CLASS``: an agent defined by the user's own Python code.

Loading the agent runs the code. Only ``registry.make_agent`` does so, for specifications that a command line or a
program names.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import linecache
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from german_whist.envs.utils.specs import short_repr, split_items, split_spec, unknown_name_error, unquoted

_USAGE = "python:my_bot.py:Bot or python:package.module:Bot"
_MODULES: dict[Path, tuple[str, ModuleType]] = {}  # by file: SHA-256 of its source, and the module
_own: set[str] = set()  # names of the modules and top-level packages that agents were loaded from


def own_agent(settings: str) -> Any:
    """Load the agent that ``FILE:CLASS`` or ``MODULE:CLASS`` names, with the settings as keyword arguments.

    Instead of a class, the name may be that of a function that returns the agent, or of the agent itself. The folder of
    the file (for a module, the working directory) is added to the end of ``sys.path``.

    Args:
        settings: the part of the specification after ``python:``, such as ``my_bot.py:Bot,depth=2``. Python literals
            (numbers, ``True``, ``None``, …) are evaluated, everything else is passed as text.

    Returns:
        The agent object; not yet wrapped as an ``Agent``.

    Raises:
        ValueError: if there is no such file, module or class, or the code raises an exception; the message names the
            line.
    """
    place, name, values = _parsed(settings)
    spec = f"python:{settings}"
    module = _from_file(spec, place) if place.endswith(".py") else _from_module(spec, place)
    if not hasattr(module, name):
        unknown = unknown_name_error("class", name, _agents_in(module))
        raise ValueError(f"agent {short_repr(spec)}: in {place}: {unknown}")
    found = getattr(module, name)
    if not isinstance(found, type) and callable(getattr(found, "act", None)):
        if values:
            raise ValueError(f"agent {short_repr(spec)}: {name} is an object and takes no settings")
        return found
    if not callable(found):
        raise ValueError(f"agent {short_repr(spec)}: {name} is neither a class nor an agent: {short_repr(found)}")
    with _located(spec):
        return found(**values)


def _parsed(settings: str) -> tuple[str, str, dict[str, Any]]:
    """Return the file or module, the name in it, and the keyword arguments."""
    first = split_items(settings)[0]
    place, _, name = unquoted(first).rpartition(":")
    is_module = all(part.isidentifier() for part in place.split("."))
    if not name.isidentifier() or not (place.endswith(".py") or is_module):
        raise ValueError(f"agent 'python' is written {_USAGE}, got {short_repr(f'python:{settings}')}")
    texts = split_spec(f"python:{settings[len(first) + 1 :]}", "agent")[1]
    return place, name, {key: _value(text) for key, text in texts.items()}


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _from_file(spec: str, place: str) -> ModuleType:
    """Return the module of a file, which is executed the first time and whenever the file has changed."""
    path = Path(place).resolve()
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ValueError(f"agent {short_repr(spec)}: {place} cannot be read: {error.strerror}") from None
    digest = hashlib.sha256(source).hexdigest()
    known = _MODULES.get(path)
    if known is not None and known[0] == digest:
        return known[1]
    name = f"_german_whist_agents_{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    _look_also_in(path.parent)
    _own.add(name)
    sys.modules[name] = module  # dataclasses and pickle look it up there
    with _located(spec):
        exec(compile(source, str(path), "exec"), module.__dict__)
    _MODULES[path] = digest, module
    return module


def _from_module(spec: str, place: str) -> ModuleType:
    _look_also_in(Path.cwd())
    _own.add(place.partition(".")[0])
    module = None
    with _located(spec):
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            if not f"{place}.".startswith(f"{error.name}."):  # another module, which the code imports
                raise
    if module is None:
        raise ValueError(f"agent {short_repr(spec)}: there is no module {place!r}")
    return module


def _look_also_in(folder: Path) -> None:
    """Import modules from a folder too, but from all others first, so that its files hide no library."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


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
        raise ValueError(f"agent {short_repr(spec)}: {own_line(error) or _what(error)}") from error


def own_line(error: BaseException) -> str | None:
    """Describe an exception by the innermost line of an agent's own code in its traceback.

    Such as ``my_bot.py, line 12: ZeroDivisionError: division by zero (return 1 / 0)``.

    Returns:
        The description, or ``None`` if no such line is in the traceback.
    """
    if isinstance(error, SyntaxError):
        return f"{_shown(error.filename)}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    for frame, number in reversed([*traceback.walk_tb(error.__traceback__)]):
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _own:
            file = frame.f_code.co_filename
            linecache.checkcache(file)
            return f"{_shown(file)}, line {number}: {_what(error)} ({linecache.getline(file, number).strip()})"
    return None


def _what(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _shown(filename: str | None) -> str:
    path = Path(filename or "")
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)

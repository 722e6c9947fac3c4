"""``python:FILE:NAME`` and ``python:MODULE:NAME``: agents of the user's own Python code, which runs in this process."""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import re
import traceback
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from german_whist.agents.own_modules import findable, forget, holds, new_package, package_of, plain_names
from german_whist.game.utils.names import split_settings, unknown_name_error

_installed: set[str] = set()  # top-level modules of agents that are not in the working directory


def load_agent(settings: str) -> Any:
    """Load the agent that ``FILE:NAME`` or ``MODULE:NAME`` names, with the settings as keyword arguments.

    The name is that of a class, of a function that returns the agent, or of the agent itself. Import statements of its
    code look in the folder of the file (for a module, in the working directory) first. While it is loaded and
    constructed, ``importlib`` and ``pickle`` do so, too; later they look there last, as the folder joins ``sys.path``.

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
    source, name, rest = split_python(settings)
    if not name.isidentifier():
        raise ValueError(f"agent {spec!r}: write python:mine.py:Bot or python:package.module:Bot")
    values = {key: _value(text) for key, text in split_settings(rest, f"agent {spec!r}").items()}
    with _imported(f"agent {spec!r}", source) as (module, package):
        found = getattr(module, name, None)
        if callable(getattr(found, "act", None)) and not isinstance(found, type) and not values:
            return found
        if found is not None:
            agent = found(**values)
            with contextlib.suppress(TypeError):  # the modules of an object without weak references stay
                weakref.finalize(agent, forget, package).atexit = False
            return agent
    raise ValueError(f"agent {spec!r}: {unknown_name_error('class', name, _agents_in(module))}")


def split_python(text: str) -> tuple[str, str, str]:
    """Return file or module, name and settings of ``SOURCE:NAME[,SETTINGS]``; empty if it has another form.

    Settings begin at the first comma after a name, as folders may have commas, too.
    """
    found = re.fullmatch(r"(.+?):(\w+)(?:,(.*))?", text, re.DOTALL)
    source, name, settings = found.groups("") if found else ("", "", "")
    return source, name, settings


def load_trainer(spec: str) -> type:
    """Load the class that ``python:FILE:NAME`` or ``python:MODULE:NAME`` names, in the way of :func:`load_agent`.

    Raises:
        ValueError: if there is no such file, module or class, or the code raises an exception.
    """
    source, name, _ = split_python(spec.removeprefix("python:"))
    if not name.isidentifier():
        raise ValueError(f"trainer {spec!r}: write python:mine.py:Trainer or python:package.module:Trainer")
    with _imported(f"trainer {spec!r}", source) as (module, _):
        found = getattr(module, name, None)
        if isinstance(found, type):
            return found
    classes = [name for name, value in vars(module).items() if isinstance(value, type)]
    raise ValueError(f"trainer {spec!r}: {unknown_name_error('class', name, classes)}")


@contextmanager
def _imported(whose: str, source: str) -> Iterator[tuple[ModuleType, str]]:
    """Import a file or a module in a package of its own; errors inside the ``with`` block name the user's line."""
    file = Path(source).resolve()
    folder, module_name = (file.parent, file.stem) if file.suffix == ".py" else (Path.cwd(), source)
    package = new_package(folder)
    with _located(whose), findable(package):
        if holds(package, module_name):
            module_name = f"{package}.{module_name}"
        else:
            _installed.add(module_name.partition(".")[0])
        yield importlib.import_module(module_name), package


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _agents_in(module: ModuleType) -> list[str]:
    """Return the names of the agents, or else of the classes, that a module defines."""
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    agents = [name for name, value in own.items() if callable(getattr(value, "act", None))]
    return agents or [name for name, value in own.items() if isinstance(value, type)]


@contextmanager
def _located(whose: str) -> Iterator[None]:
    """Turn an exception of the user's code into a ``ValueError`` that names the line.

    Raises:
        ValueError: in place of the exception.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        raise ValueError(f"{whose}: {own_line(error) or _described(error)}") from error


def own_line(error: BaseException) -> str | None:
    """Describe an exception by the innermost line of an agent's own code in its traceback.

    Such as ``mine.py, line 12: ZeroDivisionError: division by zero``.

    Returns:
        The description, or ``None`` if no such line is in the traceback.
    """
    if isinstance(error, SyntaxError):
        return f"{os.path.relpath(error.filename or '')}, line {error.lineno}: {_described(error)}"
    for frame, number in reversed([*traceback.walk_tb(error.__traceback__)]):
        name = str(frame.f_globals.get("__name__"))
        if package_of(name) is not None or name.partition(".")[0] in _installed:
            return f"{os.path.relpath(frame.f_code.co_filename)}, line {number}: {_described(error)}"
    return None


def _described(error: BaseException) -> str:
    return plain_names(f"{type(error).__name__}: {error}")

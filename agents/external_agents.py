"""``python:FILE:NAME`` and ``python:MODULE:NAME``: agents of the user's own Python code, which runs in this process."""

from __future__ import annotations

import ast
import builtins
import importlib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from urllib.parse import quote, unquote

from german_whist.envs.utils.names import split_settings, unknown_name_error

_ROOT = f"{__name__}."
_own: set[str] = set()  # installed packages and modules that agents were loaded from

__path__: list[str] = []  # this module has submodules, which _Finder finds


def load_agent(settings: str) -> Any:
    """Load the agent that ``FILE:NAME`` or ``MODULE:NAME`` names, with the settings as keyword arguments.

    The name is that of a class, of a function that returns the agent, or of the agent itself. The code imports modules
    from the folder of the file (for a module, the working directory) first, as if Python ran it; other code does not
    see them.

    Args:
        settings: the part of the specification after ``python:``, such as ``my_bot.py:Bot,depth=2``. Python literals
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
        raise ValueError(f"agent {spec!r}: write python:my_bot.py:Bot or python:package.module:Bot")
    values = {key: _value(text) for key, text in split_settings(rest, f"agent {spec!r}").items()}
    with _located(spec):
        module = _loaded(source)
    if not hasattr(module, name):
        raise ValueError(f"agent {spec!r}: {unknown_name_error('class', name, _agents_in(module))}")
    found = getattr(module, name)
    if callable(getattr(found, "act", None)) and not isinstance(found, type) and not values:
        return found
    with _located(spec):
        return found(**values)


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _loaded(source: str) -> ModuleType:
    """Return the module of a file, or the module of this name in the working directory or installed.

    Raises:
        ModuleNotFoundError: if there is no such module.
    """
    name, root = source, ""
    if source.endswith(".py"):
        name = root = _root_of(Path(source))
    elif _is_in(str(Path.cwd()), source):
        root = _root_of(Path.cwd())
        name = f"{root}.{source}"
    else:
        _own.add(source.partition(".")[0])
    _forget_if_changed(root)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if f"{name}.".startswith(f"{error.name}."):
            raise ModuleNotFoundError(f"there is no module {source!r}") from None
        raise  # another module, which the code imports


def _root_of(path: Path) -> str:
    """Return the name of the module of a file, or of the package of a folder."""
    return _ROOT + quote(str(path.resolve())).replace(".", "%2E")


class _Finder:
    """Finds users' files under names that hold their paths, so that equal names in two folders are two modules.

    ``german_whist.agents.external_agents./home/me/my_bot%2Epy`` is the file, and ``NAME.helper`` the module ``helper``
    beside it. Another process finds them too: agents can be pickled.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the specification of a module with a name of this kind."""
        if not name.startswith(_ROOT):
            return None
        if path:
            spec = PathFinder.find_spec(name, path, target)
            if spec is not None and isinstance(spec.loader, SourceFileLoader):
                spec.loader = _Loader(name, spec.loader.path)
            return spec
        source = Path(unquote(name.removeprefix(_ROOT)))
        if source.is_dir():
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(source)]
            return spec
        loader = _Loader(name, str(source))
        return spec_from_file_location(name, loader=loader, submodule_search_locations=[str(source.parent)])


class _Loader(SourceFileLoader):
    """Runs a file so that its imports look beside it first."""

    source = b""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source; Python's own cache would miss an edit within the same second."""
        self.source = self.get_data(self.path)
        return self.source_to_code(self.source, self.path)

    def exec_module(self, module: ModuleType) -> None:
        """Run the file; its ``import`` statements call ``_import``."""
        root = _ROOT + module.__name__.removeprefix(_ROOT).partition(".")[0]
        import_ = partial(_import, root, sys.modules[root].__path__[0])
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": import_}
        super().exec_module(module)


sys.meta_path.insert(0, _Finder)


def _import(
    root: str,
    folder: str,
    name: str,
    globals_: Any = None,
    locals_: Any = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> ModuleType:
    """Import as ``__import__`` does, but a module in ``folder`` as a submodule of ``root``."""
    if level or not _is_in(folder, name):
        return __import__(name, globals_, locals_, fromlist, level)
    module = __import__(f"{root}.{name}", globals_, locals_, fromlist)
    return module if fromlist else sys.modules[f"{root}.{name.partition('.')[0]}"]


def _is_in(folder: str, name: str) -> bool:
    """Return whether a folder has a module; a subfolder without ``__init__.py`` hides no library."""
    top = name.partition(".")[0]
    own = PathFinder.find_spec(top, [folder])
    if own is None or own.origin is not None:
        return own is not None
    other = find_spec(top)
    return other is None or other.origin is None


def _forget_if_changed(root: str) -> None:
    """Unload the modules of a root if one of their files has changed since, so that all are loaded again."""
    loaded = {name: module for name, module in sys.modules.items() if root and f"{name}.".startswith(f"{root}.")}
    loaders = [getattr(module.__spec__, "loader", None) for module in loaded.values()]
    files = {Path(one.path): one.source for one in loaders if isinstance(one, _Loader)}
    if any(not path.exists() or path.read_bytes() != source for path, source in files.items()):
        importlib.invalidate_caches()
        for name in loaded:
            del sys.modules[name]


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

    Such as ``my_bot.py, line 12: ZeroDivisionError: division by zero``.

    Returns:
        The description, or ``None`` if no such line is in the traceback.
    """
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return f"{os.path.relpath(error.filename or '')}, line {error.lineno}: {what}"
    for frame, number in reversed([*traceback.walk_tb(error.__traceback__)]):
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(_ROOT) or name.partition(".")[0] in _own:
            return f"{os.path.relpath(frame.f_code.co_filename)}, line {number}: {what}"
    return None

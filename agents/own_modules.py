"""The modules of users' agents: every agent has its own copies of those in its folder.

They are submodules of a package that stands for the folder and is a submodule of this module. Import statements in them
look there first, whenever they run, so agents of several folders can have helpers of the same name. The package's name
tells the folder's path, so that other processes find the modules of pickled agents.
"""

from __future__ import annotations

import builtins
import importlib
import itertools
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

__path__: list[str] = []  # this module may have submodules, which `_Finder` finds

_PACKAGE = re.compile(rf"{re.escape(__name__)}\.[0-9a-f]+_[0-9]+(?=\.|$)")


def new_package(folder: Path) -> str:
    """Return the name of a new package that stands for a folder."""
    path = os.fsencode(folder).hex()
    names = (f"{__name__}.{path}_{number}" for number in itertools.count())
    return next(name for name in names if name not in sys.modules)


def package_of(name: str) -> str | None:
    """Return the package of an agent's module; ``None`` for other modules."""
    found = _PACKAGE.match(name)
    return None if found is None else found[0]


def plain_names(text: str) -> str:
    """Return a text in which modules of agents are called by their plain names."""
    return re.sub(rf"{_PACKAGE.pattern}\.", "", text)


def holds(package: str, name: str) -> bool:
    """Return whether a name, as in an import statement, means a module of a package."""
    return _holds(package, name.partition(".")[0])


@cache  # asked whenever an import statement runs
def _holds(package: str, top: str) -> bool:
    """Return whether a top-level module is in the folder of a package.

    Modules of Python's that are not files come first, and folders without ``__init__.py`` last, as everywhere.
    """
    spec = PathFinder.find_spec(top, [_folder(package)])
    if spec is None or top in sys.builtin_module_names:
        return False
    if spec.origin is not None:
        return True
    loaded, elsewhere = sys.modules.get(top), PathFinder.find_spec(top)
    return getattr(loaded, "__file__", None) is None and getattr(elsewhere, "origin", None) is None


@contextmanager
def findable(package: str) -> Iterator[None]:
    """Let ``importlib`` and ``pickle``, too, find the modules of a package first; afterwards they do so last."""
    finder, folder = _PlainFinder(package), _folder(package)
    importlib.invalidate_caches()
    _holds.cache_clear()
    same = {top for top in {name.partition(".")[0] for name in [*sys.modules]} if holds(package, top)}
    hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in same}
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.found:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)
        if folder not in sys.path:
            sys.path.append(folder)


def forget(package: str) -> None:
    """Remove the modules of a package, whose agent is no longer used."""
    for name in [*sys.modules]:
        if package_of(name) == package:
            del sys.modules[name]


def _folder(package: str) -> str:
    return os.fsdecode(bytes.fromhex(package.removeprefix(f"{__name__}.").partition("_")[0]))


class _Finder:
    """Finds packages and their modules, for ``sys.meta_path``."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        package = package_of(name)
        if package is None:
            return None
        if name == package:
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [_folder(name)]
            return spec
        found = PathFinder.find_spec(name, path)
        if found is not None and isinstance(found.loader, SourceFileLoader):
            found.loader = _Loader(name, found.loader.path)
        return found


sys.meta_path.insert(0, _Finder)


class _Loader(SourceFileLoader):
    """Loads a module in which import statements call :func:`_import`."""

    def exec_module(self, module: ModuleType) -> None:
        package = package_of(module.__name__)
        assert package is not None
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": partial(_import, package)}
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source: bytecode does not tell edits within a second apart."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _import(
    package: str,
    name: str,
    variables: Mapping[str, object] | None = None,
    own: Mapping[str, object] | None = None,
    names: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """Import for a statement in a module of a package; the parameters are those of ``builtins.__import__``."""
    # pickle, which is written in C, passes a list, and takes the module of this name from `sys.modules`.
    if level or isinstance(names, list) or not holds(package, name):
        return builtins.__import__(name, variables, own, names or (), level)
    module = builtins.__import__(f"{package}.{name}", variables, own, names or ())
    return module if names else sys.modules[f"{package}.{name.partition('.')[0]}"]


class _PlainFinder:
    """Finds the modules of a package under their names in its folder, for ``sys.meta_path``."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.found: list[str] = []

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if holds(self.package, name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to create a module, which :meth:`exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        self.found.append(module.__name__)
        sys.modules[module.__name__] = importlib.import_module(f"{self.package}.{module.__name__}")

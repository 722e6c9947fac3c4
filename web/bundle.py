"""The page's scripts and styles, each with what it imports in one answer: over a slow line, requests cost most.

The files are modules that a browser could load one by one. In a bundle, each module is a function that returns what it
exports, and the bundles of a page share their modules.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

SCRIPTS = ("main.js", "windows.js")  # in the order in which a page loads them
STYLE = "style.css"

_IMPORT = re.compile(r'^(import|export) \{([^{}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_FURTHER = re.compile(r"^export const \w+ = [^,;()]+((?:, \w+ = [^,;()]+)+);", re.MULTILINE)  # A = 0, B = 1;
_COMMENT = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n|^ *//[^\n]*\n", re.MULTILINE | re.DOTALL)
_STYLE_IMPORT = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)


def script(folder: Path, entry: str, earlier: Sequence[str] | None = None) -> str:
    """Return a script with all modules that it imports, but for those that an earlier script has brought.

    Args:
        folder: the folder of the scripts.
        entry: the script.
        earlier: the scripts before it; by default those of ``SCRIPTS``.
    """
    brought: list[str] = []
    for before in SCRIPTS[: SCRIPTS.index(entry)] if earlier is None else earlier:
        _collect(folder, before, brought)
    found = list(brought)
    _collect(folder, entry, found)
    modules = [_module(folder, name) for name in found if name not in brought]
    exported = ", ".join(_exports((folder / entry).read_text(encoding="utf-8")))
    last = f'export const {{ {exported} }} = modules["{entry}"];\n' if exported else ""
    return "".join(["const modules = (globalThis.modules ??= {});\n", *modules, last])


def style(folder: Path) -> str:
    """Return the style sheet with all that it imports."""

    def read(match: re.Match[str]) -> str:
        return (folder / match[1]).read_text(encoding="utf-8")

    return _STYLE_IMPORT.sub(read, (folder / STYLE).read_text(encoding="utf-8"))


def _collect(folder: Path, name: str, found: list[str]) -> None:
    """Add a module to those found, after the modules that it imports."""
    if name in found:
        return
    for _, _, path in _IMPORT.findall((folder / name).read_text(encoding="utf-8")):
        _collect(folder, _target(name, path), found)
    found.append(name)


def _module(folder: Path, name: str) -> str:
    text = (folder / name).read_text(encoding="utf-8")

    def names(match: re.Match[str]) -> str:
        taken, target = match[2].strip().rstrip(","), _target(name, match[3])
        exported = _exports((folder / target).read_text(encoding="utf-8"))
        if missing := {one.split()[0] for one in taken.split(",")} - set(exported):
            raise ValueError(f"{name} imports {', '.join(sorted(missing))}, which {target} does not export")
        return f'const {{ {taken.replace(" as ", ": ")} }} = modules["{target}"];\n'

    body = _EXPORT.sub("", _IMPORT.sub(names, _COMMENT.sub("", text)))
    return f'modules["{name}"] = (() => {{\n{body}return {{ {", ".join(_exports(text))} }};\n}})();\n'


def _exports(text: str) -> list[str]:
    passed_on = [names.split(",") for kind, names, _ in _IMPORT.findall(text) if kind == "export"]
    further = [name for names in _FURTHER.findall(text) for name in re.findall(r", (\w+) =", names)]
    return [name.strip() for names in passed_on for name in names] + _EXPORT.findall(text) + further


def _target(name: str, path: str) -> str:
    """Return the module that a module imports by a path."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))

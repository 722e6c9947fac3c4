"""Bundles the page for serving: ``python -m german_whist.table.bundle FOLDER`` writes it for any static host.

``table/page`` consists of modules that a browser could load one by one. On a slow connection, requests cost most, so
each script is bundled into one file with everything that it imports. Every module becomes a function that returns its
exports, and the bundles of a page share their modules. Python adds the data that the page needs (``page_data``). On a
static host, a service worker caches the page for use offline.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import posixpath
import re
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from german_whist.agents.pretrained import CHAMPION
from german_whist.table.page_data import ServeOptions, data_bytes, network_files

# The scripts, each with the scripts that the same page loads before it.
SCRIPTS = {"start.js": (), "worker.js": (), "js/main.js": (), "js/windows.js": ("js/main.js",)}
STYLE = "css/style.css"
LATER = f"{CHAMPION}.safetensors"  # large, so the service worker caches it only once the page has needed it
POLICY = (  # the page fetches nothing from other hosts
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",  # the rules and the bots
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
)

_SERVICE_WORKER = "service_worker.js"
_PLAIN = (
    *("index.html", "cards.svg", "icon.svg", "icon-180.png", "manifest.webmanifest"),
    *("rules.wasm", "bots.wasm"),
)
_HEAD = '<meta charset="utf-8" />\n'
# Some hosts serve the page of `/play/` at `/play`, too, where its relative URLs would not resolve.
_ADD_SLASH = (
    "{ const { pathname, search, hash } = location; "
    "if (/\\/[^/.]+$/.test(pathname)) location.replace(`${pathname}/${search}${hash}`); }"
)

_IMPORT = re.compile(r'^(import|export) (?:\{([^{}]*)\}|\* as (\w+)) from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_FURTHER = re.compile(r"^export const \w+ = [^,;()]+((?:, \w+ = [^,;()]+)+);", re.MULTILINE)  # A = 0, B = 1;
_COMMENT = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n|^ *//[^\n]*\n", re.MULTILINE | re.DOTALL)
# Indentation, and comments at the end of a line. This is safe because no string of the page spans lines.
_LAYOUT = re.compile(r"^ +| // [^\n\"'`]*$", re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)
_STYLE_LAYOUT = re.compile(r"^ +|/\*(?:(?!\*/).)*\*/\n?", re.MULTILINE | re.DOTALL)


def page_folder() -> Path:
    """Return the folder of the page's files."""
    return Path(str(resources.files("german_whist.table"))) / "page"


def page_files(options: ServeOptions | None = None) -> dict[str, bytes]:
    """Return the files of the page by name.

    Args:
        options: the server's options; ``None`` for a static host.
    """
    folder = page_folder()
    files = {name: (folder / name).read_bytes() for name in _PLAIN}
    files |= {name: script(folder, name, earlier).encode() for name, earlier in SCRIPTS.items()}
    files |= {STYLE: style(folder).encode(), "data.json": data_bytes(options), **network_files()}
    if options is None:
        head = f"{_HEAD}    {_policy()}\n    <script>{_ADD_SLASH}</script>\n"
        files["index.html"] = files["index.html"].replace(_HEAD.encode(), head.encode())
        files[_SERVICE_WORKER] = _service_worker(files).encode()
    return files


def write_page(folder: Path) -> None:
    """Write the page for a static host into a folder, replacing its contents."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in page_files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _policy() -> str:
    """Return the content security policy of a static host's page, which allows its one inline script."""
    digest = base64.b64encode(hashlib.sha256(_ADD_SLASH.encode()).digest()).decode()
    policy = "; ".join(POLICY).replace("script-src 'self'", f"script-src 'self' 'sha256-{digest}'")
    return f'<meta http-equiv="Content-Security-Policy" content="{policy}" />'  # browsers ignore frame-ancestors here


def _service_worker(files: dict[str, bytes]) -> str:
    """Return the service worker, with the names of the files and a hash of their contents filled in."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\n".encode() + files[name])
    listed = ["./", *sorted(set(files) - {"index.html"})]  # some hosts redirect index.html to its folder
    text = (page_folder() / _SERVICE_WORKER).read_text(encoding="utf-8")
    for name, value in (("FILES", [one for one in listed if one != LATER]), ("LATER", [LATER])):
        text = re.sub(f"^const {name} = .*;$", f"const {name} = {json.dumps(value)};", text, flags=re.MULTILINE)
    return text.replace("VERSION_OF_THE_FILES", digest.hexdigest()[:16])


def script(folder: Path, entry: str, earlier: Sequence[str] = ()) -> str:
    """Bundle a script with all modules that it imports, except those that an earlier script has brought.

    Args:
        folder: the folder of the page.
        entry: the script.
        earlier: the scripts that the page loads before it.
    """
    brought: list[str] = []
    for before in earlier:
        _collect(folder, before, brought)
    found = list(brought)
    _collect(folder, entry, found)
    modules = [_module(folder, name) for name in found if name not in brought]
    exported = ", ".join(_exports((folder / entry).read_text(encoding="utf-8")))
    last = f'export const {{ {exported} }} = modules["{entry}"];\n' if exported else ""
    return "".join(["const modules = (globalThis.modules ??= {});\n", *modules, last])


def style(folder: Path) -> str:
    """Bundle the style sheet with everything that it imports."""
    sheet = folder / STYLE

    def read(match: re.Match[str]) -> str:
        return (sheet.parent / match[1]).read_text(encoding="utf-8")

    return _STYLE_LAYOUT.sub("", _STYLE_IMPORT.sub(read, sheet.read_text(encoding="utf-8")))


def _collect(folder: Path, name: str, found: list[str]) -> None:
    """Append a module to ``found``, after the modules that it imports."""
    if name in found:
        return
    for *_, path in _IMPORT.findall((folder / name).read_text(encoding="utf-8")):
        _collect(folder, _target(name, path), found)
    found.append(name)


def _module(folder: Path, name: str) -> str:
    text = (folder / name).read_text(encoding="utf-8")

    def names(match: re.Match[str]) -> str:
        target = _target(name, match[4])
        if match[3]:
            return f'const {match[3]} = modules["{target}"];\n'
        taken = match[2].strip().rstrip(",")
        exported = _exports((folder / target).read_text(encoding="utf-8"))
        if missing := {one.split()[0] for one in taken.split(",")} - set(exported):
            raise ValueError(f"{name} imports {', '.join(sorted(missing))}, which {target} does not export")
        return f'const {{ {taken.replace(" as ", ": ")} }} = modules["{target}"];\n'

    body = _LAYOUT.sub("", _EXPORT.sub("", _IMPORT.sub(names, _COMMENT.sub("", text))))
    return f'modules["{name}"] = (() => {{\n{body}return {{ {", ".join(_exports(text))} }};\n}})();\n'


def _exports(text: str) -> list[str]:
    passed_on = [names.split(",") for kind, names, _, _ in _IMPORT.findall(text) if kind == "export"]
    further = [name for names in _FURTHER.findall(text) for name in re.findall(r", (\w+) =", names)]
    return [name.strip() for names in passed_on for name in names] + _EXPORT.findall(text) + further


def _target(name: str, path: str) -> str:
    """Resolve an import path relative to the importing module."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    write_page(parser.parse_args().folder)

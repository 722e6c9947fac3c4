"""The files of the page: ``python -m german_whist.table.bundle FOLDER`` writes them for any static host.

``table/page`` holds the sources. On a slow connection, requests cost most, so ``make page`` bundles the scripts and
styles into ``table/bundles``, which are checked in: who installs the package needs no Node. Python adds the data that
the page needs (``page_data``). On a static host, a service worker caches the page for use offline.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import shutil
from importlib import resources
from pathlib import Path

from german_whist.agents.pretrained import CHAMPION
from german_whist.table.page_data import ServeOptions, data_bytes, network_files

_TABLE = Path(str(resources.files("german_whist.table")))
PAGE, BUNDLES = _TABLE / "page", _TABLE / "bundles"
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
    *("index.html", "cards.svg", "icon.svg", "icon-180.png", "manifest.webmanifest", "start.js"),
    *("rules.wasm", "bots.wasm"),
)
_HEAD = '<meta charset="utf-8" />\n'
# Some hosts serve the page of `/play/` at `/play`, too, where its relative URLs would not resolve.
_ADD_SLASH = (
    "{ const { pathname, search, hash } = location; "
    "if (/\\/[^/.]+$/.test(pathname)) location.replace(`${pathname}/${search}${hash}`); }"
)


def page_files(options: ServeOptions | None = None) -> dict[str, bytes]:
    """Return the files of the page by name.

    Args:
        options: the server's options; ``None`` for a static host.
    """
    files = {name: (PAGE / name).read_bytes() for name in _PLAIN}
    bundles = [path for path in BUNDLES.rglob("*") if path.is_file()]
    files |= {path.relative_to(BUNDLES).as_posix(): path.read_bytes() for path in bundles}
    files |= {"data.json": data_bytes(options), **network_files()}
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
    text = (PAGE / _SERVICE_WORKER).read_text(encoding="utf-8")
    for name, value in (("FILES", [one for one in listed if one != LATER]), ("LATER", [LATER])):
        text = re.sub(f"^const {name} = .*;$", f"const {name} = {json.dumps(value)};", text, flags=re.MULTILINE)
    return text.replace("VERSION_OF_THE_FILES", digest.hexdigest()[:16])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    write_page(parser.parse_args().folder)

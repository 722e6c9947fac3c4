"""Assembles the page that plays without a server: ``python docs/play/build.py FOLDER``.

The folder is that of ``web/static`` with another ``api.js``: it asks ``local/worker.js``, where the server would be.
Python writes what the worker needs to know: the catalogue, the rules in words, the lesson and the networks. Any static
host serves the folder, under any address; after the first visit a service worker does, too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from engine_data import network_bytes, page_rules, rules_json

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.session import catalogue, lesson
from german_whist.web import bundle, guard
from german_whist.web.app import page_folder
from german_whist.web.session_json import game_json

HERE = Path(__file__).parent
DEFAULT_AGENT = "small"
# As the page's coach measures it: node tools/page_accuracy.mjs, 300 deals. It is the network's judgement, so the
# network's own is perfect.
ACCURACIES = {"random": 31.1, "greedy": 60.3, "heuristic": 75.6, "heuristic+exact": 85.4, "small": 100.0}
WORKER, START = "local/worker.js", "local/start.js"

# Nothing is fetched from elsewhere. A page cannot forbid to be framed; its host can.
_POLICY = "; ".join((*guard.POLICY, "worker-src 'self'"))
_HEAD = f"""<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />
    <link rel="manifest" href="manifest.webmanifest" />
    <link rel="apple-touch-icon" href="icon-180.png" />
    <link rel="preload" as="fetch" href="local/catalogue.json" crossorigin />
    <script async src="local/start.js"></script>"""
_PRELOAD = '<link rel="preload" as="fetch" href="api/catalog" crossorigin />'
_API = 'export { ApiError, SHARED_LINK, WAITING, api } from "../../local/api.js";\n'


def build(folder: Path) -> None:
    """Write the page into a folder, in place of what was there."""
    assemble(folder)
    scripts = [f"static/js/{name}" for name in bundle.SCRIPTS]
    bundles = {name: bundle.script(folder, name, scripts[:place]) for place, name in enumerate(scripts)}
    bundles[WORKER] = bundle.script(folder, WORKER, ())
    bundles[START] = (folder / START).read_text(encoding="utf-8")
    bundles[f"static/css/{bundle.STYLE}"] = bundle.style(folder / "static" / "css")
    (folder / "package.json").unlink()
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.suffix in (".js", ".css"):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name, text in bundles.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    _write_service_worker(folder)


def assemble(folder: Path) -> None:
    """Write the page's modules and data into a folder, each file as it is in the repository."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(page_folder(), folder / "static")
    shutil.copytree(HERE / "local", folder / "local")
    for name in ("manifest.webmanifest", "icon-180.png"):
        shutil.copy(HERE / name, folder / name)
    index = (folder / "static" / "index.html").read_text(encoding="utf-8")
    assert _PRELOAD in index  # the page has changed
    (folder / "index.html").write_text(index.replace(_PRELOAD, _HEAD), encoding="utf-8")
    (folder / "static" / "index.html").unlink()
    (folder / "static" / "js" / "types.js").unlink()  # which tsc alone reads
    (folder / "package.json").write_text('{"type": "module"}\n')  # for node
    (folder / "static" / "js" / "api.js").write_text(_API, encoding="utf-8")
    (folder / "local" / "catalogue.json").write_text(json.dumps(catalogue_data(), ensure_ascii=False), encoding="utf-8")
    (folder / "local" / "small.safetensors").write_bytes(network_bytes())


def catalogue_data() -> dict[str, Any]:
    """Return what the worker needs to know first."""
    offered = page_rules()
    rules = {**offered, lesson.RULES: rules_named(lesson.RULES)}
    games = [_offered(dict(game)) for game in catalogue.games() if game["id"] in offered]
    agents = {agent["spec"]: agent for agent in catalogue.agents()}
    return {
        "catalog": {
            "version": version("german-whist"),
            "games": games,
            "agents": [{**agents[spec], "accuracy": accuracy} for spec, accuracy in ACCURACIES.items()],
            "matches": catalogue.matches(),
            "defaults": {"rules": "classic", "agent": DEFAULT_AGENT, "match": None},
            "today": "",  # the worker says it
        },
        "games": {spec: {"game": game_json(one), "changes": _changes(one)} for spec, one in rules.items()},
        "lesson": {
            "rules": lesson.RULES,
            "teacher": lesson.TEACHER,
            "seat": lesson.SEAT,
            "deck": lesson.DECK,
            "plays": lesson.TEACHER_PLAYS,
            "steps": lesson.STEPS,
            "end": lesson.END,
        },
        "rules": json.loads(rules_json(rules)),
    }


def _offered(game: dict[str, Any]) -> dict[str, Any]:
    """Return a game of the catalogue with the agents of the page."""
    game["scorings"] = [{**one, "agents": list(ACCURACIES)} for one in game["scorings"]]
    return {**game, "agents": list(ACCURACIES)}


def _changes(rules: Rules) -> dict[str, Any]:
    """Return the settings that differ from the classic game, as recordings write them."""
    classic = Rules().to_dict()
    return {name: value for name, value in rules.to_dict().items() if value != classic[name]}


def _write_service_worker(folder: Path) -> None:
    """Write the service worker with the list of all files and their hash."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    listed = ["./", *(path.relative_to(folder).as_posix() for path in files)]
    text = (HERE / "service_worker.js").read_text(encoding="utf-8")
    text = re.sub(r"^const FILES = .*;$", lambda _: f"const FILES = {json.dumps(listed)};", text, flags=re.MULTILINE)
    text = text.replace("VERSION_OF_THE_FILES", digest.hexdigest()[:16])
    (folder / "service_worker.js").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--modules", action="store_true", help="each module in a file of its own, for node")
    given = parser.parse_args()
    (assemble if given.modules else build)(given.folder)

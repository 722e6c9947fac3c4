"""The page's scripts and styles come in one answer each, compressed, and only when they have changed."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.table.bundle import SCRIPTS, page_files, page_folder, script, style

FOLDER = page_folder()
CHAMPION = "champion.safetensors"  # which is loaded when it is needed
LARGEST, LARGEST_CHAMPION = 300_000, 1_100_000  # bytes, compressed
TYPES = "game/types.js"  # which tsc alone reads


def test_every_module_is_in_a_script_after_those_that_it_imports() -> None:
    found: set[str] = set()
    for scripts in (["worker.js"], ["js/main.js", "js/windows.js"]):
        known: list[str] = []
        for line in "".join(script(FOLDER, entry, SCRIPTS[entry]) for entry in scripts).splitlines():
            if used := re.match(r'const (?:\{.*\}|\w+) = modules\["(.+)"\];$', line):
                assert used[1] in known[:-1]
            elif begun := re.match(r'modules\["(.+)"\] = ', line):
                known.append(begun[1])
        assert len(set(known)) == len(known)
        found.update(known)
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.js")}
    assert files - found == {TYPES, "start.js", "service_worker.js"}


def test_the_page_of_a_static_host_is_small_asks_nobody_elsewhere_and_is_kept_whole() -> None:
    files = page_files()
    sizes = {name: len(gzip.compress(content)) for name, content in files.items()}
    assert sizes.pop(CHAMPION) < LARGEST_CHAMPION
    assert sum(sizes.values()) < LARGEST
    for name, content in files.items():
        if name.endswith((".html", ".js", ".css", ".webmanifest")):
            addresses = re.findall(r"https?://[^\s\"'`)]+", content.decode())
            assert set(addresses) <= {"http://www.w3.org/2000/svg"}
    lists = re.findall(r"^const (?:FILES|LATER) = (.*);$", files["service_worker.js"].decode(), re.MULTILINE)
    at_once, later = map(json.loads, lists)
    assert later == [CHAMPION]
    assert set(at_once) == {"./", *files} - {"index.html", "service_worker.js", CHAMPION}
    assert b"Content-Security-Policy" in files["index.html"]


@pytest.mark.parametrize("entry", SCRIPTS)
def test_nothing_is_left_of_imports_exports_and_comments(entry: str) -> None:
    lines = script(FOLDER, entry, SCRIPTS[entry]).splitlines()
    left = [line for line in lines if re.match(r"(import|export)\b[^(]|\s*(//|/\*\*.*\*/$)", line)]
    assert left == ([lines[-1]] if entry == "js/windows.js" else [])


def test_no_string_of_a_module_goes_on_in_a_further_line() -> None:
    """Its indentation would be lost."""
    for path in FOLDER.rglob("*.js"):
        code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert [line for line in code.splitlines() if line.count("`") % 2] == [], path


def test_the_style_holds_every_sheet() -> None:
    text = style(FOLDER)
    assert "@import" not in text
    for path in (FOLDER / "css").glob("*.css"):
        rules = re.sub(r"/\*.*?\*/|@import [^;]*;", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert "".join(rules.split()) in "".join(text.split())


@pytest.mark.parametrize("path", ["js/main.js", "css/style.css", "cards.svg", "data.json"])
def test_large_answers_are_compressed(path: str, client: TestClient) -> None:
    plain = client.get(path, headers={"accept-encoding": "identity"})
    packed = client.get(path, headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content


@pytest.mark.parametrize("path", ["", "js/main.js", "worker.js", "css/style.css", "icon.svg", "data.json"])
def test_what_the_browser_has_is_not_sent_again(path: str, client: TestClient) -> None:
    first = client.get(path)
    assert first.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(path, headers={"if-none-match": '"other"'}).content == first.content


def test_a_name_that_a_module_does_not_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("export const A = 0, B = -1; // both\nexport function c(d = 2, e = 3) {}\n")
    (tmp_path / "two.js").write_text('import { A, B, c } from "./one.js";\n')
    assert "return { A, c, B };" in script(tmp_path, "two.js", ())
    (tmp_path / "two.js").write_text('import { A, e } from "./one.js";\n')
    with pytest.raises(ValueError, match=r"two\.js imports e, which one\.js does not export"):
        script(tmp_path, "two.js", ())

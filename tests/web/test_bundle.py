"""The page's scripts and styles come in one answer each, compressed, and only when they have changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.web.app import page_folder
from german_whist.web.bundle import SCRIPTS, script, style

SCRIPT_FOLDER, STYLE_FOLDER = page_folder() / "js", page_folder() / "css"


def test_every_module_is_in_one_script_after_those_that_it_imports() -> None:
    lines = "".join(script(SCRIPT_FOLDER, entry) for entry in SCRIPTS).splitlines()
    known: list[str] = []
    for line in lines:
        if used := re.match(r'const \{.*\} = modules\["(.+)"\];$', line):
            assert used[1] in known[:-1]
        elif begun := re.match(r'modules\["(.+)"\] = ', line):
            known.append(begun[1])
    files = {path.relative_to(SCRIPT_FOLDER).as_posix() for path in SCRIPT_FOLDER.rglob("*.js")}
    assert sorted(known) == sorted(files - {"types.js"})  # which tsc alone reads


@pytest.mark.parametrize("entry", SCRIPTS)
def test_nothing_is_left_of_imports_exports_and_comments(entry: str) -> None:
    lines = script(SCRIPT_FOLDER, entry).splitlines()
    left = [line for line in lines if re.match(r"(import|export)\b[^(]|\s*(//|/\*\*.*\*/$)", line)]
    assert left == ([lines[-1]] if entry == "windows.js" else [])


def test_the_style_holds_every_sheet() -> None:
    text = style(STYLE_FOLDER)
    assert "@import" not in text
    for path in STYLE_FOLDER.glob("*.css"):
        assert path.name == "style.css" or path.read_text(encoding="utf-8") in text


@pytest.mark.parametrize("path", ["static/js/main.js", "static/css/style.css", "static/cards.svg", "api/catalog"])
def test_large_answers_are_compressed(path: str, client: TestClient) -> None:
    plain = client.get(path, headers={"accept-encoding": "identity"})
    packed = client.get(path, headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content


@pytest.mark.parametrize(
    "path", ["static/js/main.js", "static/js/windows.js", "static/css/style.css", "static/icon.svg"]
)
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

"""The page's scripts and styles come in one answer each, compressed, and only when they have changed."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.table.bundle import page_files

REPOSITORY = Path(__file__).parents[2]
CHAMPION = "champion.safetensors"  # loaded when it is needed
LARGEST, LARGEST_CHAMPION = 300_000, 1_100_000  # bytes, compressed


def test_the_bundles_are_made_of_the_modules(tmp_path: Path) -> None:
    if not (REPOSITORY / "table" / "page" / "node_modules").exists():
        pytest.skip("needs the tools of `make page`")  # `make test` installs them where npm is
    subprocess.run(["make", "-s", "page", f"BUNDLES={tmp_path}"], check=True, cwd=REPOSITORY)
    kept = REPOSITORY / "table" / "bundles"
    made, known = (
        {file.relative_to(root): file.read_bytes() for file in root.rglob("*.*")} for root in (tmp_path, kept)
    )
    assert made == known, "run `make page`"


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

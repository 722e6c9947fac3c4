"""The page's kernels load wherever WebAssembly does, and old browsers are told."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import OpenTable

_CREATE = """() => germanWhist.sessions.create({ rules: "classic", agent: "heuristic", seed: 3, seat: 0 })"""


def test_a_host_that_gives_modules_another_type_is_no_obstacle(open_table: OpenTable) -> None:
    table = open_table()
    asked = []

    def answer(route: Any) -> None:
        asked.append(route.request.url)
        route.fulfill(response=route.fetch(), content_type="application/octet-stream")

    table.page.route("**/*.wasm", answer)
    try:
        table.page.reload()
        table.wait()
        table.act()
    finally:
        table.page.unroute("**/*.wasm")
    assert any(address.endswith("rules.wasm") for address in asked)


def test_a_browser_that_is_too_old_is_told_in_one_sentence(open_table: OpenTable) -> None:
    table = open_table()
    table.page.route(
        "**/rules.wasm", lambda route: route.fulfill(body=b"\0asm\x09\0\0\0", content_type="application/wasm")
    )
    try:
        table.page.reload()
        alert = table.page.get_by_role("alert").filter(has_text="too old")
        alert.wait_for()
        assert alert.text_content().count(".") == 2  # the end, and a version
    finally:
        table.page.unroute("**/rules.wasm")


def test_the_judge_of_the_page_criticises(open_table: OpenTable) -> None:
    table = open_table()
    table.page.route("**/api/warm", lambda route: route.fulfill(json={"warm": False}))
    try:
        table.page.reload()
        table.wait()
        session = table.page.evaluate(_CREATE)
        labels: list[str] = []
        while not {"inaccuracy", "mistake", "blunder"} & set(labels):
            session = table.do("hint", session)
            labels += [option["label"] for option in session["hint"]["options"]]
            assert "By the network" in session["hint"]["byText"]
            session = table.do("act", session, session["position"]["decision"]["actions"][0])
    finally:
        table.page.unroute("**/api/warm")

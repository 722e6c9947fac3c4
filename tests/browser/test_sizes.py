"""One page a state, in windows of twelve sizes: what a player needs can be seen, and nothing covers the cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import OpenTable, StartServer
from tests.browser.playing import LONGEST, follows, play
from tests.browser.table import Table

SIZES = [
    *((320, 480), (480, 320), (568, 320), (390, 844), (844, 390), (932, 430)),
    *((768, 1024), (1024, 768), (1280, 720), (1440, 900), (1920, 1080), (2560, 1440)),
]
EDGES = [
    *((320, 200), (320, 256), (480, 270), (896, 414), (926, 428), (960, 440), (3440, 1440)),
    *((width, height) for width in range(320, 2561, 80) for height in (320, 480, 720, 1080)),
]
_WRONG = (Path(__file__).parent / "sizes.js").read_text()
_LEAST = 24  # pixels that the prize is wide in the smallest windows


def wrong_at(table: Table, sizes: list[tuple[int, int]]) -> dict[str, list[str]]:
    """Return what is wrong with a table at these sizes."""
    found = {}
    for width, height in sizes:
        table.page.set_viewport_size({"width": width, "height": height})
        table.page.evaluate("() => new Promise(requestAnimationFrame)")
        if wrong := table.page.evaluate(_WRONG, _LEAST):
            found[f"{width}x{height}"] = wrong
    table.page.set_viewport_size({"width": 1280, "height": 800})
    return found


SOME = pytest.mark.parametrize(
    "sizes", [SIZES, pytest.param(EDGES, marks=pytest.mark.nightly)], ids=["gate", "nightly"]
)


@SOME
@pytest.mark.parametrize("cards", ["usual", "large"])
def test_a_hint_covers_neither_hand_nor_prize(open_table: OpenTable, sizes: list[tuple[int, int]], cards: str) -> None:
    table = open_table(settings={"cards": cards})
    table.go_to(play(table, "classic", follows, **LONGEST))
    assert wrong_at(table, sizes) == {}
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    assert wrong_at(table, sizes) == {}


@SOME
def test_the_values_of_ones_own_agent_fit_beside_the_coachs(
    open_table: OpenTable, start_server: StartServer, tmp_path: Path, sizes: list[tuple[int, int]]
) -> None:
    weights = tmp_path / "run.safetensors"
    weights.write_bytes((Path(__file__).parents[2] / "agents/weights/small.safetensors").read_bytes())
    table = open_table(start_server("classic", str(weights)))
    table.go_to(play(table, "classic", follows, agent=str(weights)))
    table.button("Hint").click()
    table.page.get_by_role("region", name="Coach", exact=True).wait_for()
    assert table.page.get_by_role("columnheader", name="plays").count() == 1
    assert wrong_at(table, sizes) == {}


@SOME
def test_quiz_result_and_review_fit(open_table: OpenTable, sizes: list[tuple[int, int]]) -> None:
    table = open_table(settings={"memoryQuiz": True})
    table.go_to(play(table, "classic", lambda session: session["position"]["stage"] == "endgame", **LONGEST))
    table.page.get_by_role("dialog", name="Memory").wait_for()
    assert wrong_at(table, sizes) == {}
    table.page.keyboard.press("Escape")
    table.go_to(play(table, "classic", lambda session: session["position"]["result"] is not None, **LONGEST))
    assert wrong_at(table, sizes) == {}
    assert table.result.startswith("You lose")
    first, review = (table.button(name).first.bounding_box() for name in ("Next deal", "Review"))
    assert (first["y"], first["width"]) == (review["y"], review["width"])
    table.button("Review").first.click()
    table.page.get_by_role("dialog").wait_for()
    assert wrong_at(table, sizes) == {}
    table.button("Share").last.click()
    table.page.get_by_role("dialog", name="Share this deal").wait_for()
    assert wrong_at(table, sizes) == {}


@SOME
def test_windows_fit_every_size(open_table: OpenTable, sizes: list[tuple[int, int]]) -> None:
    table = open_table()
    play(table, "classic", lambda session: session["position"]["result"] is not None, **LONGEST)
    table.go_to(play(table, "classic", follows, **LONGEST))
    for name in ("Settings", "Statistics", "Watch two agents"):
        if name == "Watch two agents":
            table.button("More").click()
        table.button(name, exact=False).click()
        window = table.page.get_by_role("dialog", name=name)
        window.wait_for()
        assert wrong_at(table, sizes) == {}
        window.get_by_role("button", name="Close").click()


@SOME
def test_the_claim_menu_and_an_alert_cover_no_card_and_close_with_escape(
    open_table: OpenTable, sizes: list[tuple[int, int]]
) -> None:
    table = open_table()
    table.go_to(
        play(
            table, "classic", lambda session: session["position"]["stage"] == "endgame" and follows(session), **LONGEST
        )
    )
    table.page.locator("#hand button[aria-disabled=true]").first.click(force=True)
    alert = table.page.get_by_role("alert").filter(has_text="You")
    alert.wait_for()
    assert wrong_at(table, sizes[:1]) == {}  # it goes after a moment
    table.page.keyboard.press("Escape")
    alert.wait_for(state="hidden")
    table.button("Claim").click()
    question = table.page.get_by_role("group", name="How does the deal end?")
    question.wait_for()
    assert wrong_at(table, sizes) == {}
    table.page.keyboard.press("Escape")
    question.wait_for(state="hidden")
    assert table.page.evaluate("document.querySelector('#hand').contains(document.activeElement)")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1440, 900)])
def test_large_cards_are_a_sixth_larger(open_table: OpenTable, width: int, height: int) -> None:
    widths = []
    for cards in ("usual", "large"):
        table = open_table(settings={"cards": cards}, width=width, height=height)
        table.go_to(play(table, "classic", follows, **LONGEST))
        widths.append(table.page.locator("#hand img").first.bounding_box()["width"])
    usual, large = widths
    assert large >= usual * 7 / 6


def test_small_cards_have_modern_faces(open_table: OpenTable) -> None:
    pictures: dict[str, list[bytes]] = {"classic": [], "modern": []}
    for faces, shots in pictures.items():
        table = open_table(settings={"faces": faces})
        table.go_to(play(table, "classic", follows, **LONGEST))
        for width, height in [(1280, 800), (480, 320)]:
            table.page.set_viewport_size({"width": width, "height": height})
            shots.append(table.page.locator("#hand button.last img").screenshot())
    (large, small), (large_modern, small_modern) = pictures.values()
    assert large != large_modern
    assert small == small_modern

"""``german-whist bench serve`` with a few tables."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import nullcontext
from pathlib import Path

import pytest

from german_whist.benchmarks import serving
from german_whist.benchmarks.catalog import SUBJECTS, check_request
from german_whist.benchmarks.harness import Figure
from german_whist.benchmarks.serving import Connection, Server, running_server
from tests.processes import PROGRAM

pytest.importorskip("uvicorn")


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "PROGRAM", PROGRAM)


def test_it_measures_the_page_the_answers_and_many_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "NETWORK", "greedy")
    monkeypatch.setattr(serving, "SEARCHES", ("mc:worlds=2", "random"))
    ticks: list[float] = []
    figures = serving.measure_serve(0.01, ticks.append, tables=3)
    assert "serve" in SUBJECTS
    assert check_request(["serve"], 1.0) == ["serve"]
    assert all(isinstance(figure, Figure) and figure.subject == serving.SUBJECT for figure in figures)
    values = {figure.name: figure.ours for figure in figures if isinstance(figure, Figure)}
    assert len(values) == 11
    limits = {figure.name: figure.limit for figure in figures if isinstance(figure, Figure)}
    assert 30_000 < values["the page with its first game"] <= limits["the page with its first game"] == 60_000
    assert [limit for name, limit in limits.items() if name.startswith("answer of")] == [0.1, 0.1, 1, 1, 1, 1]
    assert values["growth of memory"] * values["memory after 3 deals"] == pytest.approx(values["memory after 9 deals"])
    assert values["growth of memory"] <= limits["growth of memory"] == 1.2
    assert ticks == sorted(ticks)
    assert ticks[-1] == 1


def test_memory_that_grows_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answers(*arguments: object) -> list[float]:
        return [0.2]

    async def one(*arguments: object) -> int:
        return 1

    sizes = itertools.count(390_000_000, 39_000_001)
    monkeypatch.setattr(Server, "memory", lambda server: next(sizes))
    for name, fake in (("answer_times", answers), ("play_tables", one), ("page_bytes", lambda server: 1)):
        monkeypatch.setattr(serving, name, fake)
    monkeypatch.setattr(serving, "running_server", lambda folder: nullcontext(Server("", 0, "", 0)))
    figures = serving.measure_serve(1.0, lambda share: None)
    missed = [figure.name for figure in figures if isinstance(figure, Figure) and figure.missed]
    assert missed == [
        f"answer of {serving.NETWORK}, median",
        f"answer of {serving.NETWORK}, slowest of 1",
        "memory after 600 deals",
        "growth of memory",
    ]


def test_an_error_of_the_server_is_an_error_of_the_client(tmp_path: Path) -> None:
    async def ask(server: object) -> None:
        connection = Connection(server)  # type: ignore[arg-type]
        try:
            await connection.request("POST", "api/sessions", {"rules": "clasic"})
        finally:
            await connection.close()

    with running_server(str(tmp_path)) as server, pytest.raises(ValueError, match=r"status 400.*did you mean"):
        asyncio.run(ask(server))

"""``german-whist bench serve`` with a few tables."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from german_whist.benchmarks.catalog import SUBJECTS, check_request
from german_whist.benchmarks.harness.figures import Figure
from german_whist.benchmarks.serving import serve
from german_whist.benchmarks.serving.client import Connection, running_server

pytest.importorskip("uvicorn")


def test_it_measures_the_page_the_answers_and_many_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "NETWORK", "greedy")
    monkeypatch.setattr(serve, "SEARCH", "mc:worlds=2")
    ticks: list[float] = []
    figures = serve.measure(0.01, ticks.append, tables=3)
    assert "serve" in SUBJECTS
    assert check_request(["serve"], 1.0) == ["serve"]
    assert all(isinstance(figure, Figure) and figure.subject == serve.SUBJECT for figure in figures)
    values = {figure.name: figure.ours for figure in figures if isinstance(figure, Figure)}
    assert len(values) == 8
    assert values["all files of the page"] < 300_000
    assert values["memory after 9 deals"] >= values["memory after 3 deals"] * 0.5 >= 0
    assert ticks == sorted(ticks)
    assert ticks[-1] == 1


def test_an_error_of_the_server_is_an_error_of_the_client(tmp_path: Path) -> None:
    async def ask(server: object) -> None:
        connection = Connection(server)  # type: ignore[arg-type]
        try:
            await connection.request("POST", "api/sessions", {"rules": "clasic"})
        finally:
            await connection.close()

    with running_server(str(tmp_path)) as server, pytest.raises(ValueError, match=r"status 400.*did you mean"):
        asyncio.run(ask(server))

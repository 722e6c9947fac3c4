"""A server without a network: its application, its data folder and a client."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

import msgspec
from httpx2 import Response
from starlette.testclient import TestClient

from german_whist.session.database import NAME, Database
from german_whist.web.app import make_app
from german_whist.web.handlers import ENDPOINTS
from german_whist.web.schema import ErrorAnswer
from german_whist.web.service import ServeOptions

TOKEN = "t" * 22
BASE = f"http://127.0.0.1:8917/{TOKEN}/"


class CheckingClient(TestClient):
    """A client to which every answer has to be what the API declares: no field is missing, none is unknown."""

    def request(self, method: str, *args: Any, **settings: Any) -> Response:
        answer = super().request(method, *args, **settings)
        check_answer(method, answer)
        return answer


def check_answer(method: str, answer: Response) -> None:
    kind: Any = ErrorAnswer
    if answer.is_success:
        path = answer.url.path.partition("/api/")[2]
        kinds = [one.answer for one in ENDPOINTS if one.method == method and fits(one.address, path)]
        if kinds in ([], [None]):  # a file
            return
        (kind,) = kinds
    elif not answer.is_error:
        return
    given = answer.json()
    assert msgspec.convert(given, kind) == given  # unknown fields get lost


def fits(address: str, path: str) -> bool:
    return re.fullmatch(re.sub(r"{\w+}", "[^/]+", address), path) is not None


class Table:
    """A session driven through the API."""

    def __init__(self, client: TestClient, session: dict[str, Any]) -> None:
        self.client, self.session = client, session

    @property
    def address(self) -> str:
        return f"api/sessions/{self.session['id']}"

    def post(self, name: str, **fields: Any) -> dict[str, Any]:
        """A request that changes the session."""
        answer = self.client.post(f"{self.address}/{name}", json={"version": self.session["version"], **fields})
        assert answer.status_code == 200, answer.text
        self.session = answer.json()
        return self.session

    def play(self, actions: int = 1000) -> dict[str, Any]:
        """Play the first legal action so many times, or to the end of the deal."""
        while actions and self.session["position"]["decision"]:
            self.post("action", action=self.session["position"]["decision"]["actions"][0]["action"])
            actions -= 1
        return self.session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / NAME)) as made:
        yield made


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    app = make_app(ServeOptions(agent="greedy", rules="small"), folder, TOKEN)
    with CheckingClient(app, base_url=BASE) as made:
        yield made


@pytest.fixture
def table(client: TestClient) -> Callable[..., Table]:
    """Give ``table(rules="tiny", …)``: a new session."""

    def make(**fields: Any) -> Table:
        answer = client.post("api/sessions", json={"seed": 1, **fields})
        assert answer.status_code == 201, answer.text
        return Table(client, answer.json())

    return make

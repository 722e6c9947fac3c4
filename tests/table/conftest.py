"""A server without a network: its application and a client."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from german_whist.table.api import Api
from german_whist.table.page_data import ServeOptions
from german_whist.table.server import make_app

TOKEN = "t" * 22
BASE = f"http://127.0.0.1:8917/{TOKEN}/"


@pytest.fixture(scope="session")
def client() -> TestClient:
    return TestClient(make_app(Api(ServeOptions("small", ("greedy",))), TOKEN), base_url=BASE)

"""What the API declares is what it sends, and what the page's JavaScript and the reference page say."""

from __future__ import annotations

import runpy
from typing import Any

import msgspec
import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from german_whist.web import schema
from tests.docs.examples import ROOT
from tests.web.conftest import check_answer

GENERATOR = ROOT / "docs" / "_ext" / "web_api.py"


def test_the_types_of_the_javascript_are_those_of_the_api() -> None:
    generator = runpy.run_path(str(GENERATOR))
    written = generator["TYPES_JS"].read_text(encoding="utf-8")
    assert written == generator["types_js"](), f"run python {GENERATOR.relative_to(ROOT)}"


def test_a_type_is_written_as_javascript_writes_it() -> None:
    text = runpy.run_path(str(GENERATOR))["type_text"]
    assert text(list[schema.FinishedDeal]) == "FinishedDeal[]"
    assert text(dict[schema.Side, float | None]) == "Record<Side, number | null>"
    assert text(list[str | None]) == "(string | null)[]"


@pytest.mark.parametrize(
    "change",
    [
        {"today": 3},
        {"defaults": {"rules": "classic", "agent": "greedy"}},
        {"more": True},
        {"matches": [{"match": None, "title": "No end", "more": 1}]},
    ],
)
def test_an_answer_of_another_shape_is_found(change: dict[str, Any], client: TestClient) -> None:
    answer = client.get("api/catalog")
    changed = Response(200, json={**answer.json(), **change}, request=answer.request)
    with pytest.raises((AssertionError, msgspec.ValidationError)):
        check_answer("GET", changed)

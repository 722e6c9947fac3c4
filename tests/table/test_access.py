"""What does not come from the page itself gets nothing, and changes nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from german_whist.table.api import Api
from german_whist.table.page_data import ServeOptions
from german_whist.table.server import MAX_BODY, allowed_host, make_app
from tests.table.conftest import BASE, TOKEN
from tests.table.questions import first_question

JSON = {"content-type": "application/json"}


def test_the_token_is_needed_everywhere(client: TestClient) -> None:
    wrong = TOKEN[:-1] + "x"
    for path in ("/", "/data.json", f"/{wrong}/", f"/{wrong}/data.json", f"/{TOKEN}x/", f"/{TOKEN[:-1]}/", "//"):
        answer = client.get(f"http://127.0.0.1:8917{path}")
        assert answer.status_code == 403
    assert client.get(f"http://127.0.0.1:8917/js/{TOKEN}/").status_code == 403


def test_the_address_without_its_last_slash_leads_to_the_page(client: TestClient) -> None:
    answer = client.get(f"http://127.0.0.1:8917/{TOKEN}", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{TOKEN}/"  # also below the path of a proxy


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8917", "127.0.0.1.evil.example", "", "192.168.0.9"])
def test_other_hosts_are_refused(host: str, client: TestClient) -> None:
    assert client.get("data.json", headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", ["127.0.0.1:8917", "localhost", "LOCALHOST:1", "[::1]:8917", "[::1]"])
def test_the_names_of_this_computer_are_allowed(host: str, client: TestClient) -> None:
    assert client.get("data.json", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("all_addresses", ["0.0.0.0", "::", ""])
def test_a_server_for_all_addresses_answers_to_every_name(all_addresses: str) -> None:
    with TestClient(make_app(Api(ServeOptions()), TOKEN, all_addresses), base_url=BASE) as client:
        for host in ("192.168.0.9:8917", "[fe80::9]:8917", "laptop.local"):
            assert client.get("data.json", headers={"host": host}).status_code == 200


def test_browsers_do_not_let_other_sites_ask(client: TestClient) -> None:
    wish = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    for address in ("api/act", "api/advise"):
        answer = client.options(address, headers={**wish, "access-control-request-headers": "content-type"})
        assert answer.status_code == 405
        assert not {name for name in answer.headers if name.startswith("access-control")}


def test_the_page_itself_may_ask(client: TestClient) -> None:
    answer = client.post("api/act", json=first_question(), headers={"origin": "http://127.0.0.1:8917"})
    assert answer.status_code == 200


@pytest.fixture(scope="module")
def behind_proxy() -> TestClient:
    """A server of which a proxy says ``cards.example``; the proxy ends TLS."""
    names = [allowed_host(name) for name in ("Cards.example", "192.168.0.9")]
    return TestClient(make_app(Api(ServeOptions()), TOKEN, allowed_hosts=names), base_url=BASE)


@pytest.mark.parametrize("host", ["cards.example", "CARDS.example:8443", "127.0.0.1:8917", "192.168.0.9"])
def test_a_proxy_may_name_an_allowed_host_or_this_computer(host: str, behind_proxy: TestClient) -> None:
    headers = {"host": host, "origin": "https://cards.example"}
    assert behind_proxy.post("api/act", json=first_question(), headers=headers).status_code == 200


@pytest.mark.parametrize("name", ["evil.example", "cards.example.evil.example"])
def test_an_allowed_host_allows_no_other(name: str, behind_proxy: TestClient) -> None:
    assert behind_proxy.get("data.json", headers={"host": name}).status_code == 400


@pytest.mark.parametrize("name", ["http://cards.example", "cards.example:443", "cards.example/lab", "", "0.0.0.0", "*"])
def test_an_allowed_host_is_a_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"^allow-host must be .*, got {re.escape(repr(name))}$"):
        allowed_host(name)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_forms_of_other_sites_are_refused(kind: str, client: TestClient) -> None:
    answer = client.post("api/act", content='{"rules": "tiny"}', headers={"content-type": kind})
    assert answer.status_code == 415


def test_large_bodies_are_refused_by_what_they_say_and_by_what_comes(client: TestClient) -> None:
    large = b" " * (MAX_BODY + 1)

    def pieces() -> Any:
        for _ in range(9):
            yield b" " * (MAX_BODY // 8)

    for content in (large, pieces()):
        assert client.post("api/act", content=content, headers=JSON).status_code == 413


def test_every_answer_forbids_what_the_page_does_not_need(client: TestClient) -> None:
    for answer in (
        client.get(""),
        client.post("api/act", json=first_question()),
        client.get("/"),
        client.get("js/none.js"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'wasm-unsafe-eval';" in policy
        assert policy.count("unsafe") == 1
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.post("api/act", json=first_question()).headers["cache-control"] == "no-store"


def test_other_methods_are_refused(client: TestClient) -> None:
    assert client.put("api/act", json={}).status_code == 405
    assert client.get("api/advise").status_code == 405
    assert client.post("data.json", json={}).status_code == 405

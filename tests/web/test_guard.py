"""What does not come from the page itself gets nothing, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from german_whist.web.app import make_app
from german_whist.web.guard import MAX_BODY, allowed_host
from german_whist.web.service import ServeOptions
from tests.web.conftest import BASE, TOKEN
from tests.web.test_api import error

JSON = {"content-type": "application/json"}


def test_the_token_is_needed_everywhere(client: TestClient) -> None:
    wrong = TOKEN[:-1] + "x"
    for path in ("/", "/api/catalog", f"/{wrong}/", f"/{wrong}/api/catalog", f"/{TOKEN}x/", f"/{TOKEN[:-1]}/", "//"):
        answer = client.get(f"http://127.0.0.1:8917{path}")
        assert error(answer)[:2] == (403, "forbidden")
    assert client.get(f"http://127.0.0.1:8917/static/{TOKEN}/").status_code == 403


def test_the_address_without_its_last_slash_leads_to_the_page(client: TestClient) -> None:
    answer = client.get(f"http://127.0.0.1:8917/{TOKEN}", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{TOKEN}/"  # also below the path of a proxy


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8917", "127.0.0.1.evil.example", "", ":8917", "192.168.0.9"),
        *("127.0.0.1:80@evil.example", "127.0.0.1:evil.example", "127.0.0.1:", "127.0.0.1:8917:1", "127.0.0.1.", "::1"),
        *("[::1]evil.example", "[::1].evil.example:1", "[::1", "[127.0.0.1]", "[localhost]:1", "[::1]:80@evil.example"),
        *("evil.example@127.0.0.1", "localhost/", "localhost, evil.example", "http://localhost"),
    ],
)
def test_other_hosts_are_refused(host: str, client: TestClient) -> None:
    assert error(client.get("api/catalog", headers={"host": host}))[:2] == (403, "forbidden")
    assert client.get(f"http://127.0.0.1:8917/{TOKEN}", headers={"host": host}).status_code == 403


def test_a_request_names_one_host(client: TestClient) -> None:
    local = ("host", "127.0.0.1:8917")
    for hosts in ([local, ("host", "evil.example")], [("host", "evil.example"), local], [local, local]):
        assert error(client.get("api/catalog", headers=hosts))[:2] == (403, "forbidden")


@pytest.mark.parametrize("host", ["127.0.0.1:8917", "localhost", "LOCALHOST:1", "[::1]:8917", "[::1]"])
def test_the_names_of_this_computer_are_allowed(host: str, client: TestClient) -> None:
    assert client.get("api/sessions", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("all_addresses", ["0.0.0.0", "::", ""])
def test_a_server_for_all_addresses_answers_to_numbers_alone(all_addresses: str, folder: Path) -> None:
    app = make_app(ServeOptions(), folder, TOKEN, hosts=(all_addresses,))
    with TestClient(app, base_url=BASE) as client:
        assert client.get("api/sessions", headers={"host": "192.168.0.9:8917"}).status_code == 200
        assert client.get("api/sessions", headers={"host": "[fe80::9]:8917"}).status_code == 200
        for host in ("evil.example", "192.168.0.9:1@evil.example", "[fe80::9%@evil.example]", "192.168.0.9 ", ""):
            assert client.get("api/sessions", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8917", "http://127.0.0.1:1"])
def test_other_origins_change_nothing(origin: str, client: TestClient) -> None:
    assert error(client.post("api/sessions", json={}, headers={"origin": origin}))[:2] == (403, "forbidden")
    assert error(client.delete("api/statistics", headers={"origin": origin}))[:2] == (403, "forbidden")
    assert client.get("api/sessions").json() == {"sessions": []}


def test_the_page_itself_may_post(client: TestClient) -> None:
    answer = client.post("api/sessions", json={"rules": "tiny"}, headers={"origin": "http://127.0.0.1:8917"})
    assert answer.status_code == 201


@pytest.fixture
def behind_proxy(folder: Path) -> Iterator[TestClient]:
    """A server of which a proxy says ``cards.example``; the proxy ends TLS."""
    names = [allowed_host(name) for name in ("Cards.example", "192.168.0.9")]
    app = make_app(ServeOptions(), folder, TOKEN, allowed_hosts=names)
    with TestClient(app, base_url=BASE) as client:
        yield client


@pytest.mark.parametrize("host", ["cards.example", "CARDS.example:8443", "127.0.0.1:8917", "192.168.0.9"])
def test_a_proxy_may_name_an_allowed_host_or_this_computer(host: str, behind_proxy: TestClient) -> None:
    for origin in ("https://cards.example", "https://cards.example:8443", "http://192.168.0.9"):
        headers = {"host": host, "origin": origin}
        assert behind_proxy.post("api/sessions", json={"rules": "tiny"}, headers=headers).status_code == 201


@pytest.mark.parametrize("name", ["evil.example", "cards.example.evil.example", "cards.example@evil.example", "null"])
def test_an_allowed_host_allows_no_other(name: str, behind_proxy: TestClient) -> None:
    assert behind_proxy.get("api/sessions", headers={"host": name}).status_code == 403
    for origin in (name, f"https://{name}", f"file://{name}", f"https://{name}/", "https://"):
        headers = {"host": "cards.example", "origin": origin}
        assert error(behind_proxy.post("api/sessions", json={}, headers=headers))[:2] == (403, "forbidden")
    assert behind_proxy.get("http://127.0.0.1:8917/api/sessions", headers={"host": "cards.example"}).status_code == 403


@pytest.mark.parametrize("name", ["http://cards.example", "cards.example:443", "cards.example/lab", "", "0.0.0.0", "*"])
def test_an_allowed_host_is_a_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"^allow-host must be .*, got {re.escape(repr(name))}$"):
        allowed_host(name)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_forms_of_other_sites_are_refused(kind: str, client: TestClient) -> None:
    answer = client.post("api/sessions", content='{"rules": "tiny"}', headers={"content-type": kind})
    assert error(answer)[:2] == (415, "unsupported_type")


def test_large_bodies_are_refused_by_what_they_say_and_by_what_comes(client: TestClient) -> None:
    large = b" " * (MAX_BODY + 1)

    def pieces() -> Any:
        for _ in range(9):
            yield b" " * (MAX_BODY // 8)

    for content in (large, pieces()):
        assert error(client.post("api/sessions", content=content, headers=JSON))[:2] == (413, "too_large")
    for length in ("-1", "1e3", "9" * 30, "9" * 5000):
        answer = client.post("api/sessions", content=b"{}", headers={**JSON, "content-length": length})
        assert error(answer)[:2] == (413, "too_large")


def test_every_answer_forbids_what_the_page_does_not_need(client: TestClient) -> None:
    for answer in (client.get(""), client.get("api/sessions"), client.get("/"), client.get("static/none.js")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.get("api/sessions").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["../app.py", "%2e%2e/app.py", "..%2fapp.py", "/etc/passwd", "..\\app.py", ""])
def test_static_files_are_those_of_the_page_alone(path: str, client: TestClient) -> None:
    assert client.get(f"static/{path}").status_code in (403, 404)


@pytest.mark.parametrize("identifier", ["x", "..", "%2e%2e%2ftoken", "A" * 16, "A" * 5000, "sessions"])
def test_unknown_sessions_are_not_found(identifier: str, client: TestClient) -> None:
    assert client.get(f"api/sessions/{identifier}").status_code == 404


def test_other_methods_are_refused(client: TestClient) -> None:
    assert error(client.put("api/sessions", json={}))[:2] == (405, "method_not_allowed")
    assert error(client.get("api/lesson"))[:2] == (405, "method_not_allowed")

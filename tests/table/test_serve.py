"""``german-whist serve`` as a process: its address, signals, a kill, and what it refuses."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from german_whist.cli import main
from tests.processes import PROGRAM, WITHIN, is_running, slow_bot, wait_until
from tests.table.questions import first_question

pytest.importorskip("uvicorn")

Start = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Give ``start(*options)``: a server process and its address; its browser writes what it opens to a file."""
    running: list[subprocess.Popen[str]] = []
    browser = tmp_path / "browser.py"
    browser.write_text("import pathlib, sys; pathlib.Path(__file__).with_name('opened').write_text(sys.argv[1])")

    def run(*options: str, opens_browser: bool = False) -> tuple[subprocess.Popen[str], str]:
        command = [*PROGRAM, "serve"]
        quiet = [] if opens_browser else ["--no-browser"]
        process = subprocess.Popen(
            [*command, *quiet, "--port", "0", "--rules", "tiny", "--agent", "greedy", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **os.environ,
                "XDG_DATA_HOME": str(tmp_path / "data"),
                "BROWSER": shlex.join([sys.executable, str(browser), "%s"]),
            },
        )
        running.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("German Whist is served at http://127.0.0.1:"), line
        return process, line.split()[-1]

    yield run
    for process in running:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def ask(address: str, body: Any = None, **headers: str) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address, data, {"content-type": "application/json", **headers}), timeout=60) as answer:
        return json.load(answer)


def complaints(out: str) -> list[str]:
    """What a server printed, but for the line that it compiles, where the kernels are new."""
    return [line for line in out.splitlines() if "compiling" not in line]


@pytest.mark.parametrize(("number", "opens_browser"), [(signal.SIGTERM, True), (signal.SIGINT, False)])
def test_it_opens_the_page_if_it_should_and_a_signal_ends_it_calmly(
    number: signal.Signals, opens_browser: bool, start: Start, tmp_path: Path
) -> None:
    process, address = start(opens_browser=opens_browser)
    assert ask(f"{address}data.json")["server"]
    opened = tmp_path / "opened"
    if opens_browser:
        wait_until(lambda: opened.is_file() and opened.read_text())
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert (opened.read_text() if opened.is_file() else None) == (address if opens_browser else None)
    assert process.returncode == 0
    assert complaints(out) == []


def test_an_interrupt_does_not_wait_for_an_agent_that_thinks_nor_for_a_body_that_does_not_come(
    start: Start, tmp_path: Path
) -> None:
    bot = tmp_path / "bot"
    agent = slow_bot(bot)
    process, address = start("--agent", agent)

    def act() -> None:
        with suppress(OSError):  # the connection breaks
            ask(f"{address}api/act", first_question(agent))

    threading.Thread(target=act, daemon=True).start()
    wait_until(bot.exists)
    with begun_upload(address):
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=WITHIN)
    assert (complaints(out), process.returncode) == ([], 0)
    wait_until(lambda: not is_running(int(bot.read_text())))


def begun_upload(address: str) -> socket.socket:
    """A request whose body has not come."""
    host, _, path = address.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    connection = socket.create_connection((name, int(port)))
    head = f"POST /{path}api/act HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    connection.sendall(f"{head}content-length: 1000\r\n\r\n{{".encode())
    return connection


def test_an_upload_that_breaks_off_is_no_error(start: Start) -> None:
    process, address = start()
    begun_upload(address).close()
    assert ask(f"{address}data.json")["server"]
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=WITHIN)[0] == ""


def network_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        try:
            sender.connect(("198.51.100.1", 9))
        except OSError:
            return None
        return str(sender.getsockname()[0])


@pytest.mark.skipif(network_address() is None, reason="this machine is on no network")
def test_for_the_whole_network_it_prints_an_address_that_other_devices_can_open_and_scan(start: Start) -> None:
    process, address = start("--host", "0.0.0.0")
    assert process.stdout is not None
    other = process.stdout.readline().split()[-1]
    assert other == address.replace("127.0.0.1", str(network_address()))
    assert ask(f"{other}data.json")["server"]
    code = [process.stdout.readline().rstrip("\n") for _ in range(12)]
    assert {len(row) for row in code} == {len(code[0])}
    assert set("".join(code)) == set("█▀▄ ")


def test_behind_a_proxy_it_answers_to_the_names_that_were_allowed_alone(start: Start) -> None:
    _, address = start("--allow-host", "cards.example", "--allow-host", "hub.example")
    for name in ("cards.example", "hub.example:8443"):
        assert ask(f"{address}api/act", first_question(), host=name, origin=f"https://{name}")["action"]
    with pytest.raises(HTTPError, match="400"):
        ask(f"{address}data.json", host="evil.example")


def test_after_a_kill_the_address_is_the_same_and_its_token_for_this_user_alone(start: Start, tmp_path: Path) -> None:
    process, address = start()
    process.kill()
    process.wait()
    _, again = start("--port", address.split(":")[2].partition("/")[0])
    assert again == address
    (token,) = (tmp_path / "data").rglob("token")
    assert token.read_text() == address.rstrip("/").rpartition("/")[2]
    assert token.stat().st_mode & 0o077 == 0


@pytest.fixture
def token_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of this user's token, which has been written once."""
    from german_whist.table.address import kept_token

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    kept_token()
    (path,) = tmp_path.rglob("token")
    return path


@pytest.mark.parametrize("content", [b"", b"{}\n", b"{}/", b"\xff" * 22, b"x", b"../" * 7 + b"x", bytes(22)])
def test_damaged_token_is_replaced(content: bytes, token_file: Path) -> None:
    from german_whist.table.address import kept_token

    before = token_file.read_bytes()
    token_file.write_bytes(content.replace(b"{}", before))
    token = kept_token()
    assert len(token) == len(before)
    assert token_file.read_text() == token == kept_token()


def test_token_is_written_for_this_user_alone(token_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from german_whist.table.address import kept_token

    modes, replace = [], os.replace

    def watched(source: Path, target: Path) -> None:
        modes.append(os.stat(source).st_mode & 0o777)
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    token_file.unlink()
    kept_token()
    assert modes == [0o600]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "70000"], "port must be an integer from 0 to 65535, got 70000"),
        (["--seed", "-1"], "seed must be an integer from 0 to 9007199254740991, got -1"),
        (["--seed", "9007199254740992"], "seed must be an integer from 0 to 9007199254740991"),
        (["--allow-host", "cards.example:443"], "without scheme, port or path, got 'cards.example:443'"),
        (["--host", "256.0.0.1", "--port", "0"], "cannot be served"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--no-browser", "--port", "0", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_port_in_use_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["serve", "--no-browser", "--port", port]) == 2
    assert f"127.0.0.1:{port} cannot be served" in capsys.readouterr().err


def test_answers_do_not_wait_for_acknowledgements() -> None:
    from german_whist.table.server import listen

    with listen("127.0.0.1", 0) as server:
        assert server.proto == socket.IPPROTO_TCP  # asyncio sets TCP_NODELAY on sockets of this protocol alone

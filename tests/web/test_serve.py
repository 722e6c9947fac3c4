"""``german-whist serve`` as a process: its address, signals, a kill, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from german_whist.cli import main
from german_whist.envs.engine.actions import parse_action
from german_whist.session.database import NAME, Database
from german_whist.session.saved import load_session
from german_whist.web.data_folder import only_server
from tests.processes import PROGRAM, WITHIN, is_running, slow_bot, wait_until

pytest.importorskip("uvicorn")

Start = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Give ``start(*options)``: a server process and its address; its browser writes what it opens to a file."""
    running: list[subprocess.Popen[str]] = []
    browser = tmp_path / "browser.py"
    browser.write_text("import pathlib, sys; pathlib.Path(__file__).with_name('opened').write_text(sys.argv[1])")

    def run(*options: str, opens_browser: bool = False) -> tuple[subprocess.Popen[str], str]:
        command = [*PROGRAM, "serve", "--data", str(tmp_path / "data")]
        quiet = [] if opens_browser else ["--no-browser"]
        process = subprocess.Popen(
            [*command, *quiet, "--port", "0", "--rules", "tiny", "--agent", "greedy", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "BROWSER": shlex.join([sys.executable, str(browser), "%s"])},
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


@pytest.mark.parametrize(("number", "opens_browser"), [(signal.SIGTERM, True), (signal.SIGINT, False)])
def test_it_opens_the_page_if_it_should_and_a_signal_ends_it_calmly(
    number: signal.Signals, opens_browser: bool, start: Start, tmp_path: Path
) -> None:
    process, address = start(opens_browser=opens_browser)
    assert ask(f"{address}api/sessions") == {"sessions": []}
    opened = tmp_path / "opened"
    until = time.monotonic() + (60 if opens_browser else 1)
    while not (opened.is_file() and opened.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    assert (opened.read_text() if opened.is_file() else None) == (address if opens_browser else None)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == ""


def test_an_interrupt_does_not_wait_for_an_agent_that_thinks_nor_for_a_body_that_does_not_come(
    start: Start, tmp_path: Path
) -> None:
    bot = tmp_path / "bot"
    process, address = start("--agent", slow_bot(bot))
    session = ask(f"{address}api/sessions", {"seed": 5, "seat": 1})
    action = session["position"]["decision"]["actions"][0]["action"]
    body = {"version": session["version"], "action": action}

    def play() -> None:
        with suppress(OSError):  # the connection breaks
            ask(f"{address}api/sessions/{session['id']}/action", body)

    threading.Thread(target=play, daemon=True).start()
    wait_until(bot.exists)
    with begun_upload(address):
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=WITHIN)
    assert (out, process.returncode) == ("", 0)
    wait_until(lambda: not is_running(int(bot.read_text())))
    with closing(Database(tmp_path / "data" / NAME)) as database:
        deal = load_session(database, session["id"]).deal
    assert (deal.actions, deal.forfeit) == ([parse_action(action, deal.rules)], None)


def begun_upload(address: str) -> socket.socket:
    """A request whose body has not come."""
    host, _, path = address.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    connection = socket.create_connection((name, int(port)))
    head = f"POST /{path}api/recordings HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    connection.sendall(f"{head}content-length: 1000\r\n\r\n{{".encode())
    return connection


def test_an_upload_that_breaks_off_is_no_error(start: Start) -> None:
    process, address = start()
    begun_upload(address).close()
    assert ask(f"{address}api/sessions") == {"sessions": []}
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
    assert ask(f"{other}api/sessions") == {"sessions": []}
    code = [process.stdout.readline().rstrip("\n") for _ in range(12)]
    assert {len(row) for row in code} == {len(code[0])}
    assert set("".join(code)) == set("█▀▄ ")


def test_behind_a_proxy_it_answers_to_the_names_that_were_allowed_alone(start: Start) -> None:
    _, address = start("--allow-host", "cards.example", "--allow-host", "hub.example")
    for name in ("cards.example", "hub.example:8443"):
        assert ask(f"{address}api/sessions", {}, host=name, origin=f"https://{name}")["id"]
    with pytest.raises(HTTPError, match="403"):
        ask(f"{address}api/sessions", host="evil.example")


def test_after_a_kill_the_address_and_the_session_are_the_same(start: Start) -> None:
    process, address = start()
    session = ask(f"{address}api/sessions", {"seed": 5, "seat": 0})
    action = session["position"]["decision"]["actions"][0]["action"]
    body = {"version": session["version"], "action": action}
    session = ask(f"{address}api/sessions/{session['id']}/action", body)
    port = address.split(":")[2].partition("/")[0]
    process.kill()
    process.wait()
    _, again = start("--port", port)
    assert again == address
    assert ask(f"{again}api/sessions/{session['id']}") == session


def test_the_data_are_for_this_user_alone(start: Start, tmp_path: Path) -> None:
    _, address = start()
    token = tmp_path / "data" / "token"
    assert token.read_text() == address.rstrip("/").rpartition("/")[2]
    assert token.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("classic_agent")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "70000"], "port must be an integer from 0 to 65535, got 70000"),
        (["--rules", "clasic"], "did you mean 'classic'"),
        (["--agent", "champoin"], "did you mean 'champion'"),
        (["--agent", "checkpoint:mine.safetensors", "--rules", "small"], "trained for 'classic'"),
        (["--agent", "process:no-such-program"], "'no-such-program' cannot be started"),
        (["--seed", "-1"], "seed must be an integer from 0 to 2**64 - 1, got -1"),
        (["--allow-host", "cards.example:443"], "without scheme, port or path, got 'cards.example:443'"),
        (["--host", "256.0.0.1", "--port", "0"], "cannot be served"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["serve", "--no-browser", "--data", str(tmp_path), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_port_in_use_is_refused_if_it_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["serve", "--no-browser", "--data", str(tmp_path), "--port", port]) == 2
    assert f"127.0.0.1:{port} cannot be served" in capsys.readouterr().err


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["serve", "--no-browser", "--port", "0", "--data", str(tmp_path / "file")]) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_a_damaged_database_is_refused_in_one_line_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / NAME
    path.write_text("{}")
    assert main(["serve", "--no-browser", "--port", "0", "--data", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error == f"german-whist: {path}: file is not a database; move it away to begin anew\n"
    assert path.read_text() == "{}"


def test_a_second_server_on_the_same_folder_opens_the_page_of_the_first_and_leaves(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, address = start()
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    command = ["serve", "--data", str(tmp_path / "data"), "--port", "0"]
    assert main(command) == 0
    assert main([*command, "--no-browser"]) == 0
    assert capsys.readouterr().out == 2 * (
        f"German Whist is already served at {address}\n"
        f"The games in {tmp_path / 'data'} have one server at a time; --data names another folder.\n"
    )
    assert opened == [address]
    assert (tmp_path / "data" / "address").stat().st_mode & 0o077 == 0
    session = ask(f"{address}api/sessions", {"seed": 5, "seat": 0})
    assert start("--data", str(tmp_path / "other"))[1] != address
    first.kill()
    first.wait()
    assert ask(f"{start()[1]}api/sessions/{session['id']}") == session


def test_a_second_server_that_comes_before_the_first_has_an_address_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "address").write_text("http://127.0.0.1:1/of-a-server-that-has-ended/")
    with only_server(tmp_path):
        assert main(["serve", "--no-browser", "--port", "0", "--data", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error == f"german-whist: {tmp_path}: another server is starting there; --data names another folder\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of another process")
def test_on_a_full_disk_the_card_is_not_played_and_all_can_be_read(start: Start) -> None:
    import resource

    process, address = start()
    session = ask(f"{address}api/sessions", {"seed": 5, "seat": 0})
    body = {"version": session["version"], "action": session["position"]["decision"]["actions"][0]["action"]}
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    with pytest.raises(HTTPError) as refused:
        ask(f"{address}api/sessions/{session['id']}/action", body)
    assert refused.value.code == 507
    assert json.load(refused.value)["error"] == {
        "code": "insufficient_storage",
        "message": "This cannot be saved, so nothing has changed: disk I/O error.",
    }
    assert ask(f"{address}api/sessions/{session['id']}") == session
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert ask(f"{address}api/sessions/{session['id']}/action", body)["version"] > session["version"]


def test_answers_do_not_wait_for_acknowledgements() -> None:
    from german_whist.web.server import listen

    async def answering() -> int:
        """Return whether the socket of an answer sends at once."""
        asked: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
        server = await asyncio.start_server(
            lambda reader, writer: asked.put_nowait(writer), sock=listen("127.0.0.1", 0)
        )
        async with server:
            _, asking = await asyncio.open_connection(*server.sockets[0].getsockname())
            answering = await asked.get()  # since Python 3.13, its socket is closed as soon as nobody holds it
            option: int = answering.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            asking.close()
            answering.close()
        return option

    assert asyncio.run(answering())

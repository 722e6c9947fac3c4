"""``tools/torch_build.py``: PyTorch's CPU build where there is no GPU, and pip's where that cannot be had."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import sysconfig
import threading
import time
import venv
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pip
import pytest

from tests.packaging.pins import CONSTRAINTS, ROOT, read

VERSION = next(pin.version for pin in read() if pin.name == "torch")
CPU, OTHER = f"{VERSION}+cpu", VERSION
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no CUDA build")


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, *words: object) -> None:
        """Do not log."""


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    """Return a function that serves a folder on this machine and returns its address."""
    servers = []

    def start(folder: Path) -> str:
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))))
        threading.Thread(target=servers[-1].serve_forever).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def index(folder: Path, *versions: str) -> Path:
    """Write a simple index whose page of torch lists made-up wheels of these versions."""
    page = folder / "torch"
    page.mkdir(parents=True)
    names = [f"torch-{version}-py3-none-any.whl" for version in versions]
    (page / "index.html").write_text("".join(f'<a href="{name.replace("+", "%2B")}">{name}</a>' for name in names))
    for name, version in zip(names, versions, strict=True):
        with zipfile.ZipFile(page / name, "w") as wheel:
            about = f"torch-{version}.dist-info"
            wheel.writestr("torch/__init__.py", f"__version__ = {version!r}\n")
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")
    return folder


class Environment:
    """An environment with pip alone, and the settings of a user who has none."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder)
        self.python, self.home = folder / "bin" / "python", folder
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
        (packages / "pip").symlink_to(Path(pip.__file__).parent)

    def run(self, *words: str | Path, **settings: str) -> str:
        """Run Python with these variables, and return what it prints."""
        clean = {"PATH": os.defpath, "HOME": str(self.home), "PIP_CONFIG_FILE": os.devnull, **settings}
        return subprocess.run([self.python, *words], env=clean, capture_output=True, text=True, check=True).stdout

    def build(self, **settings: str) -> tuple[str, str]:
        """Run the program; return the torch that it installed, if any, and what it said."""
        said = self.run(ROOT / "tools" / "torch_build.py", CONSTRAINTS, **settings)
        found = "from importlib.util import find_spec as f; print(f('torch') and __import__('torch').__version__)"
        return self.run("-c", found).strip(), said


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "environment")


def test_cpu_build_is_installed_and_stays(
    environment: Environment, serve: Callable[[Path], str], tmp_path: Path
) -> None:
    address = serve(index(tmp_path / "cpu", "1.0+cpu", CPU))
    torch, said = environment.build(TORCH_INDEX=address)
    assert torch == CPU
    assert address in said
    environment.run(
        "-m", "pip", "install", "-c", CONSTRAINTS, "--index-url", serve(index(tmp_path / "pip", OTHER)), "torch"
    )
    assert environment.build(TORCH_INDEX=address) == (CPU, "")


def test_index_without_wheel_leaves_torch_to_pip(
    environment: Environment, serve: Callable[[Path], str], tmp_path: Path
) -> None:
    address, other = serve(index(tmp_path / "none")), serve(index(tmp_path / "other", OTHER))
    for settings in ({}, {"PIP_EXTRA_INDEX_URL": other}, {"PIP_FIND_LINKS": f"{other}/torch/"}):
        torch, said = environment.build(TORCH_INDEX=address, **settings)
        assert torch == "None"
        assert f"cannot be had from {address}" in said


def test_silent_index_leaves_torch_to_pip(environment: Environment) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        torch, said = environment.build(TORCH_INDEX=f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert time.monotonic() - start < 15
    assert torch == "None"
    assert "timed out" in said


@pytest.mark.parametrize("settings", [{"TORCH_INDEX": ""}, {"PIP_INDEX_URL": "http://127.0.0.1:9"}])
def test_own_choice_is_not_asked_about(
    environment: Environment, serve: Callable[[Path], str], tmp_path: Path, settings: dict[str, str]
) -> None:
    torch, said = environment.build(**{"TORCH_INDEX": serve(index(tmp_path / "cpu", CPU)), **settings})
    assert torch == "None"
    assert "cannot" not in said

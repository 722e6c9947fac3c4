"""Fixtures and settings of the whole suite: reproducible properties, small tablebases, random play."""

from __future__ import annotations

import importlib.util
import os
import platform
import runpy
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import settings

from german_whist.game.utils import jit
from german_whist.game.utils.cache_folder import CACHE_VARIABLE
from german_whist.game.utils.kernel_cache import kernels_folder
from german_whist.solver.tablebase import cache
from german_whist.solver.tablebase.build import build_tablebase
from german_whist.solver.tablebase.kinds import KINDS
from tests.agents.networks import some_network

settings.register_profile("project", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("project")

# A job in the background of a script ignores Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

SMALL_TABLE = 8  # cards a hand: quick to build, and the search above it is put to work


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the nightly checks out unless they are asked for by mark or by name, and place the browser's tests.

    These are few and long, so they do not come last, where other processes would wait for them; nor first, where every
    kernel still has to be compiled.
    """
    items.sort(key=lambda item: "cli+" if (folder := _folder(item)) == "browser" else folder)
    asked_by_name = any("::" in argument for argument in config.args)
    if config.option.markexpr or asked_by_name:
        return
    nightly = [item for item in items if item.get_closest_marker("nightly")]
    config.hook.pytest_deselected(items=nightly)
    items[:] = [item for item in items if item not in nightly]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Name PyTorch's build, Python and the system above pytest's last line: what a gate says holds for them."""
    yield
    build = "none"
    if torch := importlib.util.find_spec("torch"):  # imported, it takes seconds
        build = runpy.run_path(str(Path(torch.origin or "").with_name("version.py")))["__version__"]
    terminalreporter.write_line(f"PyTorch {build}, Python {platform.python_version()}, {platform.platform()}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of ``pytest -n N``, let one process run all tests of a file, but not those of the browser, which are long."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):  # type: ignore[misc] # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            return nodeid if nodeid.startswith("tests/browser/") else super()._split_scope(nodeid)

    return Scheduling(config, log)


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[0]


@pytest.fixture
def classic_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Specification of an agent whose network plays classic alone; its file lies in the working directory."""
    monkeypatch.chdir(tmp_path)
    some_network().save("mine.safetensors")
    return "checkpoint:mine.safetensors"


@contextmanager
def shared_folder(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder that all processes of ``pytest -n N`` share, for one of them at a time."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with FileLock(f"{folder}.lock"):
        yield folder


@pytest.fixture(scope="session", autouse=True)
def endgame_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache with small tables of every kind, for this session and the processes that it starts."""
    kernels = kernels_folder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit, "REPORT_EVERY", float("inf"))  # lines would come between those that tests read
        patch.setattr(cache, "SEARCH_CARDS", SMALL_TABLE)
        with shared_folder(tmp_path_factory, "tables") as folder:
            if not folder.exists():
                folder.mkdir()
                if kernels is not None:
                    (folder / "kernels").symlink_to(kernels)
            patch.setenv(CACHE_VARIABLE, str(folder))
            for kind in KINDS.values():
                build_tablebase(kind, SMALL_TABLE)
        yield folder


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)

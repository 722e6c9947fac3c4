"""Fixtures and settings of all tests: fresh kernels, reproducible properties, small endgame tables, random play."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from german_whist.envs.simulator.batch import DealBatch
from german_whist.solver.tables.build import build_table
from german_whist.solver.tables.kinds import FOLDER_VARIABLE, KINDS

settings.register_profile("project", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("project")

SMALL_TABLE = 8  # cards per hand: quick to build, and larger hands still exercise the search
_PACKAGES = ("envs", "solver", "agents", "arena", "training", "benchmarks", "cli")


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # the workers of pytest-xdist share what the first session made
        drop_stale_kernels([*package_folders(), Path(__file__).parent])  # kernels of tests call kernels, too


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the nightly checks unless they are selected by mark or by name."""
    selected_by_name = any("::" in argument for argument in config.args)
    if config.option.markexpr or selected_by_name:
        return
    nightly = [item for item in items if item.get_closest_marker("nightly")]
    config.hook.pytest_deselected(items=nightly)
    items[:] = [item for item in items if item not in nightly]


def package_folders() -> list[Path]:
    """The folders of the sub-packages, wherever they are installed."""
    specs = [importlib.util.find_spec(f"german_whist.{name}") for name in _PACKAGES]
    return [Path(folder) for spec in specs if spec for folder in spec.submodule_search_locations or ()]


def drop_stale_kernels(folders: list[Path]) -> bool:
    """Delete numba's cache files when any source is newer than the oldest of them.

    numba notices a change of the file that a kernel stands in, but not of a file whose kernels it calls.
    """
    caches = [path for folder in folders for kind in ("*.nbi", "*.nbc") for path in folder.rglob(kind)]
    sources = [path for folder in folders for path in folder.rglob("*.py")]
    if not caches or max(map(_age, sources)) <= min(map(_age, caches)):
        return False
    for path in caches:
        path.unlink(missing_ok=True)
    return True


def _age(path: Path) -> float:
    return path.stat().st_mtime


def play_randomly(batch: DealBatch, rng: np.random.Generator, steps: int | None = None) -> None:
    """Play ``steps`` random legal actions in every deal, by default until all are done."""
    while not batch.done.all() and (steps is None or steps > 0):
        batch.step((rng.random((batch.size, batch.num_actions)) * batch.action_mask()).argmax(axis=1))
        steps = None if steps is None else steps - 1


@pytest.fixture(scope="session", autouse=True)
def endgame_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with small tables of every kind, for this session and the processes that it starts."""
    folder = tmp_path_factory.mktemp("tables")
    before = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = str(folder)
    for kind in KINDS.values():
        build_table(kind, SMALL_TABLE)
    yield folder
    if before is None:
        del os.environ[FOLDER_VARIABLE]
    else:
        os.environ[FOLDER_VARIABLE] = before


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def positions() -> Callable[..., DealBatch]:
    """Return a function that makes a batch of deals after ``steps`` random actions."""

    def make(rules: object = "classic", size: int = 8, steps: int | None = 20, seed: int = 1) -> DealBatch:
        batch = DealBatch(rules, size, seed)  # type: ignore[arg-type]
        play_randomly(batch, np.random.default_rng(seed), steps)
        return batch

    return make

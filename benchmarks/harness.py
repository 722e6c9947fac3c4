"""Figures of a benchmark report, how they are timed, and the machine that they were measured on."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from german_whist.envs.utils.libraries import missing_library

PIP_COMMAND = 'pip install "german-whist[bench]"'


@dataclass(frozen=True)
class Figure:
    """One measured line.

    Attributes:
        subject: name of the benchmark.
        name: what was measured.
        unit: ``"/s"`` for a rate, ``"s"`` for a time, ``" B"`` for bytes, ``""`` for a number.
        ours: the figure of this project.
        peer: what it is compared with, measured in the same run; ``None`` for no comparison.
        theirs: the figure of the peer.
        limit: what ours must not exceed; ``None`` for no limit.
    """

    subject: str
    name: str
    unit: str
    ours: float
    peer: str | None = None
    theirs: float | None = None
    limit: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours divided by theirs: above 1 is better for a rate, below 1 for a time."""
        return None if self.theirs is None else self.ours / self.theirs

    @property
    def missed(self) -> bool:
        """Whether ours is over the limit."""
        return self.limit is not None and self.ours > self.limit

    def to_dict(self) -> dict[str, Any]:
        """Return the line as plain data, ready for JSON."""
        return {**asdict(self), "ratio": self.ratio, "missed": self.missed}


@dataclass(frozen=True)
class Skipped:
    """A line that could not be measured.

    Attributes:
        subject: name of the benchmark.
        name: what was not measured.
        reason: why not, and the remedy.
    """

    subject: str
    name: str
    reason: str

    @classmethod
    def missing(cls, subject: str, name: str, error: ImportError) -> Skipped:
        """Return the line for a library that is not installed."""
        library = missing_library(error)
        missing = library.name if library else (error.name or str(error)).partition(".")[0]
        return cls(subject, name, f"{missing} is not installed: {PIP_COMMAND}")

    def to_dict(self) -> dict[str, Any]:
        """Return the line as plain data, ready for JSON."""
        return asdict(self)


# Does a small piece of work, taking milliseconds to seconds, and returns the number of units done.
Workload = Callable[[], int]
# Called with the share of the work that is done, 0 to 1.
Tick = Callable[[float], None]

Name = TypeVar("Name", bound=Hashable)

ROUNDS = 5


def rate(workload: Workload, seconds: float) -> float:
    """Return the units per second of a workload that is repeated for this many seconds, at least once."""
    units = 0
    began = time.perf_counter()
    while True:
        units += workload()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return units / elapsed


def rates(workloads: Mapping[Name, Workload], seconds: float, tick: Tick, rounds: int = ROUNDS) -> dict[Name, float]:
    """Return the median rate of each workload, in units per second.

    The rounds are interleaved (A B C A B C …). Each workload runs once before the measurement, so that compilation and
    loading are not timed.

    Args:
        workloads: the workloads by name.
        seconds: time per workload, all rounds together.
        tick: called with the progress.
        rounds: number of measurements of each workload.
    """
    for workload in workloads.values():
        workload()
    measured: dict[Name, list[float]] = {name: [] for name in workloads}
    for done in range(rounds * len(workloads)):
        name = list(workloads)[done % len(workloads)]
        measured[name].append(rate(workloads[name], seconds / rounds))
        tick((done + 1) / (rounds * len(workloads)))
    return {name: statistics.median(samples) for name, samples in measured.items()}


LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3", "sb3-contrib", "rlcard")


_INSTRUCTION_SETS = {  # of processors, from wide to narrow, by their names in LLVM
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "avx": "AVX",
    "sse4.2": "SSE4.2",
    "sve": "SVE",
    "neon": "NEON",
}


def describe_machine() -> dict[str, Any]:
    """Return the CPU, what code was compiled for, the cores of this process, the system, and versions of libraries."""
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "cpu": _cpu(),
        "instruction_sets": _instruction_sets(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def _instruction_sets() -> dict[str, str]:
    """Return the processor's widest vector instructions, what numba compiles for, and what torch, if installed, uses.

    Environment variables can hold both below what the CPU has (``NUMBA_CPU_NAME``, ``ATEN_CPU_CAPABILITY``).
    """
    import llvmlite.binding
    import numba

    config: Any = numba.config
    features = llvmlite.binding.get_host_cpu_features()
    widest = next((name for feature, name in _INSTRUCTION_SETS.items() if features.get(feature)), "no known vector set")
    found = {"processor": widest, "numba": config.CPU_NAME or llvmlite.binding.get_host_cpu_name()}
    with suppress(ImportError):
        import torch

        found["torch"] = torch.backends.cpu.get_cpu_capability()
    return found


def _cpu() -> str:
    """Return the name of the CPU; on Linux only /proc/cpuinfo has it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()

"""The machine and the library versions that figures were measured on."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3", "sb3-contrib", "rlcard")


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
    """Return the CPU that numba compiles for and, if torch is installed, the instruction set of its products.

    Environment variables can hold both below what the CPU has (``NUMBA_CPU_NAME``, ``ATEN_CPU_CAPABILITY``).
    """
    import llvmlite.binding
    import numba

    config: Any = numba.config
    found = {"numba": config.CPU_NAME or llvmlite.binding.get_host_cpu_name()}
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

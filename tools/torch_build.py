"""Installs PyTorch's CPU build where pip would take the one with CUDA, but there is no GPU. The Makefile calls it.

``python tools/torch_build.py CONSTRAINTS`` works in the environment of that Python. On Linux, if torch is not installed
yet and NVIDIA's driver neither, torch comes from PyTorch's index of CPU builds, in the version that the file names.
``TORCH_INDEX=ADDRESS`` names another index, with or without a driver. If that is empty, if pip's settings name an
index, or if the index has no torch for this machine, pip takes torch from where it takes everything else.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from http.client import HTTPException
from urllib.request import urlopen

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
TIMEOUT = 5.0  # seconds
DRIVER = ("/usr/lib/wsl/lib/nvidia-smi", "/dev/nvidiactl")  # the first under Windows
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def has_driver() -> bool:
    """Return whether NVIDIA's driver is installed."""
    return shutil.which("nvidia-smi") is not None or any(map(os.path.exists, DRIVER))


def has_own_index() -> bool:
    """Return whether pip's settings, in a file or the environment, name an index."""
    settings = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=False).stdout
    return any(line.partition("=")[0].endswith(".index-url") for line in settings.splitlines())


def install_from(index: str, constraints: str) -> str:
    """Install torch from an index, and from nowhere else; return why that failed, or an empty string."""
    try:
        urlopen(f"{index.rstrip('/')}/torch/", timeout=TIMEOUT).close()
    except (OSError, ValueError, HTTPException) as error:
        return str(error)
    # Isolated from the user's other sources, from which pip would take what the index lacks.
    words = ["--isolated", "install", "--quiet", "--no-deps", "-c", constraints, "--index-url", index, "torch"]
    environment = {**os.environ, "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run([*PIP, *words], env=environment, stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def main() -> None:
    """Install torch if it has to come from another index than pip's, and say which build is taken."""
    if not sys.platform.startswith("linux") or importlib.util.find_spec("torch") is not None:
        return
    index = os.environ.get("TORCH_INDEX", "" if has_driver() else CPU_INDEX)
    if index and not has_own_index():
        refusal = install_from(index, sys.argv[1])
        if not refusal:
            print(f"PyTorch is the build of {index} (for CPUs 0.7 GB); TORCH_INDEX= takes PyPI's, with CUDA 4.7 GB")
            return
        print(f"PyTorch cannot be had from {index}: {refusal}")
    print(f"PyTorch is the build that pip finds, on PyPI with CUDA 4.7 GB; TORCH_INDEX={CPU_INDEX} takes 0.7 GB")


if __name__ == "__main__":
    main()

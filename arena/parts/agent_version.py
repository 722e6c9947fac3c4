"""Versions of agents: results are only put together if the same code and the same weights played them."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from importlib import resources
from importlib.abc import Traversable
from pathlib import Path

# What decides which cards an agent plays.
_PACKAGES = ("agents", "configs", "envs", "solver")
_SUFFIXES = (".py", ".safetensors", ".yaml")
_CHECKPOINT = re.compile(r"checkpoint:([^,+]+)")
_DIGITS = 12  # of a digest


def agent_version(spec: str) -> str:
    """Return a digest of what an agent's play depends on: the package's code and weights, and its checkpoint files.

    Args:
        spec: the agent's specification string. What an agent outside this package runs is not looked at.

    Raises:
        ValueError: when a checkpoint file cannot be read.
    """
    digest = hashlib.sha256(_package_digest().encode())
    for path in _CHECKPOINT.findall(spec):
        try:
            digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
        except OSError as error:
            raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    return digest.hexdigest()[:_DIGITS]


@lru_cache
def _package_digest() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        _add_folder(digest, resources.files(f"german_whist.{package}"), package)
    return digest.hexdigest()


def _add_folder(digest: hashlib._Hash, folder: Traversable, name: str) -> None:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            _add_folder(digest, entry, path)
        elif entry.name.endswith(_SUFFIXES):
            digest.update(f"{path}\0".encode())
            digest.update(hashlib.sha256(entry.read_bytes()).digest())

"""Versions of agents: results are only put together if the same code and the same weights played them."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

from german_whist.agents.pretrained.catalog import PRETRAINED_NAMES
from german_whist.agents.process.agent import ProcessAgent
from german_whist.agents.registry import split_checkpoint, split_suffixes

# What decides which cards an agent plays; the arena gives it random numbers, and deals that it has lost.
_PACKAGES = ("agents", "arena", "configs", "envs", "solver")
_SUFFIXES = (".py", ".safetensors", ".yaml")
_DIGITS = 12  # of a digest


def agent_version(spec: str) -> str:
    """Return a digest of what an agent's play depends on: the package's code and weights, and its own files.

    Args:
        spec: the agent's specification string. Its own files are its checkpoint, or those that the command of a bot
            (``process:``) names. What such a bot reads besides, its interpreter included, is not looked at.

    Raises:
        ValueError: when a file cannot be read, or the command of a bot is wrong.
    """
    digest = hashlib.sha256(_package_digest().encode())
    for path in _own_files(spec):
        try:
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    return digest.hexdigest()[:_DIGITS]


def _own_files(spec: str) -> list[str]:
    kind, _, settings = split_suffixes(spec)[0].partition(":")
    if kind == "checkpoint":
        path = split_checkpoint(settings)[0]
        return [] if path in PRETRAINED_NAMES else [path]
    if kind != "process":
        return []
    words = ProcessAgent.from_spec(settings).command
    # A file may also be the value of an option, as in --weights=FILE.
    return [path for word in words for path in (word, word.partition("=")[2]) if os.path.isfile(path)]


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

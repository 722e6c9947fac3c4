"""What a run was made with: the code, its settings and their changes, and the digests of its checkpoints.

A resumed run is the one that was stopped, or is refused.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.training.config import TrainConfig

_LIBRARIES = ("numpy", "numba", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo")
_PACKAGE = Path(__file__).parents[2]
_IN_CHECKOUT = "training/run/provenance.py"  # the path of this file in the project's own repository


def code_version() -> dict[str, Any]:
    """Return the versions of package, Python and libraries.

    ``build`` is a digest of the package's modules and configurations. ``commit`` is the git commit if the package runs
    from its own checkout, not that of a repository around ``site-packages``, and ``modified`` says whether the checkout
    differs from it; both are ``None`` for an installed package.
    """
    commit, modified = _checkout(Path(__file__).resolve())
    return {
        "german_whist": _version("german-whist"),
        "build": _build(),
        "commit": commit,
        "modified": modified,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # run from its sources
        return None


@lru_cache
def _build(package: Path = _PACKAGE) -> str:
    """Return a digest of the package's modules and configurations, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in ("**/*.py", "**/*.yaml") for path in _files(package, pattern)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _files(package: Path, pattern: str) -> list[Path]:
    # The sub-packages may be links to folders, which ** does not follow.
    folders = [path for path in package.iterdir() if (path / "__init__.py").exists()]
    name = pattern.removeprefix("**/")
    return [*package.glob(name), *(path for folder in folders for path in folder.glob(pattern))]


def _checkout(file: Path) -> tuple[str | None, bool | None]:
    """Return the commit of this project's repository and whether it is modified, if a file is in a checkout of it."""
    try:
        if _git(file.parent, "ls-files", "--full-name", "--", file.name) != _IN_CHECKOUT:
            return None, None
        root = _git(file.parent, "rev-parse", "--show-toplevel")
        commit = _git(file.parent, "rev-parse", "--short=12", "HEAD")
        return commit, bool(_git(Path(root), "status", "--porcelain", "--", "*.py", "configs"))
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()


FIXED = ("trainer", "rules", "games", "inputs", "init")  # settings that cannot change within a run


@dataclass
class Provenance:
    """The settings of a run and the digests of its checkpoints.

    Attributes:
        config: the settings that the run was trained with, by name.
        changes: intended changes of settings so far: ``decisions``, ``key``, ``before``, ``after``.
        checkpoints: SHA-256 of the checkpoints' files, by decisions.
    """

    config: dict[str, Any]
    changes: list[dict[str, Any]] = field(default_factory=list)
    checkpoints: dict[str, str] = field(default_factory=dict)

    def to_text(self) -> str:
        """Return JSON."""
        return json.dumps({"config": self.config, "changes": self.changes, "checkpoints": self.checkpoints})

    @classmethod
    def from_text(cls, text: str) -> Provenance:
        """Read JSON.

        Raises:
            ValueError: when it is not what :meth:`to_text` writes.
        """
        fields = json.loads(text)
        if not isinstance(fields, dict) or [*map(type, fields.values())] != [dict, list, dict]:
            raise ValueError("its record of the run is damaged")
        return cls(**fields)

    def add_checkpoint(self, path: Path) -> None:
        """Remember the digest of a checkpoint."""
        self.checkpoints[str(int(path.stem))] = _digest(path)

    def check_checkpoints(self, paths: Iterable[Path], newest: int) -> None:
        """Compare the checkpoints up to the snapshot with their digests.

        Args:
            paths: the checkpoints that are there.
            newest: so many of the newest must be there; older ones may have been deleted.

        Raises:
            ValueError: when one is not what the run has written, or is missing.
        """
        found = {int(path.stem): path for path in paths}
        for decisions, path in found.items():
            if self.checkpoints.get(str(decisions)) != _digest(path):
                raise ValueError(f"{path.name} is not the checkpoint that the run has written")
        recorded = sorted(map(int, self.checkpoints))
        for decisions in recorded[max(0, len(recorded) - newest) :]:
            if decisions not in found:
                raise ValueError(
                    f"checkpoint {decisions:012d}.safetensors is missing, and the run needs its last {newest}"
                )

    def take_changes(self, config: TrainConfig, intended: Collection[str], decisions: int) -> bool:
        """Record the intended changes of settings, and return whether there are any.

        Args:
            config: the settings to continue with.
            intended: the settings that may differ from those of the snapshot.
            decisions: decisions trained on so far.

        Raises:
            ValueError: when another setting differs, or a setting is changed that cannot change.
        """
        settings, before = config.to_dict(), self.config
        if settings.keys() != before.keys():
            raise ValueError("its settings are those of another version")
        changed = [key for key, value in settings.items() if json.dumps(value) != json.dumps(before[key])]
        for key in sorted(changed, key=lambda key: key not in FIXED):
            difference = f"{key} is {settings[key]}, and the run was trained with {before[key]}"
            if key in FIXED:
                raise ValueError(f"{difference}: it cannot change within a run")
            if key not in intended:
                raise ValueError(f"{difference}: an intended change is said by name, --resume RUN --{key} VALUE")
            if key == "decisions" and settings[key] < decisions:
                raise ValueError(f"{difference}: {decisions} decisions are trained on already")
        self.changes += [
            {"decisions": decisions, "key": key, "before": before[key], "after": settings[key]} for key in changed
        ]
        self.config = settings
        return bool(changed)


def _digest(path: Path) -> str:
    if not path.is_file():  # a pipe may never end
        raise ValueError(f"{path.name} is not a file")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Optional libraries: what pip calls them, and which extra of this package installs them."""

from __future__ import annotations

from typing import NamedTuple


class Library(NamedTuple):
    """An optional library.

    Attributes:
        name: what pip calls it.
        extra: the extra that installs it.
    """

    name: str
    extra: str

    @property
    def missing(self) -> str:
        """The message where it is not installed."""
        return f'{self.name} is not installed: pip install "german-whist[{self.extra}]"'


_LIBRARIES = {  # the distribution and the extra of a module
    "torch": Library("torch", "train"),
    "pydantic": Library("pydantic", "train"),
    "stable_baselines3": Library("stable-baselines3", "train"),
    "sb3_contrib": Library("sb3-contrib", "train"),
    "matplotlib": Library("matplotlib", "train"),
    "PIL": Library("Pillow", "render"),
    "pygame": Library("pygame-ce", "render"),
    "pyspiel": Library("open-spiel", "openspiel"),
    "starlette": Library("starlette", "web"),
    "uvicorn": Library("uvicorn", "web"),
    "anyio": Library("anyio", "web"),
    "segno": Library("segno", "web"),
    "ray": Library("ray", "ray"),
    "numba_cuda": Library("numba-cuda", "gpu"),
}


def missing_library(error: ImportError) -> Library | None:
    """Return the optional library that a failed import lacks; ``None`` if it lacks something else."""
    return _LIBRARIES.get((error.name or "").partition(".")[0])


def explained(error: ImportError) -> ImportError:
    """Return the error of a missing optional library with the command that installs it; other errors as they are."""
    library = missing_library(error)
    return error if library is None else ModuleNotFoundError(library.missing, name=error.name)

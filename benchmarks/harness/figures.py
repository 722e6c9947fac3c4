"""The lines of a benchmark report: figures, compared with a peer or a baseline, and skipped measurements."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

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
        module = (error.name or str(error)).partition(".")[0]
        return cls(subject, name, f"{module} is not installed: {PIP_COMMAND}")

    def to_dict(self) -> dict[str, Any]:
        """Return the line as plain data, ready for JSON."""
        return asdict(self)

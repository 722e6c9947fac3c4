"""What a benchmark reports: figures beside those of a peer or a baseline, and what had to be left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

PIP_COMMAND = 'pip install "german-whist[bench]"'


@dataclass(frozen=True)
class Figure:
    """One measured line.

    Attributes:
        subject: the benchmark it belongs to.
        name: what was measured.
        unit: ``"/s"`` for a rate, ``"s"`` for a time, ``" B"`` for bytes, ``""`` for a number.
        ours: this project's figure.
        peer: what it is compared with, measured in the same run; ``None`` when it stands alone.
        theirs: the peer's figure.
    """

    subject: str
    name: str
    unit: str
    ours: float
    peer: str | None = None
    theirs: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours divided by theirs: better above 1 for a rate, below 1 for a time."""
        return None if self.theirs is None else self.ours / self.theirs

    def to_dict(self) -> dict[str, Any]:
        """Return the line as plain data, ready for JSON."""
        return {**asdict(self), "ratio": self.ratio}


@dataclass(frozen=True)
class Skipped:
    """A line that could not be measured.

    Attributes:
        subject: the benchmark it belongs to.
        name: what was not measured.
        reason: why, and what helps.
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

"""What ``german-whist serve`` was asked for, which the page proposes when it opens."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class ServeOptions:
    """Defaults of new sessions.

    Attributes:
        rules: specification of the rules.
        agent: specification of the agent; ``None`` for the strongest that plays the game.
        seed: seed of the deals; ``None`` for a new one each time.
    """

    rules: str = "classic"
    agent: str | None = None
    seed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return dataclasses.asdict(self)

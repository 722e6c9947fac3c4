"""What ``german-whist serve`` was asked for, which the page proposes when it opens."""

from __future__ import annotations

import dataclasses

from german_whist.envs.text.rules_text import rules_spec


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

    def __post_init__(self) -> None:
        """Write the rules in their shortest form, as sessions do: the page looks for them in its list."""
        object.__setattr__(self, "rules", rules_spec(self.rules))

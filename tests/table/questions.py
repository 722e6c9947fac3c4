"""What the page asks its server."""

from __future__ import annotations

from typing import Any

from german_whist.simulator.batch import DealBatch


def first_question(agent: str = "greedy") -> dict[str, Any]:
    """The question before the first card of a deal of ``tiny``."""
    tokens, lengths = DealBatch("tiny", history=True).history()
    return {"rules": "tiny", "agent": agent, "history": tokens[0, : lengths[0]].tolist()}

"""Checks of what a model card says."""

from __future__ import annotations

from german_whist.envs.engine.endgame_hook import ENDGAMES, canonical_endgame
from german_whist.envs.utils.specs import shown, unknown_name

MAX_LOGITS_PER_TRICK = 1e6


def check_endgame(given: object) -> str:
    """Return the canonical name of an endgame setting: ``"played"`` or ``"exact"``.

    Raises:
        ValueError: when there is no such endgame.
    """
    endgame = canonical_endgame(given) if isinstance(given, str) else given
    if not isinstance(endgame, str) or endgame not in ENDGAMES:
        raise unknown_name("endgame", given, ENDGAMES)
    return endgame


def check_logits_per_trick(number: object) -> float | None:
    """Return the scale of the logits from a card, or ``None`` where it is absent.

    Raises:
        ValueError: when it is no positive number, or too large.
    """
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number <= MAX_LOGITS_PER_TRICK:
        raise ValueError(f"logits_a_trick {shown(number)} is not a positive number up to {MAX_LOGITS_PER_TRICK:g}")
    return float(number)

"""The names of ``endgame=``: endgames are played out, or solved exactly (``simulator/endgame.py``)."""

from __future__ import annotations

from german_whist.game.utils.names import unknown_name_error

PLAYED = "played"
EXACT = "exact"
ENDGAMES = (PLAYED, EXACT)


def check_endgame(given: object) -> str:
    """Return ``given`` if it is one of ``ENDGAMES``, ``"played"`` or ``"exact"``.

    Raises:
        ValueError: if it is not.
    """
    if not isinstance(given, str) or given not in ENDGAMES:
        raise unknown_name_error("endgame", given, ENDGAMES)
    return given

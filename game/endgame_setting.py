"""The names of ``endgame=``: endgames are played out, or solved exactly (``simulator/endgame.py``)."""

from __future__ import annotations

from typing import Final, Literal, get_args

from german_whist.game.utils.names import unknown_name_error

Endgame = Literal["played", "exact"]
PLAYED: Final = "played"
EXACT: Final = "exact"
ENDGAMES: tuple[Endgame, ...] = get_args(Endgame)


def check_endgame(given: object) -> Endgame:
    """Return ``given`` if it is one of ``ENDGAMES``, ``"played"`` or ``"exact"``.

    Raises:
        ValueError: if it is not.
    """
    for endgame in ENDGAMES:
        if isinstance(given, str) and given == endgame:
            return endgame
    raise unknown_name_error("endgame", given, ENDGAMES)

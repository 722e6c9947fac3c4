"""What happens when the endgame begins: it is played, or somebody who can tell how it ends finishes the deal.

``endgame="played"`` is the whole game. With ``"solved"``, or any ``EndgameHook`` object, a deal is over with the last trick
of the foreplay: the tricks that both seats would have taken are written into its state, and every reward follows from
them. Environments may not import what solves endgames, so they know it by a name that ``german_whist`` registers; this
module loads no numba, so that it can do so when it is imported.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.specs import unknown_name

if TYPE_CHECKING:
    from german_whist.envs.engine.rules import Rules

PLAYED = "played"
SOLVED = "solved"


class EndgameHook(Protocol):
    """Finishes deals whose endgame begins."""

    def check(self, rules: Rules) -> None:
        """Refuse rules whose endgame it cannot finish.

        Raises:
            ValueError: naming the rules and the endgame.
        """
        ...

    def finish(self, rules: Rules, states: np.ndarray[Any, Any]) -> npt.NDArray[np.int8]:
        """Return the tricks that both seats take in the endgame, int8[k, 2] by seat.

        Args:
            rules: the rules of the deals.
            states: ``STATE`` array of shape (k,), each before the first card of its endgame.
        """
        ...


_HOMES: dict[str, str] = {}


def register_endgame_hook(name: str, home: str) -> None:
    """Let ``name`` stand for an ending, the class ``"module:class"``, which is imported when first asked for."""
    _HOMES[name] = home


def endgame_hook_of(endgame: str | EndgameHook, rules: Rules) -> EndgameHook | None:
    """Return the ending that a name stands for, or an ending object as it is; ``None`` for an endgame that is played.

    Raises:
        ValueError: when there is no such ending, or it cannot finish the endgame of these rules.
    """
    if isinstance(endgame, str):
        if endgame == PLAYED:
            return None
        if endgame not in _HOMES:
            raise unknown_name("endgame", endgame, (PLAYED, *_HOMES))
        module, _, name = _HOMES[endgame].partition(":")
        ending: EndgameHook = getattr(importlib.import_module(module), name)()
    elif callable(getattr(endgame, "finish", None)) and callable(getattr(endgame, "check", None)):
        ending = endgame
    else:
        raise ValueError(
            f"endgame {endgame!r} is neither a name nor an object with check(rules) and finish(rules, states)"
        )
    ending.check(rules)
    return ending

"""Where the endgame begins: it is played out, or a hook finishes the deal.

``endgame="played"`` is the whole game. With ``"exact"``, or any ``EndgameHook`` object, a deal ends with the last trick
of the foreplay. The hook writes the tricks that both seats would take into the state, and every reward follows from
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from german_whist.game.endgame_setting import PLAYED, Endgame, check_endgame

if TYPE_CHECKING:
    from german_whist.game.rules import Rules
    from german_whist.game.utils.backend import Array, Records


class EndgameHook(Protocol):
    """Finishes deals when their endgame begins."""

    def check(self, rules: Rules) -> None:
        """Refuse rules whose endgame this hook cannot finish.

        Raises:
            ValueError: if it cannot; the message says why.
        """
        ...

    def finish(self, rules: Rules, states: Records) -> Array:
        """Return the tricks that each seat takes in the endgame, int8[k, 2] by seat.

        Args:
            rules: the rules of the deals.
            states: ``STATE`` array of shape (k,), or ``StructTensor`` on a device, each before the first card of its
                endgame.
        """
        ...


def endgame_hook_of(endgame: Endgame | EndgameHook, rules: Rules) -> EndgameHook | None:
    """Return the hook that an ``endgame`` argument names or is; ``None`` for ``"played"``.

    Raises:
        ValueError: if the name is unknown, or the hook cannot finish the endgame of these rules.
    """
    if isinstance(endgame, str):
        if check_endgame(endgame) == PLAYED:
            return None
        from german_whist.solver.exact_endgame import ExactEndgameHook  # compiled code: loaded only when needed

        hook: EndgameHook = ExactEndgameHook()
    elif callable(getattr(endgame, "finish", None)) and callable(getattr(endgame, "check", None)):
        hook = endgame
    else:
        raise ValueError(
            f"endgame {endgame!r} is neither a name nor an object with check(rules) and finish(rules, states)"
        )
    hook.check(rules)
    return hook

"""Resampling with a seed: another state that a player cannot tell from the present one."""

from __future__ import annotations

from random import Random

from german_whist.openspiel.state import GermanWhistState, resampled


class Resampler:
    """Draws states uniformly from all deals that agree with what a player has seen: for ``ISMCTSBot.set_resampler``.

    Without it the bot asks the state itself, which draws from the same deals with a seed that OpenSpiel does not fix.
    All deals are equally likely: how the opponent has played is not taken into account.

    Example:
        >>> bot.set_resampler(german_whist.openspiel.Resampler(seed=0))
    """

    def __init__(self, seed: int | None = None) -> None:
        """Seed the draws; ``None`` for a random seed."""
        self._random = Random(seed)

    def __call__(self, state: GermanWhistState, player: int) -> GermanWhistState:
        """Return a state with the same information state for ``player``.

        Raises:
            ValueError: at chance nodes.
        """
        return resampled(state, player, self._random)

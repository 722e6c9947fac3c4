"""Resampling: another state that a player cannot tell from the present one."""

from __future__ import annotations

from random import Random
from typing import Any

from german_whist.agents.inference.deal_sampling import DealSampler
from german_whist.openspiel.deal import Deal
from german_whist.openspiel.state import GermanWhistState, state_of


class Resampler:
    """Draws states uniformly from all deals that agree with what a player has seen: for ``ISMCTSBot.set_resampler``.

    Only the player's own event history and the actions, which both players see, are read. Every deal counts the same,
    whatever the opponent's way of playing tells.

    Example:
        >>> bot.set_resampler(german_whist.openspiel.Resampler(seed=0))
    """

    def __init__(self, seed: int | None = None) -> None:
        """Seed the draws; ``None`` for a random seed."""
        self._random = Random(seed)
        self._last: tuple[Deal, int] | None = None
        self._sampler: DealSampler | None = None

    def __call__(self, state: GermanWhistState, player: int) -> GermanWhistState:
        """Return a state with the same information state for ``player``.

        Raises:
            ValueError: at chance nodes.
        """
        deal = state.deal
        if deal.groups:
            raise ValueError("a state can be resampled where a player is to act, not at a chance node")
        if self._sampler is None or self._last is None or self._last[0] is not deal or self._last[1] != player:
            self._last, self._sampler = (deal, player), DealSampler(deal.setup.rules, *deal.history(player))
        return state_of(state.get_game(), self._sampler.sample(self._random), deal.actions)

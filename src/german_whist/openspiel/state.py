"""German Whist states of OpenSpiel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
import pyspiel

from german_whist.agents.inference.sampling import DealSampler
from german_whist.game.actions import action_text
from german_whist.game.cards import SUITS, card_text, hand_text, parse_deck
from german_whist.game.scoring import check_reward
from german_whist.game.utils.checks import check_seed
from german_whist.openspiel.deal import Deal, blind_groups, opening_groups
from german_whist.simulator.batch_kernels import write_returns


class GermanWhistState(pyspiel.State):  # type: ignore[misc]
    """A state of ``python_german_whist``. Players are seats; the players' actions are the engine's.

    Chance names one card at a time, by its number: first the non-dealer's hand and the dealer's, each from low to high,
    then the cards shown, later each card drawn or turned up when it leaves the stock.

    Attributes:
        deal: the position, an immutable :class:`Deal`.
    """

    def __init__(self, game: Any) -> None:
        """Start before the first card is dealt."""
        super().__init__(game)
        self.deal: Deal = game.opening

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's number for chance or for the end."""
        deal = self.deal
        if deal.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if deal.done else deal.seat

    def _legal_actions(self, player: int) -> list[int]:
        return self.deal.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that chance can name next and their probabilities."""
        return self.deal.outcomes()

    def _apply_action(self, action: int) -> None:
        self.deal = self.deal.applied(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return card_text(action) if player < 0 else action_text(action, self.deal.setup.rules)

    def is_terminal(self) -> bool:
        """Return whether the deal is over."""
        return bool(self.deal.done)

    def returns(self) -> list[float]:
        """Return the returns of seats 0 and 1; zeros before the end."""
        setup = self.deal.setup
        out = np.zeros((1, 2), np.float32)
        if not self.deal.is_dealing:
            write_returns(1, setup.rules.record, self.deal.state, check_reward(setup.reward), out)
        first, second = out[0].tolist()
        return [first, second]

    def resample_from_infostate(self, player_id: int, sampler: Any) -> GermanWhistState:
        """Return a state that the player cannot tell from this one, drawn uniformly from all deals that agree.

        Args:
            player_id: the seat whose information is kept.
            sampler: a function that returns a number in [0, 1), such as a ``pyspiel.UniformProbabilitySampler``.

        Raises:
            ValueError: at chance nodes.
        """
        return resampled(self, player_id, int(sampler() * 2**53))

    def __str__(self) -> str:
        """Return both hands, the stock and the actions so far."""
        deal = self.deal
        if deal.is_dealing:
            return f"dealing: {' '.join(map(card_text, self.history()))}"
        rules, record = deal.setup.rules, deal.state[0]
        hands = " ".join(hand_text(int(hand)) for hand in record["hands"])
        trump = SUITS[record["trump"]] if record["trump"] >= 0 else "-"
        face_up = hand_text(int(record["face_up"])) if record["face_up"] else "-"
        chance = f" waiting={deal.waiting}" if deal.is_chance else ""
        played = " ".join(action_text(action, rules) for action in deal.actions)
        return f"0:{hands} trump={trump} face_up={face_up} turn={deal.seat}{chance} played: {played}"


def state_of(game: Any, deck: str | Sequence[int], actions: Iterable[int] = ()) -> GermanWhistState:
    """Return the state of a deck after some actions, such as a recording's.

    Example:
        >>> batch = german_whist.DealBatch("tiny", size=1, seed=7)  # seat 0 deals
        >>> game = german_whist.openspiel.load_game("tiny", dealer=0)
        >>> state = german_whist.openspiel.state_of(game, batch.states["deck"][0, :8].tolist())

    Args:
        game: a game of this package.
        deck: the whole deck in dealing order, as text or card numbers.
        actions: the players' actions so far.

    Raises:
        ValueError: if the deck is not one of this game, or an action is illegal.
    """
    rules = game.setup.rules
    order = parse_deck(deck, rules.cards)
    for group in (*opening_groups(rules), *blind_groups(rules)):  # hands are sets, named from low to high
        for position, card in zip(group, sorted(order[position] for position in group), strict=True):
            order[position] = card
    state: GermanWhistState = game.new_initial_state()
    _deal_cards(state, order)
    for action in actions:
        if action not in state.legal_actions():
            name = f" ({action_text(action, rules)})" if 0 <= action < rules.num_actions else ""
            raise ValueError(f"action {action}{name} is illegal after actions {state.deal.actions}")
        state.apply_action(action)
        _deal_cards(state, order)
    return state


def _deal_cards(state: GermanWhistState, order: Sequence[int]) -> None:
    """Name the cards of a deck until a player is to act or the deal is over."""
    while state.deal.is_chance:
        state.apply_action(order[state.deal.groups[0][0]])


def resampled(state: GermanWhistState, player: int, key: int) -> GermanWhistState:
    """Return a state with the same information state for a player, drawn uniformly from all deals that agree.

    Only the player's own event history and the actions, which both players see, are read.

    Raises:
        ValueError: at chance nodes.
    """
    deal = state.deal
    if deal.is_chance:
        raise ValueError("a state can be resampled where a player is to act, not at a chance node")
    return state_of(state.get_game(), _sampler(deal, player).decks(1, key)[0].tolist(), deal.actions)


@lru_cache(maxsize=4)
def _sampler(deal: Deal, player: int) -> DealSampler:
    """Return the sampler of a player's information state. Searches draw many states for the same one."""
    return DealSampler(deal.history(player)[0], deal.setup.rules)


class Resampler:
    """Draws states uniformly from all deals that agree with a player's history, for ``ISMCTSBot.set_resampler``.

    Without it the bot asks the state itself, which draws from the same deals, but with a seed that OpenSpiel does not
    fix. All deals are equally likely: how the opponent has played is not taken into account.

    Example:
        >>> bot.set_resampler(german_whist.openspiel.Resampler(seed=0))
    """

    def __init__(self, seed: int | None = None) -> None:
        """Seed the draws, 0 to 2**64 - 1; ``None`` for a random seed.

        Raises:
            ValueError: if the seed is out of range.
        """
        self._random = Random(None if seed is None else check_seed(seed))

    def __call__(self, state: GermanWhistState, player: int) -> GermanWhistState:
        """Return a state with the same information state for ``player``.

        Raises:
            ValueError: at chance nodes.
        """
        return resampled(state, player, self._random.getrandbits(64))

"""One deal at a time: a batch of one with the few calls that a single environment makes at every step.

What is handed out is always a fresh copy, and each call is a single kernel: the environments' speed lives here.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state_kernels import legal_actions, play
from german_whist.envs.observation.full_state import full_states
from german_whist.envs.observation.vector import write_observation
from german_whist.envs.observation.views import write_view
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.reset_options import DealSequence, read_options
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)
_ROW = np.zeros(1, np.int64)
_TURN_BIT = 62
_LEGAL_BITS = (1 << _TURN_BIT) - 1


@kernel
def _situation(state):
    """The legal actions (bits 0 to 61) and the seat to act (bit 62), in one number."""
    return np.int64(legal_actions(state)) | (np.int64(state.turn) << _TURN_BIT)


@kernel
def _look(states):
    return _situation(states[0])


@kernel
def _play(game, states, action):
    """Play an action and return the new situation; −1, and nothing has moved, when it is illegal."""
    state = states[0]
    if action < 0 or action >= _TURN_BIT or not (legal_actions(state) >> np.uint64(action)) & _ONE:
        return np.int64(-1)
    play(game[0], state, action)
    return _situation(state)


@kernel
def _observe(game, states, seat, scratch, observation, mask):
    view = scratch[0]
    write_view(game[0], states[0], seat, view)
    write_observation(game[0], view, observation)
    legal = view.legal
    for action in range(mask.shape[0]):
        mask[action] = (legal >> np.uint64(action)) & _ONE


class SingleDeal:
    """The current deal and the sequence of deals it belongs to.

    Attributes:
        rules: the rules of every deal.
        batch: the deal as a batch of one.
        sequence: the addresses that resets walk along.
        legal: the legal actions of the seat to act, as a mask; 0 when the deal is done.
        turn: the seat to act.
        index: the deal's index; its seed is the batch's.
        plies: how many actions have been played in this deal.
    """

    def __init__(self, rules: str | Rules, history: bool = False, endgame: str | EndgameHook = PLAYED) -> None:
        """Set up the table; with ``history`` what is played is kept, which :meth:`history` needs.

        Raises:
            ValueError: when the rules are unknown, or there is no such endgame in them.
        """
        self.batch = DealBatch(rules, 1, history=history, endgame=endgame)
        self.rules = self.batch.rules
        self.sequence = DealSequence()
        self.legal = self.turn = self.plies = self.index = 0
        self._game = self.rules.game
        self._states = self.batch.states
        self._log = self.batch.log
        self._ending = self.batch.ending
        self._scratch = self.batch.views()
        self._num_observations = self.batch.num_observations
        self._num_actions = self.batch.num_actions

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal the next deal, as the seed and the options of an environment's ``reset`` say.

        A deck given without a dealer is dealt by seat 0.

        Raises:
            ValueError: when the seed or an option is not allowed; then the deal goes on as it was.
        """
        asked = read_options(options, self.rules.cards)
        self.batch.seed, index = self.sequence.advance(seed, asked.deal)
        self._deal(index, asked.dealer, asked.deck)

    def _deal(self, index: int, dealer: int | None, deck: list[int] | None = None) -> None:
        """Deal a deal of the batch's seed, by another dealer or from another deck if these are given."""
        batch = self.batch
        batch.deal_rows(_ROW, np.array([index], np.uint64))
        if deck is not None:
            batch.deal_decks([deck], [dealer or 0])
        elif dealer is not None:
            batch.deal_decks([self._states["deck"][0, : len(self.rules.cards)].tolist()], [dealer])
        self.index = index
        self.plies = 0
        self._read(_look(self._states))

    def _read(self, situation: int) -> None:
        self.legal = situation & _LEGAL_BITS
        self.turn = situation >> _TURN_BIT

    def play(self, action: int) -> bool:
        """Play an action for the seat to act and return whether it was legal; when not, nothing has moved."""
        situation = _play(self._game, self._states, action)
        if situation < 0:
            return False
        self.legal = situation & _LEGAL_BITS
        self.turn = situation >> _TURN_BIT
        self.plies += 1
        if self._log is not None:
            self._log.add(_ROW, np.array([action]))
        if self._ending is not None:
            self.batch.finish_endgames(_ROW)
            self._read(_look(self._states))
        return True

    def observe(self, seat: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Return a seat's observation, int8[n_obs], and its action mask, int8[n_actions], zeros when not its turn."""
        observation = np.empty(self._num_observations, np.int8)
        mask = np.empty(self._num_actions, np.int8)
        _observe(self._game, self._states, seat, self._scratch, observation, mask)
        return observation, mask

    def history(self, seat: int) -> tuple[npt.NDArray[np.int8], int]:
        """Return what a seat saw happen in this deal, tokens int8[max_events, 4], and how many events that is.

        Raises:
            ValueError: when the table keeps no history.
        """
        tokens, lengths = self.batch.history(seats=[seat])
        return tokens[0], int(lengths[0])

    def returns(self, reward: str) -> list[float]:
        """Return what each seat gets when no action is legal any more."""
        returns: list[float] = self.batch.returns(reward)[0].tolist()
        return returns

    def truth(self) -> npt.NDArray[np.int8]:
        """Return the whole truth of the deal, int8[n_state], as ``state_layout`` describes it."""
        row: npt.NDArray[np.int8] = full_states(self.rules, self._states)[0]
        return row

    def illegal(self, player: str, action: object) -> ValueError:
        """Return the error for an action that the seat to act may not play."""
        name = ""
        try:
            number = operator.index(action)  # type: ignore[arg-type]
            name = f" ({action_text(number, self.rules)})" if 0 <= number < self._num_actions else ""
        except TypeError:
            pass
        allowed = actions_text(self.legal, self.rules)
        return ValueError(f"action {action!r}{name} is illegal: {player} may play {allowed}")

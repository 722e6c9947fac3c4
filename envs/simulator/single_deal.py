"""One deal at a time: a batch of one, with the few calls that a single environment makes at every step.

Each of these calls runs one kernel and returns fresh arrays; the speed of the environments depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.engine.state_kernels import is_legal, legal_actions, play
from german_whist.envs.observation.full_state import full_states
from german_whist.envs.observation.vector_kernels import write_observation
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.reset_options import DealSequence, read_options
from german_whist.envs.utils.checks import ActionTypeError, whole_action
from german_whist.envs.utils.jit import kernel

Row = npt.NDArray[np.int8]

_ROW = np.zeros(1, np.int64)
_TURN_BIT = 62
_LEGAL_BITS = (1 << _TURN_BIT) - 1


@kernel
def _situation(state: Any) -> int:
    """Return the legal actions (bits 0 to 61) and the seat to act (bit 62) in one number: one call from Python."""
    return int(np.int64(legal_actions(state)) | (np.int64(state.turn) << _TURN_BIT))


@kernel
def _situation_of_first(states: Any) -> int:
    return _situation(states[0])


@kernel
def _play(game: Any, states: Any, action: int) -> int:
    """Play an action and return the new situation; −1, and nothing has changed, if it is illegal."""
    state = states[0]
    if not is_legal(state, action):
        return -1
    play(game[0], state, action)
    return _situation(state)


@kernel
def _observe(game: Any, states: Any, seat: int, scratch: Any, observation: Row, mask: Row) -> None:
    view = scratch[0]
    write_view(game[0], states[0], seat, view)
    write_observation(game[0], view, observation)
    legal = view.legal
    for action in range(mask.shape[0]):
        mask[action] = (legal >> np.uint64(action)) & np.uint64(1)


class SingleDeal:
    """Simulates one deal at a time; resets walk through the deals of a seed.

    Attributes:
        rules: the rules of every deal.
        batch: the current deal as a batch of one.
        sequence: the deals of successive resets.
        legal: the legal actions of the seat to act as a mask; 0 when the deal is done.
        turn: the seat to act.
        index: the index of the deal; its seed is ``batch.seed``.
        plies: number of actions played in this deal.
    """

    def __init__(self, rules: str | Rules, history: bool = False, endgame: str | EndgameHook = PLAYED) -> None:
        """Create the simulator; :meth:`reset` starts the first deal.

        Args:
            rules: a preset's name, with settings if wanted, or ``Rules``.
            history: keep the actions played, which :meth:`history` needs.
            endgame: ``"played"``, ``"exact"`` or an ``EndgameHook``.

        Raises:
            ValueError: if the rules are unknown or do not allow this endgame.
        """
        self.batch = DealBatch(rules, 1, history=history, endgame=endgame)
        self.rules = self.batch.rules
        self.sequence = DealSequence()
        self.legal = self.turn = self.plies = self.index = 0
        self._states = self.batch.states
        self._log = self.batch.log
        self._scratch = self.batch.views()
        self._num_observations = self.batch.num_observations
        self._num_actions = self.batch.num_actions

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start the next deal, as the seed and the options of an environment's ``reset`` say.

        A deck given without a dealer is dealt by seat 0.

        Raises:
            ValueError: if the seed or an option is not allowed; then the current deal continues.
        """
        chosen = read_options(options, self.rules.cards)
        self.batch.seed, index = self.sequence.advance(seed, chosen.deal)
        self._deal(index, chosen.dealer, chosen.deck)

    def _deal(self, index: int, dealer: int | None, deck: list[int] | None = None) -> None:
        """Start a deal of the batch's seed, with another dealer or deck if given."""
        batch = self.batch
        batch.deal_rows(_ROW, np.array([index], np.uint64))
        if deck is not None:
            batch.deal_decks([deck], [dealer or 0])
        elif dealer is not None:
            batch.deal_decks([self._states["deck"][0, : len(self.rules.cards)].tolist()], [dealer])
        self.index = index
        self.plies = 0
        self._read(_situation_of_first(self._states))

    def _read(self, situation: int) -> None:
        self.legal = situation & _LEGAL_BITS
        self.turn = situation >> _TURN_BIT

    def play(self, action: int) -> bool:
        """Play an action for the seat to act and return whether it was legal; if not, nothing has changed."""
        situation = _play(self.rules.game, self._states, action) if 0 <= action < 64 else -1
        if situation < 0:
            return False
        self.legal = situation & _LEGAL_BITS
        self.turn = situation >> _TURN_BIT
        self.plies += 1
        if self._log is not None:
            self._log.add(_ROW, np.array([action]))
        if self.batch.endgame_hook is not None:
            self.batch.finish_endgames(_ROW)
            self._read(_situation_of_first(self._states))
        return True

    def observe(self, seat: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Return a seat's observation, int8[n_obs], and its action mask, int8[n_actions]: zeros if it is not to act."""
        observation = np.empty(self._num_observations, np.int8)
        mask = np.empty(self._num_actions, np.int8)
        _observe(self.rules.game, self._states, seat, self._scratch, observation, mask)
        return observation, mask

    def mask(self, seat: int) -> npt.NDArray[np.int8]:
        """Return a seat's action mask alone, int8[n_actions]: zeros if it is not to act."""
        if seat != self.turn or not self.legal:
            return np.zeros(self._num_actions, np.int8)
        bits = np.array([self.legal], "<u8").view(np.uint8)
        return np.unpackbits(bits, count=self._num_actions, bitorder="little").view(np.int8)

    def history(self, seat: int) -> tuple[npt.NDArray[np.int8], int]:
        """Return a seat's event history, tokens int8[max_events, 4], and the number of events.

        Raises:
            ValueError: if the simulator was made without ``history=True``.
        """
        tokens, lengths = self.batch.history(seats=[seat])
        return tokens[0], int(lengths[0])

    def returns(self, reward: str) -> list[float]:
        """Return both seats' returns of a finished deal."""
        returns: list[float] = self.batch.returns(reward)[0].tolist()
        return returns

    def reward_limit(self, reward: str) -> float:
        """Return the largest reward that an episode can pay, which is also the penalty for an illegal action."""
        return reward_limit(self.rules.game, reward)

    def full_state(self) -> npt.NDArray[np.int8]:
        """Return the full state vector of the deal, int8[n_state], laid out as ``state_layout`` describes."""
        row: npt.NDArray[np.int8] = full_states(self.rules, self._states)[0]
        return row

    def illegal_action_error(self, player: str, action: object) -> ValueError:
        """Return the error for an action that the seat to act, called ``player``, may not choose."""
        allowed = actions_text(self.legal, self.rules)
        try:
            number = whole_action(action)
        except ActionTypeError:
            return ActionTypeError(f"action {action!r} is illegal: {player} may play {allowed}, as an integer")
        name = f" ({action_text(number, self.rules)})" if 0 <= number < self._num_actions else ""
        return ValueError(f"action {action!r}{name} is illegal: {player} may play {allowed}")

"""A single episode, for environments of one deal at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.actions import action_text, actions_text
from german_whist.game.agent_rng import AgentRng
from german_whist.game.cards import NUM_ACTIONS, NUM_CARDS
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.match_format import MatchFormat
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward
from german_whist.game.utils.backend import Array
from german_whist.game.utils.checks import IllegalActionError, check_seed
from german_whist.simulator.batch import Score
from german_whist.simulator.deals import MakeRng
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.endgame import EndgameHook
from german_whist.simulator.episode_kernels import decode, observe, observe_canonical, play_if_legal, situation
from german_whist.simulator.episodes import Bools, Episodes, Int8s
from german_whist.simulator.observation.canonical_kernels import RELABELING_SIZE
from german_whist.simulator.observation.vector_kernels import write_mask
from german_whist.simulator.observation.views import VIEW

Rows = npt.NDArray[np.int64]


# Why a class of its own: PettingZoo's loop makes seven times as many steps a second with it as with ``Episodes``.
class Episode:
    """A single episode: a deal or a whole match.

    Attributes:
        rules: the rules of every deal.
        match: the match format; ``None`` if the episode is a single deal.
        batch: the current deal, in row 0.
        legal: the legal actions of the seat to act as a mask; 0 when the episode is over.
        turn: the seat to act.
    """

    def __init__(
        self,
        rules: str | Rules,
        match: str | MatchFormat | None = None,
        *,
        history: bool = False,
        endgame: Endgame | EndgameHook = PLAYED,
        canonical: bool = False,
    ) -> None:
        """Make room for an episode; :meth:`reset` deals. Even if observations are canonical, actions are true ones.

        Raises:
            ValueError: as :class:`Episodes` does.
        """
        self._row = Episodes(rules, 1, match, history=history, endgame=endgame, canonical=canonical)
        self.batch, self.rules, self.match = self._row.batch, self._row.rules, self._row.match
        self.legal = self.turn = 0
        # Attributes of this object, because they are read at every step.
        self._every_row: Rows = self._row.every_row
        self._no_row = self._every_row[:0]
        self._states, self._plies, self._scratch = self.batch.states, self._row.plies, np.zeros(2, VIEW)
        self._relabeling = np.zeros(RELABELING_SIZE, np.int8)
        self._num_observations, self._num_actions = self.batch.num_observations, self.batch.num_actions
        self._needs_follow_up = self.batch.endgame_hook is not None  # after every action, not only the last
        self._canonical = canonical
        self._features = np.zeros((2, 0), np.int8)  # the match scores as features, from each seat's side

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start the next episode, by the seed and the options of an environment's ``reset``.

        Raises:
            ValueError: if the seed or an option is not allowed. The current episode then continues.
        """
        self._row.reset(None if seed is None else check_seed(seed), options)
        self._refresh()

    @property
    def is_dealt(self) -> bool:
        """Whether the episode has been reset before."""
        return bool(self._row.is_dealt[0])

    @property
    def is_over(self) -> bool:
        """Whether the episode is over, or has not begun."""
        return bool(self._row.over[0])

    @property
    def address(self) -> tuple[int, int]:
        """Seed and index of the current deal."""
        return int(self._row.seeds[0]), int(self._row.indices[0])

    @property
    def number(self) -> int:
        """The episode, as the index of its deal or the number of its match."""
        return int(self._row.numbers[0])

    @property
    def scores(self) -> tuple[float, float]:
        """The match scores of seats 0 and 1, in points or deals won; zeros if the episode is one deal."""
        first, second = self._row.scores[0].tolist()
        return first, second

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions played in the current deal, of an episode with ``history=True``."""
        log = self.batch.log
        assert log is not None  # they are kept
        return tuple(log.actions[0, : int(log.counts[0])].tolist())

    def returns(self, reward: Reward | Score) -> tuple[float, float]:
        """Return what seats 0 and 1 get for an episode that is over; see :meth:`Episodes.returns`."""
        first, second = self._row.returns(reward, self._every_row)[0].tolist()
        return first, second

    def reward_limit(self, reward: Reward | Score) -> float:
        """Return the largest reward that an episode can pay; see :meth:`Episodes.reward_limit`."""
        return self._row.reward_limit(reward)

    def full_state(self) -> Int8s:
        """Return the full state vector, int8[n_state], with the scores of a match at its end."""
        state: Int8s = self._row.full_states()[0]
        return state

    def history(self, seat: int) -> tuple[Int8s, npt.NDArray[np.int16]]:
        """Return a seat's event history, int8[max_events, 4], and its number of events, int16[1]."""
        tokens, lengths = self.batch.history(seats=[seat])
        return tokens[0], lengths

    def score_features(self, seat: int) -> Int8s:
        """Return the scores of a match from a seat's side, int8[n]; empty for a single deal."""
        features: Int8s = self._features[seat]
        return features

    def _refresh(self) -> None:
        """Read the situation after deals have started, or the episode has ended."""
        self.legal, self.turn = situation(self._states)
        if self.match is not None:
            self._features = self._row.score_features(np.array([0, 0]), np.array([0, 1]))

    def play(self, action: int) -> bool:
        """Play an action for the seat to act and return whether it was legal; an illegal one changes nothing."""
        if not 0 <= action < NUM_ACTIONS:  # kernels take int64 alone
            return False
        is_legal, self.legal, self.turn = play_if_legal(self.rules.record, self._states, self._plies, action)
        if not is_legal:
            return False
        if (log := self.batch.log) is not None:
            log.actions[0, log.counts[0]] = action
            log.counts[0] += 1
        if self._needs_follow_up:
            self._row.follow_up(self._every_row)
            self._refresh()
        elif not self.legal:
            self._row.finish(self._every_row)
            self._refresh()
        return True

    def to_act(self, seat: int, other: int) -> Rows:
        """Return row 0 if a seat is to act, or with ``other=1`` the seat opposite, int64[1]; else no row, int64[0]."""
        return self._every_row if self.legal and self.turn ^ seat == other else self._no_row

    def decisions(self, rows: Rows | None = None, rng: MakeRng | None = None) -> Decisions:
        """Return the decision of the seat to act, whose random numbers follow from the deal by default."""
        rows = self._every_row if rows is None else rows
        return self.batch.decisions_in(rows, rng or self.agent_rng, self._describe, has_deals=True)

    def _describe(self, _: int) -> str:
        seed, deal = self.address
        return f" in deal {deal} of seed {seed}"

    def agent_rng(self, rows: Rows, stream: int = 0, addresses: Array | None = None) -> AgentRng:
        """Return random numbers for agents; see :meth:`Episodes.agent_rng`."""
        where = self._row.indices.copy() if addresses is None else addresses
        return AgentRng(int(self._row.seeds[0]), where, stream, int(self._plies[0]))

    def step(self, rows: Rows, actions: Array) -> Bools:
        """Play an action as :meth:`Episodes.step` does, and return whether it was illegal, bool[1]."""
        self.batch.moves += 1
        return np.array([not self.play(int(action)) for action in actions], np.bool_)

    def end(self) -> None:
        """End the episode before its last deal has ended, for an illegal action."""
        self._row.over[0], self.legal = True, 0

    def observation(self, seat: int) -> tuple[Int8s, Int8s]:
        """Return a seat's observation, int8[n_obs], and its action mask, int8[n_actions]: zeros if it is not to act."""
        observation = np.empty(self._num_observations, np.int8)
        mask = np.empty(self._num_actions, np.int8)
        if self._canonical:
            observe_canonical(self.rules.record, self._states, seat, self._scratch, self._relabeling, observation, mask)
        else:
            observe(self.rules.record, self._states, seat, self._scratch, observation, mask)
        if not self.legal:
            mask[:] = 0
        return observation if self.match is None else np.concatenate([observation, self._features[seat]]), mask

    def masks(self) -> tuple[Int8s, Int8s]:
        """Return the action masks of seats 0 and 1, int8[n_actions] each: zeros for a seat that is not to act."""
        masks = np.zeros(self._num_actions, np.int8), np.zeros(self._num_actions, np.int8)
        if self.legal:
            write_mask(np.uint64(self._shown_legal()), masks[self.turn])
        return masks

    def _shown_legal(self) -> int:
        return int(self.decisions().canonical().views["legal"][0]) if self._canonical else self.legal

    def decoded(self, action: int) -> int:
        """Return the true action of a canonical one of the seat to act."""
        if not 0 <= action < NUM_CARDS:
            return action
        return int(decode(self.rules.record, self._states, self._scratch, self._relabeling, action))

    def illegal_action_error(self, player: str, action: int) -> IllegalActionError:
        """Return the error for an action that the seat to act, called ``player``, may not choose."""
        name = f" ({action_text(action, self.rules)})" if 0 <= action < self.rules.num_actions else ""
        allowed = actions_text(self._shown_legal(), self.rules)
        return IllegalActionError(f"action {action}{name} is illegal: {player} may play {allowed}")

"""What can be read from a batch of deals: seats to act, legal actions, views, observations, histories, returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import check_reward
from german_whist.envs.observation.action_log import ActionLog
from german_whist.envs.observation.vector_kernels import write_masks, write_observations
from german_whist.envs.observation.view_kernels import write_views
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch_checks import output_array
from german_whist.envs.simulator.batch_kernels import observe_seats_to_act, write_legal, write_returns
from german_whist.envs.utils.checks import numbers_between


class BatchReader:
    """The reading half of ``DealBatch``, which deals and steps and sets the attributes."""

    rules: Rules
    size: int
    states: np.ndarray[Any, Any]
    num_actions: int
    num_observations: int
    log: ActionLog | None
    _scratch: np.ndarray[Any, Any]
    _every_row: npt.NDArray[np.int64]

    def _rows(self, rows: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        return self._every_row if rows is None else numbers_between("rows", rows, 0, self.size - 1)

    @property
    def turn(self) -> npt.NDArray[np.int8]:
        """The seat to act, int8[size]; meaningless where a deal is done. A view of the states: copy it to keep it."""
        return self.states["turn"]

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Whether each deal is finished, bool[size]. A view of the states: copy it to keep it."""
        return self.states["done"]

    def legal(self) -> npt.NDArray[np.uint64]:
        """Return the legal actions of the seats to act as bit masks, uint64[size]; 0 where a deal is done."""
        out = np.empty(self.size, np.uint64)
        write_legal(self.states, out)
        return out

    def action_mask(self, out: npt.NDArray[np.int8] | None = None) -> npt.NDArray[np.int8]:
        """Return the legal actions of the seats to act, int8[size, num_actions], 1 where legal.

        Args:
            out: an array to write into and return; a new one by default.

        Raises:
            ValueError: if ``out`` has another shape.
        """
        masks = output_array((self.size, self.num_actions), out)
        write_masks(self.legal(), masks)
        return masks

    def views(self, rows: npt.ArrayLike | None = None, seats: npt.ArrayLike | None = None) -> np.ndarray[Any, Any]:
        """Return what seats know of their deals, as agents receive it.

        Args:
            rows: the deals, int[k]; all of them by default.
            seats: the seat whose view to return for each, int[k]; the seat to act by default.

        Returns:
            A ``VIEW`` array of shape (k,).

        Raises:
            ValueError: if a row is out of range, a seat is not 0 or 1, or their numbers differ.
        """
        which = self._rows(rows)
        if seats is None:
            whose = np.full(len(which), -1, np.int64)
        else:
            whose = numbers_between("seats", seats, 0, 1, which.shape)
        views = np.empty(len(which), VIEW)
        write_views(self.rules.game, self.states, which, whose, views)
        return views

    def observe(
        self, out: npt.NDArray[np.int8] | None = None, seats: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int8]:
        """Return observation vectors, int8[size, n_obs], laid out as ``observation_layout`` describes.

        Args:
            out: an array to write into and return; a new one by default.
            seats: the seat whose observation to return for each deal, int[size]; the seat to act by default.

        Raises:
            ValueError: if ``out`` or ``seats`` has another shape, or a seat is not 0 or 1.
        """
        rows = output_array((self.size, self.num_observations), out)
        if seats is None:
            observe_seats_to_act(self.rules.game, self.states, self._scratch, rows)
        else:
            write_observations(self.rules.game, self.views(seats=seats), rows)
        return rows

    def history(
        self, out: npt.NDArray[np.int8] | None = None, seats: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
        """Return event histories: what seats saw happen in their deals, one row per event.

        The columns are event, who, card and trick; the documentation's page on observations lists their values.

        Args:
            out: an array to write the tokens into and return; a new one by default.
            seats: the seat whose history to return for each deal, int[size]; the seat to act by default.

        Returns:
            Tokens int8[size, max_events, 4], and the number of events of each deal, int16[size].

        Raises:
            ValueError: if the batch was made without ``history=True``, ``out`` or ``seats`` has another shape, or a
                seat is not 0 or 1.
        """
        if self.log is None:
            raise ValueError("history is not kept: make the batch with DealBatch(…, history=True)")
        whose = np.full(self.size, -1) if seats is None else numbers_between("seats", seats, 0, 1, (self.size,))
        return self.log.histories(self.states, whose.astype(np.int64), out)

    def returns(self, reward: str = "margin") -> npt.NDArray[np.float32]:
        """Return both seats' returns, float32[size, 2]; zero-sum, and zeros while a deal is not finished.

        Args:
            reward: ``"margin"`` (counted tricks, own minus the opponent's; negated in a low game), ``"win"`` (+1, 0,
                −1) or ``"points"`` (the rules' own scoring, paid by the loser).

        Raises:
            ValueError: if there is no such reward.
        """
        out = np.empty((self.size, 2), np.float32)
        write_returns(self.rules.game, self.states, check_reward(reward), out)
        return out

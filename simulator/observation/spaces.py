"""Observation spaces: the vector, the event history or both, and the action mask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Space

from german_whist.game.layout import highest_values
from german_whist.game.match_format import MatchFormat
from german_whist.game.rules import Rules
from german_whist.game.utils.names import unknown_name_error
from german_whist.simulator.observation.history import history_high
from german_whist.simulator.observation.vector import observation_high

if TYPE_CHECKING:
    from german_whist.game.utils.backend import Array
    from german_whist.simulator.episode import Episode
    from german_whist.simulator.episodes import Episodes

Observation: TypeAlias = "Array | dict[str, Array]"
ObservationKind = Literal["vector", "history", "both"]
OBSERVATIONS: tuple[ObservationKind, ...] = get_args(ObservationKind)
OBSERVATION_KEYS = ("observation", "action_mask")  # PettingZoo's names


class ObservationForm:
    """The form of an environment's observations: the vector, the event history, or both, with or without the mask.

    A vector without a mask is a plain array. Everything else is a dictionary: the vector, or the history without a
    vector, has the first of the keys and the mask the second; beside a vector the history is ``"history"``. With a
    history, ``"length"`` is its number of events, and ``"match"`` has the scores that a vector would end with.

    Attributes:
        has_history: whether the event history is shown.
    """

    def __init__(self, observation: ObservationKind, keys: object) -> None:
        """Set the form.

        Args:
            observation: ``"vector"``, ``"history"`` or ``"both"``.
            keys: the keys of observation and mask; ``None`` for observations without the mask.

        Raises:
            ValueError: if there is no such observation, the keys are not two different names, or another entry of the
                observation has one of them.
        """
        if observation not in OBSERVATIONS:
            raise unknown_name_error("observation", observation, OBSERVATIONS)
        names = tuple(keys) if isinstance(keys, (list, tuple)) else ()
        is_pair = len(names) == 2 and names[0] != names[1] and all(isinstance(name, str) and name for name in names)
        if keys is not None and not is_pair:
            raise ValueError(f"observation_keys must be two different names or None, got {keys!r}")
        self._has_vector, self.has_history = observation != "history", observation != "vector"
        others = {"length", "match", *(["history"] if self._has_vector else [])} if self.has_history else set()
        if others.intersection(names):
            raise ValueError(f"observation_keys must differ from {sorted(others)} of {observation!r}, got {keys!r}")
        self._key, self._mask_key = (OBSERVATION_KEYS[0], None) if keys is None else names
        self._history_key = "history" if self._has_vector else self._key

    def space(self, rules: Rules, match: MatchFormat | None) -> Space[Any]:
        """Return the space of one seat's observation of deals by these rules, or of a match."""
        parts: dict[str, Space[Any]] = {}
        if self._has_vector:
            parts[self._key] = _box(observation_high(rules, match))
        if self.has_history:
            events = _box(history_high(rules))
            parts[self._history_key] = events
            parts["length"] = Box(0, events.shape[0], (1,), np.int16)
            if match is not None and not self._has_vector:
                parts["match"] = _box(highest_values(rules, (match.block(rules),)))
        if self._mask_key is not None:
            parts[self._mask_key] = Box(0, 1, (rules.num_actions,), np.int8)
        return Dict(parts) if self.has_history or self._mask_key is not None else parts[self._key]

    def of_rows(self, episodes: Episodes, rows: Array | None, seats: Array | None, masks: Array) -> Observation:
        """Return the observations of ``seats`` in some rows, an array or a dictionary of arrays, one row each.

        Args:
            episodes: the episodes.
            rows: the rows, int64[k]; ``None`` for all.
            seats: the seats, int64[k]; ``None`` for those to act, in single deals.
            masks: their action masks, int8[k, n_actions].
        """
        seen: dict[str, Any] = {}
        if self._has_vector:
            seen[self._key] = episodes.observe(rows, seats)
        if self.has_history:
            seen[self._history_key], lengths = episodes.batch.history(seats=seats, rows=rows)
            seen["length"] = lengths[:, None]
            if episodes.match is not None and not self._has_vector:
                seen["match"] = episodes.score_features(rows, seats)
        if self._mask_key is not None:
            seen[self._mask_key] = episodes.backend.copy(masks)
        return seen if self.has_history or self._mask_key is not None else seen[self._key]

    def of_seat(self, episode: Episode, seat: int) -> tuple[Any, npt.NDArray[np.int8]]:
        """Return a seat's observation, and its action mask, which may be that of the observation."""
        vector, mask = episode.observation(seat)
        if not self.has_history:
            return vector if self._mask_key is None else {self._key: vector, self._mask_key: mask}, mask
        seen: dict[str, Any] = {self._key: vector} if self._has_vector else {}
        seen[self._history_key], seen["length"] = episode.history(seat)
        if episode.match is not None and not self._has_vector:
            seen["match"] = episode.score_features(seat).copy()
        if self._mask_key is not None:
            seen[self._mask_key] = mask.copy()
        return seen, mask


def _box(high: npt.NDArray[np.int8]) -> Box:
    return Box(np.zeros_like(high), high, dtype=np.int8)

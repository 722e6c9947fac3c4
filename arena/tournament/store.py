"""Results of pairs on disk, so that nothing is played twice."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.arena.match_result import Forfeit
from german_whist.arena.parts.match_part import MAX_DEALS, MatchPart, Meeting, read_parts, write_parts
from german_whist.envs.utils.checks import whole_number

_LONGEST_NAME = 24  # characters of an agent's specification in a file's name
_DIGITS = 12

Margins = npt.NDArray[np.int64]
Played = npt.NDArray[np.bool_]


class StoredResults(NamedTuple):
    """What is known of a meeting's deals 0 … n − 1.

    Attributes:
        margins: int64[n, 2].
        is_played: which deals are known, bool[n].
        forfeits: games that an agent lost without playing them to the end.
    """

    margins: Margins
    is_played: Played
    forfeits: list[Forfeit]


class ResultStore:
    """Margins of meetings in a folder: agents, their versions, rules, seed and endgame are the key.

    Every file is complete at all times. Shards of a meeting lie beside its main file, so machines that share the folder
    (or whose files are copied into one) need not talk to each other.
    """

    def __init__(self, folder: str | Path) -> None:
        """Use a folder; it is made when something is written."""
        self.folder = Path(folder)

    def load(self, meeting: Meeting, deals: int) -> StoredResults:
        """Return what is known of a meeting.

        Args:
            meeting: who played what.
            deals: the smallest number of deals; more if more are stored.

        Raises:
            ValueError: when there are more deals than are stored, or a file is damaged; the message names it.
        """
        whole_number("deals", deals, 1, MAX_DEALS)
        parts = []
        for path in sorted(self.folder.glob(f"{_key(meeting)}*.json")):
            for part in read_parts(path):
                if part.match:
                    raise ValueError(f"{path}: a part of a series, {part.match}, where deals are stored")
                if part.deals.stop > MAX_DEALS:
                    raise ValueError(f"{path}: deal {part.deals.stop - 1} is beyond the {MAX_DEALS} that are stored")
                if part.meeting == meeting:
                    parts.append(part)
        size = max([deals, *(part.deals.stop for part in parts)])
        margins, is_played = np.zeros((size, 2), np.int64), np.zeros(size, np.bool_)
        for part in parts:
            margins[part.start : part.deals.stop] = part.margins
            is_played[part.start : part.deals.stop] = True
        forfeits = list(dict.fromkeys(one for part in parts for one in part.forfeits))
        return StoredResults(margins, is_played, forfeits)

    def save(self, meeting: Meeting, stored: StoredResults) -> None:
        """Write what is known of a meeting, replacing its main file.

        Raises:
            OSError: when it cannot be written.
        """
        parts = []
        for run in runs_of(stored.is_played, True):
            margins = stored.margins[run.start : run.stop]
            forfeits = tuple(one for one in stored.forfeits if one.deal in run)
            parts.append(MatchPart(meeting, run.start, len(run), run.start, margins, forfeits=forfeits))
        self._write(_key(meeting), parts)

    def save_shard(self, part: MatchPart) -> None:
        """Write a shard of a meeting in a file of its own.

        Raises:
            OSError: when it cannot be written.
        """
        name = f"{_key(part.meeting)}.{part.match_deals}.{part.shard.replace('/', '-of-')}"
        self._write(name, [part])

    def _write(self, name: str, parts: list[MatchPart]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_parts(self.folder / f"{name}.json", parts)


def runs_of(marks: Played, value: bool) -> list[range]:
    """Return the ranges of indices at which an array has a value."""
    found, start = [], 0
    for mark, run in groupby(marks.tolist()):
        length = len(list(run))
        if mark == value:
            found.append(range(start, start + length))
        start += length
    return found


def _key(meeting: Meeting) -> str:
    digest = hashlib.sha256(json.dumps(meeting).encode()).hexdigest()[:_DIGITS]
    names = [re.sub(r"[^A-Za-z0-9]+", "_", spec)[:_LONGEST_NAME].strip("_") for spec in (meeting.first, meeting.second)]
    return "-".join([*names, digest])

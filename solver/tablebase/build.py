"""Builds tablebases by retrograde analysis, on all cores; a file is renamed into place when it is complete."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from german_whist.game.utils.checks import is_int
from german_whist.game.utils.files import file_lock, rename_flushed
from german_whist.solver.tablebase.kinds import TablebaseKind, tablebase_path
from german_whist.solver.tablebase.position_kernels import MAX_CARDS
from german_whist.solver.tablebase.ranking import Block, Ranking, tablebase_layout
from german_whist.solver.tablebase.retrograde_kernels import build_block, pack
from german_whist.solver.tablebase.suit_moves import suit_moves
from german_whist.solver.tablebase.tablebase_file import Tablebase, find_tablebase, write_checksum

Progress = Callable[[int, int], None]  # called with the positions done and the total
Values = npt.NDArray[np.uint8]


def build_tablebase(
    kind: TablebaseKind, cards: int, progress: Progress = lambda done, total: None, folder: Path | None = None
) -> Tablebase:
    """Return an tablebase from its file, which is built first if there is none.

    Other processes that want the same table wait for this one.

    Args:
        kind: the kind of game.
        cards: cards in the largest hands, 1 to 13.
        progress: called with the number of positions done and the total.
        folder: where its file is; the cache folder by default.

    Raises:
        ValueError: if ``cards`` is out of range.
        OSError: if the file cannot be written.
    """
    if not is_int(cards, 1, MAX_CARDS):
        raise ValueError(f"cards must be an integer from 1 to {MAX_CARDS}, got {cards!r}")
    path = tablebase_path(kind, cards, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(path.with_suffix(".lock"), timeout=-1):
        tablebase = find_tablebase(kind, cards, folder)
        if tablebase is None:
            _write_file(path, kind, cards, progress)
            tablebase = find_tablebase(kind, cards, folder)
    assert tablebase is not None
    return tablebase


def build_in_memory(kind: TablebaseKind, cards: int) -> Tablebase:
    """Build an tablebase without a file."""
    file = BytesIO()
    _write_values(file, kind, cards, lambda done, total: None)
    values = np.frombuffer(file.getvalue(), np.uint8)
    return Tablebase(tablebase_layout(cards, kind.trump).ranking, values, cards, kind.trump, kind.low)


def _write_file(path: Path, kind: TablebaseKind, cards: int, progress: Progress) -> None:
    partial = path.with_suffix(".partial")
    try:
        with partial.open("wb") as file:
            _write_values(file, kind, cards, progress)
        rename_flushed(partial, path)
        write_checksum(path)
    finally:
        partial.unlink(missing_ok=True)


def _write_values(file: BinaryIO, kind: TablebaseKind, cards: int, progress: Progress) -> None:
    layout = tablebase_layout(cards, kind.trump)
    below: _Layer | None = None
    done = 0
    for hand in range(cards + 1):
        layer = _Layer(layout.ranking, kind, [block for block in layout.blocks if block.cards == hand], below)
        if hand < cards:
            layer.keep()
        for data in _in_order(layer.build, layer.blocks):
            file.write(data)
            done += 2 * len(data)
            progress(done, layout.size)
        below = layer


class _Layer:
    """All endgames with the same number of cards, built from those with one card fewer."""

    def __init__(self, ranking: Ranking, kind: TablebaseKind, blocks: Sequence[Block], below: _Layer | None) -> None:
        self.blocks = blocks
        self.start = blocks[0].start
        self.values: Values = np.zeros(0, np.uint8)  # one per byte; empty unless the layer above needs them
        self._ranking, self._kind = ranking, kind
        self._below = (np.zeros(0, np.uint8), 0) if below is None else (below.values, below.start)

    def keep(self) -> None:
        """Keep the values for the layer above."""
        last = self.blocks[-1]
        self.values = np.zeros(last.start + _padded(last.size) - self.start, np.uint8)

    def build(self, block: Block) -> bytes:
        """Return the values of a block, two per byte."""
        values = np.zeros(_padded(block.size), np.uint8)
        lengths = np.array(block.lengths, np.int64)
        build_block(self._ranking, suit_moves(), *self._kind, lengths, block.start, *self._below, values[: block.size])
        if self.values.size:
            self.values[block.start - self.start :][: len(values)] = values
        packed = np.empty(len(values) // 2, np.uint8)
        pack(values, packed)
        return packed.tobytes()


def _padded(size: int) -> int:
    return size + size % 2


def _in_order(build: Callable[[Block], bytes], blocks: Sequence[Block]) -> Iterator[bytes]:
    """Build blocks on all cores, a few ahead, and yield them in order."""
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as executor:
        waiting: deque[Future[bytes]] = deque()
        try:
            for block in blocks:
                waiting.append(executor.submit(build, block))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            executor.shutdown(cancel_futures=True)

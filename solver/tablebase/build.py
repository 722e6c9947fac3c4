"""Builds endgame tables into files: in parallel, resumable, and renamed into place only when complete."""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.files import file_lock, temporary_path
from german_whist.solver.tablebase.endgame_table import HEADER_BYTES, EndgameTable, Header, checksum, read_header
from german_whist.solver.tablebase.kinds import TableError, TableKind, check_cards, table_path
from german_whist.solver.tablebase.ranking import Block, Ranking, TableLayout, table_layout
from german_whist.solver.tablebase.retrograde_kernels import build_block, pack, unpack
from german_whist.solver.tablebase.suit_moves import suit_moves

Progress = Callable[[int, int], None]  # called with the positions done and the total
Values = npt.NDArray[np.uint8]

_CHECKPOINT_SECONDS = 1.0  # a killed build loses at most this much work


def build_table(
    kind: TableKind, cards: int, progress: Progress = lambda done, total: None, folder: Path | None = None
) -> Path:
    """Build an endgame table by retrograde analysis, or resume an interrupted build, and return its file.

    An existing table is left as it is. Other processes that want the same table wait for this one.

    Args:
        kind: the kind of game.
        cards: cards in the largest hands, 1 to 13.
        progress: called with the number of positions done and the total.
        folder: where its file is; the cache folder by default.

    Raises:
        TableError: if ``cards`` is out of range, the folder cannot be written or the disk is full; nothing half-written
            is left behind.
    """
    path = table_path(kind, check_cards(cards), folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(path.with_suffix(".lock"), timeout=-1) as is_alone:
            if not path.exists():
                partial = path.with_suffix(".partial") if is_alone else temporary_path(path)
                try:
                    _build(path, partial, kind, cards, progress)
                finally:
                    if not is_alone:
                        partial.unlink(missing_ok=True)  # no other process could resume it
    except OSError as error:
        raise TableError(f"the endgame table cannot be written to {path.parent}: {error.strerror or error}") from None
    return path


def build_in_memory(kind: TableKind, cards: int, progress: Progress = lambda done, total: None) -> EndgameTable:
    """Build an endgame table without a file; the arguments are those of :func:`build_table`."""
    layout = table_layout(check_cards(cards), kind.trump)
    file = BytesIO(bytes(HEADER_BYTES))
    _write_layers(file, Header(kind.name, cards), layout, kind, lambda done: progress(done, layout.size))
    values = np.frombuffer(file.getvalue(), np.uint8, offset=HEADER_BYTES)
    return EndgameTable(layout.ranking, values, cards, kind.trump, kind.low)


def _build(path: Path, partial: Path, kind: TableKind, cards: int, progress: Progress) -> None:
    layout = table_layout(cards, kind.trump)
    header = _resumable(partial, kind, cards, layout)
    try:
        with partial.open("r+b" if header.blocks else "w+b") as file:
            file.truncate(HEADER_BYTES + header.bytes)
            header.write(file)
            _write_layers(file, header, layout, kind, lambda done: progress(done, layout.size))
            header.complete = True
            header.write(file)
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _resumable(partial: Path, kind: TableKind, cards: int, layout: TableLayout) -> Header:
    """Return the header of an interrupted build, or a new one if there is nothing to resume."""
    with contextlib.suppress(TableError, OSError):
        header = read_header(partial)
        if header.kind == kind.name and header.cards == cards and 0 < header.blocks <= len(layout.blocks):
            last = layout.blocks[header.blocks - 1]
            fits = header.bytes == (last.start + _padded(last.size)) // 2
            if fits and checksum(partial, header.bytes) == header.checksum:
                header.complete = False
                return header
    with contextlib.suppress(OSError):
        partial.unlink()  # rather than overwrite it: it may be a pipe or a link
    return Header(kind.name, cards)


def _write_layers(
    file: BinaryIO,
    header: Header,
    layout: TableLayout,
    kind: TableKind,
    progress: Callable[[int], None],
) -> None:
    blocks = layout.blocks
    below: _Layer | None = None
    checkpoint = time.monotonic()
    for cards in range(header.cards + 1):
        layer = _Layer(layout.ranking, kind, [block for block in blocks if block.cards == cards], below)
        if cards < header.cards:
            layer.keep()
        ready = min(header.blocks - sum(block.cards < cards for block in blocks), len(layer.blocks))
        if ready > 0:
            layer.read(file, ready)
        for data in _in_order(layer.build, layer.blocks[max(ready, 0) :]):
            file.seek(HEADER_BYTES + header.bytes)
            file.write(data)
            header.blocks += 1
            header.bytes += len(data)
            header.checksum = zlib.crc32(data, header.checksum)
            if time.monotonic() - checkpoint > _CHECKPOINT_SECONDS:
                header.write(file)
                checkpoint = time.monotonic()
            progress(2 * header.bytes)
        below = layer


class _Layer:
    """All endgames with the same number of cards, built from those with one card fewer."""

    def __init__(self, ranking: Ranking, kind: TableKind, blocks: Sequence[Block], below: _Layer | None) -> None:
        self.blocks = blocks
        self.start = blocks[0].start
        self.values: Values = np.zeros(0, np.uint8)  # one per byte; empty unless the layer above needs them
        self._ranking, self._kind = ranking, kind
        self._below = (np.zeros(0, np.uint8), 0) if below is None else (below.values, below.start)

    def keep(self) -> None:
        """Keep the values for the layer above."""
        last = self.blocks[-1]
        self.values = np.zeros(last.start + _padded(last.size) - self.start, np.uint8)

    def read(self, file: BinaryIO, ready: int) -> None:
        """Read the first ``ready`` blocks from the file of an interrupted build."""
        if self.values.size:
            last = self.blocks[ready - 1]
            packed = (last.start + _padded(last.size) - self.start) // 2
            file.seek(HEADER_BYTES + self.start // 2)
            unpack(np.frombuffer(file.read(packed), np.uint8), self.values[: 2 * packed])

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

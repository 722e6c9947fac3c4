"""Build a table into its file: in parallel, resumable, and never seen half-written."""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from german_whist.solver.tables.file import HEADER_BYTES, Header, checksum, read_header
from german_whist.solver.tables.kinds import TableError, TableKind, check_cards, table_path
from german_whist.solver.tables.ranking import Block, Ranking, lay_out
from german_whist.solver.tables.retrograde_kernels import build_block, pack, unpack
from german_whist.solver.tables.suit_moves import suit_moves

Progress = Callable[[int, int], None]  # told how many of how many positions are done
Values = npt.NDArray[np.uint8]

_SECONDS_BETWEEN_MARKS = 1.0  # how much work a killed build loses


def build_table(kind: TableKind, cards: int, progress: Progress = lambda done, total: None) -> Path:
    """Build a table, or go on with one whose building was stopped, and return its file.

    Other processes that want the same table wait for this one; if they find it built they leave it as it is.

    Args:
        kind: which game.
        cards: cards in the largest hands, 1 to 13.
        progress: told how many of how many positions are done.

    Raises:
        TableError: when the folder cannot be written or the disk is full; nothing half-written is left then.
    """
    from filelock import FileLock

    path = table_path(kind, check_cards(cards))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():
                _build(path, kind, cards, progress)
    except OSError as error:
        raise TableError(f"the endgame table cannot be written to {path.parent}: {error.strerror or error}") from None
    return path


def _build(path: Path, kind: TableKind, cards: int, progress: Progress) -> None:
    partial = path.with_suffix(".partial")
    ranking, blocks, total = lay_out(cards, kind.trump)
    header = _resumable(partial, kind, cards, len(blocks))
    try:
        with partial.open("r+b" if header.blocks else "w+b") as file:
            file.truncate(HEADER_BYTES + header.bytes)
            header.write(file)
            _write_layers(file, header, ranking, blocks, kind, lambda done: progress(done, total))
            header.complete = True
            header.write(file)
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _resumable(partial: Path, kind: TableKind, cards: int, blocks: int) -> Header:
    """Return the header of what an earlier build has left, or one of a table to be begun."""
    with contextlib.suppress(TableError, OSError):
        header = read_header(partial)
        fits = header.kind == kind.name and header.cards == cards and 0 < header.blocks <= blocks
        if fits and checksum(partial, header.bytes) == header.checksum:
            return header
    return Header(kind.name, cards)


def _write_layers(
    file: BinaryIO,
    header: Header,
    ranking: Ranking,
    blocks: Sequence[Block],
    kind: TableKind,
    progress: Callable[[int], None],
) -> None:
    below: _Layer | None = None
    marked = time.monotonic()
    for cards in range(header.cards + 1):
        layer = _Layer(ranking, kind, [block for block in blocks if block.cards == cards], below)
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
            if time.monotonic() - marked > _SECONDS_BETWEEN_MARKS:
                header.write(file)
                marked = time.monotonic()
            progress(2 * header.bytes)
        below = layer


class _Layer:
    """All endgames of so many cards a hand, and what they are built from."""

    def __init__(self, ranking: Ranking, kind: TableKind, blocks: Sequence[Block], below: _Layer | None) -> None:
        self.blocks = blocks
        self.first = blocks[0].first
        self.values: Values = np.zeros(0, np.uint8)  # one to a byte, when they are kept for the layer above
        self._ranking, self._kind = ranking, kind
        self._below = (np.zeros(0, np.uint8), 0) if below is None else (below.values, below.first)

    def keep(self) -> None:
        last = self.blocks[-1]
        self.values = np.zeros(last.first + _padded(last.size) - self.first, np.uint8)

    def read(self, file: BinaryIO, ready: int) -> None:
        """Read the first so many blocks from a table that is being built."""
        if self.values.size:
            last = self.blocks[ready - 1]
            packed = (last.first + _padded(last.size) - self.first) // 2
            file.seek(HEADER_BYTES + self.first // 2)
            unpack(np.frombuffer(file.read(packed), np.uint8), self.values[: 2 * packed])

    def build(self, block: Block) -> bytes:
        """Return the values of a block, two to a byte."""
        values = np.zeros(_padded(block.size), np.uint8)
        lengths = np.array(block.lengths, np.int64)
        build_block(self._ranking, suit_moves(), *self._kind, lengths, block.first, *self._below, values[: block.size])
        if self.values.size:
            self.values[block.first - self.first :][: len(values)] = values
        packed = np.empty(len(values) // 2, np.uint8)
        pack(values, packed)
        return packed.tobytes()


def _padded(size: int) -> int:
    return size + size % 2


def _in_order(build: Callable[[Block], bytes], blocks: Sequence[Block]) -> Iterator[bytes]:
    """Build blocks on all cores, a few ahead, and give them back in order."""
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

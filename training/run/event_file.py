"""The numbers of a run as TensorBoard reads them.

TensorBoard's own writer is a thread, which would print a traceback of its own where the disk is full.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from german_whist.envs.utils.files import naming


class EventFile:
    """A new file of events in a folder; each is on its way to the disk when it has been added."""

    def __init__(self, folder: Path, decisions: int = 0) -> None:
        """Begin the file.

        Args:
            folder: the folder.
            decisions: where a run is resumed; TensorBoard hides what earlier files say of later ones.

        Raises:
            OSError: when it cannot be written; the error names it.
        """
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
        self._path = folder / name
        with naming(self._path):
            folder.mkdir(exist_ok=True)  # a run is resumed without it, too
            self._records = RecordWriter(self._path.open("ab"))
        self._add(file_version="brain.Event:2")
        if decisions:
            self._add(step=decisions + 1, session_log=SessionLog(status=SessionLog.START))

    def add(self, decisions: int, numbers: Mapping[str, float]) -> None:
        """Add numbers by name.

        Args:
            decisions: decisions trained on so far.
            numbers: the numbers.

        Raises:
            OSError: when they cannot be written; the error names the file.
        """
        values = [Summary.Value(tag=name, simple_value=number) for name, number in numbers.items()]
        self._add(step=decisions, summary=Summary(value=values))

    def _add(self, **fields: Any) -> None:
        with naming(self._path):
            self._records.write(Event(wall_time=time.time(), **fields).SerializeToString())
            self._records.flush()

    def close(self) -> None:
        """Close the file."""
        with naming(self._path):
            self._records.close()

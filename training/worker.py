"""A worker process of a run; ``training/processes.py`` starts it with its rank, the number of processes and a port."""

from __future__ import annotations

import os
import sys
import threading

from german_whist.training.processes import READY, local_store, process_group
from german_whist.training.train import train


def main(rank: int, size: int, port: int) -> None:
    """Train with the configuration that the first process sends."""
    store = local_store(port)
    store.add(READY, 1)
    with process_group(rank, store=store, rank=rank, world_size=size) as processes:
        config, run, resume = processes.broadcast(None)
        train(config, run, resume=resume, quiet=True, processes=processes)


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # blocks until the first process ends, however that happens
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        main(*map(int, sys.argv[1:]))
    except (ValueError, FloatingPointError, ConnectionError) as error:  # one line, as the command line prints them
        sys.exit(f"{error}")

"""A worker process of a run; ``training/processes.py`` starts it with its rank, the number of processes and a port."""

from __future__ import annotations

import os
import sys
import threading

from german_whist.training.processes import READY, local_store, process_group
from german_whist.training.train import run_training


def main(rank: int, size: int, port: int) -> None:
    """Train with the configuration that the first process sends."""
    store = local_store(port)
    store.add(READY, 1)
    with process_group(rank, store=store, rank=rank, world_size=size) as processes:
        run, config = processes.broadcast(None)
        run_training(config, run, processes, quiet=True)


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # returns when the parent has ended, however it ended
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        main(*map(int, sys.argv[1:]))
    except ConnectionError:  # the first process reports it
        sys.exit(1)
    except (ValueError, FloatingPointError) as error:  # the command line shows these as sentences
        sys.exit(f"german-whist: process {int(sys.argv[1]) + 1}: {error}")

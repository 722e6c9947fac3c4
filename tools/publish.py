"""Publishes a trained network as a pretrained agent.

``python -m tools.publish RUN/final.safetensors NAME --command "…"`` writes its file, with the commands that produced it
in the model card. ``python -m tools.agent_strength`` then measures its strength and adds the results.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.pretrained import FILE_SUFFIX
from german_whist.game.endgame_setting import ENDGAMES, check_endgame

FOLDER = "agents/weights"
MAX_BYTES = 5_000_000


def publish(
    source: str | Path,
    target: str | Path,
    commands: Sequence[str] = (),
    *,
    half: bool = False,
    endgame: str | None = None,
) -> int:
    """Write a run's checkpoint as a pretrained agent, without the run's results, and return its size in bytes.

    Args:
        source: the checkpoint of a run.
        target: the file to write.
        commands: the commands that produced it from scratch, in order.
        half: whether to store float16.
        endgame: ``"played"`` or ``"exact"``, instead of the checkpoint's own.

    Raises:
        ValueError: if the source is not a checkpoint, has too many weights, or there is no such endgame.
    """
    checkpoint = load_checkpoint(source)
    training = {**checkpoint.training, "commands": list(commands)}
    published = dataclasses.replace(
        checkpoint,
        training=training,
        results={},
        endgame=checkpoint.endgame if endgame is None else check_endgame(endgame),
    )
    weights = sum(weight.size + bias.size for weight, bias in (*published.layers, *published.value))
    if weights > MAX_BYTES // (2 if half else 4):
        raise ValueError(f"{weights:,} weights are too many for a pretrained agent of at most {MAX_BYTES // 10**6} MB")
    published.save(target, half=half)
    return Path(target).stat().st_size


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.publish", description=__doc__)
    parser.add_argument("source", metavar="FILE", help="the checkpoint of a run")
    parser.add_argument("name", metavar="NAME", help="name of the agent")
    parser.add_argument("--command", action="append", default=[], help="a command that produced it; repeat in order")
    parser.add_argument("--half", action="store_true", help="store float16, which halves the size")
    parser.add_argument(
        "--endgame",
        choices=ENDGAMES,
        help="how the agent plays the endgame unless told otherwise (default: as the checkpoint says)",
    )
    parser.add_argument("--folder", default=FOLDER, help=f"folder to write to (default {FOLDER})")
    options = parser.parse_args(words)
    target = Path(options.folder) / f"{options.name}{FILE_SUFFIX}"
    try:
        size = publish(
            options.source,
            target,
            options.command,
            half=options.half,
            endgame=options.endgame,
        )
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(f"{target}: {size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

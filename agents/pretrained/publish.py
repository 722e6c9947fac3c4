"""Put a trained network in the box: ``python -m german_whist.agents.pretrained.publish RUN/final.safetensors NAME --command "…"``.

The file gets a card that says how it came about. How strong it is, ``python -m german_whist.benchmarks.strength.agent_strength``
measures and adds.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from german_whist.agents.policy.checkpoint import ENDGAMES, check_endgame, load_checkpoint
from german_whist.agents.pretrained.catalog import ENDING

FOLDER = "agents/weights"
LARGEST = 5_000_000  # bytes of a file


def box(
    source: str | Path,
    target: str | Path,
    commands: Sequence[str] = (),
    *,
    half: bool = False,
    logits_a_trick: float | None = None,
    endgame: str | None = None,
) -> int:
    """Write a checkpoint as a boxed agent, without the results of its training, and return its size in bytes.

    Args:
        source: the checkpoint of a run.
        target: the file to write.
        commands: what made it from nothing, in order.
        half: write float16.
        logits_a_trick: what the card is to say of the logits, where the checkpoint's does not.
        endgame: what the card is to say of endgames, ``"played"`` or ``"solved"``, if not what the checkpoint's says.

    Raises:
        ValueError: when the source is no checkpoint, its file is too large for the box, or there is no such endgame.
    """
    checkpoint = load_checkpoint(source)
    training = {**checkpoint.training, "commands": list(commands)}
    told = checkpoint.logits_a_trick or logits_a_trick
    ending = checkpoint.endgame if endgame is None else check_endgame(endgame)
    boxed = dataclasses.replace(checkpoint, training=training, results={}, logits_a_trick=told, endgame=ending)
    weights = sum(weight.size + bias.size for weight, bias in boxed.layers)
    if weights * (2 if half else 4) > LARGEST:
        raise ValueError(
            f"{weights:,} weights are too many for the box: a file of {LARGEST // 10**6} MB is the largest"
        )
    boxed.save(target, half=half)
    return Path(target).stat().st_size


def main(words: Sequence[str] | None = None) -> int:
    """Box a checkpoint."""
    parser = argparse.ArgumentParser(prog="python -m german_whist.agents.pretrained.publish", description=__doc__)
    parser.add_argument("source", metavar="FILE", help="the checkpoint of a run")
    parser.add_argument("name", metavar="NAME", help="what the agent is to be called")
    parser.add_argument("--command", action="append", default=[], help="what made it; once for each command, in order")
    parser.add_argument("--half", action="store_true", help="float16, half the size")
    parser.add_argument("--logits-a-trick", type=float, metavar="N", help="logits are N times a card's worth in tricks")
    parser.add_argument(
        "--endgame", choices=ENDGAMES, help="how the agent ends a deal by itself (default: as the checkpoint says)"
    )
    parser.add_argument("--folder", default=FOLDER, help=f"the box (default {FOLDER})")
    options = parser.parse_args(words)
    target = Path(options.folder) / f"{options.name}{ENDING}"
    try:
        size = box(
            options.source,
            target,
            options.command,
            half=options.half,
            logits_a_trick=options.logits_a_trick,
            endgame=options.endgame,
        )
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(f"{target}: {size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Publishes a trained network as a pretrained agent.

``python -m tools.publish RUN/final.safetensors NAME --command "…"`` writes its file, with the commands that produced it
in the model card. ``python -m tools.agent_strength`` then measures its strength and adds the results.
"""

from __future__ import annotations

import argparse
import dataclasses

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.pretrained import FILE_SUFFIX
from german_whist.game.endgame_setting import ENDGAMES
from tools.reference_pages import ROOT


def main() -> None:
    """Write a run's checkpoint as a pretrained agent, without the run's results."""
    parser = argparse.ArgumentParser(prog="python -m tools.publish", description=__doc__)
    parser.add_argument("source", metavar="FILE", help="the checkpoint of a run")
    parser.add_argument("name", metavar="NAME", help="name of the agent")
    parser.add_argument("--command", action="append", default=[], help="a command that produced it; repeat in order")
    parser.add_argument("--half", action="store_true", help="store float16, which halves the size")
    parser.add_argument("--endgame", choices=ENDGAMES, help="the agent's endgame (default: as the checkpoint says)")
    options = parser.parse_args()
    checkpoint = load_checkpoint(options.source)
    published = dataclasses.replace(
        checkpoint,
        training={**checkpoint.training, "commands": options.command},
        results={},
        endgame=options.endgame or checkpoint.endgame,
    )
    target = ROOT / "agents" / "weights" / f"{options.name}{FILE_SUFFIX}"
    published.save(target, half=options.half)
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

"""``german-whist export``: a trained network as ONNX."""

from __future__ import annotations

import argparse
import os
from typing import Any

from german_whist.envs.utils.specs import printable


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "export",
        help="export a network to ONNX",
        description="Export the network of a trained agent to ONNX: observations in, logits out. The file's metadata "
        "describes both.",
        epilog="example: german-whist export champion --out champion.onnx",
    )
    parser.add_argument("agent", metavar="AGENT", help="a trained agent: champion, checkpoint:PATH, …")
    parser.add_argument("--out", metavar="FILE", help="the ONNX file (default: the agent's name with .onnx)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the file and print its path."""
    from german_whist.agents.registry import make_agent
    from german_whist.training.export import export

    agent = make_agent(options.agent).network
    if agent is None:
        raise ValueError(f"agent {options.agent!r} is not a network: german-whist agents lists the trained ones")
    path = options.out or f"{agent.name}.onnx"
    export(agent.checkpoint, path)
    print(f"{printable(path)}: {os.path.getsize(path) / 1000:.0f} kB")
    return 0

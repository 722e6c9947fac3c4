"""Our agents against other authors' bots: ``python -m lab.strength.other_bots FOLDER``.

Every program in the folder that speaks the line protocol (docs/how-to/enter-a-bot.md) plays mirrored deals: Python and
JavaScript by their interpreters, anything else that may be executed by itself. A row gives the games as people play
them, and those with exact endgames on both sides. The folder may hold adapters of bots that speak another protocol.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from german_whist.agents.pretrained.model_cards import margin, win_rate
from german_whist.arena.match import play_match
from german_whist.envs.utils.markdown import markdown_table

SEED = 20261126
INTERPRETERS = {".py": [sys.executable], ".js": ["node"], ".mjs": ["node"]}


def bots_of(folder: Path) -> dict[str, str]:
    """Return the specification string of every bot in a folder, by the file's name.

    Raises:
        ValueError: if there is none.
    """
    bots = {}
    for path in sorted(path.resolve() for path in folder.iterdir() if path.is_file()):
        interpreter = INTERPRETERS.get(path.suffix)
        if interpreter or os.access(path, os.X_OK):
            bots[path.name] = f"process:{shlex.join([*(interpreter or []), str(path)])}"
    if not bots:
        raise ValueError(f"no bot in {str(folder)!r}: a file of Python or JavaScript, or one that may be executed")
    return bots


def main(words: Sequence[str] | None = None) -> int:
    """Print a table in Markdown, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.strength.other_bots", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the bots")
    parser.add_argument("agents", metavar="AGENT", nargs="*", default=["champion"], help="ours (default: champion)")
    parser.add_argument("--rules", default="classic", help="the game (default: classic)")
    parser.add_argument("--deals", type=int, default=600, help="mirrored deals of a match (default 600)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    options = parser.parse_args(words)
    header = ("agent", "against", "games won", "margin", "won, exact endgames", "margin, exact endgames")
    try:
        rows = []
        for name, bot in bots_of(options.folder).items():
            for agent in options.agents:
                results = [
                    play_match(agent, bot, options.deals, options.seed, options.rules, endgame=endgame).to_dict()
                    for endgame in ("played", "exact")
                ]
                cells = [cell for result in results for cell in (win_rate(result), margin(result))]
                rows.append((f"`{agent}`", name, *cells))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(markdown_table(header, rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

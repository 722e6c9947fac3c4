"""Strength over budget: ``python -m lab.strength.search_budget champion``.

Plays a policy with search in more and more worlds against the policy alone, on mirrored deals with exact endgames on
both sides, and draws the curve.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from german_whist.agents.pretrained.model_cards import margin, win_rate
from german_whist.arena.match import MatchResult, play_match
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.markdown import markdown_table

SEED = 93
DEALS = 500
WORLDS = (1, 4, 16, 64, 256, 1024)
COLOR = "#264653"


class Budget(NamedTuple):
    """The result at one budget.

    Attributes:
        worlds: number of worlds.
        result: the match against the policy alone.
        milliseconds: CPU time of both agents per decision of the foreplay of the searching one.
    """

    worlds: int
    result: MatchResult
    milliseconds: float


def measure(policy: str, worlds: Sequence[int], deals: int, seed: int) -> list[Budget]:
    """Return the strength of a policy with search in each number of worlds, against the policy alone.

    Args:
        policy: the policy, such as ``"champion"``.
        worlds: numbers of worlds.
        deals: mirrored deals of each match.
        seed: seed of the deals.
    """
    found = []
    for number in worlds:
        agent = f"{policy}:search={number},threads=1"
        play_match(agent, policy, deals=1, seed=seed, endgame=EXACT)  # loads kernels and tables
        start = time.process_time()
        result = play_match(agent, policy, deals=deals, seed=seed, endgame=EXACT)
        decisions = 2 * deals * 13
        found.append(Budget(number, result, 1000 * (time.process_time() - start) / decisions))
    return found


def draw(budgets: Sequence[Budget], path: str, title: str) -> None:
    """Draw games won over the number of worlds, as a PNG.

    Raises:
        OSError: when the file cannot be written.
    """
    figure = Figure(figsize=(7, 4), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    rates = [100 * budget.result.win_rate for budget in budgets]
    errors = [100 * (budget.result.interval[1] - budget.result.win_rate) for budget in budgets]
    worlds = [budget.worlds for budget in budgets]
    axes.axhline(50, color="0.6", linewidth=1, linestyle="--")
    axes.errorbar(worlds, rates, errors, color=COLOR, marker="o", capsize=3)
    axes.set_xscale("log", base=2)
    axes.set_xticks(worlds, [f"{budget.worlds}\n{budget.milliseconds:.0f} ms" for budget in budgets])
    axes.set_xlabel("worlds, and CPU time per decision")
    axes.set_ylabel("games won (%), 95 % interval")
    axes.grid(axis="y", color="0.92")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, loc="left", fontweight="bold")
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(path, picture.getvalue())


def main(words: Sequence[str] | None = None) -> int:
    """Print the results as Markdown, draw them if a file is named, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.strength.search_budget", description=__doc__)
    parser.add_argument("policy", metavar="POLICY", help="the policy, such as champion")
    parser.add_argument("--worlds", type=int, nargs="+", default=WORLDS, help="numbers of worlds")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals per match (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--picture", metavar="FILE", help="draw the curve, as a PNG")
    options = parser.parse_args(words)
    try:
        budgets = measure(options.policy, options.worlds, options.deals, options.seed)
        if options.picture:
            title = f"{options.policy}:search=N against {options.policy}, {options.deals} deals"
            draw(budgets, options.picture, title)
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    rows = []
    for budget in budgets:
        plain = budget.result.to_dict()
        rows.append([f"{budget.worlds:,}", win_rate(plain), margin(plain), f"{budget.milliseconds:.1f} ms"])
    print(markdown_table(("worlds", f"won against `{options.policy}`", "margin", "a decision"), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

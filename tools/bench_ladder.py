"""Rates the rungs of the benchmark's ladder: ``python -m tools.bench_ladder --workers 2``.

Every pair of rungs plays mirrored deals of a seed that the benchmark does not use; pairs with a slow agent play fewer.
Ratings are fitted by Bradley-Terry and shifted so that ``heuristic+exact`` has 1000. Intervals are of the difference to
``heuristic+exact``, from a bootstrap over deals. The figures go into ``LADDER`` (``evaluation/benchmark.py``) and the
benchmark's page.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import combinations

import numpy as np

from german_whist.evaluation.benchmark import LADDER, RULES
from german_whist.evaluation.executors import worker_processes
from german_whist.evaluation.match import play_match
from german_whist.evaluation.tournament.ratings import bradley_terry, games_won, resampled
from tools.markdown import markdown_table

SEED = 6302
DEALS = 4000
SLOW = {"mc:worlds=60": 500}  # deals per pair of slow agents
ANCHOR, ANCHOR_ELO = "heuristic+exact", 1000.0


def main() -> None:
    """Play, and print the ratings as Markdown and as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=1, help="number of processes (default 1)")
    parser.add_argument("--share", type=int, default=1, help="divide the number of deals by this, for a trial")
    options = parser.parse_args()
    agents = [rung.agent for rung in LADDER]
    won = {}
    with worker_processes(options.workers) as executor:
        for i, j in combinations(range(len(agents)), 2):
            deals = min(SLOW.get(agent, DEALS) for agent in (agents[i], agents[j])) // options.share
            found = play_match(agents[i], agents[j], deals=deals, seed=SEED, rules=RULES, executor=executor)
            won[i, j] = games_won(found.margins)
            print(f"{agents[i]} {agents[j]}: {100 * found.win_rate:.1f} %", file=sys.stderr, flush=True)
    counts = np.array([*resampled(max(map(len, won.values())))])
    wins = np.zeros((len(counts), len(agents), len(agents)))
    for (i, j), games in won.items():
        weights = counts[:, : len(games)]
        wins[:, i, j] = weights @ games
        wins[:, j, i] = 2 * weights.sum(axis=1) - wins[:, i, j]
    ratings = bradley_terry(wins)
    ratings += ANCHOR_ELO - ratings[:, [agents.index(ANCHOR)]]
    low, high = np.percentile(ratings[1:], [2.5, 97.5], axis=0)
    rows = [
        (f"`{agent}`", f"{ratings[0, i]:.0f}", f"{low[i]:.0f} to {high[i]:.0f}", LADDER[i].deals)
        for i, agent in enumerate(agents)
    ]
    print(markdown_table(("agent", "Elo", "95 % interval", "deals in the benchmark"), rows))
    rates = {f"{agents[i]} {agents[j]}": round(float(games.mean() / 2), 4) for (i, j), games in won.items()}
    print(json.dumps({"elo": dict(zip(agents, ratings[0].round(1).tolist(), strict=True)), "win_rates": rates}))


if __name__ == "__main__":
    main()

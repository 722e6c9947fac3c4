"""Measures the accuracy of agents, as the coach rates people: ``python -m tools.coach_accuracy random heuristic``.

Each agent plays the same deals against ``champion``, in alternating seats, and every decision is judged as in a review.
Prints a table for ``docs/explanation/coach.md``. ``--write`` writes the accuracies to ``table/strengths.json``, and of
agents without a model card their win rates against ``heuristic+exact``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from german_whist.agents.asking import play as play_deal
from german_whist.agents.judge import advise, judge_action
from german_whist.agents.pretrained import BASELINE
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import DealResult, Recording
from german_whist.game.agent_rng import AgentRng
from german_whist.simulator.episode import Episode
from german_whist.table.catalogue import LEVELS, strengths
from tools.markdown import markdown_table
from tools.reference_pages import ROOT

STRENGTHS = ROOT / "table" / "strengths.json"
SEED, DEALS = 9091, 100  # held out: no agent or setting was chosen by results on these deals
OPPONENT = "champion"
AVERAGE = 30.0  # accuracy in per cent of a player who gives away as much as uniformly random legal cards
_BOOTSTRAPS = 1000


def play(spec: str, game: str, deals: int, seed: int) -> Iterator[tuple[Recording, int]]:
    """Yield finished deals and the agent's seat: 0 in the first two of every four, so both deal equally often."""
    deal = Episode(game, history=True)
    agent, opponent = make_agent(spec, deal.rules), make_agent(OPPONENT, deal.rules)
    for index in range(deals):
        seat = index // 2 % 2
        deal.reset(options={"deal": (seed, index)})

        def agent_rng(_: int, rows: npt.NDArray[np.int64], index: int = index) -> AgentRng:
            return deal.agent_rng(rows, addresses=np.array([2 * index + deal.turn], np.uint64))

        for _ in play_deal(deal, (opponent, agent) if seat else (agent, opponent), rng=agent_rng):
            pass
        result = DealResult.create(deal.batch)
        yield Recording(deal.rules, index % 2, ("a", "b"), deal.actions, result, (seed, index)), seat


def judge(deal: Recording, seat: int) -> tuple[float, float]:
    """Return the tricks that a seat gave away in a deal, and those at stake: the mean loss of its legal actions."""
    decisions, _ = deal.decisions()
    rows = np.flatnonzero((decisions.views["dealer"] == 1) == (deal.dealer == seat))
    found = advise(decisions[rows])
    lost = sum(judge_action(advice, deal.actions[row]).tricks for advice, row in zip(found, rows, strict=True))
    return lost, sum(max(0.0, float(np.mean(advice.lost))) for advice in found)


def accuracy(judged: npt.NDArray[np.float64]) -> float:
    """Return the accuracy in per cent, 0 to 100, of float[deals, 2]: tricks given away and at stake."""
    given_away, at_stake = judged.sum(axis=0)
    return float(max(0.0, 100 - (100 - AVERAGE) * given_away / at_stake))


def main() -> None:
    """Print the accuracy of agents as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m tools.coach_accuracy", description=__doc__)
    parser.add_argument("agents", metavar="AGENT", nargs="*", help="the agents (default: those of the catalogue)")
    parser.add_argument("--rules", default="classic", help="the game (default classic)")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"deals per agent (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--write", metavar="DEALS", type=int, help="write the figures, win rates on so many deals")
    options = parser.parse_args()
    rows, figures = [], {spec: {**one} for spec, one in strengths().items()}
    titles = {level.spec: level.title for level in LEVELS}
    for spec in options.agents or titles:
        played = play(spec, options.rules, options.deals, options.seed)
        judged = np.array([judge(deal, seat) for deal, seat in played])
        resampled = np.random.default_rng(0).integers(0, len(judged), (_BOOTSTRAPS, len(judged)))
        low, high = np.percentile([accuracy(judged[some]) for some in resampled], [2.5, 97.5])
        given_away = f"{judged[:, 0].mean():.2f}"
        title = f"{titles.get(spec, spec)} (`{spec}`)"
        rows.append((title, f"{accuracy(judged):.1f} ± {(high - low) / 2:.1f}", given_away))
        if options.write is not None:
            figures[spec]["accuracy"] = round(accuracy(judged), 1)
            if "win_rate" in figures[spec]:
                won = play_match(spec, BASELINE, deals=options.write, seed=options.seed).win_rate
                figures[spec]["win_rate"] = round(won, 3)
    print(markdown_table(("agent", "accuracy, %", "tricks given away"), rows))
    if options.write is not None:
        lines = (f"  {json.dumps(spec)}: {json.dumps(one)}" for spec, one in figures.items())
        STRENGTHS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Measures the accuracy of agents, as the coach rates people: ``python -m tools.coach_accuracy random heuristic``.

Each agent plays the same deals against ``champion``, in alternating seats, and every decision is judged as in a review.
Prints a table for ``docs/explanation/coach.md``. ``--write`` writes the accuracies to ``table/strengths.json``, and of
agents without a model card their win rates against ``heuristic+exact``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.asking import play as play_deal
from german_whist.agents.judge import LEAST, Advice, advise, judge_action
from german_whist.agents.pretrained import BASELINE
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import DealResult, Recording
from german_whist.game.agent_rng import AgentRng
from german_whist.simulator.episode import Episode
from german_whist.table.catalogue import LEVELS, strengths
from tools.markdown import markdown_table

STRENGTHS = Path(__file__).parents[1] / "table" / "strengths.json"
SEED, DEALS = 9091, 100  # held out: no agent or setting was chosen by results on these deals
OPPONENT = "champion"
AVERAGE = 30.0  # accuracy in per cent of a player who gives away as much as uniformly random legal cards
_BOOTSTRAPS = 1000


class PlayedDeal(NamedTuple):
    """An agent's performance in one deal.

    Attributes:
        given_away: tricks that the agent gave away.
        at_stake: tricks that average actions would have given away.
        criticised: number of its actions that were judged an inaccuracy or worse.
    """

    given_away: float
    at_stake: float
    criticised: int


def play(spec: str, game: str, deals: int, seed: int) -> Iterator[Recording]:
    """Yield finished deals; the agent has seat 0 in the first two of every four, so both sides deal equally often."""
    deal = Episode(game, history=True)
    agent, opponent = make_agent(spec, deal.rules), make_agent(OPPONENT, deal.rules)
    for index in range(deals):
        seats = (agent, opponent) if seat_of(index) == 0 else (opponent, agent)
        deal.reset(options={"deal": (seed, index)})

        def agent_rng(_: int, rows: npt.NDArray[np.int64], index: int = index) -> AgentRng:
            return deal.agent_rng(rows, addresses=np.array([2 * index + deal.turn], np.uint64))

        for _ in play_deal(deal, seats, rng=agent_rng):
            pass
        yield Recording(deal.rules, index % 2, ("a", "b"), deal.actions, DealResult.create(deal.batch), (seed, index))


def seat_of(index: int) -> int:
    """Return the agent's seat in a deal."""
    return index // 2 % 2


def rate(deal: Recording, seat: int) -> PlayedDeal:
    """Judge a seat's performance in a deal."""
    decisions, _ = deal.decisions()
    rows = np.flatnonzero((decisions.views["dealer"] == 1) == (deal.dealer == seat))
    found = advise(decisions[rows])
    judged = [judge_action(advice, deal.actions[row]) for advice, row in zip(found, rows, strict=True)]
    return PlayedDeal(
        sum(one.tricks for one in judged), sum(map(at_stake, found)), sum(one.label in LEAST for one in judged)
    )


def at_stake(advice: Advice) -> float:
    """Return the tricks at stake in a decision: the mean loss of its legal actions."""
    return max(0.0, sum(advice.lost) / len(advice.lost))


def accuracy_of(given_away: float, at_stake: float) -> float | None:
    """Return the accuracy of decisions in per cent, 0 to 100; ``None`` where no tricks were at stake."""
    if at_stake <= 0:
        return None
    return round(max(0.0, 100 - (100 - AVERAGE) * given_away / at_stake), 1)


def interval(given_away: npt.NDArray[np.float64], stakes: npt.NDArray[np.float64]) -> float:
    """Return half the width of the 95 % interval of the accuracy over all deals, by a bootstrap over deals."""
    rng, count = np.random.default_rng(0), len(stakes)
    samples = [
        accuracy_of(float(given_away[rows].sum()), float(stakes[rows].sum())) or 0.0
        for rows in rng.integers(0, count, (_BOOTSTRAPS, count))
    ]
    low, high = np.percentile(samples, [2.5, 97.5])
    return float(high - low) / 2


def main(words: Sequence[str] | None = None) -> int:
    """Print the accuracy of agents as Markdown, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.coach_accuracy", description=__doc__)
    parser.add_argument("agents", metavar="AGENT", nargs="*", help="the agents (default: those of the catalogue)")
    parser.add_argument("--rules", default="classic", help="the game (default classic)")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"deals per agent (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--write", metavar="DEALS", type=int, help="write the figures, win rates on so many deals")
    options = parser.parse_args(words)
    rows, figures = [], {spec: {**one} for spec, one in strengths().items()}
    titles = {level.spec: level.title for level in LEVELS}
    for spec in options.agents or titles:
        played = [
            rate(deal, seat_of(index))
            for index, deal in enumerate(play(spec, options.rules, options.deals, options.seed))
        ]
        given_away, stakes, criticised = (np.array(column) for column in zip(*played, strict=True))
        single = [accuracy_of(one.given_away, one.at_stake) for one in played]
        every = accuracy_of(float(given_away.sum()), float(stakes.sum())) or 0.0
        row = (
            f"{titles.get(spec, spec)} (`{spec}`)",
            f"{every:.1f} ± {interval(given_away, stakes):.1f}",
            f"{np.std([one for one in single if one is not None]):.0f}",
            f"{given_away.mean():.2f}",
            f"{criticised.mean():.1f}",
        )
        print(*row, file=sys.stderr, flush=True)
        if options.write is not None:
            figures[spec]["accuracy"] = every
            if "win_rate" in figures[spec]:
                won = play_match(spec, BASELINE, deals=options.write, seed=options.seed).win_rate
                figures[spec]["win_rate"] = round(won, 3)
        rows.append(row)
    heads = ("agent", "accuracy, %", "standard deviation of one deal's", "tricks given away", "criticised cards")
    print(markdown_table(heads, rows))
    if options.write is not None:
        lines = (f"  {json.dumps(spec)}: {json.dumps(one)}" for spec, one in figures.items())
        STRENGTHS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

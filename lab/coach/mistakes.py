"""Whether the coach's mistakes are mistakes: ``python -m lab.coach.mistakes``.

Agents play deals against ``champion``. Every card of theirs that a review criticises before both hands are known is
judged once more, in other and in more worlds. It is confirmed if the card that the review advised is still better: in
tricks or in chance to win, and not worse in chance to win. Prints a table for ``docs/explanation/coach.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np

from german_whist.envs.utils.markdown import markdown_table
from german_whist.session.coach.advice import Advice, advise
from german_whist.session.coach.judgement import LEAST, SAME, SAME_WIN, judge
from german_whist.session.deal.table_deal import TableDeal
from lab.coach.accuracy import SEED, play, seat_of

AGENTS = ("heuristic", "greedy")
DEALS, WORLDS = 100, 1024
_FRESH = 1  # seed of the second judgement; reviews have 0


def criticised(deal: TableDeal, seat: int) -> list[tuple[int, Advice]]:
    """Return the steps at which a review criticises a seat before both hands are known, and what it says."""
    views, histories = deal.decisions()
    rows = np.array([step for step in range(len(deal.actions)) if deal.actor(step) == seat])
    found = advise(views[rows], deal.rules, histories=(histories[0][rows], histories[1][rows]))
    return [
        (int(row), advice)
        for row, advice in zip(rows, found, strict=True)
        if not advice.exact and judge(advice, deal.actions[row]).is_criticised
    ]


def judge_again(deal: TableDeal, step: int, worlds: int) -> Advice:
    """Return advice for a decision in fresh worlds."""
    views, histories = deal.decisions()
    part = slice(step, step + 1)
    return advise(views[part], deal.rules, worlds, _FRESH, (histories[0][part], histories[1][part]))[0]


def is_confirmed(advice: Advice, action: int, advised: int) -> bool:
    """Return whether one action is better than another."""
    place, other = advice.actions.index(action), advice.actions.index(advised)
    lost, win = advice.lost[place] - advice.lost[other], advice.wins[other] - advice.wins[place]
    return win >= 0 and (lost >= SAME or win >= SAME_WIN)


def main(words: Sequence[str] | None = None) -> int:
    """Print how many of the criticised cards are confirmed as Markdown, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.coach.mistakes", description=__doc__)
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=f"the agents (default: {' '.join(AGENTS)})")
    parser.add_argument("--rules", default="classic", help="the game (default classic)")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"deals of each agent (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--worlds", type=int, default=WORLDS, help=f"of the second judgement (default {WORLDS})")
    options = parser.parse_args(words)
    counts: Counter[tuple[str, str]] = Counter()
    deals = 0
    for spec in options.agents or AGENTS:
        for index, deal in enumerate(play(spec, options.rules, options.deals, options.seed)):
            for step, advice in criticised(deal, seat_of(index)):
                action = deal.actions[step]
                label, again = judge(advice, action).label, judge_again(deal, step, options.worlds)
                counts[label, "shown"] += 1
                counts[label, "confirmed"] += is_confirmed(again, action, advice.actions[0])
                counts[label, "again"] += judge(again, action).is_criticised
            deals += 1
            print(spec, index, dict(counts), file=sys.stderr, flush=True)
    labels, columns = [*reversed(LEAST)], ("shown", "confirmed", "again")
    rows = [[label, *(str(counts[label, column]) for column in columns)] for label in labels]
    rows.append(["all", *(str(sum(counts[label, column] for label in labels)) for column in columns)])
    print(f"{deals} deals\n")
    print(markdown_table(("label", "shown", "confirmed", "criticised again"), rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

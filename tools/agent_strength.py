"""Measures the strength of a trained agent: ``python -m tools.agent_strength champion``.

The results can be reproduced from the seed:

* against the rule bots, flat Monte Carlo and ISMCTS, with exact endgames on both sides;
* against the heuristic bot, each side playing its own endgames;
* the same with the agent's network playing the endgame, too;
* by seat;
* by the quality of the hand dealt, beside the heuristic bot with the same cards, which separates skill from luck.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save

from german_whist.agents.base import Agent, agent_name
from german_whist.agents.bots.heuristic.bot_kernels import full_hand, strength
from german_whist.agents.endgame.exact_agent import ExactEndgame, with_exact_endgame
from german_whist.agents.policy.checkpoint import read_model_card
from german_whist.agents.registry import make_agent
from german_whist.cli.terminal import progress_bar
from german_whist.evaluation.games import GameResults
from german_whist.evaluation.match import match_result, play_match
from german_whist.evaluation.statistics import bounded_interval, mean_interval
from german_whist.game.endgame_setting import EXACT, PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.files import write_atomically
from german_whist.game.utils.jit import kernel
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.text.rules_text import rules_spec
from tools.agent_report import markdown

SEED = 4401  # held out: no training run has met its deals, and nothing was chosen by results on them
DEALS = 10_000
HEURISTIC = "heuristic"
ITSELF = f"itself+{EXACT}"
NETWORK = ", network to the end"  # suffix of rows in which the network plays endgames that the agent would solve
QUALITIES = ("worst fifth of hands", "second", "third", "fourth", "best fifth of hands")

Results = dict[str, Any]
Margins = npt.NDArray[np.int64]
Progress = Callable[[int], None]


class Row(NamedTuple):
    """A match, which is a row of the table.

    Attributes:
        opponent: specification string, or ``ITSELF``.
        endgame: endgame mode of the match.
        share: divisor of the number of deals, for slow opponents.
        by_network: whether the agent's network plays the endgame even if the agent would solve it.
    """

    opponent: str
    endgame: Endgame
    share: int = 1
    by_network: bool = False


ROWS = (
    Row("random", EXACT),
    Row("greedy", EXACT),
    Row(HEURISTIC, EXACT),
    Row("mc:worlds=240", EXACT, share=10),  # they are slow
    Row("ismcts:iterations=2000", EXACT, share=20),
    Row(HEURISTIC, PLAYED),
    Row(HEURISTIC, PLAYED, by_network=True),
    Row(ITSELF, PLAYED, by_network=True),
)


def rows_of(spec: str, rules: Rules) -> dict[str, Row]:
    """Return the rows of an agent's table by name, without those that would repeat a match."""
    rows: dict[str, Row] = {}
    agent = make_agent(spec, rules)
    for row in ROWS:
        name = f"{row.opponent}+{EXACT}" if row.endgame == EXACT else row.opponent
        rows.setdefault(name + NETWORK if row.by_network and isinstance(agent, ExactEndgame) else name, row)
    return rows


def measure(spec: str, deals: int, seed: int, rules: Rules, progress: Progress = lambda played: None) -> Results:
    """Return all results of an agent as plain data, ready for JSON.

    Args:
        spec: specification string of the agent.
        deals: mirrored deals per match; a tenth of them against Monte Carlo, a twentieth against ISMCTS.
        seed: seed of the deals.
        rules: the rules of the deals.
        progress: called with the number of deals played since the last call.

    Raises:
        ValueError: if the agent does not exist, has ``+exact``, or does not play this game.
    """
    agent = make_agent(spec, rules)
    if isinstance(agent, ExactEndgame) and agent.name.endswith(f"+{EXACT}"):
        raise ValueError(f"agent {spec!r}: leave out +{EXACT}: the table covers both endgames")
    solving = with_exact_endgame(agent)
    by_network = agent.prior or agent
    results: Results = {}
    against: Margins | None = None
    for name, row in rows_of(spec, rules).items():
        one = by_network if row.by_network else agent
        opponent = solving if row.opponent == ITSELF else make_agent(row.opponent, rules)
        played = max(deals // row.share, 2)
        margins = _play(one, opponent, played, seed, rules, row.endgame, progress)
        results[name] = _result(margins, rules, seed, row.endgame)
        if row == Row(HEURISTIC, EXACT):
            against = margins
    bot = make_agent(HEURISTIC)
    level = _play(bot, bot, deals, seed, rules, EXACT, progress)
    assert against is not None
    return {
        "agent": spec,
        "rules": rules_spec(rules),
        "seed": seed,
        "results": results,
        "seats": seat_results(against, rules, seed),
        "hands": hand_results(against, level, rules, seed),
    }


def total(spec: str, deals: int, rules: Rules) -> int:
    """Return the total number of deals that :func:`measure` plays."""
    return sum(max(deals // row.share, 2) for row in rows_of(spec, rules).values()) + deals


def _play(
    agent: Agent,
    opponent: Agent,
    deals: int,
    seed: int,
    rules: Rules,
    endgame: Endgame,
    progress: Progress,
) -> Margins:
    # Small batches keep the progress bar moving for opponents that search; the result is the same.
    batch = 64 if agent_name(opponent).startswith(("mc", "ismcts")) else 1024
    return play_match(
        agent, opponent, deals=deals, seed=seed, rules=rules, batch_size=batch, progress=progress, endgame=endgame
    ).margins


def _result(margins: Margins, rules: Rules, seed: int, endgame: Endgame) -> Results:
    outcomes = np.sign(margins).astype(np.int64)
    games = GameResults(outcomes, margins.astype(np.float64), np.ones_like(outcomes))
    fields = match_result(games, ("", ""), rules, seed, endgame).to_dict()
    return {name: value for name, value in fields.items() if name not in ("first", "second", "rules", "first_deal")}


def write_results(path: str, results: Results) -> None:
    """Replace the results, by opponent, in the model card of a checkpoint file, and keep its weights."""
    card = json.dumps({**read_model_card(path), "results": results})
    write_atomically(path, save(load_file(path), metadata={"card": card}))


def _rate(margins: Margins) -> Results:
    """Return the win rate and its interval of games with these margins, int64[games]."""
    if not len(margins):
        return {"games": 0, "win_rate": None, "interval": None}
    rate, interval = bounded_interval((np.sign(margins) + 1) / 2, 0, 1)
    return {"games": len(margins), "win_rate": rate, "interval": interval if len(margins) > 1 else None}


def seat_results(margins: Margins, rules: Rules, seed: int) -> Results:
    """Return the win rates of the first agent as leader of the first trick and as dealer."""
    dealer = DealBatch(rules, len(margins), seed).states["dealer"]
    leads = np.stack([dealer == 1, dealer == 0], axis=1)  # by the first agent's seat
    return {"leads the first trick": _rate(margins[leads]), "deals": _rate(margins[~leads])}


def hand_results(margins: Margins, level: Margins, rules: Rules, seed: int) -> list[Results]:
    """Return the win rates of the first agent and of the heuristic bot by the quality of the hand dealt.

    The quality of a hand is the sum of its card values in the heuristic bot's evaluation. The hands of all games are
    divided into five classes of equal size.

    Args:
        margins: margins of the agent against the heuristic bot, int64[deals, 2].
        level: margins of the heuristic bot against itself on the same deals, int64[deals, 2].
        rules: the rules of the deals.
        seed: seed of the deals.
    """
    batch = DealBatch(rules, len(margins), seed)
    rows = np.arange(len(margins))
    quality = np.empty((len(margins), 2))
    for seat in range(2):
        _write_hand_values(batch.views(rows, np.full(len(rows), seat)), quality[:, seat])
    order = quality.ravel().argsort(kind="stable")
    report = []
    for name, games in zip(QUALITIES, np.array_split(order, len(QUALITIES)), strict=True):
        mine, theirs = margins.ravel()[games], level.ravel()[games]
        gain, interval = mean_interval((np.sign(mine) - np.sign(theirs)) / 2)
        report.append(
            {
                "hands": name,
                "agent": _rate(mine),
                HEURISTIC: _rate(theirs),
                "gain": {"win_rate": gain, "interval": interval if len(games) > 1 else None},
            }
        )
    return report


@kernel
def _write_hand_values(views: npt.NDArray[Any], values: npt.NDArray[np.float64]) -> None:
    for i in range(views.shape[0]):
        view = views[i]
        unplayed = view.hand | view.unseen | view.opponent_known | view.face_up
        values[i] = strength(view.hand, full_hand(view), unplayed, np.int64(view.trump), view.low != 0)


def model_card_results(report: Results) -> Results:
    """Return the results in the form of a model card: by opponent, with seats and hands under ``heuristic+exact``."""
    results = {opponent: dict(result) for opponent, result in report["results"].items()}
    results[f"{HEURISTIC}+{EXACT}"].update(seats=report["seats"], hands=report["hands"])
    return results


def main(words: Sequence[str] | None = None) -> int:
    """Print the results as Markdown or JSON, write them into a model card if asked to, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.agent_strength", description=__doc__)
    parser.add_argument("agent", metavar="AGENT", help="the agent, such as champion or checkpoint:PATH")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals per match (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--rules", help="the game (default: the agent's own, or classic)")
    parser.add_argument(
        "--write-model-card", metavar="FILE", help="write the results into the model card of this checkpoint"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    try:
        if options.deals < len(QUALITIES):
            raise ValueError(f"deals must be an integer >= {len(QUALITIES)}, got {options.deals}")
        rules = get_rules(options.rules or make_agent(options.agent).rules or "classic")
        if options.write_model_card:
            read_model_card(options.write_model_card)  # fail now, not minutes later
        with progress_bar("deals", total(options.agent, options.deals, rules)) as progress:
            report = measure(options.agent, options.deals, options.seed, rules, progress)
        if options.write_model_card:
            write_results(options.write_model_card, model_card_results(report))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report) if options.json else markdown(report))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

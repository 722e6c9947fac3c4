"""Measures a trained agent for its model card: ``python -m tools.agent_strength champion``.

It plays the rule bots, flat Monte Carlo and ISMCTS with exact endgames on both sides; the heuristic bot with each side
playing its own endgames; and the same with the agent's network playing the endgame, too. The results can be reproduced
from the seed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from safetensors.numpy import load_file, save

from german_whist.agents.base import agent_name
from german_whist.agents.endgame.exact_agent import ExactEndgame, with_exact_endgame
from german_whist.agents.policy.checkpoint import read_model_card
from german_whist.agents.registry import make_agent
from german_whist.cli.terminal import progress_bar
from german_whist.evaluation.match import play_match
from german_whist.game.endgame_setting import EXACT, PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.files import write_atomically

SEED = 4401  # held out: no training run has met its deals, and nothing was chosen by results on them
DEALS = 10_000
HEURISTIC = "heuristic"
ITSELF = f"itself+{EXACT}"
NETWORK = ", network to the end"  # suffix of rows in which the network plays endgames that the agent would solve

Results = dict[str, Any]
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
    """Return the results of an agent by opponent, as plain data for JSON.

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
    for name, row in rows_of(spec, rules).items():
        opponent = solving if row.opponent == ITSELF else make_agent(row.opponent, rules)
        # Small batches keep the progress bar moving for opponents that search; the result is the same.
        batch = 64 if agent_name(opponent).startswith(("mc", "ismcts")) else 1024
        fields = play_match(
            by_network if row.by_network else agent,
            opponent,
            deals=max(deals // row.share, 2),
            seed=seed,
            rules=rules,
            batch_size=batch,
            progress=progress,
            endgame=row.endgame,
        ).to_dict()
        left_out = ("first", "second", "rules", "first_deal")
        results[name] = {field: value for field, value in fields.items() if field not in left_out}
    return results


def total(spec: str, deals: int, rules: Rules) -> int:
    """Return the total number of deals that :func:`measure` plays."""
    return sum(max(deals // row.share, 2) for row in rows_of(spec, rules).values())


def write_results(path: str, results: Results) -> None:
    """Replace the results, by opponent, in the model card of a checkpoint file, and keep its weights."""
    card = json.dumps({**read_model_card(path), "results": results})
    write_atomically(path, save(load_file(path), metadata={"card": card}))


def main(words: Sequence[str] | None = None) -> int:
    """Print the results as JSON, write them into a model card if asked to, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.agent_strength", description=__doc__)
    parser.add_argument("agent", metavar="AGENT", help="the agent, such as champion or checkpoint:PATH")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals per match (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--rules", help="the game (default: the agent's own, or classic)")
    parser.add_argument(
        "--write-model-card", metavar="FILE", help="write the results into the model card of this checkpoint"
    )
    options = parser.parse_args(words)
    try:
        rules = get_rules(options.rules or make_agent(options.agent).rules or "classic")
        if options.write_model_card:
            read_model_card(options.write_model_card)  # fail now, not minutes later
        with progress_bar("deals", total(options.agent, options.deals, rules)) as progress:
            results = measure(options.agent, options.deals, options.seed, rules, progress)
        if options.write_model_card:
            write_results(options.write_model_card, results)
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

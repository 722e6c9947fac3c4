"""Measures a trained agent for its model card: ``python -m tools.agent_strength champion``.

It plays the rule bots, flat Monte Carlo and ISMCTS with exact endgames on both sides; the heuristic bot with each side
playing its own endgames; and the same with the agent's network playing the endgame, too. The results can be reproduced
from the seed.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, NamedTuple

from safetensors.numpy import load_file, save

from german_whist.agents.endgame.exact_agent import ExactEndgame, with_exact_endgame
from german_whist.agents.policy.checkpoint import read_model_card
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from german_whist.game.endgame_setting import EXACT, PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.files import write_atomically

SEED = 4401  # held out: no training run has met its deals, and nothing was chosen by results on them
DEALS = 10_000
ITSELF = f"itself+{EXACT}"
NETWORK = ", network to the end"  # suffix of rows in which the network plays endgames that the agent would solve
LEFT_OUT = ("first", "second", "rules", "first_deal")  # fields of a match that a row does not need


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
    Row("heuristic", EXACT),
    Row("mc:worlds=240", EXACT, share=10),
    Row("ismcts:iterations=2000", EXACT, share=20),
    Row("heuristic", PLAYED),
    Row("heuristic", PLAYED, by_network=True),
    Row(ITSELF, PLAYED, by_network=True),
)


def measure(spec: str, deals: int, seed: int, rules: Rules) -> dict[str, Any]:
    """Return the results of an agent by opponent, as plain data for JSON, without rows that repeat a match."""
    agent = make_agent(spec, rules)
    network, solving = agent.prior or agent, with_exact_endgame(agent)
    results: dict[str, Any] = {}
    for row in ROWS:
        name = f"{row.opponent}+{EXACT}" if row.endgame == EXACT else row.opponent
        if row.by_network and isinstance(agent, ExactEndgame):
            name += NETWORK
        if name not in results:
            first = network if row.by_network else agent
            second = solving if row.opponent == ITSELF else make_agent(row.opponent, rules)
            some = max(deals // row.share, 2)
            match = play_match(first, second, deals=some, seed=seed, rules=rules, endgame=row.endgame)
            print(f"{name}: {match.win_rate:.4f}", file=sys.stderr, flush=True)
            results[name] = {field: value for field, value in match.to_dict().items() if field not in LEFT_OUT}
    return results


def main() -> None:
    """Print the results as JSON, or write them into the model card of a checkpoint."""
    parser = argparse.ArgumentParser(prog="python -m tools.agent_strength", description=__doc__)
    parser.add_argument("agent", metavar="AGENT", help="the agent, such as champion or checkpoint:PATH")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals per match (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--rules", help="the game (default: the agent's own, or classic)")
    parser.add_argument("--write-model-card", metavar="FILE", help="write the results into this checkpoint, instead")
    options = parser.parse_args()
    rules = get_rules(options.rules or make_agent(options.agent).rules or "classic")
    card = read_model_card(options.write_model_card) if options.write_model_card else {}
    card["results"] = measure(options.agent, options.deals, options.seed, rules)
    if options.write_model_card:
        content = save(load_file(options.write_model_card), metadata={"card": json.dumps(card)})
        write_atomically(options.write_model_card, content)
    else:
        print(json.dumps(card["results"], indent=1))


if __name__ == "__main__":
    main()

"""Measures the strength of an agent game by game: ``python -m tools.by_game champion``.

Plays against ``heuristic+exact`` on mirrored deals, with exact endgames on both sides, in the games named or in every
preset with an open endgame. Can add the results to a model card.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from german_whist.agents.policy.checkpoint import read_model_card, write_results
from german_whist.agents.pretrained import BASELINE, BASELINE_GAME, win_rate
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.evaluation.match import play_match
from tools.agent_strength import DEALS, SEED
from tools.markdown import markdown_table
from tools.model_cards import margin


def open_games() -> tuple[str, ...]:
    """Return the presets with an open endgame."""
    return tuple(name for name in rule_names() if not rules_named(name).humbug)


def measure(spec: str, games: Sequence[str], deals: int, seed: int) -> dict[str, dict[str, Any]]:
    """Return the results against ``heuristic+exact`` as plain data, under the keys ``heuristic+exact, GAME``.

    Args:
        spec: specification string of the agent.
        games: specifications of the games.
        deals: mirrored deals per match.
        seed: seed of the deals.

    Raises:
        ValueError: if the agent or a game does not exist, or the agent does not play it.
    """
    return {
        f"{BASELINE}, {game}": play_match(spec, BASELINE, deals=deals, seed=seed, rules=game, endgame=EXACT).to_dict()
        for game in games
    }


def main(words: Sequence[str] | None = None) -> int:
    """Print the results as Markdown, add them to a model card if asked to, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.by_game", description=__doc__)
    parser.add_argument("agent", metavar="AGENT", help="the agent, such as champion or checkpoint:PATH")
    parser.add_argument("games", metavar="GAME", nargs="*", help="the games (default: all with an open endgame)")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals per game (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument(
        "--write-model-card", metavar="FILE", help="add the results to the model card of this checkpoint"
    )
    options = parser.parse_args(words)
    try:
        before = read_model_card(options.write_model_card)["results"] if options.write_model_card else {}
        results = measure(options.agent, options.games or open_games(), options.deals, options.seed)
        if options.write_model_card:
            results.pop(f"{BASELINE}, {BASELINE_GAME}", None)  # the model card has it from ``agent_strength``
            write_results(options.write_model_card, {**before, **results})
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    rows = ((name.partition(", ")[2], win_rate(result), margin(result)) for name, result in results.items())
    print(markdown_table(("game", f"won against `{BASELINE}`", "margin"), rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

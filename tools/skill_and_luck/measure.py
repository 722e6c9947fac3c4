"""Measures skill and luck: ``python -m tools.skill_and_luck.measure --out skill-and-luck``.

Plays a tournament of all kinds of agents. From its results follow how much of a deal's result is due to the cards, how
many deals separate two agents, what mistakes cost in each stage, who is strongest, and who was beaten by how much.
Writes ``figures.json``, ``report.md`` and ``skill-and-luck.png``, and with ``--page`` the tables of the documentation's
page.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from german_whist.agents.registry import make_agent
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.files import write_atomically
from german_whist.evaluation.executors import worker_processes
from german_whist.evaluation.games import GameBlock
from german_whist.evaluation.match import MatchResult, match_result
from german_whist.evaluation.tournament.play import play_tournament
from german_whist.evaluation.tournament.standings import Standings
from tools.skill_and_luck.luck import (
    bootstrap_interval,
    decks_with_stocks,
    hands_share,
    luck_shares,
    play_decks,
    who_wins_both,
)
from tools.skill_and_luck.report import report, write_page
from tools.skill_and_luck.separation import separations

SEED = 501  # held out: no agent or setting was chosen by results on these deals
DEALS = 2000
AGENTS = (
    "random",
    "greedy",
    "heuristic",
    "heuristic+exact",
    "mc:worlds=60",
    "ismcts:iterations=500",
    "small",
    "champion",
    "champion:search=64",
)
STAGES = ("random", "greedy", "heuristic")
FOREPLAY = "champion"
STOCKS = 4  # orders of the stock for the same hands
MODULE = "tools.skill_and_luck.measure"

Figures = dict[str, Any]
Say = Callable[[str], None]


def measure(
    agents: Sequence[str],
    deals: int,
    seed: int,
    game: str = "classic",
    *,
    stages: Sequence[str] = STAGES,
    foreplay: str = FOREPLAY,
    executor: Executor | None = None,
    say: Say = lambda line: None,
) -> Figures:
    """Return all figures as plain data, ready for JSON.

    Args:
        agents: specification strings, at least two.
        deals: mirrored deals per pair.
        seed: seed of the deals.
        game: the rules.
        stages: agents without ``+exact`` whose mistakes are measured stage by stage.
        foreplay: the agent with whose foreplay theirs is compared.
        executor: as in ``play_match``.
        say: called with a line before each part.

    Raises:
        ValueError: if an agent or the rules do not exist, or an agent does not play these rules.
    """
    say(f"{len(agents)} agents, every pair on {deals} mirrored deals")
    table = play_tournament(agents, deals=deals, seed=seed, rules=game, executor=executor)
    neighbours = list(pairwise(table.agents))
    strongest, weakest = table.agents[0], table.agents[-1]
    pairs = {pair: margins_of(table, *pair) for pair in dict.fromkeys([*neighbours, (strongest, weakest)])}
    say("the same hands with other orders of the stock")
    stock = stock_figures(neighbours[0], max(deals // 2, 2), seed, game)
    say("the mistakes of each stage")
    return {
        "game": game,
        "deals": deals,
        "seed": seed,
        "luck": [
            {
                "pair": pair,
                **result_figures(margins_result(margins, pair, game, seed)),
                "shares": luck_shares(margins)._asdict(),
                "cards_interval": bootstrap_interval(lambda drawn: luck_shares(drawn).cards, margins),
                "both": who_wins_both(margins)._asdict(),
            }
            for pair, margins in pairs.items()
        ],
        "stock": stock,
        "separation": [
            one._asdict()
            for one in separations({pair: margins_of(table, *pair) for pair in combinations(table.agents, 2)})
        ],
        "foreplay": foreplay,
        "stages": [stage_figures(agent, foreplay, deals, seed, game, executor) for agent in stages],
        "standings": table.to_dict(),
        "record": [record_figures(table, strongest, other, game) for other in table.agents[1:]],
    }


def margins_of(table: Standings, first: str, second: str) -> Any:
    """Return the margins of one agent of a tournament against another, int64[deals, 2]."""
    return table.margins[table.agents.index(first), table.agents.index(second)]


def margins_result(margins: Any, pair: tuple[str, str], game: str, seed: int) -> MatchResult:
    """Return the result of a match from its margins."""
    return match_result(GameBlock.of_deals(margins), pair, rules_named(game), seed, PLAYED)


def result_figures(result: MatchResult) -> Figures:
    """Return the fields of a result that the tables need."""
    fields = result.to_dict()
    return {name: fields[name] for name in ("win_rate", "interval", "margin", "margin_interval")}


def stock_figures(pair: tuple[str, str], hands: int, seed: int, game: str) -> Figures:
    """Return the shares of the hands and of the order of the stock in a game's variance, with exact endgames."""
    rules = rules_named(game)
    agents = (make_agent(pair[0]), make_agent(pair[1]))
    decks, dealers = decks_with_stocks(rules, hands, STOCKS, seed)
    margins = play_decks(agents, pair, rules, decks, dealers, seed, EXACT)
    hand = hands_share(margins, STOCKS)
    return {
        "pair": pair,
        "hands": hand,
        "hands_interval": bootstrap_interval(lambda drawn: hands_share(drawn, STOCKS), margins, STOCKS),
        "stock": luck_shares(margins).cards - hand,
        "deals": hands,
        "orders": STOCKS,
    }


def stage_figures(agent: str, foreplay: str, deals: int, seed: int, game: str, executor: Executor | None) -> Figures:
    """Return what an agent loses by its endgame, against a perfect one, and by its foreplay, against ``foreplay``."""
    perfect = f"{agent}+{EXACT}"
    found: Figures = {"agent": agent}
    for name, opponent, player, endgame in (
        ("endgame", perfect, agent, PLAYED),
        ("foreplay", foreplay, perfect, EXACT),
    ):
        pair = (opponent, player)
        margins = margins_of(
            play_tournament(pair, deals=deals, seed=seed, rules=game, endgame=endgame, executor=executor), *pair
        )
        found[name] = result_figures(margins_result(margins, pair, game, seed))
    return found


def record_figures(table: Standings, winner: str, other: str, game: str) -> Figures:
    """Return the strongest agent's result against another, with the command that plays this match again."""
    words = ["german-whist", "evaluate", *sorted((winner, other)), *_options(table.deals, table.seed, game)]
    result = margins_result(margins_of(table, winner, other), (winner, other), game, table.seed)
    return {"beaten": other, **result_figures(result), "command": shlex.join(words)}


def _options(deals: int, seed: int, game: str) -> list[str]:
    return ["--deals", str(deals), "--seed", str(seed), *([] if game == "classic" else ["--rules", game])]


def main(words: Sequence[str] | None = None) -> int:
    """Measure, write and print; return the exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=f"the agents (default: {' '.join(AGENTS)})")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals per pair (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--rules", default="classic", help="the game (default classic)")
    parser.add_argument(
        "--foreplay",
        metavar="AGENT",
        default=FOREPLAY,
        help=f"the agent with whose foreplay others are compared (default {FOREPLAY})",
    )
    parser.add_argument("--out", default="skill-and-luck", help="the folder to write to (default skill-and-luck)")
    parser.add_argument("--workers", type=int, help="play in this many processes; the figures are the same")
    parser.add_argument("--page", metavar="FILE", help="also write the tables into this page, between its markers")
    given = list(sys.argv[1:] if words is None else words)
    options = parser.parse_args(given)
    try:
        with nullcontext() if options.workers is None else worker_processes(options.workers) as executor:
            figures = measure(
                options.agents or AGENTS,
                options.deals,
                options.seed,
                options.rules,
                foreplay=options.foreplay,
                executor=executor,
                say=lambda line: print(line, file=sys.stderr, flush=True),
            )
        figures["command"] = _command(options)
        _write(figures, Path(options.out), options.page)
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


def _command(options: argparse.Namespace) -> str:
    """Return the command that measures the same figures, without options that do not change them."""
    words = ["python", "-m", MODULE, *options.agents, *_options(options.deals, options.seed, options.rules)]
    return shlex.join([*words, *([] if options.foreplay == FOREPLAY else ["--foreplay", options.foreplay])])


def _write(figures: Figures, folder: Path, page: str | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "figures.json", (json.dumps(figures, indent=1, ensure_ascii=False) + "\n").encode())
    sections = report(figures)
    text = "\n\n".join(sections.values()) + "\n"
    write_atomically(folder / "report.md", text.encode())
    print(text)
    if page is not None:
        write_page(page, sections)
    try:
        from tools.skill_and_luck.plot import draw
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("matplotlib"):
            raise
        print('no picture: pip install "german-whist[train]" brings matplotlib', file=sys.stderr)
    else:
        draw(figures, folder / "skill-and-luck.png")


if __name__ == "__main__":
    raise SystemExit(main())

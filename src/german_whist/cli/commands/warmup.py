"""``german-whist warmup``: compile kernels and build tablebases ahead of use, for images and containers."""

from __future__ import annotations

import argparse
import tempfile
import time
from importlib.util import find_spec
from typing import Any

from german_whist.cli.terminal import progress_bar

_GYM_ID = "german_whist:GermanWhist-v0"
# Agents that search also build the larger tablebase.
_AGENTS = ("greedy", "heuristic+exact", "champion", "mc:worlds=4", "ismcts:iterations=8", "champion:search=4")
_WORLDS = 4  # number of worlds in which the coach tries actions
_TABLES = ((True, False), (False, False), (True, True))  # trumps, played low
# Takes seconds, but updates each network and runs every kind of evaluation.
_RUN: dict[str, Any] = {
    "decisions": 1,
    "num_envs": 16,
    "batch_size": 64,
    "evaluate_deals": 2,
    "final_deals": 2,
    "processes": 1,
}


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "warmup",
        help="compile kernels and build tablebases in advance",
        description="Compile the kernels for this processor and build the tablebases, by playing, solving, "
        "searching and training for a moment. Both are stored in the cache folders, where later processes find them.",
        epilog="example: german-whist warmup",
    )
    parser.add_argument(
        "--endgame-cards",
        type=int,
        metavar="N",
        help="only build the tablebase for hands of up to N cards (1 to 13), with trumps, played high; "
        "with 13 (2.5 GB, a minute or two), exact endgames there are look-ups",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run each part, and print its time."""
    from german_whist.solver.tablebase.cache import remove_damaged_tables

    remove_damaged_tables()
    if options.endgame_cards is not None:
        _build_table(options.endgame_cards)
        return 0
    parts = {
        "environments": _step_environments,
        "agents": _play_matches,
        "solver": _solve,
        "hints and reviews": _coach,
        "training": _train,
    }
    for name, part in parts.items():
        began = time.perf_counter()
        part()
        print(f"{name:<18} {time.perf_counter() - began:5.1f} s", flush=True)
    return 0


def _step_environments() -> None:
    import gymnasium

    import german_whist as gw

    env = gw.env()
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    for endgame in ("played", "exact"):
        single = gymnasium.make(_GYM_ID, opponent="heuristic", endgame=endgame)
        _, info = single.reset(seed=0)
        single.step(int(info["action_mask"].argmax()))
        several = gymnasium.make_vec(_GYM_ID, num_envs=2, opponent="heuristic", endgame=endgame)
        _, infos = several.reset(seed=0)
        several.step(infos["action_mask"].argmax(axis=1))


def _play_matches() -> None:
    from german_whist.evaluation.match import play_match

    for agent in _AGENTS:
        for endgame in ("played", "exact"):
            play_match(agent, "random", deals=10, endgame=endgame)  # one deal may have no tie to break


def _solve() -> None:
    import german_whist as gw
    from german_whist.solver.endgames import principal_variation

    gw.solve_endgame("AKQ2.T98..J4", "J3.AKQ.5432.", trump="S")
    gw.solve_endgames([1 << 1], [1 << 0], by_card=True)
    principal_variation(1 << 1, 1 << 0, -1)


def _coach() -> None:
    """Judge a deal of every game, and open the tables of the kinds of endgames that the games have."""
    from german_whist.agents.asking import play
    from german_whist.agents.judge import advise
    from german_whist.agents.registry import make_agent
    from german_whist.game.rules import rule_names
    from german_whist.simulator.episode import Episode
    from german_whist.solver.tablebase.cache import open_tablebase

    for name in rule_names():
        deal = Episode(name, history=True)
        deal.reset(seed=0)
        bot = make_agent("heuristic", deal.rules)
        advise(deal.decisions(), _WORLDS)
        for _ in play(deal, (bot, bot)):
            if not deal.is_over:
                advise(deal.decisions(), _WORLDS)
    for trump, low in _TABLES:
        open_tablebase(trump, low)


def _train() -> None:
    """Train for a moment, in a folder that is removed; without torch there is nothing to compile."""
    if find_spec("torch") is None:
        return
    import german_whist as gw

    with tempfile.TemporaryDirectory() as folder:
        gw.train("quickstart", out=f"{folder}/run", quiet=True, **_RUN)


def _build_table(cards: int) -> None:
    """Build a table unless there is one."""
    from german_whist.solver.tablebase.build import build_tablebase
    from german_whist.solver.tablebase.kinds import TablebaseKind, tablebase_path

    kind = TablebaseKind(trump=True, low=False)
    done = 0
    with progress_bar("per cent of the table", 100) as progress:

        def report(built: int, total: int) -> None:
            nonlocal done
            progress(100 * built // total - done)
            done = 100 * built // total

        build_tablebase(kind, cards, report)
    print(f"tablebase: {tablebase_path(kind, cards)}")

"""``german-whist evaluate``: agents play each other on mirrored deals."""

from __future__ import annotations

import argparse
import heapq
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_agents, add_json_option, add_match_options, add_worker_options, chosen_executor
from german_whist.cli.terminal import print_report, printed_command, progress_bar

if TYPE_CHECKING:
    from german_whist.evaluation.recording import Recording

_WORST = 3  # mirrored deals that are named


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "evaluate",
        help="play an agent against others",
        description="Play an agent against others on mirrored deals: every deal is played twice, with the seats "
        "swapped. The first agent plays each of the others; german-whist arena plays all pairs.",
        epilog="example: german-whist evaluate runs/mine random greedy heuristic",
    )
    add_agents(parser, "the agent and its opponents")
    parser.add_argument(
        "--deals",
        type=int,
        metavar="N",
        help="mirrored deals per opponent, or matches (default 1000); with --sprt, at most so many (default 100000)",
    )
    parser.add_argument(
        "--sprt",
        nargs=2,
        type=float,
        metavar=("ELO0", "ELO1"),
        help="play a sequential test of two agents: stop once it is decided whether the first is stronger by at most "
        "ELO0 or by at least ELO1, in normalised Elo, with error rates of 0.05",
    )
    parser.add_argument("--match", metavar="MATCH", help="play matches: first_to:25 (points) or best_of:3 (deals won)")
    add_match_options(parser)
    parser.add_argument(
        "--first-deal",
        type=int,
        metavar="N",
        help="play deals N, N + 1, …, to continue a contest or to split it (default 0)",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="write every game to this file as JSON lines, and print the worst deals",
    )
    add_worker_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the matches and print the results."""
    from german_whist.agents.registry import as_spec, make_agent
    from german_whist.evaluation.match import game_title, play_match, results_table
    from german_whist.game.rules import rules

    if len(options.agents) < 2:
        raise ValueError(f"evaluate: the number of agents must be at least 2, got {len(options.agents)}")
    if options.sprt is not None:
        for other in ("match", "record", "first_deal"):
            if getattr(options, other) is not None:
                raise ValueError(f"evaluate: --sprt and --{other.replace('_', '-')} cannot be combined")
        return _play_sprt(options)
    deals, game = 1000 if options.deals is None else options.deals, rules(options.rules)
    agent, *opponents = [as_spec(spec) for spec in options.agents]
    for spec in opponents:
        make_agent(spec, game)  # refuse a wrong name before the first match
    with (
        chosen_executor(options) as executor,
        _recording(options.record) as record,
        progress_bar("deals" if options.match is None else "matches", len(opponents) * deals) as progress,
    ):
        how: dict[str, Any] = {"seed": options.seed, "rules": game, "endgame": options.endgame, "match": options.match}
        how |= {"first_deal": options.first_deal or 0, "record": record, "executor": executor, "progress": progress}
        results = [play_match(agent, opponent, deals=deals, **how) for opponent in opponents]
    if options.json:
        print(json.dumps({"matches": [result.to_dict() for result in results]}))
    else:
        print_report([results_table(results, game_title(results[0].rules, options.endgame))])
        if record is not None:
            record.print_worst()
    return 0


class _Recorder:
    """Writes recordings, and remembers the mirrored deals in which the first agent lost most tricks."""

    def __init__(self, file: str, write: Callable[[Recording], None]) -> None:
        self._file, self._write = file, write
        self._lines = 0  # written so far
        self._first: Recording | None = None  # a mirrored deal is written when both are there
        self._worst: list[tuple[int, int, tuple[Recording, Recording]]] = []  # (tricks lost, minus its line, games)

    def __call__(self, recording: Recording) -> None:
        self._write(recording)
        self._lines += 1
        if self._first is None:
            self._first = recording
            return
        lost = recording.result.margin - self._first.result.margin
        heapq.heappush(self._worst, (lost, 1 - self._lines, (self._first, recording)))
        if len(self._worst) > _WORST:
            heapq.heappop(self._worst)
        self._first = None

    def print_worst(self) -> None:
        """Print the worst deals, each with its address on the user's page, or a command that shows it."""
        has_page = find_spec("starlette") is not None  # the extra `web` has it
        print("worst deals, in tricks over both games" + "; german-whist serve opens the addresses" * has_page)
        for lost, line, games in sorted(self._worst, reverse=True):
            if has_page:
                from german_whist.table.address import recordings_address

                shown = recordings_address(games)
            else:
                shown = printed_command("draw", self._file, "--line", -line)
            print(f"{-lost:+d} against {games[0].names[1]}, lines {-line} and {1 - line}: {shown}")


@contextmanager
def _recording(file: str | None) -> Iterator[_Recorder | None]:
    """Open the file of recordings; without one, yield ``None``."""
    from german_whist.evaluation.recording import writing_recordings

    if file is None:
        yield None
        return
    with writing_recordings(file) as write:
        yield _Recorder(file, write)


def _play_sprt(options: argparse.Namespace) -> int:
    """Play until the sequential test has decided, and print its result."""
    from german_whist.evaluation.sprt import DEFAULT_DEALS, play_sprt

    if len(options.agents) != 2:
        raise ValueError(f"evaluate: --sprt compares 2 agents, got {len(options.agents)}")
    elo0, elo1 = options.sprt
    deals = DEFAULT_DEALS if options.deals is None else options.deals
    with chosen_executor(options) as executor, progress_bar("deals", deals) as progress:
        result = play_sprt(
            *options.agents,
            elo0=elo0,
            elo1=elo1,
            seed=options.seed,
            rules=options.rules,
            max_deals=deals,
            endgame=options.endgame,
            progress=progress,
            executor=executor,
        )
    if options.json:
        print(json.dumps(result.to_dict()))
    else:
        print_report(result.report())
    return 0

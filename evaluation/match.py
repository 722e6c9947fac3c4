"""``play_match``: mirrored deals, or matches of several deals, between two agents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import AgentLike
from german_whist.evaluation.games import GameResults, MirroredGames, Progress, deal_range, joined, two_players
from german_whist.evaluation.recording import Recording
from german_whist.evaluation.report import Report, Table
from german_whist.evaluation.statistics import finite_ends, format_percent, format_tricks, paired_intervals
from german_whist.game.endgame_setting import EXACT, PLAYED, Endgame
from german_whist.game.match_format import MATCH_LIMIT, MatchFormat, match_format_of
from german_whist.game.rules import Rules, rules_from_dict
from german_whist.game.rules import rules as get_rules
from german_whist.game.scoring import reward_limit
from german_whist.game.utils.checks import SEED_LIMIT
from german_whist.simulator.batch import Score
from german_whist.simulator.text.rules_text import rules_spec

Record = Callable[[Recording], None]


@dataclass(frozen=True, kw_only=True, repr=False)
class MatchResult(Report):
    """Result of the first agent against the second; every deal or match is played twice with the seats swapped.

    Intervals are 95 % confidence intervals of the mean over mirrored pairs (normal approximation; the Wilson interval
    if that leaves the possible range or all pairs have the same result). With a single pair they are unbounded.

    Attributes:
        first: name of the first agent.
        second: name of the second agent.
        rules: fields of the rules.
        seed: seed of the deals and of the agents' randomness.
        wins: number of games, or matches, that the first agent won; each pair has two.
        draws: number of games drawn; a match without a winner after the largest number of deals is a draw.
        losses: number of games that the first agent lost.
        win_rate: (wins + draws / 2) / games.
        interval: 95 % interval of ``win_rate``.
        margin: the first agent's counted tricks minus the second's, mean over all games; in matches, its final score
            minus the second's.
        margin_interval: 95 % interval of ``margin``.
        endgame: ``"played"`` or ``"exact"``.
        deals: number of deals, or of matches, each played twice.
        first_deal: index of the first of them.
        match: the match format, such as ``"first_to:25"``; ``None`` for single deals.
        deals_per_match: mean number of deals in a match.
        margins: the first agent's margin in every game, int64[deals, 2]; float64 in matches and with ``score``. Row i
            is deal ``first_deal + i``. Column 0 is the game in which the first agent has seat 0, column 1 the one with
            the seats swapped. Left out of comparisons, ``repr`` and ``to_dict``; empty after ``from_dict``.
    """

    first: str
    second: str
    rules: dict[str, Any]
    seed: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]
    endgame: Endgame = PLAYED
    deals: int
    first_deal: int = 0
    match: str | None = None
    deals_per_match: float = 1.0
    margins: npt.NDArray[Any] = field(default_factory=lambda: np.zeros((0, 2)), repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        result = asdict(self)
        del result["margins"]
        ends = {name: finite_ends(result[name]) for name in ("interval", "margin_interval")}
        return result | ends

    @classmethod
    def from_dict(cls, result: Mapping[str, Any]) -> MatchResult:
        """Return the result that :meth:`to_dict` gave."""
        fields = dict(result)
        for name in ("interval", "margin_interval"):
            low, high = fields[name]
            fields[name] = -math.inf if low is None else low, math.inf if high is None else high
        return cls(**fields)

    def report(self) -> Sequence[Table | str]:
        """Return a table with one row."""
        return [results_table([self], game_title(self.rules, self.endgame))]


def results_table(results: Sequence[MatchResult], title: str) -> Table:
    """Return a table with one row per result; all results must be of the same settings."""
    won, margin = ("games won", "margin") if results[0].match is None else ("matches won", "score margin")
    rows = [
        (
            result.first,
            result.second,
            format_percent(result.win_rate, result.interval),
            format_tricks(result.margin, result.margin_interval),
            f"{result.wins} / {result.draws} / {result.losses}",
        )
        for result in results
    ]
    columns = ("agent", "opponent", won, margin, "won / drawn / lost")
    return Table(title, columns, rows, result_note(results[0]).split("; ", 1))


def game_title(rules: dict[str, Any], endgame: Endgame) -> str:
    """Return the title of a game from the fields of its rules."""
    return f"German Whist, {rules_spec(rules_from_dict(rules))}{', exact endgame' if endgame == EXACT else ''}"


def result_note(result: MatchResult) -> str:
    """Return a note on how to read a table of results."""
    unit, units, form = ("deal", "deals", "") if result.match is None else ("match", "matches", f", {result.match}")
    start = f" from number {result.first_deal} on" if result.first_deal else ""
    return (
        f"{result.deals:,} mirrored {unit if result.deals == 1 else units}{form}{start} "
        f"(each played twice, seats swapped), seed {result.seed}; draws count half; "
        f"± is the 95 % interval, paired over {units}"
    )


def play_match(
    first: AgentLike,
    second: AgentLike,
    *,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    match: str | MatchFormat | None = None,
    batch_size: int | None = None,
    record: Record | None = None,
    progress: Progress | None = None,
    endgame: Endgame = PLAYED,
    first_deal: int = 0,
    executor: Executor | None = None,
    device: Any = None,
    score: Score | None = None,
) -> MatchResult:
    """Play every deal, or match of several deals, twice with the seats swapped, and return the first agent's result.

    The result depends on the agents, the rules, the seed and the deals, not on the batch size. A contest can be
    continued: deals 0 … 499, and deals 500 … 999 with ``first_deal=500``, give the ``margins`` of deals 0 … 999.

    Args:
        first: an agent object or a specification string (see ``make_agent``).
        second: its opponent, likewise.
        deals: number of deals, ``first_deal`` … ``first_deal + deals − 1`` of the seed, each played twice; with
            ``match``, number of matches (``german_whist.game.match_format`` defines their deals).
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        rules: a preset's name, with settings if wanted (``"classic:hand=10,stock=32"``), or ``Rules``.
        match: play matches: ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won).
        batch_size: deals, or matches, played together, 2,048 by default and 262,144 on a
            device; memory grows with it.
        record: called with a ``Recording`` of every game in the order of the deals; of each deal, first the game in
            which the first agent has seat 0, then its mirror image. Matches are not recorded.
        progress: called during play with the number of deals, or matches, played since the last call, at least 1; the
            numbers add up to ``deals``. A batch advances all its deals together; tricks count as fractions of deals.
        endgame: ``"played"``, or ``"exact"``: both agents play it perfectly, as ``NAME+exact`` does.
        first_deal: index of the first deal, or match.
        executor: a ``concurrent.futures.Executor`` whose workers play the deals, at most ``batch_size`` of them at a
            time; the result is the same. Agents are passed to workers as specification strings, or pickled.
        device: ``None``, or ``"cuda"`` to play the deals, networks and rule bots on a GPU. There, a network's logits
            are rounded differently, so another of two nearly equal actions may be played.
        score: house rules: a function of a batch of finished deals that returns both seats' scores, float[n, 2]. The
            higher one wins, and ``margin`` and ``margins`` are of these scores.

    Returns:
        A :class:`MatchResult`: ``win_rate`` (draws count half) and ``margin`` (counted tricks per deal, in a low game
        with the sign reversed; in matches, final scores) of the first agent, with 95 % confidence intervals of the
        means over deals or matches; and ``margins``, int64[deals, 2], its margin in both games of every deal.

    Raises:
        ValueError: when an argument is not allowed, or an agent does not return one legal action per view; the message
            names the agent.
    """
    if record is not None and not callable(record):
        raise ValueError(f"record must be a function, such as list.append, got {record!r}")
    rules, match_format = get_rules(rules), None if match is None else match_format_of(match)
    players = two_players(first, second, rules)
    numbers = deal_range(first_deal, deals, SEED_LIMIT if match is None else MATCH_LIMIT)
    games = MirroredGames(
        rules=rules,
        seed=seed,
        match=match_format,
        endgame=endgame,
        record=record is not None,
        device=device,
        score=score,
    )
    blocks = []
    for block in games.play(players, numbers, batch_size=batch_size, executor=executor, progress=progress):
        blocks.append(block._replace(recordings=()))
        for recording in block.recordings:
            if record is not None:
                record(recording)
    is_scored = score is not None
    return match_result(
        joined(blocks), players.names, rules, seed, endgame, numbers.start, match_format, is_scored=is_scored
    )


def match_result(
    played: GameResults,
    names: tuple[str, str],
    rules: Rules,
    seed: int,
    endgame: Endgame,
    first_deal: int = 0,
    match: MatchFormat | None = None,
    *,
    is_scored: bool = False,
) -> MatchResult:
    """Compute the result of a contest from all its games, whose margins may be of a function's scores."""
    outcomes, margins = played.outcomes, played.margins
    wins, draws, losses = (int((outcomes == outcome).sum()) for outcome in (1, 0, -1))
    largest = reward_limit(rules.record, "margin") if match is None else match.largest_score(rules)
    largest = math.inf if is_scored else largest
    return MatchResult(
        first=names[0],
        second=names[1],
        rules=rules.to_dict(),
        seed=int(seed),
        wins=wins,
        draws=draws,
        losses=losses,
        **paired_intervals(outcomes, margins, largest)._asdict(),
        endgame=endgame,
        deals=len(margins),
        first_deal=first_deal,
        match=None if match is None else str(match),
        deals_per_match=float(played.lengths.mean()),
        margins=margins if is_scored or match is not None else margins.astype(np.int64),
    )

"""``play_match`` and ``play_series``: mirrored deals, or matches of several deals, between two agents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from german_whist.envs.agent import AgentLike
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.match_format import MatchFormat, match_format_of
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.specs import count_text, must_be
from german_whist.evaluation.games import (
    DEFAULT_BATCH,
    DEVICE_BATCH,
    GameBlock,
    Progress,
    deal_range,
    games,
    joined,
    match_range,
    two_players,
)
from german_whist.evaluation.recording import Recording
from german_whist.evaluation.report import Report, Table
from german_whist.evaluation.statistics import finite_ends, paired_intervals, percent, tricks

Record = Callable[[Recording], None]


@dataclass(frozen=True, kw_only=True)
class MirroredResult(Report):
    """Result of the first agent against the second; every deal or match is played twice with the seats swapped.

    Intervals are 95 % confidence intervals of the mean over mirrored pairs (normal approximation; the Wilson interval
    if all pairs have the same result). With a single pair they are unbounded. They have width 0 if the two games of
    every pair cancel out, as when a deterministic agent plays itself.

    Attributes:
        first: name of the first agent.
        second: name of the second agent.
        rules: fields of the rules.
        seed: seed of the deals and of the agents' randomness.
        wins: number of games that the first agent won; each pair has two.
        draws: number of games drawn.
        losses: number of games that the first agent lost.
        win_rate: (wins + draws / 2) / games.
        interval: 95 % interval of ``win_rate``.
        margin: the first agent's score minus the second's, mean over all games.
        margin_interval: 95 % interval of ``margin``.
        endgame: ``"played"`` or ``"exact"``.
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
    endgame: str = PLAYED

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        fields = asdict(self)
        for name in ("interval", "margin_interval"):
            fields[name] = finite_ends(fields[name])
        return fields

    def report(self) -> Sequence[Table | str]:
        """Return a table with one row."""
        results = [cast("MatchResult | SeriesResult", self)]
        return [results_table(results, game_title(self.rules, self.endgame))]


@dataclass(frozen=True, kw_only=True)
class MatchResult(MirroredResult):
    """Result of ``play_match``: mirrored deals. ``margin`` is in counted tricks per deal.

    Attributes:
        deals: number of deals, each played twice.
        first_deal: index of the first deal.
    """

    deals: int
    first_deal: int = 0
    _margins: npt.NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    @property
    def margins(self) -> npt.NDArray[np.int64]:
        """The first agent's margin in every game, int64[deals, 2].

        Row i is deal ``first_deal + i``. Column 0 is the game in which the first agent has seat 0, column 1 the one
        with the seats swapped. Margins are left out of comparisons, ``repr`` and ``to_dict``.

        Raises:
            ValueError: for a result that does not come from ``play_match``.
        """
        if self._margins is None:
            raise ValueError("this result has no margins: play_match gives them")
        return self._margins

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        result = super().to_dict()
        del result["_margins"]
        return result

    @classmethod
    def from_dict(cls, result: Mapping[str, Any]) -> MatchResult:
        """Return the result that :meth:`to_dict` gave."""
        fields = dict(result)
        for name in ("interval", "margin_interval"):
            low, high = fields[name]
            fields[name] = -math.inf if low is None else low, math.inf if high is None else high
        return cls(**fields)


@dataclass(frozen=True, kw_only=True)
class SeriesResult(MirroredResult):
    """Result of ``play_series``: mirrored matches of several deals. ``margin`` is in points of the final scores.

    A match without a winner after the largest number of deals is a draw.

    Attributes:
        match: the match format, such as ``"first_to:25"``.
        matches: number of matches, each played twice.
        deals_per_match: mean number of deals in a match.
    """

    match: str
    matches: int
    deals_per_match: float


def results_table(results: Sequence[MatchResult | SeriesResult], title: str) -> Table:
    """Return a table with one row per result; all results must be of the same kind, rules and settings."""
    won, margin = ("matches won", "score margin") if isinstance(results[0], SeriesResult) else ("games won", "margin")
    rows = [
        (
            result.first,
            result.second,
            percent(result.win_rate, result.interval),
            tricks(result.margin, result.margin_interval),
            f"{result.wins} / {result.draws} / {result.losses}",
        )
        for result in results
    ]
    columns = ("agent", "opponent", won, margin, "won / drawn / lost")
    return Table(title, columns, rows, result_note(results[0]).split("; ", 1))


def game_title(rules: dict[str, Any], endgame: str) -> str:
    """Return the title of a game from the fields of its rules."""
    return f"German Whist, {rules_spec(rules_from_dict(rules))}{', exact endgame' if endgame == EXACT else ''}"


def result_note(result: MatchResult | SeriesResult) -> str:
    """Return a note on what was played and how the numbers in a table of results are to be read."""
    if isinstance(result, SeriesResult):
        unit, played = "matches", f"{count_text(result.matches, 'mirrored match')}, {result.match}"
    else:
        start = f" from number {result.first_deal} on" if result.first_deal else ""
        unit, played = "deals", f"{count_text(result.deals, 'mirrored deal')}{start}"
    return (
        f"{played} (each played twice, seats swapped), seed {result.seed}; "
        f"draws count half; ± is the 95 % interval, paired over {unit}"
    )


def play_match(
    first: AgentLike,
    second: AgentLike,
    *,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    batch_size: int | None = None,
    record: Record | None = None,
    progress: Progress | None = None,
    endgame: str = PLAYED,
    first_deal: int = 0,
    executor: Executor | None = None,
    device: Any = None,
) -> MatchResult:
    """Play every deal twice with the seats swapped, and return the first agent's result.

    The result depends on the agents, the rules, the seed and the deals, not on the batch size. A match can be
    continued: deals 0 … 499, and deals 500 … 999 with ``first_deal=500``, give the ``margins`` of deals 0 … 999.

    Args:
        first: an agent object or a specification string (see ``make_agent``).
        second: its opponent, likewise.
        deals: number of deals, ``first_deal`` … ``first_deal + deals − 1`` of the seed; each is two games.
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        rules: a preset's name, with settings if wanted (``"classic:hand=10,stock=32"``), or ``Rules``.
        batch_size: deals played together, 2,048 by default and 262,144 on a device; memory grows with it.
        record: called with a ``Recording`` of every game in the order of the deals; of each deal, first the game in
            which the first agent has seat 0, then its mirror image.
        progress: called during play with the number of deals played since the last call, at least 1; the numbers add
            up to ``deals``. A batch advances all its deals together, and tricks count as fractions of deals.
        endgame: ``"played"``, or ``"exact"``: both agents play it perfectly, as ``NAME+exact`` does.
        first_deal: index of the first deal.
        executor: a ``concurrent.futures.Executor`` whose workers play the deals, at most ``batch_size`` of them at a
            time; the result is the same. Agents are passed to workers as specification strings, or pickled.
        device: ``None``, or ``"cuda"`` to play the deals, networks and rule bots on a GPU. There, a network's logits
            are rounded differently, so another of two nearly equal actions may be played.

    Returns:
        A :class:`MatchResult`: ``win_rate`` (draws count half) and ``margin`` (counted tricks per deal, in a low game
        with the sign reversed) of the first agent, with 95 % confidence intervals of the means over deals; and
        ``margins``, int64[deals, 2], its margin in both games of every deal.

    Raises:
        ValueError: when an argument is not allowed, or an agent does not return one legal action per view; the message
            names the agent.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    if record is not None and not callable(record):
        raise ValueError(must_be("record", "a function that is called with each Recording, as list.append", record))
    rules = rules_named(rules)
    players, deals_played = two_players(first, second, rules), []
    for block in games(
        players,
        rules,
        seed,
        deal_range(first_deal, deals),
        endgame=endgame,
        batch_size=_batch_size(batch_size, device),
        executor=executor,
        record=record is not None,
        progress=progress,
        device=device,
    ):
        deals_played.append(block._replace(recordings=()))
        for recording in block.recordings:
            if record is not None:
                record(recording)
    return match_result(joined(deals_played), players.names, rules, seed, endgame)


def _batch_size(given: int | None, device: Any) -> int:
    if given is not None:
        return given
    return DEFAULT_BATCH if device is None else DEVICE_BATCH


def play_series(
    first: AgentLike,
    second: AgentLike,
    match: str | MatchFormat = "first_to:25",
    *,
    matches: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    batch_size: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    endgame: str = PLAYED,
    executor: Executor | None = None,
) -> SeriesResult:
    """Play every match twice on the same deals with the seats swapped, and return the first agent's result.

    The result depends on the agents, the rules, the match format, the seed and the number of matches, not on the batch
    size.

    Args:
        first: an agent object or a specification string (see ``make_agent``).
        second: its opponent, likewise.
        match: the match format: ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won).
        matches: number of matches, 0 … matches − 1 of the seed (``german_whist.envs.engine.match_format`` defines the
            deals of a match).
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        batch_size: matches played together; memory grows with it.
        progress: called with the number of matches that ended since the last call; the numbers add up to ``matches``.
        endgame: ``"played"``, or ``"exact"``: both agents play it perfectly, as ``NAME+exact`` does.
        executor: a ``concurrent.futures.Executor`` whose workers play the matches; the result is the same. Agents are
            passed to workers as specification strings, or pickled.

    Returns:
        A :class:`SeriesResult`: ``win_rate`` (matches; draws count half) and ``margin`` (final scores) of the first
        agent, with 95 % confidence intervals of the means over matches, and ``deals_per_match``.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view; the
            message names the agent.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    rules, match_format = rules_named(rules), match_format_of(match)
    players = two_players(first, second, rules)
    blocks = games(
        players,
        rules,
        seed,
        match_range(matches),
        match=match_format,
        endgame=endgame,
        batch_size=batch_size,
        executor=executor,
        progress=progress,
    )
    return series_result(joined(blocks), players.names, rules, seed, endgame, match_format)


def match_result(played: GameBlock, names: tuple[str, str], rules: Rules, seed: int, endgame: str) -> MatchResult:
    """Compute the result of a match from all its games."""
    largest, margins = reward_limit(rules.game, "margin"), played.margins.astype(np.int64)
    fields = _result_fields(played, names, rules, seed, endgame, largest)
    return MatchResult(**fields, deals=len(margins), first_deal=int(played.numbers[0]), _margins=margins)


def series_result(
    played: GameBlock, names: tuple[str, str], rules: Rules, seed: int, endgame: str, match: MatchFormat
) -> SeriesResult:
    """Compute the result of a series from all its games."""
    fields = _result_fields(played, names, rules, seed, endgame)
    deals_per_match = float(played.lengths.mean())
    return SeriesResult(**fields, match=str(match), matches=len(played.margins), deals_per_match=deals_per_match)


def _result_fields(
    played: GameBlock, names: tuple[str, str], rules: Rules, seed: int, endgame: str, largest: float = math.inf
) -> dict[str, Any]:
    """Compute the fields of a ``MirroredResult``; ``largest`` is the largest possible margin."""
    wins, draws, losses = (int((played.outcomes == outcome).sum()) for outcome in (1, 0, -1))
    return {
        "first": names[0],
        "second": names[1],
        "rules": rules.to_dict(),
        "seed": int(seed),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        **paired_intervals(played.outcomes, played.margins, largest)._asdict(),
        "endgame": endgame,
    }

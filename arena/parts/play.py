"""Playing parts of matches."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

from german_whist.arena.games import GameBlock, MatchConfig, Progress, play_games
from german_whist.arena.match import match_result, series_result
from german_whist.arena.match_result import MatchResult, SeriesResult
from german_whist.arena.parts.agent_version import agent_version
from german_whist.arena.parts.match_part import MAX_DEALS, MatchPart, Meeting, rules_text
from german_whist.arena.parts.shards import Shard
from german_whist.envs.engine.endgame_hook import PLAYED, check_endgame
from german_whist.envs.engine.match_format import MatchFormat
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.checks import check_seed, whole_number


def match_meeting(
    first: str, second: str, rules: str | Rules = "classic", seed: int = 0, endgame: str = PLAYED
) -> Meeting:
    """Return the meeting of two agents, with the versions of today.

    Args:
        first: specification of the first agent.
        second: specification of the second agent.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        seed: seed of the deals and of the agents' randomness.
        endgame: ``"played"`` or ``"exact"``.

    Raises:
        ValueError: when the rules, seed or endgame are not allowed, or a checkpoint cannot be read.
    """
    return Meeting(
        first,
        second,
        agent_version(first),
        agent_version(second),
        rules_text(rules_named(rules).to_dict()),
        check_seed(seed),
        check_endgame(endgame),
    )


def play_part(
    meeting: Meeting,
    start: int,
    count: int,
    match: str | MatchFormat | None = None,
    *,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> MatchPart:
    """Play deals, or matches of several deals, ``start … start + count − 1``, as a match of their own.

    Raises:
        ValueError: as ``play_match``, or when there are more than parts may have.
    """
    config = _config(meeting, match)
    whole_number(config.unit, count, 1, MAX_DEALS)
    games = GameBlock.joined(play_games(config, start, count, progress=progress, executor=executor))
    forfeits = games.forfeits
    if config.match is None:
        return MatchPart(meeting, start, count, start, games.margins.astype(int), forfeits=forfeits)
    return MatchPart(
        meeting,
        start,
        count,
        start,
        games.margins,
        match=str(config.match),
        outcomes=games.outcomes,
        lengths=games.lengths,
        forfeits=forfeits,
    )


def play_shard(
    meeting: Meeting,
    start: int,
    count: int,
    shard: Shard,
    match: str | MatchFormat | None = None,
    *,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> MatchPart:
    """Play one shard of the match, or series of matches, ``start … start + count − 1``.

    Raises:
        ValueError: as :func:`play_part`, or when there are fewer deals than shards.
    """
    unit = _config(meeting, match).unit
    share = shard.deals(whole_number(unit, count, 1, MAX_DEALS), unit)
    part = play_part(meeting, start + share.start, len(share), match, progress=progress, executor=executor)
    return replace(part, match_start=start, match_deals=count, shard=str(shard))


def _config(meeting: Meeting, match: str | MatchFormat | None) -> MatchConfig:
    rules = rules_from_dict(meeting.rules_fields)
    return MatchConfig.of(meeting.first, meeting.second, rules, meeting.seed, meeting.endgame, match)


def result_of(part: MatchPart) -> MatchResult | SeriesResult:
    """Return the result of a part as ``play_match`` or, for a series, ``play_series`` returns it."""
    config, names = _config(part.meeting, part.match or None), (part.meeting.first, part.meeting.second)
    if part.outcomes is None or part.lengths is None:
        return match_result(config, GameBlock.of_margins(part.start, part.margins, part.forfeits), names)
    games = GameBlock(part.start, part.margins, part.outcomes, part.lengths, part.forfeits)
    return series_result(config, games, names)

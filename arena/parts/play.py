"""Playing parts of matches."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

from german_whist.arena.match import Progress, match_result, play_match
from german_whist.arena.match_result import MatchResult, SeriesResult
from german_whist.arena.parts.agent_version import agent_version
from german_whist.arena.parts.match_part import MAX_DEALS, MatchPart, Meeting, rules_text
from german_whist.arena.parts.shards import Shard
from german_whist.arena.series import SeriesGames, series_games, series_result
from german_whist.envs.engine.endgame_hook import PLAYED, check_endgame
from german_whist.envs.engine.match_format import MatchFormat, match_format_of
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
    deals: int,
    *,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> MatchPart:
    """Play deals ``start … start + deals − 1`` as a match of their own.

    Raises:
        ValueError: as ``play_match``.
    """
    result = play_match(
        meeting.first,
        meeting.second,
        deals,
        meeting.seed,
        rules_from_dict(meeting.rules_fields),
        progress=progress,
        endgame=meeting.endgame,
        first_deal=start,
        executor=executor,
    )
    return MatchPart(meeting, start, deals, start, result.margins, forfeits=result.forfeits)


def play_shard(
    meeting: Meeting,
    start: int,
    deals: int,
    shard: Shard,
    *,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> MatchPart:
    """Play one shard of the match that has the deals ``start … start + deals − 1``.

    Raises:
        ValueError: as ``play_match``, or when there are fewer deals than shards, or more deals than parts may have.
    """
    whole_number("deals", deals, 1, MAX_DEALS)
    share = shard.deals(deals)
    part = play_part(meeting, start + share.start, len(share), progress=progress, executor=executor)
    return replace(part, match_start=start, match_deals=deals, shard=str(shard))


def play_series_shard(
    meeting: Meeting,
    match: str | MatchFormat,
    matches: int,
    shard: Shard,
    *,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> MatchPart:
    """Play one shard of the series that has the matches 0 … ``matches − 1``.

    Raises:
        ValueError: as ``play_series``, or when there are fewer matches than shards, or more than parts may have.
    """
    whole_number("matches", matches, 1, MAX_DEALS)
    share, match_format = shard.deals(matches, "matches"), match_format_of(match)
    games = series_games(
        meeting.first,
        meeting.second,
        match_format,
        len(share),
        meeting.seed,
        rules_from_dict(meeting.rules_fields),
        first_match=share.start,
        progress=progress,
        endgame=meeting.endgame,
        executor=executor,
    )
    return MatchPart(
        meeting,
        0,
        matches,
        share.start,
        games.margins,
        str(shard),
        match=str(match_format),
        outcomes=games.outcomes,
        lengths=games.lengths,
        forfeits=games.forfeits,
    )


def result_of(part: MatchPart) -> MatchResult | SeriesResult:
    """Return the result of a part as ``play_match`` or, for a series, ``play_series`` returns it."""
    meeting = part.meeting
    rules = rules_from_dict(meeting.rules_fields)
    names = (meeting.first, meeting.second)
    if part.outcomes is not None and part.lengths is not None:
        games = SeriesGames(part.outcomes, part.margins, part.lengths, part.forfeits)
        return series_result(games, names, rules, match_format_of(part.match), meeting.seed, meeting.endgame)
    result = match_result(part.margins.astype(float), names, rules, meeting.seed, meeting.endgame, part.start)
    return result.with_forfeits(part.forfeits)

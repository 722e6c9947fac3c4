"""``play_match`` and ``play_series``: single deals, or matches of several deals such as ``first_to:25``, mirrored."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

from german_whist.arena.games import DEFAULT_BATCH, GameBlock, MatchConfig, Progress, play_games
from german_whist.arena.match_result import MatchResult, SeriesResult, result_fields
from german_whist.arena.recording import Recording
from german_whist.envs.agent import Agent
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.match_format import MatchFormat
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit


def play_match(
    first: str | Agent,
    second: str | Agent,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    batch_size: int = DEFAULT_BATCH,
    record: Callable[[Recording], None] | None = None,
    progress: Progress | None = None,
    endgame: str = PLAYED,
    first_deal: int = 0,
    executor: Executor | None = None,
) -> MatchResult:
    """Play every deal twice with the seats swapped and return the first agent's result.

    The result depends on the agents, the rules, the seed and the deals, not on the batch size. A match can be played in
    parts: deals 0 … 499 and, with ``first_deal=500``, deals 500 … 999 have the ``margins`` of deals 0 … 999.

    Args:
        first: an agent object or a specification string (see ``make_agent``).
        second: its opponent, likewise.
        deals: number of deals: deals ``first_deal`` … ``first_deal + deals − 1`` of the seed, so 2 × deals games.
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        rules: a preset's name, with settings if wanted (``"classic:hand=10,stock=32"``), or ``Rules``.
        batch_size: deals played together; memory grows with it.
        record: called with a ``Recording`` of every game in the order of the deals; first the game in which the first
            agent has seat 0, then its mirror image.
        progress: called during play with the number of deals played since the last call, at least 1; the numbers add
            up to ``deals``. A batch advances all its deals together, and its tricks count as shares of deals.
        endgame: ``"played"``, or ``"exact"``: both sides play it perfectly, as ``NAME+exact`` does.
        first_deal: index of the first deal.
        executor: a ``concurrent.futures.Executor`` whose workers play the deals, at most ``batch_size`` of them at a
            time; the result is the same. Agents are passed on as specification strings, or pickled.

    Returns:
        A :class:`MatchResult`: ``win_rate`` (draws count half) and ``margin`` (counted tricks per deal, in a low game
        with the sign reversed) of the first agent, with 95 % confidence intervals of the means over deals; and
        ``margins``, int64[deals, 2]: its margin in both games of every deal.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view; the
            message names the agent. An agent that raises ``AgentForfeit`` loses those games by the largest margin
            instead; ``result.forfeits`` lists them.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    config = MatchConfig.of(first, second, rules, seed, endgame)
    blocks = []
    for block in play_games(
        config,
        first_deal,
        deals,
        batch_size=batch_size,
        record=record is not None,
        progress=progress,
        executor=executor,
    ):
        blocks.append(block)
        if record is not None:
            for recording in block.recordings:
                record(recording)
            block.recordings.clear()
    return match_result(config, GameBlock.joined(blocks))


def play_series(
    first: str | Agent,
    second: str | Agent,
    match: str | MatchFormat = "first_to:25",
    matches: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    batch_size: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    endgame: str = PLAYED,
    executor: Executor | None = None,
) -> SeriesResult:
    """Play every match twice on the same deals with the seats swapped and return the first agent's result.

    The result depends on the agents, the rules, the match format, the seed and the number of matches, not on the batch
    size.

    Args:
        first: an agent object or a specification string (see ``make_agent``).
        second: its opponent, likewise.
        match: the match format: ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won).
        matches: number of matches: matches 0 … matches − 1 of the seed (``german_whist.envs.engine.match_format`` says
            which deals these are).
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        batch_size: matches played together; memory grows with it.
        progress: called as matches end with their number; the numbers add up to ``matches``.
        endgame: ``"played"``, or ``"exact"``: both sides play it perfectly, as ``NAME+exact`` does.
        executor: a ``concurrent.futures.Executor`` whose workers play the matches; the result is the same. Agents are
            passed on as specification strings, or pickled.

    Returns:
        A :class:`SeriesResult`: ``win_rate`` (matches; draws count half) and ``margin`` (final scores) of the first
        agent, with 95 % confidence intervals of the means over matches, and ``deals_per_match``.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view; the
            message names the agent. An agent that raises ``AgentForfeit`` loses the deal by the largest margin instead;
            ``result.forfeits`` lists these deals.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    config = MatchConfig.of(first, second, rules, seed, endgame, match)
    blocks = play_games(config, 0, matches, batch_size=batch_size, progress=progress, executor=executor)
    return series_result(config, GameBlock.joined(blocks))


def match_result(config: MatchConfig, games: GameBlock, names: tuple[str, str] | None = None) -> MatchResult:
    """Return the result of single deals; ``names`` are those of the agents by default."""
    largest = reward_limit(config.rules.game, "margin")
    fields = result_fields(
        names or config.names, config.rules, config.seed, games.outcomes, games.margins, config.endgame, largest
    )
    result = MatchResult(**fields, deals=len(games), first_deal=games.start)
    return result.with_margins(games.margins).with_forfeits(games.forfeits)


def series_result(config: MatchConfig, games: GameBlock, names: tuple[str, str] | None = None) -> SeriesResult:
    """Return the result of matches of several deals; ``names`` are those of the agents by default."""
    fields = result_fields(
        names or config.names, config.rules, config.seed, games.outcomes, games.margins, config.endgame
    )
    result = SeriesResult(
        **fields, match=str(config.match), matches=len(games), deals_per_match=float(games.lengths.mean())
    )
    return result.with_forfeits(games.forfeits)

"""``play_tournament``: every pair of agents plays the same mirrored deals, which gives the standings."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from itertools import combinations

from german_whist.agents.base import AgentLike
from german_whist.agents.registry import as_spec, make_agent
from german_whist.evaluation.games import Progress, deal_range, result_names
from german_whist.evaluation.match import play_match
from german_whist.evaluation.tournament.standings import Margins, Standings, standings
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules


def play_tournament(
    agents: Sequence[AgentLike],
    *,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    endgame: Endgame = PLAYED,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Standings:
    """Play every pair of agents on the same mirrored deals, and rate the agents.

    Example:
        >>> found = german_whist.play_tournament(["random", "greedy", "heuristic"], deals=50)
        >>> found.agents
        ('heuristic', 'greedy', 'random')

    Args:
        agents: at least two specification strings (see ``make_agent``), paths of checkpoints or agent objects, with
            different names.
        deals: number of mirrored deals of each pair.
        seed: seed of the deals and of the agents' randomness.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        endgame: ``"played"`` or ``"exact"``, as in ``play_match``.
        progress: called with the number of deals played since the last call; the numbers add up to ``deals`` times the
            number of pairs.
        executor: as in ``play_match``.

    Raises:
        ValueError: when a name or number is not allowed, two agents have the same name, or an agent does not return one
            legal action per view.
    """
    deal_range(0, deals)
    if len(agents) < 2:
        raise ValueError(f"the number of agents must be at least 2, got {len(agents)}")
    game = get_rules(rules)
    specs = [as_spec(agent) for agent in agents]
    named: dict[str, AgentLike] = {}
    for name, spec in zip(result_names(specs, [make_agent(spec, game) for spec in specs]), specs, strict=True):
        if name in named:
            raise ValueError(f"agent {name!r} is given twice: objects are told apart by their attribute name")
        named[name] = spec
    names = list(named)
    margins: dict[tuple[int, int], Margins] = {}
    for i, j in combinations(range(len(names)), 2):
        # In alphabetical order, so that results do not depend on the order of the arguments.
        first, second = sorted((names[i], names[j]))
        played = play_match(
            named[first],
            named[second],
            deals=deals,
            seed=seed,
            rules=game,
            endgame=endgame,
            progress=progress,
            executor=executor,
        )
        margins[i, j] = played.margins if first == names[i] else -played.margins[:, ::-1]
    return standings(tuple(names), margins, game, int(seed), endgame)

"""How strong a trained agent is: ``python -m german_whist.benchmarks.strength.agent_strength champion``.

Prints the whole table of one agent, all repeatable from the seed: against the rule bots and against flat Monte Carlo
with exact endgames on both sides, against the heuristic bot as each of them is, what it costs when the agent's network
plays the endgame, too, each seat apart, and its win rate by the quality of the hand it was dealt beside that of the
heuristic bot with the same cards, so that skill is seen apart from luck.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.agents.bots.heuristic.bot_kernels import full_hand, strength
from german_whist.agents.endgame.exact_agent import ExactEndgame, solves_endgame
from german_whist.agents.policy.agent import network_of, rules_of
from german_whist.agents.policy.checkpoint import read_card, write_results
from german_whist.agents.registry import make_agent
from german_whist.arena.match import match_margins, match_result
from german_whist.arena.statistics import mean_interval
from german_whist.benchmarks.strength.agent_report import markdown
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.jit import kernel

SEED = 77  # deals that training does not see unless it is given this seed
DEALS = 10_000
SLOW_SHARE = 10  # of so many deals one is played against Monte Carlo, which takes minutes
HEURISTIC = "heuristic"
MONTE_CARLO = "mc:worlds=240"
ITSELF = f"itself+{EXACT}"
NETWORK = ", network to the end"  # of rows in which an agent that solves endgames does without
QUALITIES = ("worst fifth of hands", "second", "third", "fourth", "best fifth of hands")

Facts = dict[str, Any]
Margins = npt.NDArray[np.float64]
Progress = Callable[[int], None]


class Row(NamedTuple):
    """A match of the table.

    Attributes:
        opponent: specification string, or ``ITSELF``.
        endgame: mode of the match.
        share: one of so many deals is played.
        by_network: whether the agent's network plays the endgame even where the agent as it is would solve it.
    """

    opponent: str
    endgame: str
    share: int = 1
    by_network: bool = False


ROWS = (
    Row("random", EXACT),
    Row("greedy", EXACT),
    Row(HEURISTIC, EXACT),
    Row(MONTE_CARLO, EXACT, SLOW_SHARE),
    Row(HEURISTIC, PLAYED),
    Row(HEURISTIC, PLAYED, by_network=True),
    Row(ITSELF, PLAYED, by_network=True),
)


def rows_of(agent: Agent) -> dict[str, Row]:
    """Return the rows of an agent's table, by what they are called; none is the same match as another."""
    rows: dict[str, Row] = {}
    for row in ROWS:
        name = f"{row.opponent}+{EXACT}" if row.endgame == EXACT else row.opponent
        rows.setdefault(name + NETWORK if row.by_network and solves_endgame(agent) else name, row)
    return rows


def measure(spec: str, deals: int, seed: int, game: Rules, progress: Progress = lambda played: None) -> Facts:
    """Return all figures of an agent, as plain data.

    Args:
        spec: the agent.
        deals: mirrored deals of each match; a tenth of them against Monte Carlo.
        seed: of the deals.
        game: the rules.
        progress: told how many deals more have been played.

    Raises:
        ValueError: when something is not allowed.
    """
    agent = make_agent(spec)
    if isinstance(agent, ExactEndgame) and agent.name.endswith(f"+{EXACT}"):
        raise ValueError(f"agent {spec!r}: leave out +{EXACT}: the table has both endgames")
    solving = agent if solves_endgame(agent) else ExactEndgame(agent)
    by_network = network_of(agent) or agent
    results: Facts = {}
    against: Margins | None = None
    for name, row in rows_of(agent).items():
        one = by_network if row.by_network else agent
        opponent = solving if row.opponent == ITSELF else make_agent(row.opponent)
        played = max(deals // row.share, 2)
        margins = _play(one, opponent, (spec, name), played, seed, game, row.endgame, progress)
        results[name] = _result(margins, game, seed, row.endgame)
        if row == Row(HEURISTIC, EXACT):
            against = margins
    bot = make_agent(HEURISTIC)
    level = _play(bot, bot, (HEURISTIC, HEURISTIC), deals, seed, game, EXACT, progress)
    assert against is not None
    return {
        "agent": spec,
        "rules": rules_spec(game),
        "seed": seed,
        "results": results,
        "seats": seat_facts(against, game, seed),
        "hands": hand_facts(against, level, game, seed),
    }


def total(spec: str, deals: int) -> int:
    """Return how many deals :func:`measure` plays in all."""
    return sum(max(deals // row.share, 2) for row in rows_of(make_agent(spec)).values()) + deals


def _play(
    agent: Agent,
    opponent: Agent,
    names: tuple[str, str],
    deals: int,
    seed: int,
    game: Rules,
    endgame: str,
    progress: Progress,
) -> Margins:
    # Monte Carlo takes long for a batch: small ones keep the progress bar moving, and the result is the same.
    batch = 64 if names[1].startswith("mc") else 1024
    return match_margins(
        (agent, opponent), names, deals, seed, game, batch_size=batch, progress=progress, endgame=endgame
    )


def _result(margins: Margins, game: Rules, seed: int, endgame: str) -> Facts:
    fields = match_result(margins, ("", ""), game, seed, endgame).to_dict()
    return {name: value for name, value in fields.items() if name not in ("first", "second", "rules")}


def _rate(margins: Margins) -> Facts:
    """Return the win rate of some games, float64[games], with its interval."""
    if not len(margins):
        return {"games": 0, "win_rate": None, "interval": None}
    rate, interval = mean_interval((np.sign(margins) + 1) / 2)
    return {"games": len(margins), "win_rate": rate, "interval": interval if len(margins) > 1 else None}


def seat_facts(margins: Margins, game: Rules, seed: int) -> Facts:
    """Return the win rate of the first agent where it leads the first trick, and where it deals."""
    dealer = DealBatch(game, len(margins), seed).states["dealer"]
    leads = np.stack([dealer == 1, dealer == 0], axis=1)  # by the first agent's seat
    return {"leads the first trick": _rate(margins[leads]), "deals": _rate(margins[~leads])}


def hand_facts(margins: Margins, level: Margins, game: Rules, seed: int) -> list[Facts]:
    """Return the win rate of the first agent, and that of the heuristic bot, by the quality of the hand dealt.

    A hand's quality is the summed worth of its cards as the heuristic bot reckons it; the hands of all games are parted
    into five equal classes.

    Args:
        margins: of the agent against the heuristic bot, float64[deals, 2].
        level: of the heuristic bot against itself in the same deals.
        game: the rules.
        seed: of the deals.
    """
    batch = DealBatch(game, len(margins), seed)
    rows = np.arange(len(margins))
    worth = np.empty((len(margins), 2))
    for seat in range(2):
        _write_worth(batch.views(rows, np.full(len(rows), seat)), worth[:, seat])
    order = worth.ravel().argsort(kind="stable")
    facts = []
    for name, games in zip(QUALITIES, np.array_split(order, len(QUALITIES)), strict=True):
        mine, theirs = margins.ravel()[games], level.ravel()[games]
        gain, interval = mean_interval((np.sign(mine) - np.sign(theirs)) / 2)
        facts.append(
            {
                "hands": name,
                "agent": _rate(mine),
                HEURISTIC: _rate(theirs),
                "gain": {"win_rate": gain, "interval": interval if len(games) > 1 else None},
            }
        )
    return facts


@kernel
def _write_worth(views, worth):
    for i in range(views.shape[0]):
        view = views[i]
        live = view.hand | view.unseen | view.opponent_known | view.face_up
        worth[i] = strength(view.hand, full_hand(view), live, np.int64(view.trump), view.low != 0)


def card_results(facts: Facts) -> Facts:
    """Return the figures as a model card holds them: by opponent, seats and hands with the heuristic bot's."""
    results = {opponent: dict(result) for opponent, result in facts["results"].items()}
    results[f"{HEURISTIC}+{EXACT}"].update(seats=facts["seats"], hands=facts["hands"])
    return results


def main(words: Sequence[str] | None = None) -> int:
    """Print the figures as Markdown or JSON, and put them into a model card where one is named."""
    parser = argparse.ArgumentParser(
        prog="python -m german_whist.benchmarks.strength.agent_strength", description=__doc__
    )
    parser.add_argument("agent", metavar="AGENT", help="the agent: champion, checkpoint:PATH, …")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"mirrored deals of a match (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    parser.add_argument("--rules", help="the game (default: the agent's own, or classic)")
    parser.add_argument("--write-card", metavar="FILE", help="put the results into this checkpoint's model card")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    try:
        if options.deals < len(QUALITIES):
            raise ValueError(f"deals {options.deals} is not allowed: a whole number from {len(QUALITIES)}")
        game = rules_named(options.rules or rules_of(make_agent(options.agent)) or "classic")
        if options.write_card:
            read_card(options.write_card)  # a file that is none shows now, not minutes later
        facts = _measured(options.agent, options.deals, options.seed, game)
        if options.write_card:
            write_results(options.write_card, card_results(facts))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(json.dumps(facts) if options.json else markdown(facts))
    return 0


def _measured(spec: str, deals: int, seed: int, game: Rules) -> Facts:
    from rich.console import Console
    from rich.progress import Progress as Bar

    errors = Console(stderr=True)
    with Bar(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("deals", total=total(spec, deals))
        return measure(spec, deals, seed, game, lambda played: bar.advance(task, played))


if __name__ == "__main__":
    raise SystemExit(main())

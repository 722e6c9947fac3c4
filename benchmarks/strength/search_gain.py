"""Where a search gains: ``python -m german_whist.benchmarks.strength.search_gain champion:search=512``.

The policy plays deals against itself. Where the search prefers another action, both are played in the *true* deal, with
several orders of the face-down cards, and the policy plays on for both seats to the exact endgame. The differences are
unbiased: no belief and no rollout of the search enters them. Their sum over a game is a first-order estimate, because
the policy plays on after each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import rules_of
from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import SearchAgent
from german_whist.arena.statistics import mean_interval
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.markdown import markdown_table

SEED = 92
DEALS = 400
ORDERS = 8
GROUPS = ((1, 3), (4, 6), (7, 9), (10, 11), (12, 13), (1, 13))  # tricks


class Gains(NamedTuple):
    """What the search would change, one entry per decision of the policy with a choice.

    Attributes:
        deal: the deal, int64[n].
        trick: trick of the foreplay, from 1, int64[n].
        changed: whether the search prefers another action, bool[n].
        tricks: what that gains in tricks, float64[n]; 0 where nothing changes.
        wins: what that gains in won deals, float64[n].
    """

    deal: npt.NDArray[np.int64]
    trick: npt.NDArray[np.int64]
    changed: npt.NDArray[np.bool_]
    tricks: npt.NDArray[np.float64]
    wins: npt.NDArray[np.float64]


def measure(spec: str, deals: int = DEALS, seed: int = SEED, orders: int = ORDERS) -> Gains:
    """Return what a search gains over its policy, decision by decision.

    Args:
        spec: the agent, such as ``"champion:search=512"``.
        deals: number of deals.
        seed: seed of the deals.
        orders: orders of the face-down cards in which two actions are compared.

    Raises:
        ValueError: when the agent does not search.
    """
    agent: Any = make_agent(spec)
    searcher = getattr(agent, "agent", None)
    if not isinstance(searcher, SearchAgent):
        raise ValueError(f"agent {spec!r} does not search: give search=N")
    batch = DealBatch(rules_of(agent) or "classic", deals, seed, history=True, endgame=EXACT)
    rng = np.random.default_rng(seed)
    parts: list[Gains] = []
    step = 0
    while not batch.done.all():
        rows = np.flatnonzero(~batch.done)
        views = batch.views(rows)
        played = np.asarray(searcher.prior.act(views, None))
        preferred = searcher.act(views, AgentRng(seed, rows, step), batch.history(rows=rows))
        changed = preferred != played
        tricks, wins = np.zeros(len(rows)), np.zeros(len(rows))
        if changed.any():
            actions = np.stack([preferred[changed], played[changed]], axis=1)
            tricks[changed], wins[changed] = _differences(batch, rows[changed], actions, searcher.prior, orders, rng)
        number = 1 + views["tricks_self"].sum(axis=1) + views["tricks_opponent"].sum(axis=1)
        has_choice = (views["legal"] & (views["legal"] - np.uint64(1))) != 0
        columns = (rows, number.astype(np.int64), changed, tricks, wins)
        parts.append(Gains(*(column[has_choice] for column in columns)))
        actions = np.zeros(deals, np.int64)
        actions[rows] = played
        batch.step(actions)
        step += 1
    return Gains(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _differences(
    batch: DealBatch,
    rows: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
    policy: Agent,
    orders: int,
    rng: np.random.Generator,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return how much more the first of two actions gains, in tricks and in wins, float64[rows] each.

    Args:
        batch: the true deals.
        rows: rows of the batch.
        actions: int64[rows, 2].
        policy: plays on for both seats.
        orders: orders of the face-down cards.
        rng: source of these orders.
    """
    states = np.repeat(batch.states[rows], orders)
    for state in states:
        rng.shuffle(state["deck"][int(state["top"]) : len(batch.rules.cards)])
    states = np.repeat(states, 2)
    worlds = DealBatch(batch.rules, len(states), endgame=EXACT)
    worlds.states[:] = states
    seats = states["turn"].copy()
    worlds.step(np.repeat(actions, orders, axis=0).ravel())
    while not worlds.done.all():
        left = np.flatnonzero(~worlds.done)
        chosen = np.zeros(len(states), np.int64)
        chosen[left] = policy.act(worlds.views(left), None)
        worlds.step(chosen)
    margins = worlds.returns("margin")[np.arange(len(states)), seats].reshape(len(rows), orders, 2).astype(np.float64)
    wins = (1 + np.sign(margins)) / 2
    return (margins[..., 0] - margins[..., 1]).mean(axis=1), (wins[..., 0] - wins[..., 1]).mean(axis=1)


def table(gains: Gains, deals: int) -> str:
    """Return the gains by trick as a Markdown table; ± is the 95 % interval over deals."""
    rows = []
    for first, last in GROUPS:
        inside = (gains.trick >= first) & (gains.trick <= last)
        if not inside.any():
            continue
        sums = [
            np.bincount(gains.deal[inside], of[inside], deals) / 2  # a game has one of the two seats
            for of in (gains.tricks, gains.wins)
        ]
        (tricks, (_, most_tricks)), (wins, (_, most_wins)) = (mean_interval(of) for of in sums)
        rows.append(
            [
                f"{first} to {last}",
                f"{gains.changed[inside].mean():.0%}",
                f"{tricks:+.3f} ± {most_tricks - tricks:.3f}",
                f"{100 * wins:+.1f} ± {100 * (most_wins - wins):.1f}",
            ]
        )
    return markdown_table(["tricks", "other card", "tricks a game", "games won, points"], rows)


def main(words: Sequence[str] | None = None) -> int:
    """Print the gains by trick, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m german_whist.benchmarks.strength.search_gain", description=__doc__)
    parser.add_argument("agent", metavar="AGENT", help="an agent that searches, such as champion:search=512")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"number of deals (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    options = parser.parse_args(words)
    try:
        print(table(measure(options.agent, options.deals, options.seed), options.deals))
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

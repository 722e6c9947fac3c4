"""Where a search gains: ``python -m lab.strength.search_gain champion:search=512``.

The policy plays deals against itself, or against another agent. Where a search prefers another action, both are played
in the *true* deal, with several orders of the face-down cards, and the policy plays on to the exact endgame. The
differences are unbiased: no belief and no rollout of the search enters them. Their sum over a game is a first-order
estimate, because the policy plays on after each.

Several searches of one policy are compared on the same decisions, which tells their settings apart with far fewer deals
than matches do.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import SearchAgent
from german_whist.arena.statistics import mean_interval
from german_whist.envs.agent import Agent
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.markdown import markdown_table

SEED = 92
DEALS = 400
ORDERS = 8
GROUPS = ((1, 3), (4, 6), (7, 9), (10, 11), (12, 13), (1, 13))  # tricks


class Gains(NamedTuple):
    """What a search would change, one entry per decision of the policy with a choice.

    Attributes:
        deal: the deal, int64[n].
        trick: trick of the foreplay, from 1, int64[n].
        changed: whether the search prefers another action, bool[n].
        tricks: what that gains in tricks, float64[n]; 0 where nothing changes.
        wins: what that gains in won deals, float64[n].
        milliseconds: CPU time per decision, float64[n].
    """

    deal: npt.NDArray[np.int64]
    trick: npt.NDArray[np.int64]
    changed: npt.NDArray[np.bool_]
    tricks: npt.NDArray[np.float64]
    wins: npt.NDArray[np.float64]
    milliseconds: npt.NDArray[np.float64]


class Players(NamedTuple):
    """Who plays on in the deals.

    Attributes:
        policy: whose decisions are searched.
        opponent: plays the other seat; None for the policy itself, whose decisions are then searched in both seats.
    """

    policy: Agent
    opponent: Agent | None

    def act(self, batch: DealBatch, rows: npt.NDArray[np.int64], seats: npt.NDArray[Any], rng: Any) -> Any:
        """Return an action per row, int64[rows], where the policy has the seat ``seats``."""
        views = batch.views(rows)
        if self.opponent is None:
            return np.asarray(self.policy.act(views, None))
        actions = np.zeros(len(rows), np.int64)
        own = batch.states["turn"][rows] == seats
        if own.any():
            actions[own] = self.policy.act(views[own], None)
        if not own.all():
            actions[~own] = self.opponent.act(views[~own], rng)
        return actions


def searchers_of(specs: Sequence[str]) -> list[SearchAgent]:
    """Return the searches that specification strings name.

    Raises:
        ValueError: when one of them does not search, or they do not all improve the same policy.
    """
    found = []
    for spec in specs:
        searcher = getattr(make_agent(spec), "agent", None)
        if not isinstance(searcher, SearchAgent):
            raise ValueError(f"agent {spec!r} does not search: give search=N")
        found.append(searcher)
    if len({getattr(searcher.prior, "name", "") for searcher in found}) > 1:
        raise ValueError("agents: they have to improve the same policy")
    return found


def measure(
    specs: Sequence[str], deals: int = DEALS, seed: int = SEED, orders: int = ORDERS, against: str | None = None
) -> list[Gains]:
    """Return what searches gain over their policy, decision by decision.

    Args:
        specs: the agents, such as ``"champion:search=512"``, all of one policy.
        deals: number of deals.
        seed: seed of the deals.
        orders: orders of the face-down cards in which two actions are compared.
        against: the opponent; None for the policy itself.

    Raises:
        ValueError: when an agent is unknown or does not search, or their policies differ.
    """
    searchers = searchers_of(specs)
    players = Players(searchers[0].prior, None if against is None else make_agent(against, searchers[0].rules))
    batch = DealBatch(searchers[0].rules, deals, seed, history=True, endgame=EXACT)
    seats = np.arange(deals, dtype=np.int64) % 2
    rng = np.random.default_rng(seed)
    parts: list[list[Gains]] = [[] for _ in searchers]
    step = 0
    while not batch.done.all():
        rows = np.flatnonzero(~batch.done)
        played = players.act(batch, rows, seats[rows], rng)
        actions = np.zeros(deals, np.int64)
        actions[rows] = played
        views = batch.views(rows)
        asked = (views["legal"] & (views["legal"] - np.uint64(1))) != 0
        if against is not None:
            asked &= batch.states["turn"][rows] == seats[rows]
        if asked.any():
            _compare(batch, rows[asked], played[asked], seats, players, searchers, orders, (seed, step), rng, parts)
        batch.step(actions)
        step += 1
    return [Gains(*(np.concatenate(column) for column in zip(*part, strict=True))) for part in parts]


def _compare(
    batch: DealBatch,
    rows: npt.NDArray[np.int64],
    played: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    players: Players,
    searchers: Sequence[SearchAgent],
    orders: int,
    key: tuple[int, int],
    rng: np.random.Generator,
    parts: list[list[Gains]],
) -> None:
    """Append what each search gains in rows of a batch."""
    views, history = batch.views(rows), batch.history(rows=rows)
    number = 1 + views["tricks_self"].sum(axis=1) + views["tricks_opponent"].sum(axis=1)
    preferred, milliseconds = [], []
    for searcher in searchers:
        start = time.process_time()
        preferred.append(searcher.search(views, AgentRng(key[0], rows, key[1]), history)[0])
        milliseconds.append(1000 * (time.process_time() - start) / len(rows))
    # Actions that several searches prefer are tried once, so these searches gain the same.
    values: dict[int, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]] = {}
    orders_seed = int(rng.integers(2**32))
    for action in np.unique(np.concatenate([np.concatenate(preferred), played])).tolist():
        wanted = np.any([(chosen == action) & (chosen != played) for chosen in preferred], axis=0)
        wanted |= (played == action) & np.any([chosen != played for chosen in preferred], axis=0)
        tricks, wins = np.zeros(len(rows)), np.zeros(len(rows))
        if wanted.any():
            tricks[wanted], wins[wanted] = _values(batch, rows[wanted], action, seats, players, orders, orders_seed)
        values[action] = tricks, wins
    tricks, wins = (np.stack([value[kind] for value in values.values()]) for kind in (0, 1))
    place = {action: index for index, action in enumerate(values)}
    column, own = np.arange(len(rows)), np.array([place[action] for action in played.tolist()])
    for part, chosen, spent in zip(parts, preferred, milliseconds, strict=True):
        changed = chosen != played
        at = np.array([place[action] for action in chosen.tolist()])
        more, won = (np.where(changed, of[at, column] - of[own, column], 0.0) for of in (tricks, wins))
        part.append(Gains(rows, number.astype(np.int64), changed, more, won, np.full(len(rows), spent)))


def _values(
    batch: DealBatch,
    rows: npt.NDArray[np.int64],
    action: int,
    seats: npt.NDArray[np.int64],
    players: Players,
    orders: int,
    orders_seed: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the mean margin in tricks, and the share of deals won, after an action: float64[rows] each."""
    states = np.repeat(batch.states[rows], orders)
    for state, row, order in zip(states, np.repeat(rows, orders), np.tile(np.arange(orders), len(rows)), strict=True):
        hidden = state["deck"][int(state["top"]) : len(batch.rules.cards)]
        np.random.default_rng([orders_seed, int(row), int(order)]).shuffle(hidden)
    worlds = DealBatch(batch.rules, len(states), endgame=EXACT)
    worlds.states[:] = states
    movers = states["turn"].astype(np.int64)
    policies = np.repeat(seats[rows], orders)
    worlds.step(np.full(len(states), action))
    rng = np.random.default_rng(orders_seed)
    while not worlds.done.all():
        left = np.flatnonzero(~worlds.done)
        chosen = np.zeros(len(states), np.int64)
        chosen[left] = players.act(worlds, left, policies[left], rng)
        worlds.step(chosen)
    margins = worlds.returns("margin")[np.arange(len(states)), movers].reshape(len(rows), orders).astype(np.float64)
    return margins.mean(axis=1), ((1 + np.sign(margins)) / 2).mean(axis=1)


def _game_sums(
    gains: Gains, deals: int, inside: Any, both_seats: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the sums over a game in tricks and in wins, float64[deals] each, of some decisions."""
    seats = 2 if both_seats else 1
    tricks, wins = (np.bincount(gains.deal[inside], of[inside], deals) / seats for of in (gains.tricks, gains.wins))
    return tricks, wins


def _shown(tricks: npt.NDArray[np.float64], wins: npt.NDArray[np.float64]) -> list[str]:
    (mean, (_, most)), (won, (_, most_won)) = mean_interval(tricks), mean_interval(wins)
    return [f"{mean:+z.3f} ± {most - mean:.3f}", f"{100 * won:+z.2f} ± {100 * (most_won - won):.2f}"]


def by_trick(gains: Gains, deals: int, both_seats: bool = True) -> str:
    """Return the gains by trick as a Markdown table; ± is the 95 % interval over deals."""
    rows = []
    for first, last in GROUPS:
        inside = (gains.trick >= first) & (gains.trick <= last)
        if inside.any():
            shown = _shown(*_game_sums(gains, deals, inside, both_seats))
            rows.append([f"{first} to {last}", f"{gains.changed[inside].mean():.0%}", *shown])
    return markdown_table(["tricks", "other card", "tricks a game", "games won, points"], rows)


def by_agent(specs: Sequence[str], measured: Sequence[Gains], deals: int, both_seats: bool = True) -> str:
    """Return the gains of several searches as a Markdown table, with the differences from the first."""
    rows = []
    sums = [_game_sums(gains, deals, slice(None), both_seats) for gains in measured]
    for spec, gains, (tricks, wins) in zip(specs, measured, sums, strict=True):
        differences = ["", ""] if gains is measured[0] else _shown(tricks - sums[0][0], wins - sums[0][1])
        cost = f"{gains.milliseconds.mean():.0f} ms"
        rows.append([f"`{spec}`", cost, f"{gains.changed.mean():.0%}", *_shown(tricks, wins), *differences])
    names = ["agent", "CPU a decision", "other card", "tricks a game", "games won, points"]
    return markdown_table([*names, "tricks over the first", "points over the first"], rows)


def main(words: Sequence[str] | None = None) -> int:
    """Print the gains of one search by trick, or of several side by side, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.strength.search_gain", description=__doc__)
    parser.add_argument("agents", metavar="AGENT", nargs="+", help="an agent that searches, e.g. champion:search=512")
    parser.add_argument("--against", metavar="AGENT", help="the opponent (default: the policy itself)")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"number of deals (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    options = parser.parse_args(words)
    both_seats = options.against is None
    try:
        measured = measure(options.agents, options.deals, options.seed, against=options.against)
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    if len(measured) == 1:
        print(by_trick(measured[0], options.deals, both_seats))
    else:
        print(by_agent(options.agents, measured, options.deals, both_seats))
    return 0


if __name__ == "__main__":
    sys.exit(main())

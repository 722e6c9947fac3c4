"""Decisions per second of agents on one core: the rule bots in matches, the Monte Carlo bot, and a search."""

from __future__ import annotations

from functools import partial

import numpy as np

from german_whist.agents.monte_carlo.bot import MonteCarloBot
from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match
from german_whist.benchmarks.harness import Figure, Skipped, Tick, rates
from german_whist.envs.agent import Agent, Games, Histories, Views, ask_views, uses_games
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch

BOTS = ("random", "greedy", "heuristic")
BASELINE_BOT = "random"
MC, MC_WORLDS, MC_DEALS = "mc", 240, 20
ROLLOUT_BOT = "heuristic"  # of the Monte Carlo bot
LEADING, FOLLOWING = "leader", "follower"
POLICY = "champion"
SEARCH_WORLDS, SEARCH_DEALS = 512, 4

_MATCH_DEALS = 512
_COPIES = 500  # of the views, for the heuristic bot, which is fast

Positions = list[tuple[Views, Histories | None]]


def play_self(name: str) -> int:
    """Play a mirrored match of a bot against itself; return the number of decisions."""
    bot = make_agent(name)
    play_match(bot, bot, deals=_MATCH_DEALS, rules="classic")
    return 2 * _MATCH_DEALS * 2 * rules("classic").tricks


def measure_bots(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure every bot in the same run, each for ``seconds``, compared with the random bot."""
    measured = rates({name: partial(play_self, name) for name in BOTS}, seconds, tick)
    baseline = measured[BASELINE_BOT]
    figures: list[Figure | Skipped] = []
    for name in BOTS:
        peer = (None, None) if name == BASELINE_BOT else (BASELINE_BOT, baseline)
        figures.append(Figure("bots", f"{name} decisions", "/s", measured[name], *peer))
    return figures


def _same(histories: Histories) -> Histories:
    return histories


def choose(agent: Agent, positions: Positions) -> int:
    """Let an agent choose an action in each position; return the number of decisions."""
    for step, (views, histories) in enumerate(positions):
        rows = np.arange(len(views))
        games = Games(partial(_same, histories)) if histories is not None and uses_games(agent) else None
        ask_views(agent, views, AgentRng(0, rows, step=step), rules("classic"), games)
    return sum(len(views) for views, _ in positions)


def first_trick() -> dict[str, Views]:
    """Return the views of leaders and followers in the first trick of some deals, ``VIEW`` arrays of shape (n,)."""
    batch = DealBatch("classic", MC_DEALS)
    leaders = batch.views()
    batch.step(make_agent(ROLLOUT_BOT).act(leaders, None))
    return {LEADING: leaders, FOLLOWING: batch.views()}


def measure_mc(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure leading, following and both, each for ``seconds``, compared with the heuristic bot of its rollouts."""
    views = first_trick()
    bots = {MC: MonteCarloBot(MC_WORLDS, threads=1), ROLLOUT_BOT: make_agent(ROLLOUT_BOT)}
    copies = {MC: 1, ROLLOUT_BOT: _COPIES}
    workloads = {
        (name, place): partial(choose, bot, [(views[place].repeat(copies[name]), None)])
        for name, bot in bots.items()
        for place in views
    }
    measured = rates(workloads, seconds, tick)
    for name in bots:
        measured[name, "both"] = 2 / (1 / measured[name, LEADING] + 1 / measured[name, FOLLOWING])
    return [
        Figure(MC, f"{place}, {MC_WORLDS} worlds", "/s", measured[MC, place], ROLLOUT_BOT, measured[ROLLOUT_BOT, place])
        for place in ("both", LEADING, FOLLOWING)
    ]


def foreplay_positions() -> Positions:
    """Return every position of the foreplay in some deals of the policy against itself."""
    policy, batch = make_agent(POLICY), DealBatch("classic", SEARCH_DEALS, history=True)
    positions: Positions = []
    while (batch.states["face_up"] > 0).any():
        positions.append((batch.views(), batch.history()))
        batch.step(policy.act(batch.views(), None))
    return positions


def measure_search(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure the search and flat Monte Carlo in the same positions, each for ``seconds``, on one core."""
    positions = foreplay_positions()
    ours, peer = f"{POLICY}:search={SEARCH_WORLDS}", f"mc:worlds={MC_WORLDS}"
    agents = {ours: make_agent(f"{ours},threads=1"), peer: MonteCarloBot(MC_WORLDS, threads=1)}
    measured = rates({name: partial(choose, agent, positions) for name, agent in agents.items()}, seconds, tick)
    return [Figure("search", f"{ours} decisions", "/s", measured[ours], peer, measured[peer])]

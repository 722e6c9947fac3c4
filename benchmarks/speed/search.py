"""Decisions per second of a search on one core, over positions of the whole foreplay."""

from __future__ import annotations

from functools import partial

import numpy as np

from german_whist.agents.bots.base import Agent, Histories, Views, act_with_memory
from german_whist.agents.monte_carlo.bot import MonteCarloBot
from german_whist.agents.registry import make_agent
from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, rates
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.simulator.batch import DealBatch

SUBJECT = "search"
POLICY = "champion"
WORLDS = 512
DEALS = 4
PEER_WORLDS = 240
PEER = f"mc:worlds={PEER_WORLDS}"

Positions = list[tuple[Views, Histories]]


def foreplay_positions() -> Positions:
    """Return every position of the foreplay in some deals of the policy against itself."""
    policy, batch = make_agent(POLICY), DealBatch("classic", DEALS, history=True)
    positions: Positions = []
    while (batch.states["face_up"] > 0).any():
        positions.append((batch.views(), batch.history()))
        batch.step(policy.act(batch.views(), None))
    return positions


def choose(agent: Agent, positions: Positions) -> int:
    """Let an agent choose an action in each position; return the number of decisions."""
    for step, (views, histories) in enumerate(positions):
        rows = np.arange(len(views))
        act_with_memory(agent, views, AgentRng(0, rows, step=step), None, rows, histories)
    return sum(len(views) for views, _ in positions)


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure the search and flat Monte Carlo in the same positions, each for ``seconds``, on one core."""
    positions = foreplay_positions()
    agents = {SUBJECT: make_agent(f"{POLICY}:search={WORLDS},threads=1"), PEER: MonteCarloBot(PEER_WORLDS, threads=1)}
    workloads = {name: partial(choose, agent, positions) for name, agent in agents.items()}
    measured = rates(workloads, seconds, tick)
    name = f"{POLICY}:search={WORLDS} decisions"
    return [Figure(SUBJECT, name, "/s", measured[SUBJECT], PEER, measured[PEER])]

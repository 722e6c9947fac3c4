"""Decisions per second of the Monte Carlo bot on one core, in the first trick, where they are slowest."""

from __future__ import annotations

from functools import partial

from german_whist.agents.bots.base import Agent, Views
from german_whist.agents.monte_carlo.bot import MonteCarloBot
from german_whist.agents.registry import make_agent
from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, rates
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.simulator.batch import DealBatch

SUBJECT = "mc"
WORLDS = 240
DEALS = 20
LEADING, FOLLOWING = "leader", "follower"
PEER = "heuristic"

_COPIES = 500  # of the views, for the heuristic bot, which is fast


def first_trick() -> dict[str, Views]:
    """Return the views of leaders and followers in the first trick of some deals, ``VIEW`` arrays of shape (n,)."""
    batch = DealBatch("classic", DEALS)
    leaders = batch.views()
    batch.step(make_agent(PEER).act(leaders, None))
    return {LEADING: leaders, FOLLOWING: batch.views()}


def choose(agent: Agent, views: Views) -> int:
    """Let an agent choose an action for each view; return the number of decisions."""
    agent.act(views, AgentRng(0, range(len(views))))
    return len(views)


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure leading, following and both, each for ``seconds``, compared with the heuristic bot of its rollouts."""
    views = first_trick()
    bot = MonteCarloBot(WORLDS, threads=1)
    workloads = {place: partial(choose, bot, views[place]) for place in views}
    peers = {f"{PEER} {place}": partial(choose, make_agent(PEER), views[place].repeat(_COPIES)) for place in views}
    measured = rates({**workloads, **peers}, seconds, tick)
    figures: list[Figure | Skipped] = []
    for place in views:
        figures.append(
            Figure(SUBJECT, f"{place}, {WORLDS} worlds", "/s", measured[place], PEER, measured[f"{PEER} {place}"])
        )
    both = [2 / (1 / measured[LEADING] + 1 / measured[FOLLOWING])]
    both += [2 / (1 / measured[f"{PEER} {LEADING}"] + 1 / measured[f"{PEER} {FOLLOWING}"])]
    return [Figure(SUBJECT, f"both, {WORLDS} worlds", "/s", both[0], PEER, both[1]), *figures]

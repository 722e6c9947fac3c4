"""Measures endgames: ``python -m tools.endgame_statistics``.

Prints the value of the lead, the distribution of the leader's tricks, the tricks that bots lose by errors, and what an
exact endgame adds to each bot, all in the classic game. The results can be reproduced from the seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.endgame.open_hands import card_margins, open_hands, opponent_hand_known
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Actions, Agent, Views
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.specs import integers, must_be
from german_whist.evaluation.match import play_match
from german_whist.evaluation.statistics import mean_interval
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.races import NOT_LEGAL_MARGIN
from tools.endgame_report import markdown

BOTS = ("random", "greedy", "heuristic")
SELF_PLAY = "heuristic"  # the bot that reaches the endgames
RULES = "classic"
BATCH = 2048

Statistics = dict[str, Any]


class Endgames(NamedTuple):
    """Endgames before their first card: card masks of both hands, uint64[n], and trump suits, int8[n]."""

    leaders: npt.NDArray[np.uint64]
    followers: npt.NDArray[np.uint64]
    trumps: npt.NDArray[np.int8]


def random_endgames(count: int, seed: int) -> Endgames:
    """Return endgames with random hands of 13 cards and a random trump suit."""
    rng = np.random.default_rng(seed)
    hand = rules(RULES).hand
    decks = rng.permuted(np.tile(np.arange(NUM_CARDS, dtype=np.uint64), (count, 1)), axis=1)
    bits = np.uint64(1) << decks
    leaders, followers = (np.bitwise_or.reduce(bits[:, part], axis=1) for part in (slice(hand), slice(hand, 2 * hand)))
    return Endgames(leaders, followers, rng.integers(0, 4, count).astype(np.int8))


def self_play_endgames(count: int, seed: int) -> Endgames:
    """Return the endgames that the heuristic bot reaches against itself."""
    bot, batch = make_agent(SELF_PLAY), DealBatch(RULES, count, seed)
    for _ in range(2 * rules(RULES).foreplay):
        batch.step(bot.act(batch.views(), None))
    rows, turns, hands = np.arange(count), batch.turn.astype(np.int64), batch.states["hands"]
    leaders, followers, trumps = hands[rows, turns], hands[rows, 1 - turns], batch.states["trump"].copy()
    return Endgames(leaders, followers, trumps=trumps)


def value_statistics(endgames: Endgames) -> Statistics:
    """Return the distribution of the leader's tricks, and the value of the lead in tricks."""
    leaders, followers, trumps = endgames
    hand = int(leaders[0]).bit_count()
    tricks = solve_endgames(leaders, followers, trumps=trumps).astype(np.int64)
    if_other_leads = hand - solve_endgames(followers, leaders, trumps=trumps).astype(np.int64)
    gains, counts = np.unique(tricks - if_other_leads, return_counts=True)
    return {
        "tricks": (np.bincount(tricks, minlength=hand + 1) / len(tricks)).tolist(),
        "mean_tricks": _estimate(tricks),
        "deviation": float(tricks.std()),
        "leader_wins": _estimate(tricks > hand / 2),
        "lead_gains": dict(zip(gains.tolist(), (counts / len(tricks)).tolist(), strict=True)),
        "lead_gain": _estimate(tricks - if_other_leads),
        "lead_decides": _estimate((tricks > hand / 2) != (if_other_leads > hand / 2)),
    }


def error_statistics(agent: Agent, deals: int, seed: int) -> Statistics:
    """Return what an agent loses by errors in endgames that the heuristic bot reaches.

    Args:
        agent: the agent, which plays both seats of the endgame.
        deals: number of deals.
        seed: seed of the deals and of the agent's randomness.
    """
    foreplay_bot = make_agent(SELF_PLAY)
    lost: list[npt.NDArray[np.float64]] = []  # tricks lost, by deal and seat
    changed: list[npt.NDArray[np.bool_]] = []  # whether the wrong seat won
    choices = errors = 0
    for start in range(0, deals, BATCH):
        batch = DealBatch(RULES, min(BATCH, deals - start), seed, first=start)
        rows = np.arange(batch.size)
        for _ in range(2 * batch.rules.foreplay):
            batch.step(foreplay_bot.act(batch.views(), None))
        should_win = _margins(batch).max(axis=1) * np.where(batch.turn == 0, 1, -1) > 0
        lost_here = np.zeros((batch.size, 2))
        for step in range(2 * batch.rules.hand):
            margins = _margins(batch)
            actions = agent.act(batch.views(), AgentRng(seed, start + rows, step=step))
            tricks = (margins.max(axis=1) - margins[rows, actions]) / 2
            lost_here[rows, batch.turn] += tricks
            errors += int((tricks > 0).sum())
            choices += int(((margins != NOT_LEGAL_MARGIN).sum(axis=1) > 1).sum())
            batch.step(actions)
        lost.append(lost_here)
        changed.append(should_win != (batch.returns()[:, 0] > 0))
    tricks_lost = np.concatenate(lost)
    return {
        "choices_wrong": errors / choices,
        "hands_with_errors": _estimate((tricks_lost > 0).mean(axis=1)),
        "tricks_lost": _estimate(tricks_lost.mean(axis=1)),
        "winner_changed": _estimate(np.concatenate(changed)),
    }


def _margins(batch: DealBatch) -> npt.NDArray[np.int16]:
    return card_margins(open_hands(batch.views()))


def _estimate(samples: npt.NDArray[Any]) -> dict[str, float]:
    """Return the mean of independent samples and half the width of its 95 % interval."""
    mean, (low, high) = mean_interval(samples)
    return {"mean": mean, "half": (high - low) / 2}


class LowestBestCard(Agent):
    """Another agent's foreplay with a perfect endgame that breaks ties by playing the lowest of equally good cards."""

    def __init__(self, agent: Agent) -> None:
        """Set the agent that plays the foreplay."""
        self.agent = agent

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one action per view, int64[n]."""
        actions: Actions = np.array(self.agent.act(views, rng), np.int64)
        known = opponent_hand_known(views)
        if known.any():
            actions[known] = card_margins(open_hands(views[known])).argmax(axis=1)
        return actions


def tie_break_statistics(opponent: Agent, deals: int, seed: int) -> Statistics:
    """Return what the tie-break adds to ``heuristic+exact`` against an opponent, paired by deal."""
    bot = make_agent(SELF_PLAY)
    classic = rules(RULES)
    with_it, without = (
        play_match(agent, opponent, deals=deals, seed=seed, rules=classic, batch_size=BATCH).margins
        for agent in (ExactEndgame(bot), LowestBestCard(bot))
    )
    return {
        "win_rate": _estimate(((np.sign(with_it) - np.sign(without)) / 2).mean(axis=1)),
        "margin": _estimate((with_it - without).mean(axis=1)),
    }


def exact_statistics(spec: str, deals: int, seed: int) -> Statistics:
    """Return the result of an agent with an exact endgame against the same agent without one."""
    result = play_match(f"{spec}+exact", spec, deals=deals, seed=seed, rules=RULES)
    return {
        name: {"mean": mean, "half": (high - low) / 2}
        for name, mean, (low, high) in (
            ("win_rate", result.win_rate, result.interval),
            ("margin", result.margin, result.margin_interval),
        )
    }


def measure(bots: Sequence[str], deals: int, seed: int) -> Statistics:
    """Return all statistics as plain data, ready for JSON."""
    agents = {spec: make_agent(spec) for spec in bots}
    return {
        "deals": deals,
        "seed": seed,
        "values": {
            "random hands": value_statistics(random_endgames(deals, seed)),
            f"{SELF_PLAY} against itself": value_statistics(self_play_endgames(deals, seed)),
        },
        "errors": {spec: error_statistics(agent, deals, seed) for spec, agent in agents.items()},
        "exact": {spec: exact_statistics(spec, deals, seed) for spec in bots},
        "tie_break": {spec: tie_break_statistics(agent, deals, seed) for spec, agent in agents.items()},
    }


def main(words: Sequence[str] | None = None) -> None:
    """Print the statistics as Markdown or JSON, and plot the distribution if a file is named."""
    parser = argparse.ArgumentParser(prog="python -m tools.endgame_statistics", description=__doc__)
    parser.add_argument(
        "--deals", type=int, default=10_000, help="number of endgames, and of mirrored deals (default 10000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    parser.add_argument(
        "--bots", nargs="+", default=BOTS, metavar="AGENT", help=f"agents to measure (default: {' '.join(BOTS)})"
    )
    parser.add_argument(
        "--picture", metavar="FILE", help="plot the distribution of the leader's tricks to this PNG file"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    if options.deals < 2:
        parser.error(must_be("deals", integers(2), options.deals))
    stats = measure(options.bots, options.deals, options.seed)
    if options.picture:
        from tools.endgame_plot import plot_tricks

        plot_tricks(stats["values"], options.picture)
    print(json.dumps(stats) if options.json else markdown(stats))


if __name__ == "__main__":
    main()

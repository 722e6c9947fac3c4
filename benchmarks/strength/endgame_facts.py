"""What the endgame is worth, and who throws it away: ``python -m german_whist.benchmarks.strength.endgame_facts``.

Measures the figures of ``docs/endgame.md``: the value of leading, how many tricks the leader takes, what bots lose by
their errors and what an exact endgame adds to them. All of the classic game, all repeatable from the seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Actions, Agent, Views
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.endgame.open_hands import NOT_LEGAL, card_margins, open_hands, opponent_hand_known
from german_whist.agents.registry import make_agent
from german_whist.arena.match import play_match, play_mirrored_deals
from german_whist.arena.statistics import mean_interval
from german_whist.benchmarks.speed.endgame import real_endings
from german_whist.benchmarks.strength.endgame_report import markdown
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import NUM_CARDS
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.solver.endgames import solve_endgames

BOTS = ("random", "greedy", "heuristic")
SELF_PLAY = "heuristic"  # whose deals are the endings from play
RULES = "classic"
BATCH = 2048

Facts = dict[str, Any]


class Endings(NamedTuple):
    """Endgames before their first card: masks of both hands, uint64[n], and trump suits, int8[n]."""

    leaders: npt.NDArray[np.uint64]
    followers: npt.NDArray[np.uint64]
    trumps: npt.NDArray[np.int8]


def random_endings(count: int, seed: int) -> Endings:
    """Return endgames of any 13 cards against any 13 others, with any suit as trumps."""
    rng = np.random.default_rng(seed)
    hand = rules(RULES).hand
    decks = rng.permuted(np.tile(np.arange(NUM_CARDS, dtype=np.uint64), (count, 1)), axis=1)
    bits = np.uint64(1) << decks
    leaders, followers = (np.bitwise_or.reduce(bits[:, part], axis=1) for part in (slice(hand), slice(hand, 2 * hand)))
    return Endings(leaders, followers, rng.integers(0, 4, count).astype(np.int8))


def played_endings(count: int, seed: int) -> Endings:
    """Return the endgames that the heuristic bot reaches against itself."""
    leaders, followers, trumps, _, _ = real_endings(count, seed)
    return Endings(leaders, followers, trumps)


def value_facts(endings: Endings) -> Facts:
    """Return how many tricks the leader takes, and what it is worth to be the leader."""
    leaders, followers, trumps = endings
    hand = int(leaders[0]).bit_count()
    tricks = solve_endgames(leaders, followers, trumps).astype(np.int64)
    if_other_leads = hand - solve_endgames(followers, leaders, trumps).astype(np.int64)
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


def error_facts(agent: Agent, deals: int, seed: int) -> Facts:
    """Return what an agent throws away in endgames against itself, those that the heuristic bot reaches.

    Args:
        agent: plays both seats from the first card of the endgame.
        deals: number of deals.
        seed: of the deals and of the agent's randomness.
    """
    foreplayer = make_agent(SELF_PLAY)
    lost: list[npt.NDArray[np.float64]] = []  # tricks by deal and seat
    changed: list[npt.NDArray[np.bool_]] = []  # whether the wrong seat won
    choices = errors = 0
    for start in range(0, deals, BATCH):
        batch = DealBatch(RULES, min(BATCH, deals - start), seed, first=start)
        rows = np.arange(batch.size)
        for _ in range(2 * batch.rules.foreplay):
            batch.step(foreplayer.act(batch.views(), None))
        should_win = _margins(batch).max(axis=1) * np.where(batch.turn == 0, 1, -1) > 0
        lost_here = np.zeros((batch.size, 2))
        for step in range(2 * batch.rules.hand):
            margins = _margins(batch)
            actions = agent.act(batch.views(), AgentRng(seed, start + rows, step=step))
            tricks = (margins.max(axis=1) - margins[rows, actions]) / 2
            lost_here[rows, batch.turn] += tricks
            errors += int((tricks > 0).sum())
            choices += int(((margins != NOT_LEGAL).sum(axis=1) > 1).sum())
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
    """Return the mean of independent samples and half of its 95 % interval."""
    mean, (low, high) = mean_interval(samples)
    return {"mean": mean, "half": (high - low) / 2}


class LowestBestCard:
    """A perfect endgame without a tie-break: of equally good cards the lowest. The foreplay is another agent's."""

    def __init__(self, agent: Agent) -> None:
        """Take the agent."""
        self.agent = agent

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one action per view, int64[n]."""
        actions: Actions = np.array(self.agent.act(views, rng), np.int64)
        known = opponent_hand_known(views)
        if known.any():
            actions[known] = card_margins(open_hands(views[known])).argmax(axis=1)
        return actions


def tie_break_facts(opponent: Agent, deals: int, seed: int) -> Facts:
    """Return what the tie-break adds to ``heuristic+exact`` against an opponent, deal by deal."""
    bot = make_agent(SELF_PLAY)
    game = rules(RULES)
    with_it, without = (
        np.concatenate(
            [
                play_mirrored_deals(
                    (agent, opponent), ("exact", "opponent"), game, seed, start, min(BATCH, deals - start)
                )
                for start in range(0, deals, BATCH)
            ]
        )
        for agent in (ExactEndgame(bot), LowestBestCard(bot))
    )
    return {
        "win_rate": _estimate(((np.sign(with_it) - np.sign(without)) / 2).mean(axis=1)),
        "margin": _estimate((with_it - without).mean(axis=1)),
    }


def exact_facts(spec: str, deals: int, seed: int) -> Facts:
    """Return how an agent with an exact endgame does against itself without one."""
    result = play_match(f"{spec}+exact", spec, deals, seed, RULES)
    return {
        name: {"mean": mean, "half": (high - low) / 2}
        for name, mean, (low, high) in (
            ("win_rate", result.win_rate, result.interval),
            ("margin", result.margin, result.margin_interval),
        )
    }


def measure(bots: Sequence[str], deals: int, seed: int) -> Facts:
    """Return all figures, as plain data."""
    agents = {spec: make_agent(spec) for spec in bots}
    return {
        "deals": deals,
        "seed": seed,
        "values": {
            "random hands": value_facts(random_endings(deals, seed)),
            f"{SELF_PLAY} against itself": value_facts(played_endings(deals, seed)),
        },
        "errors": {spec: error_facts(agent, deals, seed) for spec, agent in agents.items()},
        "exact": {spec: exact_facts(spec, deals, seed) for spec in bots},
        "tie_break": {spec: tie_break_facts(agent, deals, seed) for spec, agent in agents.items()},
    }


def main(words: Sequence[str] | None = None) -> None:
    """Print the figures as Markdown or JSON, and draw the picture where one is asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m german_whist.benchmarks.strength.endgame_facts", description=__doc__
    )
    parser.add_argument("--deals", type=int, default=10_000, help="endings and mirrored deals (default 10000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of all of them (default 0)")
    parser.add_argument("--bots", nargs="+", default=BOTS, metavar="AGENT", help=f"default: {' '.join(BOTS)}")
    parser.add_argument("--picture", metavar="FILE", help="draw how many tricks the leader takes, as a PNG")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    if options.deals < 2:
        parser.error(f"deals {options.deals} is not allowed: a whole number from 2")
    facts = measure(options.bots, options.deals, options.seed)
    if options.picture:
        from german_whist.benchmarks.strength.endgame_picture import draw_values

        draw_values(facts["values"], options.picture)
    print(json.dumps(facts) if options.json else markdown(facts))


if __name__ == "__main__":
    main()

"""How good a belief is: ``python -m lab.strength.belief_quality champion:search=64 champion``.

Plays deals of the agent's policy against an opponent. At the policy's decisions the belief says how likely each unseen
card is to be in the opponent's hand, and the true hand tells how good that was: by the log-loss a card, against that of
uniform deals, and by calibration.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import make_agent
from german_whist.agents.search.agent import SearchAgent
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.markdown import markdown_table

SEED = 91
DEALS = 300
LIMIT = 0.005  # probabilities are kept this far from 0 and 1, so that one sampled belief cannot cost everything
BINS = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])


class Quality(NamedTuple):
    """Beliefs about single cards, all positions together.

    Attributes:
        tricks: trick of the foreplay, from 1, int64[cards].
        held: whether the opponent held the card, bool[cards].
        belief: the probability that the belief gave it, float64[cards].
        uniform: the same of deals that are all equally likely, float64[cards].
    """

    tricks: npt.NDArray[np.int64]
    held: npt.NDArray[np.bool_]
    belief: npt.NDArray[np.float64]
    uniform: npt.NDArray[np.float64]

    def log_loss(self, of: npt.NDArray[np.float64], first: int = 1, last: int = 99) -> float:
        """Return the mean log-loss of probabilities, float64[cards], in nats a card, in tricks ``first … last``."""
        rows = (self.tricks >= first) & (self.tricks <= last)
        likely = np.clip(of[rows], LIMIT, 1 - LIMIT)
        return float(-np.log(np.where(self.held[rows], likely, 1 - likely)).mean())

    def calibration(self) -> list[tuple[float, float, int]]:
        """Return, for each bin of probabilities, their mean, the share of cards held, and the number of cards."""
        which = np.digitize(self.belief, BINS[1:-1])
        bins = [which == number for number in range(len(BINS) - 1)]
        return [(float(self.belief[of].mean()), float(self.held[of].mean()), int(of.sum())) for of in bins if of.any()]


def measure(spec: str, opponent: str, deals: int = DEALS, seed: int = SEED, share: float = 1.0) -> Quality:
    """Return beliefs of a searching agent about an opponent's cards, and the truth.

    Args:
        spec: the agent, such as ``"champion:search=64"``.
        opponent: the opponent.
        deals: number of deals.
        seed: seed of the deals.
        share: share of the policy's decisions to look at.
    """
    agent: Any = make_agent(spec)
    searcher: SearchAgent = agent.agent
    other = make_agent(opponent, agent.rules)
    batch = DealBatch(agent.rules, deals, seed, history=True, endgame="exact")
    mine = np.arange(deals) // 2 % 2  # the agent's seat: both dealers and both seats
    rng = np.random.default_rng(seed)
    parts: list[Quality] = []
    step = 0
    while not batch.done.all():
        actions = np.zeros(deals, np.int64)
        for is_mine in (True, False):
            rows = np.flatnonzero(~batch.done & ((batch.turn == mine) == is_mine))
            if not len(rows):
                continue
            numbers = AgentRng(seed, rows, int(is_mine), step)
            if not is_mine:
                actions[rows] = other.act(batch.views(rows), numbers)
                continue
            actions[rows] = searcher.prior.act(batch.views(rows), numbers)
            chosen = rows[rng.random(len(rows)) < share]
            if len(chosen):
                parts.append(_quality(searcher, batch, chosen, AgentRng(seed, chosen, 2, step)))
        batch.step(actions)
        step += 1
    return Quality(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _quality(searcher: SearchAgent, batch: DealBatch, rows: npt.NDArray[np.int64], rng: AgentRng) -> Quality:
    views = batch.views(rows)
    belief, uniform = searcher.card_probabilities(views, rng, batch.history(rows=rows))
    cards = np.arange(52, dtype=np.uint64)
    unseen = (views["unseen"][:, None] >> cards) & np.uint64(1) == 1
    hands = batch.states["hands"][rows, 1 - batch.turn[rows]]
    held = (hands[:, None] >> cards) & np.uint64(1) == 1
    tricks = 1 + views["tricks_self"].sum(axis=1) + views["tricks_opponent"].sum(axis=1)
    each = np.broadcast_to(tricks[:, None], unseen.shape).astype(np.int64)
    return Quality(each[unseen], held[unseen], belief[unseen], uniform[unseen])


def main() -> None:
    """Print the log-loss by trick, and the calibration."""
    parser = argparse.ArgumentParser(prog="python -m lab.strength.belief_quality", description=__doc__)
    parser.add_argument("agent", metavar="AGENT", help="an agent with a search, such as champion:search=64")
    parser.add_argument("opponents", metavar="OPPONENT", nargs="+")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"deals against each opponent (default {DEALS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the deals (default {SEED})")
    given = parser.parse_args()
    for opponent in given.opponents:
        quality = measure(given.agent, opponent, given.deals, given.seed)
        rows = []
        for first, last in ((1, 4), (5, 9), (10, 13), (12, 13), (1, 13)):
            losses = [quality.log_loss(of, first, last) for of in (quality.uniform, quality.belief)]
            rows.append(
                [f"{first} to {last}", *(f"{loss:.4f}" for loss in losses), f"{losses[1] / losses[0] - 1:+z.1%}"]
            )
        print(markdown_table([f"tricks, against `{opponent}`", "uniform", "belief", "difference"], rows), "\n")
        found = [[f"{said:.1%}", f"{held:.1%}", f"{count:,}"] for said, held, count in quality.calibration()]
        print(markdown_table(["said", "held", "cards"], found), "\n")


if __name__ == "__main__":
    main()

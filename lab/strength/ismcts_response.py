"""What ISMCTS finds of a best response in a small game: ``python -m lab.strength.ismcts_response tiny champion``.

The agent's policy is known, so it is a part of chance: each simulation deals from the opening, lets the agent play, and
chooses the responder's actions by UCB in one tree of its information sets (Timbers et al., "Approximate exploitability:
Learning a best response", arXiv 2004.09677, without their network). Endgames are exact. The response plays the action
with the best mean where it has tried all of them, and elsewhere as ``champion`` does. What it wins is computed, not
sampled.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from german_whist.arena.exploitability.agent_policy import AgentPolicy
from german_whist.arena.exploitability.best_response import (
    Endgames,
    counterfactual_values,
    own_strategy,
    tree_best_response,
)
from german_whist.arena.exploitability.tree import (
    Floats,
    GameTree,
    Ints,
    build_tree,
    check_small,
    opening_states,
    openings,
)
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.jit import kernel
from german_whist.envs.utils.markdown import markdown_table

SIMULATIONS = (1_000, 10_000, 100_000, 1_000_000)  # for each opening and seat
PRIOR = "champion"


class Edges(NamedTuple):
    """The edges of all levels: those of node n are ``starts[n]`` to ``starts[n + 1]``; leaf k is child ``~k``."""

    starts: Ints
    sequences: Ints
    weights: Floats
    children: Ints


def all_edges(tree: GameTree) -> Edges:
    """Return the edges of a tree, its nodes numbered level by level."""
    sizes = [len(level.seats) for level in tree.levels]
    begins = np.cumsum([0, *sizes])
    counts = [np.bincount(level.edges[0], minlength=size) for level, size in zip(tree.levels, sizes, strict=True)]
    parts = []
    for level, below in zip(tree.levels, begins[1:], strict=True):
        _, sequences, weights, children = level.edges
        parts.append((sequences, weights, np.where(children >= 0, children + below, children)))
    starts = np.cumsum(np.concatenate([[0], *counts]))
    return Edges(starts, *(np.concatenate(part) for part in zip(*parts, strict=True)))


@kernel
def simulate(
    edges: Edges,
    first: Ints,
    sets: Ints,
    roots: Floats,
    leaf_values: Floats,
    exploration: float,
    simulations: int,
    visits: Ints,
    sums: Floats,
) -> None:
    """Play simulations, and add to the visits and the summed margins of the responder's sequences."""
    path = np.empty(64, np.int64)
    for _ in range(simulations):
        node, length = int(np.searchsorted(roots, np.random.random() * roots[-1], side="right")), 0
        while node >= 0:
            begin, end = edges.starts[node], edges.starts[node + 1]
            if edges.sequences[begin] >= 0:
                own = sets[edges.sequences[begin]]
                tried = 0
                for sequence in range(first[own], first[own + 1]):
                    tried += visits[sequence]
                chosen, best = -1, -np.inf
                for sequence in range(first[own], first[own + 1]):
                    score = np.inf
                    if visits[sequence]:
                        spread = exploration * np.sqrt(np.log(tried) / visits[sequence])
                        score = sums[sequence] / visits[sequence] + spread
                    if score > best:
                        chosen, best = sequence, score
                path[length] = chosen
                length += 1
            else:
                chosen = -1
            total = 0.0
            for edge in range(begin, end):
                if edges.sequences[edge] == chosen or chosen < 0:
                    total += edges.weights[edge]
            left, node = np.random.random() * total, 0
            for edge in range(begin, end):
                if edges.sequences[edge] == chosen or chosen < 0:
                    node = int(edges.children[edge])
                    left -= edges.weights[edge]
                    if left < 0:
                        break
        for step in range(length):
            visits[path[step]] += 1
            sums[path[step]] += leaf_values[~node]


def response(first: Ints, visits: Ints, sums: Floats, prior: Floats) -> Floats:
    """Return the response as a strategy: the best mean where all actions were tried, else the prior."""
    strategy = prior.copy()
    for begin, end in itertools.pairwise(first):
        if visits[begin:end].all():
            strategy[begin:end] = 0.0
            strategy[begin + np.argmax(sums[begin:end] / visits[begin:end])] = 1.0
    return strategy


def shares(agent: str, rules: str, seed: int) -> tuple[float, list[float]]:
    """Return the NashConv of an agent, and what the response wins after each number of simulations.

    Args:
        agent: the agent's specification.
        rules: rules of at most a million deals.
        seed: seed of the simulations.
    """
    game = rules_named(rules)
    check_small(game)
    known, prior = AgentPolicy(agent, game, 1, 0), AgentPolicy(PRIOR, game, 1, 0)
    exact, found = 0.0, np.zeros(len(SIMULATIONS))
    seed_numba(seed)
    for opening in openings(game):
        for seat in (0, 1):
            tree = build_tree(game, opening_states(game, opening), known, seat)
            leaves = Endgames(game, tree.leaves, seat, None if known.perfect_endgame else known).best_values()
            own = own_strategy(tree, prior, game)
            exact += opening.probability * tree_best_response(tree, seat, np.ones(tree.first[-1]), leaves)[0]
            sets = np.repeat(np.arange(len(tree.seats)), np.diff(tree.first))
            visits, sums = np.zeros(tree.first[-1], np.int64), np.zeros(tree.first[-1])
            edges, before = all_edges(tree), 0
            for number, simulations in enumerate(SIMULATIONS):
                simulate(
                    edges, tree.first, sets, np.cumsum(tree.roots), leaves, 1.0, simulations - before, visits, sums
                )
                before = simulations
                strategy = response(tree.first, visits, sums, own)
                found[number] += opening.probability * counterfactual_values(tree, seat, strategy, leaves)[1]
    return exact, found.tolist()


@kernel
def seed_numba(seed: int) -> None:
    """Seed the random numbers of the kernels."""
    np.random.seed(seed)


def main(words: Sequence[str] | None = None) -> int:
    """Print what the response wins as Markdown, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.strength.ismcts_response", description=__doc__)
    parser.add_argument("rules", metavar="RULES", help="a small game, such as tiny or tiny:ranks=5,hand=3")
    parser.add_argument("agents", metavar="AGENT", nargs="+", help="agents to be exploited")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulations (default 0)")
    options = parser.parse_args(words)
    rows = []
    try:
        for agent in options.agents:
            exact, found = shares(agent, options.rules, options.seed)
            rows.append((f"`{agent}`", f"{exact:.4f}", *(f"{value:+.4f}" for value in found)))
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(markdown_table(("agent", "best response", *(f"{number:,} simulations" for number in SIMULATIONS)), rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

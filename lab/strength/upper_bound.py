"""An upper bound of what a best response wins in a small game: ``python -m lab.strength.upper_bound tiny champion``.

The responder is shown the agent's hand, and pays for it: at each of its decisions, the value of the action in the deal
that it sees, less the mean of that value over all deals that it cannot tell apart. For the right responder, who does
not see the hand, that payment is 0 on average whatever it plays, so no best response wins more than who sees and pays
(information relaxation: Brown, Smith and Sun, "Information Relaxations and Duality in Stochastic Dynamic Programs",
Operations Research 58, 2010). The better the values, those of some policy for the responder, the lower the bound; with
those of the best response itself, it is what the best response wins.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from german_whist.arena.exploitability.agent_policy import AgentPolicy
from german_whist.arena.exploitability.best_response import (
    Endgames,
    counterfactual_values,
    own_strategy,
    reaches,
    tree_best_response,
)
from german_whist.arena.exploitability.tree import (
    Floats,
    GameTree,
    Ints,
    Level,
    build_tree,
    check_small,
    opening_states,
    openings,
)
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.markdown import markdown_table

COLUMNS = ("policy wins", "best response", "sees the hand and pays", "sees the hand")


def _edge_values(level: Level, leaf_values: Floats, below: Floats) -> Floats:
    """Return the value behind each edge."""
    children = level.edges[3]
    inner = children >= 0
    values = np.empty(len(children))
    values[inner], values[~inner] = below[children[inner]], leaf_values[~children[~inner]]
    return values


def _sums(groups: Ints, values: Floats, count: int) -> Floats:
    """Return the sum of each group, float64[count]."""
    return np.bincount(groups, values, count).astype(np.float64)  # of no values, it counts in integers


def _mean_over(groups: Ints, values: Floats, weights: Floats) -> Floats:
    """Return for each entry the weighted mean of its group."""
    totals, shares = _sums(groups, values * weights, 0), _sums(groups, weights, 0)
    means: Floats = (totals / np.maximum(shares, np.finfo(float).tiny))[groups]
    return means


def values_seen(tree: GameTree, seat: int, strategy: Floats, leaf_values: Floats) -> list[Floats]:
    """Return what a policy of the responder expects behind each edge, level by level.

    At its own decisions it does not know the deal: they have the mean value of their information set.
    """
    result: list[Floats] = []
    below = np.zeros(0)
    for level, reach in zip(reversed(tree.levels), reversed(reaches(tree, seat, strategy)), strict=True):
        parents, sequences, weights, _ = level.edges
        behind = _edge_values(level, leaf_values, below)
        result.insert(0, behind)
        own = sequences >= 0
        below = _sums(parents, behind * weights * np.where(own, strategy[sequences], 1.0), len(level.seats))
        nodes, first = np.unique(parents[own], return_index=True)
        sets = np.searchsorted(tree.first, sequences[own][first], side="right")
        below[nodes] = _mean_over(sets, below[nodes], reach[nodes])
    return result


def relaxed_value(tree: GameTree, seat: int, leaf_values: Floats, seen: list[Floats] | None) -> float:
    """Return what the responder wins that sees the hand.

    Args:
        tree: the tree for a policy of its opponent.
        seat: the responder's seat.
        leaf_values: its margin in each leaf.
        seen: values that it pays by, from :func:`values_seen`; ``None``: it pays nothing.
    """
    below = np.zeros(0)
    everywhere = reaches(tree, seat, np.ones(tree.first[-1]))
    for number in reversed(range(len(tree.levels))):
        level = tree.levels[number]
        parents, sequences, weights, _ = level.edges
        values = _edge_values(level, leaf_values, below) * weights
        own = sequences >= 0
        below = _sums(parents[~own], values[~own], len(level.seats))
        # An action may lead to several nodes, by what is drawn next.
        actions, edges = np.unique(np.stack([parents[own], sequences[own]]), axis=1, return_inverse=True)
        nodes, action = actions
        gains = _sums(edges.reshape(-1), values[own], len(action))
        if seen is not None:
            paid = _sums(edges.reshape(-1), (seen[number] * weights)[own], len(action))
            gains -= paid - _mean_over(action, paid, everywhere[number][nodes])
        best = np.full(len(level.seats), -np.inf)
        np.maximum.at(best, nodes, gains)
        below[nodes] = best[nodes]
    return float(below @ tree.roots)


def bounds(agent: str, policy: str, rules: str) -> tuple[float, ...]:
    """Return what is won from an agent in tricks, the sum of both seats: ``COLUMNS``.

    Args:
        agent: the agent's specification.
        policy: the responder's policy, whose values the bound uses.
        rules: rules of at most a million deals.
    """
    game = rules_named(rules)
    check_small(game)
    known, own = AgentPolicy(agent, game, 1, 0), AgentPolicy(policy, game, 1, 0)
    totals = np.zeros(len(COLUMNS))
    for opening in openings(game):
        starts = opening_states(game, opening)
        for seat in (0, 1):
            tree = build_tree(game, starts, known, seat)
            leaves = Endgames(game, tree.leaves, seat, None if known.perfect_endgame else known).best_values()
            strategy = own_strategy(tree, own, game)
            totals += opening.probability * np.array(
                [
                    counterfactual_values(tree, seat, strategy, leaves)[1],
                    tree_best_response(tree, seat, np.ones(tree.first[-1]), leaves)[0],
                    relaxed_value(tree, seat, leaves, values_seen(tree, seat, strategy, leaves)),
                    relaxed_value(tree, seat, leaves, None),
                ]
            )
    return tuple(totals.tolist())


def main(words: Sequence[str] | None = None) -> int:
    """Print the bounds as Markdown, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.strength.upper_bound", description=__doc__)
    parser.add_argument("rules", metavar="RULES", help="a small game, such as tiny or tiny:ranks=5,hand=3")
    parser.add_argument("agents", metavar="AGENT", nargs="+", help="agents to be exploited")
    parser.add_argument("--policy", default="champion", help="whose values the bound uses (default champion)")
    options = parser.parse_args(words)
    try:
        rows = [
            (f"`{agent}`", *(f"{value:+.4f}" for value in bounds(agent, options.policy, options.rules)))
            for agent in options.agents
        ]
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(markdown_table(("agent", *COLUMNS), rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""NashConv from the engine alone: every deal of a small game, every way to play it, plain best responses."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from german_whist.game.rules import Rules
from german_whist.simulator.batch import DealBatch

Key = tuple[int, bytes]  # seat, history
Policy = Callable[[Key, tuple[int, ...]], dict[int, float]]


class Node(NamedTuple):
    """A position: who is to act and what that seat has seen, or the margin of seat 0 at the end."""

    key: Key | None
    children: dict[int, Node]
    margin: float


def every_deal(rules: Rules) -> list[list[int]]:
    """One deck for each deal: hands are sets, the order of the stock counts."""
    decks = []
    size = rules.hand
    for first in itertools.combinations(rules.cards, size):
        others = [card for card in rules.cards if card not in first]
        for second in itertools.combinations(others, size):
            opening = [card for pair in zip(first, second, strict=True) for card in pair]
            stock = [card for card in others if card not in second]
            decks += [[*opening, *order] for order in itertools.permutations(stock)]
    return decks


def trees(rules: Rules, decks: list[list[int]], dealer: int, views: dict[Key, Any]) -> list[Node]:
    """The tree of each deal; ``views`` gets the view of each history."""
    batch = DealBatch(rules, len(decks), history=True)
    batch.deal_decks(decks, [dealer] * len(decks))
    return _nodes(batch, views)


def _nodes(batch: DealBatch, views: dict[Key, Any]) -> list[Node]:
    """The tree from each position of a batch on."""
    tokens, seen, margins = batch.history()[0], batch.views(), batch.returns("margin")[:, 0].tolist()
    nodes = []
    for row, done in enumerate(batch.done):
        if done:
            nodes.append(Node(None, {}, margins[row]))
            continue
        key = (int(batch.turn[row]), tokens[row].tobytes())
        views[key] = seen[row]
        nodes.append(Node(key, {}, 0.0))
    rows, actions = np.nonzero(batch.action_mask())
    if len(rows):
        after = DealBatch(batch.rules, len(rows), history=True)
        after.set_state(batch.get_state(rows))
        after.step(actions)
        for row, action, child in zip(rows, actions.tolist(), _nodes(after, views), strict=True):
            nodes[row].children[action] = child
    return nodes


class SmallGame:
    """All deals of a small game with a fixed dealer."""

    def __init__(self, rules: Rules, dealer: int = 1) -> None:
        self.views: dict[Key, Any] = {}
        self.roots = trees(rules, every_deal(rules), dealer, self.views)

    def value(self, policy: Policy) -> float:
        """The margin of seat 0 when both play a policy."""
        return sum(_value(root, policy) for root in self.roots) / len(self.roots)

    def best_response(self, player: int, policy: Policy) -> float:
        """The best margin of a seat against a policy of the other."""
        sign = 1 - 2 * player
        reached: dict[Key, list[tuple[Node, float]]] = defaultdict(list)  # floats: the others' chances
        for root in self.roots:
            for node, chance in _walk(root, player, policy, 1 / len(self.roots)):
                reached[_key(node)].append((node, chance))
        best: dict[Key, int] = {}

        def worth(node: Node) -> float:
            if node.key is None:
                return sign * node.margin
            if node.key[0] == player:
                return worth(node.children[answer(node.key)])
            chances = policy(node.key, tuple(node.children))
            return sum(chances[action] * worth(child) for action, child in node.children.items())

        def answer(key: Key) -> int:
            if key not in best:
                legal = reached[key][0][0].children
                totals = {
                    action: sum(chance * worth(node.children[action]) for node, chance in reached[key])
                    for action in legal
                }
                best[key] = max(totals, key=totals.__getitem__)
            return best[key]

        return sum(map(worth, self.roots)) / len(self.roots)

    def nash_conv(self, policy: Policy) -> float:
        """How much both seats together would gain by best responses."""
        return self.best_response(0, policy) + self.best_response(1, policy)


def _key(node: Node) -> Key:
    assert node.key is not None
    return node.key


def _value(node: Node, policy: Policy) -> float:
    if node.key is None:
        return node.margin
    chances = policy(node.key, tuple(node.children))
    return sum(chances[action] * _value(child, policy) for action, child in node.children.items())


def _walk(node: Node, player: int, policy: Policy, chance: float) -> Iterator[tuple[Node, float]]:
    """The positions in which a player is to act, with the chance that the others let them come about."""
    if node.key is None:
        return
    mine = node.key[0] == player
    if mine:
        yield node, chance
    chances = {} if mine else policy(node.key, tuple(node.children))
    for action, child in node.children.items():
        yield from _walk(child, player, policy, chance if mine else chance * chances[action])

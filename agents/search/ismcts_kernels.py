"""The search tree of ISMCTS: selection, expansion, rollout and backpropagation, with one world per iteration.

A node is an information set of the searching seat: the actions since the root, what the seat saw of the stock, and what
it drew. An edge is an action of the seat to act. The edges of a node, and the nodes after an edge, are linked lists to
which new entries are added at the front. Rewards, from 0 to 1, are those of seat 0, the searching seat.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import SELF, write_hidden_cards, write_known_state
from german_whist.agents.search.rollout_kernels import (
    distinct_actions_in_world,
    final_margin,
    is_solvable_endgame,
    play_on,
)
from german_whist.game.state_kernels import play
from german_whist.game.utils.bit_kernels import nth_lowest, popcount
from german_whist.game.utils.jit import kernel

NODE = np.dtype(
    [
        ("hand", np.uint64),  # the searching seat's hand, with the cards that it drew
        ("face_up", np.uint64),  # the face-up cards of the stock
        ("first_edge", np.int32),  # the edge added last, −1 for none
        ("next", np.int32),  # the next node after the same edge, −1 for none
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("reward", np.float64),  # sum over all visits
        ("visits", np.int32),
        ("available", np.int32),  # visits of the node in worlds in which the action was legal
        ("action", np.int32),
        ("first_node", np.int32),  # the node added last after this action, −1 for none
        ("next", np.int32),  # the next edge of the same node, −1 for none
    ],
    align=True,
)
MAX_PATH = 128  # more than the decisions of any deal

_EXPLORATION = 0.4  # constant of UCB1 for rewards from 0 to 1; 0.2 and 0.8 win 2 percentage points less

_ONE = np.uint64(1)
_HALF_WORD = np.uint64(32)


@kernel
def random_word(rng):
    """Return 64 random bits and the next state of the generator, SplitMix64.

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    rng += np.uint64(0x9E37_79B9_7F4A_7C15)
    word = (rng ^ (rng >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return word ^ (word >> np.uint64(31)), rng


@kernel
def random_action(actions, rng):
    """Return a uniformly random action of a mask and the generator's next state."""
    word, rng = random_word(rng)
    # The high 32 bits times the number of actions, divided by 2**32: biased by less than 2**-26.
    number = ((word >> _HALF_WORD) * np.uint64(popcount(actions))) >> _HALF_WORD
    return nth_lowest(actions, np.int64(number)), rng


@kernel
def select_edge(nodes, edges, node, actions, own):
    """Return the available actions that were never tried at a node, and the available edge of highest UCB1 or −1.

    Args:
        nodes: ``NODE`` array.
        edges: ``EDGE`` array; ``available`` is incremented.
        node: index of the node.
        actions: mask of the actions available in this world.
        own: whether the searching seat is to act; the other seat minimises the reward.
    """
    untried = actions
    best = np.int64(-1)
    best_score = -1.0
    index = np.int64(nodes[node].first_edge)
    while index >= 0:
        edge = edges[index]
        bit = _ONE << np.uint64(edge.action)
        if actions & bit:
            untried &= ~bit
            edge.available += 1
            # Both counts are at least 1: an edge is visited in the iteration that adds it.
            mean = edge.reward / edge.visits
            score = mean if own else 1.0 - mean
            score += _EXPLORATION * np.sqrt(np.log(np.float64(edge.available)) / edge.visits)
            if score > best_score:
                best, best_score = index, score
        index = np.int64(edge.next)
    return untried, best


@kernel
def add_edge(nodes, edges, sizes, node, action):
    """Add an edge for an action that was never tried at a node, and return its index."""
    index = np.int64(sizes[1])
    sizes[1] += 1
    edge = edges[index]
    edge.reward = 0.0
    edge.visits = 0
    edge.available = 1
    edge.action = action
    edge.first_node = -1
    edge.next = nodes[node].first_edge
    nodes[node].first_edge = index
    return index


@kernel
def next_node(nodes, edges, sizes, edge, hand, face_up):
    """Return the index of the node that an action leads to in this world, and whether it was added.

    Args:
        nodes: ``NODE`` array.
        edges: ``EDGE`` array.
        sizes: numbers of nodes and edges.
        edge: index of the action's edge.
        hand: the searching seat's hand after the action.
        face_up: the face-up cards of the stock after it.
    """
    index = np.int64(edges[edge].first_node)
    while index >= 0:
        if nodes[index].hand == hand and nodes[index].face_up == face_up:
            return index, False
        index = np.int64(nodes[index].next)
    index = np.int64(sizes[0])
    sizes[0] += 1
    nodes[index].hand = hand
    nodes[index].face_up = face_up
    nodes[index].first_edge = -1
    nodes[index].next = edges[edge].first_node
    edges[edge].first_node = index
    return index, True


@kernel
def descend(rules, state, tree, rng):
    """Play from the root to a new node, an endgame or the end; write the path, return its length and ``rng``."""
    nodes, edges, path, sizes = tree
    node = np.int64(0)
    length = 0
    while True:
        actions = distinct_actions_in_world(rules, state)
        untried, edge = select_edge(nodes, edges, node, actions, state.turn == SELF)
        if untried:
            action, rng = random_action(untried, rng)
            edge = add_edge(nodes, edges, sizes, node, action)
        path[length] = edge
        length += 1
        play(rules, state, np.int64(edges[edge].action))
        if state.done or is_solvable_endgame(rules, state):
            return length, rng
        node, is_new = next_node(nodes, edges, sizes, edge, state.hands[SELF], state.face_up)
        if is_new:
            return length, rng


@kernel
def reward_of(margin, limit, win_weight):
    """Return a reward from 0 to 1: a weighted mean of winning and of the margin scaled from −limit … limit to 0 … 1."""
    win = 1.0 if margin > 0 else (0.5 if margin == 0 else 0.0)
    return win_weight * win + (1.0 - win_weight) * 0.5 * (1.0 + margin / limit)


@kernel
def most_visited(nodes, edges):
    """Return the root's most visited action; ties go to the higher mean reward, then to the lowest action."""
    # Between equal numbers of visits, sums of rewards compare as their means do.
    index = np.int64(nodes[0].first_edge)
    best = edges[index]
    while index >= 0:
        edge = edges[index]
        if edge.visits > best.visits or (
            edge.visits == best.visits
            and (edge.reward > best.reward or (edge.reward == best.reward and edge.action < best.action))
        ):
            best = edge
        index = np.int64(edge.next)
    return np.int64(best.action)


@kernel
def choose_by_tree(record, views, hands, key, win_weight, tablebase, scratch):
    """Return the action that a tree search chooses in one view.

    Args:
        record: the rules, ``RULES_RECORD`` array (1,).
        views: a consistent view of the seat to act, ``VIEW`` array (1,).
        hands: the opponent's hidden cards in the world of each iteration, uint64[iterations].
        key: random key.
        win_weight: weight of winning in the reward.
        tablebase: ``Tablebase`` for this kind of game.
        scratch: a ``Scratch``, whose ``NODE`` and ``EDGE`` arrays have one entry per iteration and one more.
    """
    states, seen, transpositions, tree, blinds = scratch
    nodes, edges, path, sizes = tree
    rules, view, state = record[0], views[0], states[1]
    limit = rules.race if rules.race else rules.counted  # the largest margin
    write_known_state(rules, view, states[0])
    sizes[0], sizes[1] = 1, 0
    nodes[0].first_edge = -1
    rng = key
    for iteration in range(hands.shape[0]):
        states[1] = states[0]
        write_hidden_cards(rules, view, hands[iteration], key, np.uint64(iteration), state, blinds)
        length, rng = descend(rules, state, tree, rng)
        play_on(rules, state, seen[0], 0)
        reward = reward_of(final_margin(rules, state, tablebase, transpositions), limit, win_weight)
        for depth in range(length):
            edge = edges[path[depth]]
            edge.reward += reward
            edge.visits += 1
    return most_visited(nodes, edges)

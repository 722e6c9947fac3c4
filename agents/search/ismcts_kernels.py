"""The search tree of ISMCTS: selection, expansion, rollout and backpropagation, one world an iteration.

A node is an information set of the seat that searches: the actions since the root, and what it saw of the stock and
drew. An edge is an action of the seat to act. Rewards are seat 0's, the searching seat's, from 0 to 1.
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
from german_whist.envs.engine.state_kernels import play
from german_whist.envs.utils.bit_kernels import nth_lowest, popcount
from german_whist.envs.utils.jit import kernel

NODE = np.dtype(
    [
        ("hand", np.uint64),  # the searching seat's hand, with the cards it drew
        ("face_up", np.uint64),  # the face-up cards of the stock
        ("first_edge", np.int32),  # the last edge added, −1 for none
        ("next", np.int32),  # the next node after the same action, −1 for none
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("reward", np.float64),  # sum over all visits
        ("visits", np.int32),
        ("available", np.int32),  # visits of the node in worlds in which the action was legal
        ("action", np.int32),
        ("first_node", np.int32),  # the last node added after this action, −1 for none
        ("next", np.int32),  # the node's next edge, −1 for none
    ],
    align=True,
)
MAX_PATH = 128  # more than the decisions of any deal

_EXPLORATION = 0.4  # the constant of UCB1, for rewards from 0 to 1: 0.2 and 0.8 win 2 points less

_ONE = np.uint64(1)
_HALF_WORD = np.uint64(32)


@kernel
def random_word(rng):
    """Return 64 random bits and the generator's next state: SplitMix64 (Steele, Lea and Flood, 2014)."""
    rng += np.uint64(0x9E37_79B9_7F4A_7C15)
    word = (rng ^ (rng >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return word ^ (word >> np.uint64(31)), rng


@kernel
def random_action(actions, rng):
    """Return a random action of a mask, uniform but for 2**-26, and the generator's next state."""
    word, rng = random_word(rng)
    number = ((word >> _HALF_WORD) * np.uint64(popcount(actions))) >> _HALF_WORD
    return nth_lowest(actions, np.int64(number)), rng


@kernel
def select_edge(nodes, edges, node, actions, own):
    """Return the actions that were never tried at a node, and the edge of highest UCB among those available (or −1).

    Args:
        nodes: ``NODE`` array.
        edges: ``EDGE`` array; ``available`` is counted up.
        node: index of the node.
        actions: the actions available in this world.
        own: whether the searching seat is to act; the other seat minimises its reward.
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
            mean = edge.reward / edge.visits
            score = mean if own else 1.0 - mean
            score += _EXPLORATION * np.sqrt(np.log(np.float64(edge.available)) / edge.visits)
            if score > best_score:
                best, best_score = index, score
        index = np.int64(edge.next)
    return untried, best


@kernel
def add_edge(nodes, edges, sizes, node, action):
    """Add an action that was never tried at a node and return the index of its edge."""
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
    """Return the index of the node that an action leads to, and whether it is new.

    Args:
        nodes: ``NODE`` array.
        edges: ``EDGE`` array.
        sizes: number of nodes and edges.
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
def descend(game, state, tree, rng):
    """Play from the root of a world to a new node or an endgame; write the path and return its length and the rng."""
    nodes, edges, path, sizes = tree
    node = np.int64(0)
    length = 0
    while True:
        actions = distinct_actions_in_world(game, state)
        untried, edge = select_edge(nodes, edges, node, actions, state.turn == SELF)
        if untried:
            action, rng = random_action(untried, rng)
            edge = add_edge(nodes, edges, sizes, node, action)
        path[length] = edge
        length += 1
        play(game, state, np.int64(edges[edge].action))
        if state.done or is_solvable_endgame(game, state):
            return length, rng
        node, is_new = next_node(nodes, edges, sizes, edge, state.hands[SELF], state.face_up)
        if is_new:
            return length, rng


@kernel
def reward_of(margin, limit, win_weight):
    """Return a reward from 0 to 1: a weighted mean of winning and of the margin as a share of the largest."""
    win = 1.0 if margin > 0 else (0.5 if margin == 0 else 0.0)
    return win_weight * win + (1.0 - win_weight) * 0.5 * (1.0 + margin / limit)


@kernel
def largest_margin(game):
    """Return the largest margin of a deal."""
    if game.race:
        return np.int64(game.race)
    return np.int64(game.cards) // 2 if game.all_count else np.int64(game.hand)


@kernel
def most_visited(nodes, edges):
    """Return the root's most visited action; ties go to the higher mean reward, then to the lowest action."""
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
def choose_by_tree(game, views, hands, key, win_weight, table, scratch):
    """Return the action of one view that a tree search prefers.

    Args:
        game: the rules, ``GAME`` array (1,).
        views: what the seat to act knows, ``VIEW`` array (1,), consistent.
        hands: the opponent's hidden cards in the world of each iteration, uint64[iterations].
        key: random key.
        win_weight: the weight of winning in the reward.
        table: ``EndgameTable`` for this kind of game.
        scratch: two states, a view, transposition tables, and the tree: ``NODE`` and ``EDGE`` arrays with a place for
            every iteration and one more, int64[MAX_PATH] and int64[2].
    """
    states, seen, transpositions, tree = scratch
    nodes, edges, path, sizes = tree
    rules, view, state = game[0], views[0], states[1]
    limit = largest_margin(rules)
    write_known_state(rules, view, states[0])
    sizes[0], sizes[1] = 1, 0
    nodes[0].first_edge = -1
    rng = key
    for iteration in range(hands.shape[0]):
        states[1] = states[0]
        write_hidden_cards(rules, view, hands[iteration], key, np.uint64(iteration), state)
        length, rng = descend(rules, state, tree, rng)
        play_on(rules, state, seen[0], 0)
        reward = reward_of(final_margin(rules, state, table, transpositions), limit, win_weight)
        for place in range(length):
            edge = edges[path[place]]
            edge.reward += reward
            edge.visits += 1
    return most_visited(nodes, edges)

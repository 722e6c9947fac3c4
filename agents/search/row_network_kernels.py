"""The forward pass of a network for some views, and what the network would play there."""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.canonical_kernels import ROLES, action_role, named_action, rename_view
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.agents.policy.network.forward_kernels import write_layer
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


@kernel
def has_layers(network):
    """Return whether there is a network."""
    return network.sizes.shape[0] > 1


@kernel
def write_logits(network, count):
    """Write the logits of the first ``count`` views, and the views by role."""
    views, by_role, inputs = network.views, network.by_role, network.sizes[0]
    features = network.features[: count * inputs].reshape(count, inputs)
    roles = network.roles[: count * ROLES].reshape(count, ROLES)
    for row in range(count):
        by_role[row] = views[row]
        rename_view(views[row], by_role[row], roles[row], network.rank_by_unplayed[0] == 1)
        write_network_input(network.game[0], by_role[row], network.universal[0] == 1, features[row])
    weights, starts, sizes = network.weights, network.starts, network.sizes
    places, values, counts = network.places, network.values, network.counts
    actions, top = sizes[sizes.shape[0] - 1], sizes.shape[0] - 2
    logits = network.logits[: count * actions].reshape(count, actions)
    if top == 0:
        write_layer(features, weights, starts[0, 0], starts[0, 1], False, places, values, counts, logits)
    else:
        units, others = network.units, network.other_units
        below = units[: count * sizes[1]].reshape(count, sizes[1])
        write_layer(features, weights, starts[0, 0], starts[0, 1], True, places, values, counts, below)
        for layer in range(1, top):
            above = others[: count * sizes[layer + 1]].reshape(count, sizes[layer + 1])
            write_layer(below, weights, starts[layer, 0], starts[layer, 1], True, places, values, counts, above)
            below = above
            units, others = others, units
        write_layer(below, weights, starts[top, 0], starts[top, 1], False, places, values, counts, logits)


@kernel
def best_action(network, row):
    """Return the legal action with the highest logit in a view whose logits are written."""
    actions = network.sizes[network.sizes.shape[0] - 1]
    logits, roles = network.logits[row * actions : (row + 1) * actions], network.roles[row * ROLES : (row + 1) * ROLES]
    legal = network.by_role[row].legal
    best = lowest(legal)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if logits[action] > logits[best]:
            best = action
    return named_action(best, roles)


@kernel
def probability(network, row, action, temperature):
    """Return the probability of an action in a view whose logits are written.

    It is the softmax of the logits, in tricks, divided by a temperature.
    """
    actions = network.sizes[network.sizes.shape[0] - 1]
    logits, roles = network.logits[row * actions : (row + 1) * actions], network.roles[row * ROLES : (row + 1) * ROLES]
    legal = network.by_role[row].legal
    chosen = action_role(action, roles)
    scale = 1.0 / (temperature * network.logits_per_trick[0])
    total = 0.0
    while legal:
        other = lowest(legal)
        legal &= legal - _ONE
        total += np.exp(scale * (np.float64(logits[other]) - np.float64(logits[chosen])))
    return 1.0 / total

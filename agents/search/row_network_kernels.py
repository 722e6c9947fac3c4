"""The forward pass of a network for some views, and what the network would play there."""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.canonical_kernels import RELABELING_SIZE, decode_action, encode_action, relabel_view
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
    """Write the logits of the first ``count`` views, and their canonical form."""
    views, canonical, inputs = network.views, network.canonical, network.sizes[0]
    features = network.features[: count * inputs].reshape(count, inputs)
    relabeling = network.relabeling[: count * RELABELING_SIZE].reshape(count, RELABELING_SIZE)
    for row in range(count):
        canonical[row] = views[row]
        relabel_view(views[row], canonical[row], relabeling[row], network.rank_by_unplayed[0] == 1)
        write_network_input(network.game[0], canonical[row], network.universal[0] == 1, features[row])
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
    logits = network.logits[row * actions : (row + 1) * actions]
    relabeling = network.relabeling[row * RELABELING_SIZE : (row + 1) * RELABELING_SIZE]
    legal = network.canonical[row].legal
    best = lowest(legal)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if logits[action] > logits[best]:
            best = action
    return decode_action(best, relabeling)


@kernel
def probability(network, row, action, temperature):
    """Return the probability of an action in a view whose logits are written.

    It is the softmax of the logits, in tricks, divided by a temperature.
    """
    actions = network.sizes[network.sizes.shape[0] - 1]
    logits = network.logits[row * actions : (row + 1) * actions]
    relabeling = network.relabeling[row * RELABELING_SIZE : (row + 1) * RELABELING_SIZE]
    legal = network.canonical[row].legal
    chosen = encode_action(action, relabeling)
    scale = 1.0 / (temperature * network.logits_per_trick[0])
    total = 0.0
    while legal:
        other = lowest(legal)
        legal &= legal - _ONE
        total += np.exp(scale * (np.float64(logits[other]) - np.float64(logits[chosen])))
    return 1.0 / total

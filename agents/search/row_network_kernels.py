"""The forward pass of a network for one view, and what the network would play there."""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.canonical_kernels import named_action, rename_view, role_of
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.agents.policy.network.mlp_forward_kernels import add_inputs
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel

_ZERO = np.float32(0)
_ONE = np.uint64(1)


@kernel
def has_layers(network):
    """Return whether there is a network."""
    return network.sizes.shape[0] > 1


@kernel
def _write_layer(weights, start, bias, inputs, count, places, values, outputs):
    """Write a layer's outputs for the ``count`` inputs in ``places`` and ``values``."""
    width = outputs.shape[0]
    for unit in range(width):  # outputs[:] = … compiles 47 functions more, for its error message
        outputs[unit] = weights[bias + unit]
    add_inputs(count, places, values, weights[start : start + inputs * width].reshape(inputs, width), outputs)


@kernel
def write_logits(network, view):
    """Write the logits of a view by role into ``network.logits``, and the view by role into ``network.views[1]``.

    The sums are those of ``write_layer``, in the same order.
    """
    views, features = network.views, network.features
    weights, starts, places, values = network.weights, network.starts, network.places, network.values
    views[0] = view
    views[1] = view
    rename_view(views[0], views[1], network.roles, network.live[0] == 1)
    write_network_input(network.game[0], views[1], network.universal[0] == 1, features)
    phase = np.int64(0)
    for i in range(network.phases.shape[0]):
        phase += 1 if view.stock <= network.phases[i] else 0
    count = 0
    for place in range(features.shape[0]):  # without branches, which would be mispredicted
        places[count] = place
        values[count] = features[place]
        count += features[place] != 0
    layers = network.sizes.shape[0] - 1
    widest = places.shape[0]
    for layer in range(layers - 1):
        width = network.sizes[layer + 1]
        units = network.units[:width] if layer % 2 == 0 else network.units[widest : widest + width]
        start, bias = starts[phase, layer, 0], starts[phase, layer, 1]
        _write_layer(weights, start, bias, network.sizes[layer], count, places, values, units)
        count = 0
        for place in range(width):
            network.places[count] = place
            network.values[count] = units[place]
            count += units[place] > _ZERO
    start, bias = starts[phase, layers - 1, 0], starts[phase, layers - 1, 1]
    _write_layer(weights, start, bias, network.sizes[layers - 1], count, places, values, network.logits)


@kernel
def network_action(network, view):
    """Return the legal action with the highest logit."""
    write_logits(network, view)
    legal = network.views[1].legal
    best = lowest(legal)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if network.logits[action] > network.logits[best]:
            best = action
    return named_action(best, network.roles)


@kernel
def network_probability(network, view, action, temperature):
    """Return the probability of an action: the softmax of the logits, in tricks, divided by a temperature."""
    write_logits(network, view)
    legal = network.views[1].legal
    chosen = role_of(action, network.roles) if action < 52 else np.int64(action)
    scale = 1.0 / (temperature * network.logits_per_trick[0])
    total = 0.0
    while legal:
        other = lowest(legal)
        legal &= legal - _ONE
        total += np.exp(scale * (np.float64(network.logits[other]) - np.float64(network.logits[chosen])))
    return 1.0 / total

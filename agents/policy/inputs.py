"""The inputs of policy networks: observations of one game, or the universal encoding."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.input_kernels import UNIVERSAL_BLOCKS, write_network_inputs
from german_whist.agents.policy.network.layers import INPUTS, OBSERVATION, UNIVERSAL
from german_whist.game.cards import NUM_ACTIONS
from german_whist.game.layout import Block, highest_values, layout_of
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.backend import Array, Records, StructTensor, backend_holding
from german_whist.game.utils.names import unknown_name_error
from german_whist.simulator.observation.vector import observation_high, observation_layout
from german_whist.simulator.observation.views import Views, check_view_array

if TYPE_CHECKING:
    from torch import Tensor


def input_layout(rules: Rules, inputs: str = OBSERVATION) -> dict[str, Block]:
    """Return the named blocks of a network's inputs, in order, each with its range, largest value and meaning.

    Args:
        rules: the rules that the network was trained for; the universal encoding does not depend on them.
        inputs: ``"observation"`` or ``"universal"``.
    """
    return layout_of(rules, UNIVERSAL_BLOCKS) if inputs == UNIVERSAL else observation_layout(rules)


def input_high(rules: Rules, inputs: str = OBSERVATION) -> npt.NDArray[np.int8]:
    """Return the nominal largest value of each feature, int8[features], by which training divides it.

    In the universal encoding, games larger than the classic one may exceed it.

    Args:
        rules: the rules that the network was trained for; the universal encoding does not depend on them.
        inputs: ``"observation"`` or ``"universal"``.
    """
    return highest_values(rules, UNIVERSAL_BLOCKS) if inputs == UNIVERSAL else observation_high(rules)


def num_outputs(rules: Rules, inputs: str = OBSERVATION) -> int:
    """Return the number of actions that a policy network evaluates: 54 with universal inputs, else that of its game."""
    return NUM_ACTIONS if inputs == UNIVERSAL else rules.num_actions


@overload
def network_inputs(views: Views, rules: str | Rules = "classic", inputs: str = OBSERVATION) -> npt.NDArray[np.int8]: ...
@overload
def network_inputs(views: StructTensor, rules: str | Rules = "classic", inputs: str = OBSERVATION) -> Tensor: ...
def network_inputs(views: Records, rules: str | Rules = "classic", inputs: str = OBSERVATION) -> Array:
    """Return a policy network's inputs for n views, int8[n, features].

    Args:
        views: canonical views, a ``VIEW`` array of shape (n,) as ``canonical_views`` returns it, or ``StructTensor`` on
            a device.
        rules: the rules of the deals.
        inputs: ``"observation"`` or ``"universal"``, as the model card says (``checkpoint.inputs``).

    Raises:
        ValueError: when the rules or ``inputs`` are unknown, or ``views`` is not an array of views.
    """
    if inputs not in INPUTS:
        raise unknown_name_error("inputs", inputs, INPUTS)
    rules = get_rules(rules)
    if not isinstance(views, StructTensor):
        check_view_array(views)
        views = np.ascontiguousarray(views)
    backend = backend_holding(views)
    out = backend.empty((len(views), _num_inputs(rules, inputs)), np.int8)
    backend.launch(write_network_inputs, len(views), rules.record, views, inputs == UNIVERSAL, out)
    found: Array = out
    return found


@cache
def _num_inputs(rules: Rules, inputs: str) -> int:
    return input_high(rules, inputs).size

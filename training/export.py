"""Export of policy networks to ONNX.

The graph is the network alone. It maps ``observation`` float32[batch, features], the vector of a canonical view
(``envs/observation/canonical.py``), to ``logits`` float32[batch, actions], of canonical actions and not masked. The
file's metadata holds the model card and describes the steps before and after the network.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.layers import NUM_SUITS, Layer, card_layers_of, sizes_of, suit_inputs
from german_whist.envs.engine.cards import NUM_CARDS, SUIT_SIZE
from german_whist.envs.utils.files import write_atomically

_OPSET, _IR_VERSION = 17, 8  # old enough for current runtimes

ABOUT = {
    "inputs": "observation: float32[batch, features], german_whist.network_inputs(views, rules, INPUTS), not scaled, "
    "of canonical views: views, relabeling = german_whist.canonical_views(views, RANKS), with the model "
    "card's network.ranks as RANKS and its network.inputs, if it has any, as INPUTS",
    "outputs": "logits: float32[batch, actions], of canonical actions and not masked: set those of illegal actions "
    "(views['legal']) to minus infinity; the best action is german_whist.decode_actions(argmax, relabeling)",
}


def export(checkpoint: Checkpoint, path: str | Path) -> None:
    """Write a network as an ONNX file, atomically.

    Args:
        checkpoint: the network.
        path: the file.

    Raises:
        OSError: if the file cannot be written.
    """
    graph = OnnxGraph()
    logits = graph.network("observation", checkpoint.layers, checkpoint.suit_layers)
    graph.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
    features, actions = checkpoint.sizes[0], checkpoint.sizes[-1]
    made = helper.make_graph(
        graph.nodes,
        "german_whist_policy",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", features])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", actions])],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="german-whist")
    model.ir_version = _IR_VERSION
    model.doc_string = "\n".join(ABOUT.values())
    helper.set_model_props(model, {**ABOUT, "card": json.dumps(checkpoint.model_card())})
    onnx.checker.check_model(model)
    write_atomically(path, model.SerializeToString())


class OnnxGraph:
    """An ONNX graph under construction, with generated names.

    Attributes:
        nodes: the nodes, in order.
        constants: weights and indices.
    """

    def __init__(self) -> None:
        """Create an empty graph."""
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values: npt.ArrayLike) -> str:
        """Add a constant and return its name; integers become int64."""
        array = np.asarray(values)
        array = np.ascontiguousarray(array, np.int64 if array.dtype.kind == "i" else array.dtype)
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def network(self, observation: str, layers: Sequence[Layer], suit_layers: int) -> str:
        """Add a network and return the name of its outputs, [rows, outputs].

        Args:
            observation: name of the inputs, float32[rows, features].
            layers: weight float32[out, in] and bias float32[out] of each layer.
            suit_layers: number of suit layers; 0 for a plain multilayer perceptron.
        """
        if suit_layers:
            return self._suit_network(observation, layers, suit_layers)
        return self._linear(self._hidden(observation, layers[:-1]), *layers[-1])

    def _suit_network(self, observation: str, layers: Sequence[Layer], suit_layers: int) -> str:
        sizes = sizes_of(layers, suit_layers)
        inputs, (*hidden, last) = suit_inputs(sizes[0]), layers
        trunk_end = len(hidden) - card_layers_of(suit_layers, sizes[-1])
        suits = self._reshaped(self.add("Gather", observation, self.constant(inputs.ravel()), axis=1), inputs.shape[1])
        suits = self._hidden(suits, hidden[:suit_layers])
        trunk = self._hidden(self._reshaped(suits, NUM_SUITS * sizes[suit_layers]), hidden[suit_layers:trunk_end])
        if trunk_end == len(hidden):
            return self._linear(trunk, *last)
        (weight, bias), *cards = hidden[trunk_end:]
        own, units = sizes[suit_layers], len(bias)
        of_suits = self._reshaped(self._linear(suits, weight[:, :own], bias), NUM_SUITS, units)
        of_trunk = self._reshaped(self._linear(trunk, weight[:, own:], np.zeros_like(bias)), 1, units)
        both = self._reshaped(self.add("Relu", self.add("Add", of_suits, of_trunk)), units)
        outputs = self._reshaped(self._linear(self._hidden(both, cards), *last), NUM_SUITS, len(last[1]))
        of_cards = self.add("Gather", outputs, self.constant(np.arange(SUIT_SIZE)), axis=2)
        of_cards = self._reshaped(of_cards, NUM_CARDS)
        if len(last[1]) == SUIT_SIZE:
            return of_cards
        others = self.add("Gather", outputs, self.constant(np.arange(SUIT_SIZE, len(last[1]))), axis=2)
        return self.add("Concat", of_cards, self.add("ReduceSum", others, self.constant([1]), keepdims=0), axis=1)

    def _hidden(self, rows: str, layers: Sequence[Layer]) -> str:
        for layer in layers:
            rows = self.add("Relu", self._linear(rows, *layer))
        return rows

    def _linear(self, rows: str, weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> str:
        return self.add("Gemm", rows, self.constant(weight), self.constant(bias), transB=1)

    def _reshaped(self, rows: str, *sizes: int) -> str:
        return self.add("Reshape", rows, self.constant([-1, *sizes]))

"""A policy network in the files of other tools: ONNX, TorchScript.

The file holds the network as it is: ``observation`` float32[batch, cells], the vector of a view with its cards by role
(``agents/canonical.py``), gives ``logits`` float32[batch, actions], by role and not masked. What is to be done before
and after it stands in the file itself, beside the model card.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

from german_whist.agents.checkpoint import Checkpoint, write_atomically
from german_whist.envs.names import unknown_name

_OPSET, _IR_VERSION = 17, 8  # old enough for the runtimes in use

ABOUT = {
    "inputs": "observation: float32[batch, cells], german_whist.observe(views, rules), as numbers, not scaled, of "
    "views with cards by role: views, roles = german_whist.agents.canonical.canonical_views(views, RANKS), with RANKS "
    "as the card's network says",
    "outputs": "logits: float32[batch, actions], by role and not masked: set those of actions that are not legal "
    "(views['legal']) to minus infinity; the best action is german_whist.agents.canonical.true_cards(argmax, roles)",
}


def export(checkpoint: Checkpoint, kind: str, path: str | Path) -> None:
    """Write a network to a file of another tool, whole or not at all.

    Args:
        checkpoint: the network.
        kind: ``"onnx"`` or ``"torchscript"``.
        path: the file.

    Raises:
        ValueError: when there is no such kind of file.
        ModuleNotFoundError: when the library that writes it is not installed.
        OSError: when the file cannot be written.
    """
    if kind not in WRITERS:
        raise unknown_name("kind of file", kind, WRITERS)
    write_atomically(path, WRITERS[kind](checkpoint))


def _told(checkpoint: Checkpoint) -> dict[str, str]:
    return {**ABOUT, "card": json.dumps(checkpoint.card())}


def _onnx(checkpoint: Checkpoint) -> bytes:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, weights, name = [], [], "observation"
    last = len(checkpoint.layers) - 1
    for i, (weight, bias) in enumerate(checkpoint.layers):
        weights += [numpy_helper.from_array(weight, f"weight_{i}"), numpy_helper.from_array(bias, f"bias_{i}")]
        output = "logits" if i == last else f"layer_{i}"
        nodes.append(helper.make_node("Gemm", [name, f"weight_{i}", f"bias_{i}"], [output], transB=1))
        name = output
        if i < last:
            nodes.append(helper.make_node("Relu", [output], [f"hidden_{i}"]))
            name = f"hidden_{i}"
    cells, actions = checkpoint.layers[0][0].shape[1], checkpoint.layers[-1][1].size
    graph = helper.make_graph(
        nodes,
        "german_whist_policy",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", cells])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", actions])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="german-whist")
    model.ir_version = _IR_VERSION
    model.doc_string = "\n".join(ABOUT.values())
    helper.set_model_props(model, _told(checkpoint))
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def _torchscript(checkpoint: Checkpoint) -> bytes:
    import torch
    from torch import nn

    layers: list[nn.Module] = []
    for weight, bias in checkpoint.layers:
        linear = nn.Linear(weight.shape[1], weight.shape[0])
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(weight))
            linear.bias.copy_(torch.from_numpy(bias))
        layers += [linear, nn.ReLU()]
    network = nn.Sequential(*layers[:-1]).eval()
    traced = torch.jit.trace(network, torch.zeros(2, checkpoint.layers[0][0].shape[1]))
    buffer = io.BytesIO()
    torch.jit.save(traced, buffer, _extra_files=_told(checkpoint))
    return buffer.getvalue()


WRITERS: dict[str, Callable[[Checkpoint], bytes]] = {"onnx": _onnx, "torchscript": _torchscript}

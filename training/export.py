"""Export of policy networks to ONNX and TorchScript.

The file holds the network alone: ``observation`` float32[batch, features], the vector of a view with its cards by role
(``agents/policy/canonical.py``), gives ``logits`` float32[batch, actions], by role and not masked. The file itself
also holds the model card and describes the steps before and after the network.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.layers import Layer
from german_whist.envs.utils.atomic_file import write_atomically
from german_whist.envs.utils.specs import unknown_name

_OPSET, _IR_VERSION = 17, 8  # old enough for the runtimes in use

ABOUT = {
    "inputs": "observation: float32[batch, features], german_whist.network_inputs(views, rules, INPUTS), not scaled, "
    "of views with cards by role: views, roles = german_whist.canonical_views(views, RANKS), with the card's "
    "network.ranks as RANKS and its network.inputs, if it has any, as INPUTS",
    "outputs": "logits: float32[batch, actions], by role and not masked: set those of illegal actions (views['legal']) "
    "to minus infinity; the best action is german_whist.true_cards(argmax, roles)",
}


def export(checkpoint: Checkpoint, kind: str, path: str | Path) -> None:
    """Write a network in the format of another tool, atomically.

    Args:
        checkpoint: the network.
        kind: ``"onnx"`` or ``"torchscript"``.
        path: the file.

    Raises:
        ValueError: when ``kind`` is unknown.
        ModuleNotFoundError: when the library that writes it is not installed.
        OSError: when the file cannot be written.
    """
    if kind not in WRITERS:
        raise unknown_name("kind of file", kind, WRITERS)
    write_atomically(path, WRITERS[kind](checkpoint))


def _metadata(checkpoint: Checkpoint) -> dict[str, str]:
    return {**ABOUT, "card": json.dumps(checkpoint.card())}


def _stock_feature(checkpoint: Checkpoint) -> int:
    """Return the index of the feature that selects the phase: the stock size."""
    return int(input_layout(checkpoint.rules, checkpoint.inputs)["stock"].start)


def _onnx(checkpoint: Checkpoint) -> bytes:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, weights = [], []
    for phase, layers in enumerate(checkpoint.networks):
        name = "observation"
        for i, (weight, bias) in enumerate(layers):
            own = f"{phase}_{i}"
            weights += [numpy_helper.from_array(weight, f"weight_{own}"), numpy_helper.from_array(bias, f"bias_{own}")]
            nodes.append(helper.make_node("Gemm", [name, f"weight_{own}", f"bias_{own}"], [f"layer_{own}"], transB=1))
            name = f"layer_{own}"
            if i < len(layers) - 1:
                nodes.append(helper.make_node("Relu", [name], [f"hidden_{own}"]))
                name = f"hidden_{own}"
    last = len(checkpoint.layers) - 1
    logits = f"layer_0_{last}"
    if checkpoint.phases:
        weights.append(numpy_helper.from_array(np.array([_stock_feature(checkpoint)], np.int64), "stock_feature"))
        nodes.append(helper.make_node("Gather", ["observation", "stock_feature"], ["stock"], axis=1))
    for phase, stock in enumerate(checkpoint.phases, start=1):
        weights.append(numpy_helper.from_array(np.array([stock], np.float32), f"last_{phase}"))
        nodes.append(helper.make_node("LessOrEqual", ["stock", f"last_{phase}"], [f"is_{phase}"]))
        nodes.append(helper.make_node("Where", [f"is_{phase}", f"layer_{phase}_{last}", logits], [f"logits_{phase}"]))
        logits = f"logits_{phase}"
    nodes.append(helper.make_node("Identity", [logits], ["logits"]))
    features, actions = checkpoint.sizes[0], checkpoint.sizes[-1]
    graph = helper.make_graph(
        nodes,
        "german_whist_policy",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["batch", features])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", actions])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="german-whist")
    model.ir_version = _IR_VERSION
    model.doc_string = "\n".join(ABOUT.values())
    helper.set_model_props(model, _metadata(checkpoint))
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def _torchscript(checkpoint: Checkpoint) -> bytes:
    import torch
    from torch import nn

    def mlp(layers: tuple[Layer, ...]) -> nn.Sequential:
        modules: list[nn.Module] = []
        for weight, bias in layers:
            linear = nn.Linear(weight.shape[1], weight.shape[0])
            with torch.no_grad():
                linear.weight.copy_(torch.from_numpy(weight))
                linear.bias.copy_(torch.from_numpy(bias))
            modules += [linear, nn.ReLU()]
        return nn.Sequential(*modules[:-1])

    class PhasedMLP(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.networks = nn.ModuleList(mlp(layers) for layers in checkpoint.networks)

        def forward(self, observation: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.networks[0](observation)
            stock = observation[:, _stock_feature(checkpoint) :][:, :1]
            for network, last in zip(self.networks[1:], checkpoint.phases, strict=True):
                logits = torch.where(stock <= last, network(observation), logits)
            return logits

    traced = torch.jit.trace(PhasedMLP().eval(), torch.zeros(2, checkpoint.sizes[0]))
    buffer = io.BytesIO()
    torch.jit.save(traced, buffer, _extra_files=_metadata(checkpoint))
    return buffer.getvalue()


WRITERS: dict[str, Callable[[Checkpoint], bytes]] = {"onnx": _onnx, "torchscript": _torchscript}

"""Export of policy networks to ONNX and TorchScript.

The file holds the network alone: ``observation`` float32[batch, features], the vector of a canonical view
(``agents/policy/canonical.py``), gives ``logits`` float32[batch, actions], of canonical actions and not masked. The
file itself also holds the model card and describes the steps before and after the network.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.specs import unknown_name_error

_OPSET, _IR_VERSION = 17, 8  # old enough for the runtimes in use

ABOUT = {
    "inputs": "observation: float32[batch, features], german_whist.network_inputs(views, rules, INPUTS), not scaled, "
    "of canonical views: views, relabeling = german_whist.canonical_views(views, RANKS), with the model "
    "card's network.ranks as RANKS and its network.inputs, if it has any, as INPUTS",
    "outputs": "logits: float32[batch, actions], of canonical actions and not masked: set those of illegal actions "
    "(views['legal']) to minus infinity; the best action is german_whist.decode_actions(argmax, relabeling)",
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
        raise unknown_name_error("kind of file", kind, WRITERS)
    write_atomically(path, WRITERS[kind](checkpoint))


def _metadata(checkpoint: Checkpoint) -> dict[str, str]:
    return {**ABOUT, "card": json.dumps(checkpoint.model_card())}


def _onnx(checkpoint: Checkpoint) -> bytes:
    import onnx
    from onnx import TensorProto, helper

    from german_whist.training.onnx_graph import OnnxGraph

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
    helper.set_model_props(model, _metadata(checkpoint))
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def _torchscript(checkpoint: Checkpoint) -> bytes:
    import torch
    from torch import nn

    from german_whist.training.networks import new_mlp

    features, *hidden, actions = checkpoint.sizes

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mlp = new_mlp(torch.ones(features), hidden, actions, 1.0, checkpoint.suit_layers)
            self.mlp.load_raw_layers(checkpoint.layers, "export")

        def forward(self, observation: torch.Tensor) -> torch.Tensor:
            units = self.mlp.units(observation, self.mlp.weights())
            return self.mlp.joined(self.mlp.linear_layers()[-1](units))

    traced = torch.jit.trace(Network().eval(), torch.zeros(2, features))
    buffer = io.BytesIO()
    torch.jit.save(traced, buffer, _extra_files=_metadata(checkpoint))
    return buffer.getvalue()


WRITERS: dict[str, Callable[[Checkpoint], bytes]] = {"onnx": _onnx, "torchscript": _torchscript}

"""BERT encoders as ONNX graphs, written node by node from safetensors: no torch, no tracer, nothing hidden.

Linear layers are MatMulNBits with 8-bit weights in blocks: activations are quantised per row at run time, so that the
scores of a text do not depend on what else is in its batch. The word embedding is int8 with one scale a row. Layer norms,
biases, positions and the softmax stay fp32. Operators: ONNX 21 and onnxruntime's own domain com.microsoft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
Weights = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Shape:
    """The sizes of an encoder."""

    layers: int = 6
    width: int = 384
    heads: int = 12
    epsilon: float = 1e-12


@dataclass
class Graph:
    """Nodes and initializers, collected. `bits` is 8 (MatMulNBits), or 32 for the fp32 reference."""

    weights: Weights
    shape: Shape
    bits: int = 8
    block: int = 32
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add an initializer."""
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op: str, inputs: list[str], output: str, *, domain: str = "", **attributes: object) -> str:
        """Add a node with one output that matters."""
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def linear(self, x: str, weight: NDArray[np.float32], name: str) -> str:
        """x times the transpose of weight (out, in); the bias is added by who fuses it."""
        if self.bits == 32:
            return self.node("MatMul", [x, self.constant(name + ".weight", np.ascontiguousarray(weight.T))], name)
        packed, scales = quantize_blocks(weight, self.block)
        inputs = [x, self.constant(name + ".weight", packed), self.constant(name + ".scales", scales)]
        return self.node(
            "MatMulNBits", inputs, name, domain=MICROSOFT,
            K=weight.shape[1], N=weight.shape[0], bits=8, block_size=self.block, accuracy_level=4,
        )  # fmt: skip

    def embedding(self, ids: str, table: NDArray[np.float32], name: str) -> str:
        """Rows of a table."""
        if self.bits == 32:
            return self.node("Gather", [self.constant(name + ".table", table), ids], name)
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-8).astype(np.float32) / 127
        rows = self.node(
            "Gather", [self.constant(name + ".table", np.rint(table / scale).astype(np.int8)), ids], name + ".rows"
        )
        scales = self.node("Gather", [self.constant(name + ".scale", scale), ids], name + ".scales")
        return self.node("Mul", [self.node("Cast", [rows], name + ".float", to=TensorProto.FLOAT), scales], name)


def quantize_blocks(weight: NDArray[np.float32], block: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Symmetric 8-bit blocks along the input: (out, blocks, block) uint8 around 128, and one scale a block.

    Layout: onnxruntime's MatMulNBits (docs/ContribOperators.md of onnxruntime).
    """
    rows, columns = weight.shape
    blocks = weight.reshape(rows, columns // block, block)
    scales = np.maximum(np.abs(blocks).max(axis=2, keepdims=True), 1e-8) / 127
    packed = (np.rint(blocks / scales) + 128).clip(0, 255).astype(np.uint8)
    return packed, scales.astype(np.float32).reshape(rows, -1)


def encoder(graph: Graph, prefix: str = "") -> list[str]:
    """The encoder of a BERT: the hidden states after the embeddings and after each layer, (batch, tokens, width) each.

    Graph inputs are input_ids, attention_mask and token_type_ids, int64 (batch, tokens).
    """
    w = {name.removeprefix(prefix): value for name, value in graph.weights.items()}
    graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    graph.node("Range", ["zero", graph.node("Squeeze", ["length"], "length.scalar"), "one"], "positions")
    graph.constant("zero", np.array(0, np.int64))
    graph.constant("one", np.array(1, np.int64))
    words = graph.embedding("input_ids", w["embeddings.word_embeddings.weight"], "words")
    places = graph.node(
        "Gather", [graph.constant("places.table", w["embeddings.position_embeddings.weight"]), "positions"], "places"
    )
    types = graph.node(
        "Gather",
        [graph.constant("types.table", w["embeddings.token_type_embeddings.weight"]), "token_type_ids"],
        "types",
    )
    summed = graph.node("Add", [graph.node("Add", [words, types], "words.types"), places], "embedded")
    x = _norm(graph, summed, w, "embeddings.LayerNorm")
    graph.node("Cast", ["attention_mask"], "mask.int32", to=TensorProto.INT32)
    states = [x]
    for layer in range(graph.shape.layers):
        x = _layer(graph, x, w, f"encoder.layer.{layer}")
        states.append(x)
    return states


def _layer(graph: Graph, x: str, w: Mapping[str, NDArray[np.float32]], name: str) -> str:
    width = graph.shape.width
    own = f"{name}.attention.self"
    joined = np.concatenate([w[f"{own}.{part}.weight"] for part in ("query", "key", "value")])
    bias = np.concatenate([w[f"{own}.{part}.bias"] for part in ("query", "key", "value")])
    qkv = graph.linear(x, joined, f"{name}.qkv")
    parts = [f"{name}.q", f"{name}.k", f"{name}.v"]
    sizes = graph.constant(f"{name}.sizes", np.array([width] * 3, np.int64))
    graph.nodes.append(helper.make_node("Split", [qkv, sizes], parts, name=f"{name}.split", axis=2))
    attended = graph.node(
        "MultiHeadAttention",
        [*parts, graph.constant(f"{name}.qkv.bias", bias), "mask.int32"],
        f"{name}.attended",
        domain=MICROSOFT,
        num_heads=graph.shape.heads,
    )
    out = graph.linear(attended, w[f"{name}.attention.output.dense.weight"], f"{name}.out")
    x = _skip_norm(graph, out, x, w, f"{name}.attention.output")
    wide = graph.linear(x, w[f"{name}.intermediate.dense.weight"], f"{name}.wide")
    wide_bias = graph.constant(f"{name}.wide.bias", w[f"{name}.intermediate.dense.bias"])
    bent = graph.node("BiasGelu", [wide, wide_bias], f"{name}.bent", domain=MICROSOFT)
    narrow = graph.linear(bent, w[f"{name}.output.dense.weight"], f"{name}.narrow")
    return _skip_norm(graph, narrow, x, w, f"{name}.output")


def _skip_norm(graph: Graph, x: str, skip: str, w: Mapping[str, NDArray[np.float32]], name: str) -> str:
    inputs = [x, skip]
    inputs += [graph.constant(f"{name}.{part}", w[f"{name}.LayerNorm.{part}"]) for part in ("weight", "bias")]
    inputs.append(graph.constant(f"{name}.dense.bias", w[f"{name}.dense.bias"]))
    return graph.node("SkipLayerNormalization", inputs, f"{name}.normed", domain=MICROSOFT, epsilon=graph.shape.epsilon)


def _norm(graph: Graph, x: str, w: Mapping[str, NDArray[np.float32]], name: str) -> str:
    inputs = [x, *(graph.constant(f"{name}.{part}", w[f"{name}.{part}"]) for part in ("weight", "bias"))]
    return graph.node("LayerNormalization", inputs, f"{name}.normed", axis=-1, epsilon=graph.shape.epsilon)


def finish(graph: Graph, outputs: Mapping[str, list[int | str]]) -> onnx.ModelProto:
    """The model, checked."""
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
    body = helper.make_graph(graph.nodes, "bert", inputs, results, graph.initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(body, opset_imports=opsets, ir_version=10, producer_name="rag-sidecar")
    onnx.checker.check_model(model)
    return model

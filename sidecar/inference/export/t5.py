"""The T5 encoder as an ONNX graph (Raffel et al. 2020, arXiv:1910.10683; the gated variant of T5 1.1, which flan-t5 has).

Pre-norm without biases, attention without scaling, one table of relative-position biases that all layers share. The bias depends
on the distance of two tokens alone and is the same beyond `max_distance`, so the graph gathers it from a small table.
Sizes are read from the weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper

from sidecar.inference.export.graph import MICROSOFT, Floats, Graph

BUCKETS_MAX_DISTANCE = 128
EPSILON = 1e-6


@dataclass(frozen=True)
class Shape:
    """The sizes of an encoder."""

    layers: int
    width: int
    heads: int
    inner: int
    feed_forward: int

    @classmethod
    def of(cls, weights: Mapping[str, Floats]) -> Shape:
        """As the weights (named from `encoder.` on) have it. Raises KeyError with the name that is missing."""
        block = "encoder.block.{}.layer.0.SelfAttention.q.weight"
        inner, width = weights[block.format(0)].shape
        layers = next(n for n in range(1000) if block.format(n) not in weights)
        heads = weights["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"].shape[1]
        feed_forward = weights["encoder.block.0.layer.1.DenseReluDense.wi_0.weight"].shape[0]
        return cls(layers, width, heads, inner, feed_forward)


def bucket(distance: int, buckets: int, max_distance: int = BUCKETS_MAX_DISTANCE) -> int:
    """The bucket of a signed distance (key position minus query position): half of the buckets for each sign, of these half
    exact and the rest logarithmic up to max_distance."""
    half = buckets // 2
    first = half if distance > 0 else 0
    size, exact = abs(distance), half // 2
    if size < exact:
        return first + size
    further = exact + int(math.log(size / exact) / math.log(max_distance / exact) * (half - exact))
    return first + min(further, half - 1)


def encoder(graph: Graph, weights: Mapping[str, Floats]) -> str:
    """The last hidden states (batch, tokens, width), normed. Graph inputs: input_ids and attention_mask."""
    shape = Shape.of(weights)
    # The embedding stays fp32 where linear layers are int8: T5's rows span several orders of magnitude.
    x = graph.node("Gather", [graph.constant("words.table", weights["shared.weight"]), "input_ids"], "words")
    graph.node("Cast", ["attention_mask"], "mask.int32", to=TensorProto.INT32)
    _relative_bias(graph, weights["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"])
    normed = _norm(graph, x, weights["encoder.block.0.layer.0.layer_norm.weight"])
    for n in range(shape.layers):
        own = f"encoder.block.{n}.layer"
        attention = f"{own}.0.SelfAttention"
        joined = np.concatenate([weights[f"{attention}.{part}.weight"] for part in "qkv"])
        parts = graph.split(graph.linear(normed, joined, f"{n}.qkv"), [f"{n}.q", f"{n}.k", f"{n}.v"], [shape.inner] * 3)
        attended = graph.node(
            "MultiHeadAttention", [*parts, "", "mask.int32", "bias"], f"{n}.attended", domain=MICROSOFT,
            num_heads=shape.heads, scale=1.0, mask_filter_value=-1e9,
        )  # fmt: skip
        out = graph.linear(attended, weights[f"{attention}.o.weight"], f"{n}.o")
        normed, x = _skip_norm(graph, out, x, weights[f"{own}.1.layer_norm.weight"], f"{n}.middle")
        dense = f"{own}.1.DenseReluDense"
        wide = np.concatenate([weights[f"{dense}.wi_0.weight"], weights[f"{dense}.wi_1.weight"]])
        sizes = [shape.feed_forward] * 2
        gate, value = graph.split(graph.linear(normed, wide, f"{n}.wi"), [f"{n}.gate", f"{n}.value"], sizes)
        bent = graph.node("FastGelu", [gate], f"{n}.bent", domain=MICROSOFT)
        product = graph.node("Mul", [bent, value], f"{n}.product")
        narrow = graph.linear(product, weights[f"{dense}.wo.weight"], f"{n}.wo")
        last = n + 1 == shape.layers
        after = "encoder.final_layer_norm.weight" if last else f"encoder.block.{n + 1}.layer.0.layer_norm.weight"
        normed, x = _skip_norm(graph, narrow, x, weights[after], f"{n}.end")
    return normed


def _norm(graph: Graph, x: str, gamma: Floats) -> str:
    """The first norm, by the root mean square; the others are fused with the sum before them."""
    axes = graph.constant("norm.axes", np.array([-1], np.int64))
    square = graph.node("ReduceMean", [graph.node("Mul", [x, x], "norm.squares"), axes], "norm.square", keepdims=1)
    held = graph.node("Add", [square, graph.constant("norm.epsilon", np.array(EPSILON, np.float32))], "norm.held")
    even = graph.node("Div", [x, graph.node("Sqrt", [held], "norm.root")], "norm.even")
    return graph.node("Mul", [even, graph.constant("norm.gamma", gamma)], "norm.first")


def _skip_norm(graph: Graph, x: str, skip: str, gamma: Floats, name: str) -> tuple[str, str]:
    """The norm of a sum, and the sum."""
    inputs = [x, skip, graph.constant(f"{name}.gamma", gamma)]
    outputs = [f"{name}.normed", "", "", f"{name}.sum"]
    graph.nodes.append(
        helper.make_node(
            "SkipSimplifiedLayerNormalization", inputs, outputs, name=name, domain=MICROSOFT, epsilon=EPSILON
        )
    )
    return outputs[0], outputs[3]


def _relative_bias(graph: Graph, table: Floats) -> str:
    """`bias` (1, heads, tokens, tokens)."""
    reach = BUCKETS_MAX_DISTANCE
    buckets = table.shape[0]
    by_distance = np.stack([table[bucket(distance, buckets)] for distance in range(-reach, reach + 1)])
    graph.constant("bias.table", by_distance)
    graph.node("Squeeze", [graph.node("Shape", ["input_ids"], "length", start=1, end=2)], "length.scalar")
    zero, one = graph.constant("zero", np.array(0, np.int64)), graph.constant("one", np.array(1, np.int64))
    places = graph.node("Range", [zero, "length.scalar", one], "places")
    keys = graph.node("Unsqueeze", [places, graph.constant("axis.0", np.array([0], np.int64))], "keys")
    queries = graph.node("Unsqueeze", [places, graph.constant("axis.1", np.array([1], np.int64))], "queries")
    distance = graph.node("Sub", [keys, queries], "distance")
    ends = [graph.constant(f"reach.{sign}", np.array(sign * reach, np.int64)) for sign in (-1, 1)]
    held = graph.node("Clip", [distance, *ends], "distance.held")
    index = graph.node("Add", [held, "reach.1"], "distance.index")
    rows = graph.node("Gather", ["bias.table", index], "bias.rows")
    first = graph.node("Transpose", [rows], "bias.heads", perm=[2, 0, 1])
    return graph.node("Unsqueeze", [first, "axis.0"], "bias")

"""An ONNX graph written node by node, with the ways of storing a linear layer. Operators: ONNX 21 and onnxruntime's own domain.

`fp32`: a plain product, the reference. `rows`: int8 weights with a scale a column, activations quantised by row, an integer
product; no calibration, and the score of a text does not depend on what else is in its batch, as it would if activations were
scaled by the largest value of a batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
Scheme = Literal["fp32", "rows"]
Floats = NDArray[np.float32]


@dataclass
class Graph:
    """Nodes and initializers, collected."""

    scheme: Scheme
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)
    linears: dict[str, str] = field(default_factory=dict)  # input of each linear layer, by the layer's name

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add an initializer; its name."""
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output that matters; its name."""
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def linear(self, x: str, weight: Floats, name: str) -> str:
        """x times the transpose of weight (out, in); a bias is added by who fuses it."""
        self.linears[name] = x
        if self.scheme == "fp32":
            return self.node("MatMul", [x, self.constant(f"{name}.weight", np.ascontiguousarray(weight.T))], name)
        columns, scale = quantize_columns(weight)
        last = self.shared("axis.last", np.array([-1], np.int64))
        largest = self.node("ReduceMax", [self.node("Abs", [x], f"{name}.abs"), last], f"{name}.most", keepdims=1)
        held = self.node("Max", [largest, self.shared("least.step", np.array(1e-8, np.float32))], f"{name}.held")
        ratio = self.node("Div", [self.shared("most.int8", np.array(127, np.float32)), held], f"{name}.ratio")
        zero = self.shared("zero.u8", np.array(128, np.uint8))
        scaled = self.node("Mul", [x, ratio], f"{name}.scaled")
        whole = self.node(
            "QuantizeLinear", [scaled, self.shared("one.float", np.array(1, np.float32)), zero], f"{name}.u8"
        )
        product = self.node("MatMulInteger", [whole, self.constant(f"{name}.weight", columns), zero], f"{name}.int32")
        floats = self.node("Cast", [product], f"{name}.float", to=TensorProto.FLOAT)
        by_column = self.node("Mul", [floats, self.constant(f"{name}.scale", scale)], f"{name}.columns")
        return self.node("Div", [by_column, ratio], name)

    def biased(self, x: str, weight: Floats, bias: str, name: str) -> str:
        """A linear layer and its bias, the name of a constant."""
        return self.node("Add", [self.linear(x, weight, name), bias], f"{name}.biased")

    def attention(self, x: str, weight: Floats, bias: str, mask: str, name: str, heads: int) -> str:
        """Attention of a text to itself: `weight` (3 * width, in) and `bias` of query, key and value, `mask` int32 (batch, tokens)."""
        parts = [f"{name}.{part}" for part in ("q", "k", "v")]
        self.split(self.linear(x, weight, f"{name}.qkv"), parts, [len(weight) // 3] * 3)
        return self.node(
            "MultiHeadAttention", [*parts, bias, mask], f"{name}.attended", domain=MICROSOFT, num_heads=heads
        )

    def shared(self, name: str, value: NDArray[np.generic]) -> str:
        """An initializer that several nodes use."""
        if not any(one.name == name for one in self.initializers):
            self.constant(name, value)
        return name

    def embedding(self, ids: str, table: Floats, name: str) -> str:
        """Rows of a table: int8 with a scale a row, or as they are."""
        if self.scheme == "fp32":
            return self.node("Gather", [self.constant(f"{name}.table", table), ids], name)
        scale = (np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-8) / 127).astype(np.float32)
        packed = self.constant(f"{name}.table", np.rint(table / scale).astype(np.int8))
        rows = self.node(
            "Cast", [self.node("Gather", [packed, ids], f"{name}.rows")], f"{name}.float", to=TensorProto.FLOAT
        )
        scales = self.node("Gather", [self.constant(f"{name}.scale", scale), ids], f"{name}.scales")
        return self.node("Mul", [rows, scales], name)

    def split(self, x: str, names: list[str], sizes: list[int]) -> list[str]:
        """Cut the last axis."""
        cut = self.constant(f"{names[0]}.sizes", np.array(sizes, np.int64))
        self.nodes.append(helper.make_node("Split", [x, cut], names, name=f"{names[0]}.split", axis=-1))
        return names

    def finish(self, inputs: list[str], outputs: Mapping[str, list[int | str]]) -> onnx.ModelProto:
        """The model, checked. Inputs are int64 (batch, tokens), outputs fp32."""
        given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs]
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
        body = helper.make_graph(self.nodes, "encoder", given, results, self.initializers)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(body, opset_imports=opsets, ir_version=10, producer_name="rag-sidecar")
        onnx.checker.check_model(model)
        return model


def quantize_columns(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Symmetric int8 (in, out) with one scale an output column (out,). Values keep to 7 bits: without VNNI, the kernels
    add two products of uint8 by int8 in 16 bits, and 8-bit weights would saturate there."""
    scale = (np.maximum(np.abs(weight).max(axis=1), 1e-8) / 63).astype(np.float32)
    return np.ascontiguousarray(np.rint(weight / scale[:, None]).astype(np.int8).T), scale

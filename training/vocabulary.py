"""What no text can reach, left out of a cross-encoder's graph and tokenizer: the same answers from a smaller file.

A WordPiece tokenizer cuts words at blanks and around every character that is a word of its own (a mark; an ideograph, around which a BERT tokenizer sets
blanks, github.com/google-research/bert), so that no longer token with such a character, nor one that goes on from it ("##" before an ideograph, a third of
the vocabulary of bert-base-chinese), is ever made. Places behind the most tokens that are read are not reached either.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from tokenizers import Tokenizer

GOES_ON = "##"
_WORDS = ("words.table", "words.scale")


def stands_alone(tokenizer: Tokenizer, character: str) -> bool:
    """Whether a character is a word of its own wherever it stands."""
    return len({*tokenizer.encode(f"a{character}a", add_special_tokens=False).word_ids}) == 3


def reachable(tokenizer: Tokenizer, special: set[str]) -> list[str]:
    """The tokens that some text can become, and the special ones, by their numbers."""
    vocabulary = tokenizer.get_vocab()
    characters = {c for token in vocabulary for c in token.removeprefix(GOES_ON)}
    alone = {c for c in characters if stands_alone(tokenizer, c)}

    def can_be(token: str) -> bool:
        return token in special or token in alone or not alone.intersection(token.removeprefix(GOES_ON))

    return sorted(filter(can_be, vocabulary), key=vocabulary.__getitem__)


def without_unreachable(graph: onnx.ModelProto, tokenizer: dict[str, Any]) -> None:
    """Keep only reachable tokens (their order stays) in a graph of export_bert and in the data of its tokenizer, in place."""
    before: dict[str, int] = tokenizer["model"]["vocab"]
    added = tokenizer["added_tokens"]
    kept = reachable(Tokenizer.from_str(json.dumps(tokenizer)), {one["content"] for one in added})
    rows = np.array([before[token] for token in kept])
    for tensor in graph.graph.initializer:
        if tensor.name in _WORDS:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[rows], tensor.name))
    after = {token: number for number, token in enumerate(kept)}
    tokenizer["model"]["vocab"] = after
    for one in added:
        one["id"] = after[one["content"]]
    for one in tokenizer["post_processor"]["special_tokens"].values():
        one["ids"] = [after[token] for token in one["tokens"]]

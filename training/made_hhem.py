"""A snapshot with the layout of HHEM-2.1-Open and made weights, for tests and benchmarks: the real weights are 440 MB.

Weights are drawn from a seed with the scales that T5 is initialised with, the head's larger so that scores differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from sidecar.inference.export.hhem import PROMPT
from sidecar.inference.export.spiece import _message, from_spiece


@dataclass(frozen=True)
class Size:
    """Sizes of a T5 encoder; the real model's are BASE."""

    vocabulary: int
    width: int
    inner: int
    feed_forward: int
    layers: int
    heads: int


TINY = Size(vocabulary=512, width=64, inner=64, feed_forward=96, layers=3, heads=4)
BASE = Size(vocabulary=32128, width=768, inner=768, feed_forward=2048, layers=12, heads=12)


def make_snapshot(directory: Path, size: Size, texts: Iterable[str], seed: int = 7) -> None:
    """Write config.json, model.safetensors, tokenizer.json and spiece.model. The tokenizer knows the words of `texts`."""
    directory.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "HHEMv2", "foundation": "google/flan-t5-base", "prompt": as_published(PROMPT)}
    (directory / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file(made_weights(size, seed), directory / "model.safetensors")
    data = made_spiece(size, texts)
    (directory / "spiece.model").write_bytes(data)
    tokenizer: Tokenizer = from_spiece(data)
    tokenizer.save(str(directory / "tokenizer.json"))


def as_published(prompt: str) -> str:
    """The prompt with the names that the snapshot's config has in it."""
    return prompt.replace("{premise}", "{text1}").replace("{hypothesis}", "{text2}")


def made_weights(size: Size, seed: int) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """Seeded weights under the names of the snapshot."""
    rng = np.random.default_rng(seed)

    def draw(rows: int, columns: int, deviation: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return (rng.standard_normal((rows, columns)) * deviation).astype(np.float32)

    def norm() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return (1 + 0.2 * rng.standard_normal(size.width)).astype(np.float32)

    made = {"t5.transformer.shared.weight": draw(size.vocabulary, size.width, 1.0)}
    for layer in range(size.layers):
        own = f"t5.transformer.encoder.block.{layer}.layer"
        spread = (size.width * size.inner / size.heads) ** -0.5
        for part, deviation in (("q", spread), ("k", size.width**-0.5), ("v", size.width**-0.5)):
            made[f"{own}.0.SelfAttention.{part}.weight"] = draw(size.inner, size.width, deviation)
        made[f"{own}.0.SelfAttention.o.weight"] = draw(size.width, size.inner, size.inner**-0.5)
        if layer == 0:
            made[f"{own}.0.SelfAttention.relative_attention_bias.weight"] = draw(32, size.heads, 1.0)
        made[f"{own}.0.layer_norm.weight"] = norm()
        for part in ("wi_0", "wi_1"):
            made[f"{own}.1.DenseReluDense.{part}.weight"] = draw(size.feed_forward, size.width, size.width**-0.5)
        made[f"{own}.1.DenseReluDense.wo.weight"] = draw(size.width, size.feed_forward, size.feed_forward**-0.5)
        made[f"{own}.1.layer_norm.weight"] = norm()
    made["t5.transformer.encoder.final_layer_norm.weight"] = norm()
    made["t5.classifier.weight"] = draw(2, size.width, size.width**-0.5)
    made["t5.classifier.bias"] = draw(1, 2, 0.1)[0]
    return made


def made_spiece(size: Size, texts: Iterable[str]) -> bytes:
    """A SentencePiece model of the words and characters of the texts, as many as fit."""
    joined = " ".join([PROMPT, *texts])
    words = dict.fromkeys("▁" + word for word in joined.split())
    characters = dict.fromkeys(["▁", *joined.replace(" ", "").replace("\n", "")])
    room = size.vocabulary - 100 - 3 - len(characters)
    chosen = [*list(words)[:room], *characters]
    model = _message()()
    for name, score in [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]:
        model.pieces.add(piece=name, score=score)
    for name in dict.fromkeys(chosen):
        model.pieces.add(piece=name, score=-4.0 if len(name) > 1 else -9.0)
    for n in range(size.vocabulary - 100 - len(model.pieces)):
        model.pieces.add(piece=f"\u2581unused{n}", score=-20.0)
    data: bytes = model.SerializeToString()
    return data

"""The models inside the package that all requests share, verified: what others are built of, and what reads how far answers decline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sidecar.inference.abstention import AbstentionClassifier, packaged_classifier
from sidecar.inference.card import Card
from sidecar.inference.common import Common
from sidecar.inference.cpu import cpu_limit, shared
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import FOLDER, packaged_encoder
from sidecar.inference.entry import Dependencies
from sidecar.inference.grounding import embedded_zh
from sidecar.inference.onnx import Provider, verify
from sidecar.inference.pairs import packaged_pairs
from sidecar.inference.turn import Slots
from sidecar.inference.words import words_of
from sidecar.observe.telemetry import Telemetry


def packaged_parts(
    directory: Path,
    *,
    hhem_dir: Path,
    threads: int | None,
    batch_tokens: int,
    cache_bytes: int,
    documents_bytes: int,
    providers: Sequence[Provider],
    telemetry: Telemetry,
) -> tuple[Dependencies, AbstentionClassifier]:
    """Both, not yet started, as inference.runtime.InferenceConfig says. Raises ConfigError."""
    threads = threads or cpu_limit()
    at_once, of_each = shared(threads)
    card = Card.load(directory / "embedded")
    for name, sha256 in card.files.items():
        verify(directory / "embedded" / name, sha256)
    idf = Idf.load(directory / "embedded" / "idf.json.gz")
    words, slots = words_of(directory), Slots(at_once)
    encoder = packaged_encoder(
        directory,
        idf=idf,
        tables=words,
        threads=of_each,
        at_once=at_once,
        batch_tokens=batch_tokens,
        cache_bytes=cache_bytes,
        telemetry=telemetry,
        documents_bytes=documents_bytes,
        slots=slots,
    )
    pairs = partial(
        packaged_pairs,
        directory,
        threads=threads,
        batch_tokens=batch_tokens,
        telemetry=telemetry,
        slots=slots,
    )
    abstention = packaged_classifier(
        directory,
        threads=threads,
        batch_tokens=batch_tokens,
        telemetry=telemetry,
        tables=words,
        slots=slots,
    )
    dependencies = Dependencies(
        directory=directory,
        hhem_dir=hhem_dir,
        card=card,
        heads=json.loads((directory / "embedded" / "heads.json").read_text(encoding="utf-8")),
        encoder=encoder,
        idf=idf,
        cross_encoder=Common(partial(pairs, "embedded", tokenizer=FOLDER, tables=words)),
        chinese=Common(partial(pairs, embedded_zh.NAME, tokenizer=embedded_zh.NAME)),
        threads=threads,
        batch_tokens=batch_tokens,
        telemetry=telemetry,
        providers=providers,
    )
    return dependencies, abstention

"""Sentence embeddings and token states by the embedded MiniLM. Texts are cut, tokenised and read off the event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from exporters.result import ModelIdentity
from exporters.text import clean
from sidecar.inference.base import FloatArray
from sidecar.inference.batcher import Batcher
from sidecar.inference.card import Card
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.shared import Shared
from sidecar.inference.embedding.text import Span, Words, read_words, sentences
from sidecar.inference.onnx import OnnxModel, Tables, verify
from sidecar.inference.threads import off_loop
from sidecar.inference.turn import Slots
from sidecar.observe.telemetry import Telemetry

FOLDER = "minilm"
MODEL = "model.onnx"
_TOKENIZER = "tokenizer.json"
States = tuple[FloatArray, NDArray[np.float16]]


@dataclass(frozen=True, slots=True)
class Encoded:
    """One short text. `vector` (384,) is L2-normalised; `tokens` (n, 768) are the states used for alignment, float16;
    `weights` (n,) the idf of the word each token belongs to."""

    vector: FloatArray
    tokens: NDArray[np.float16]
    weights: FloatArray
    words: Words

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return self.tokens.nbytes + self.weights.nbytes + 2 * self.vector.nbytes + 400


@dataclass(frozen=True, slots=True)
class _Windows:
    """Encodings, and of each (the text it is of, its place among all)."""

    encodings: list[Encoding]
    places: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """A document, sentence by sentence. `spans` are places in its text, `words` what stands there, `sentences` those that were encoded by their number,
    and `vectors` (len(sentences), 384) theirs."""

    spans: tuple[Span, ...]
    words: tuple[Words, ...]
    sentences: Mapping[int, Encoded]
    vectors: FloatArray


class MiniLM:
    """inference.base.Embedder, and the encodings that grounding and relevance are computed from."""

    def __init__(
        self,
        path: Path,
        tokenizer: Path,
        *,
        identity: ModelIdentity,
        idf: Idf,
        threads: int,
        batch_tokens: int,
        cache_bytes: int,
        telemetry: Telemetry,
        documents_bytes: int,
        max_tokens: int = 256,
        at_once: int = 1,
        tables: Tables | None = None,
        slots: Slots | None = None,
    ) -> None:
        """Load and verify; `tables` lie outside of the graph, batches run in `slots` where these are given. Raises ConfigError."""
        self.identity = identity
        self.languages: frozenset[str] | None = frozenset({"en"})
        self._model = OnnxModel(path, sha256=identity.sha256, threads=threads, tables=tables)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._idf = idf
        self._batcher: Batcher[Encoding, States] = Batcher(
            identity.name,
            self._compute,
            telemetry=telemetry,
            tokens=len,
            most_tokens=batch_tokens,
            at_once=at_once,
            slots=slots,
        )
        self._sentences = Shared(
            self._encode_sentences,
            most_bytes=documents_bytes,
            cache_bytes=cache_bytes,
            show=lambda amount: telemetry.set("rag_sidecar_buffer_bytes", amount, buffer="documents"),
        )

    async def start(self) -> None:
        """Start the batcher."""
        await self._batcher.start()

    async def stop(self) -> None:
        """Stop the batcher."""
        await self._batcher.stop()

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """L2-normalised embeddings (len(texts), 384); texts over 256 tokens are windowed and averaged."""
        if not texts:
            return np.zeros((0, 384), np.float32)
        return np.stack([encoded.vector for encoded in await self.encode(texts)])

    async def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Each text with its token states."""
        windows = await off_loop(lambda: self._windows(texts))
        states = await self._batcher.predict(windows.encodings)
        return await off_loop(lambda: self._joined(texts, windows, states))

    @asynccontextmanager
    async def documents(
        self, texts: Sequence[str], only: Sequence[Collection[int]] | None = None
    ) -> AsyncIterator[list[EncodedDocument]]:
        """Each document sentence by sentence, or of each `only` the sentences of these numbers, for as long as the context is open: it may wait for
        others to close theirs, so that the states of all sentences in use fit into memory. A sentence that several documents or requests have is
        encoded once. Nobody may wait for documents while holding some."""

        def cut() -> tuple[list[list[Span]], list[list[int]], list[str]]:
            spans = [sentences(text) for text in texts]
            read = [sorted(one) for one in only] if only is not None else [list(range(len(own))) for own in spans]
            parts = zip(texts, spans, read, strict=True)
            return spans, read, [text[own[n].start : own[n].end] for text, own, numbers in parts for n in numbers]

        def put_together(encoded: Sequence[Encoded]) -> list[EncodedDocument]:
            each = iter(encoded)
            parts = zip(texts, spans, read, strict=True)
            return [_document(text, own, {n: next(each) for n in numbers}) for text, own, numbers in parts]

        spans, read, pieces = await off_loop(cut)
        async with self._sentences.lease(pieces) as encoded:
            yield await off_loop(lambda: put_together(encoded))

    async def _encode_sentences(self, texts: Mapping[bytes, str]) -> dict[bytes, Encoded]:
        return dict(zip(texts, await self.encode(list(texts.values())), strict=True))

    def _windows(self, texts: Sequence[str]) -> _Windows:
        """What the model reads of each text, the shortest first."""
        found: list[tuple[int, Encoding]] = []
        for owner, encoding in enumerate(self._tokenizer.encode_batch([clean(text) for text in texts])):
            found.extend((owner, part) for part in (encoding, *encoding.overflowing))
        order = sorted(range(len(found)), key=lambda n: len(found[n][1]))
        return _Windows([found[n][1] for n in order], [(found[n][0], n) for n in order])

    def _joined(self, texts: Sequence[str], windows: _Windows, states: Sequence[States]) -> list[Encoded]:
        by_owner: list[list[tuple[Encoding, FloatArray, NDArray[np.float16]]]] = [[] for _ in texts]
        places = zip(windows.places, windows.encodings, states, strict=True)
        for (owner, _), encoding, (vector, tokens) in sorted(places, key=lambda one: one[0]):
            by_owner[owner].append((encoding, vector, tokens))
        return [self._join(text, parts) for text, parts in zip(texts, by_owner, strict=True)]

    def _compute(self, batch: Sequence[Encoding]) -> list[States]:
        length = max(len(encoding.ids) for encoding in batch)
        ids = np.zeros((len(batch), length), np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        vectors, tokens = self._model.run(["sentence", "tokens"], inputs)
        return [
            (vectors[row], tokens[row, 1 : len(encoding.ids) - 1].astype(np.float16))
            for row, encoding in enumerate(batch)
        ]

    def _join(self, text: str, parts: Sequence[tuple[Encoding, FloatArray, NDArray[np.float16]]]) -> Encoded:
        weights = np.array([w for encoding, _, _ in parts for w in self._weights(text, encoding)], np.float32)
        if len(parts) == 1:
            return Encoded(parts[0][1], parts[0][2], weights, read_words(text))
        lengths = np.array([len(encoding.ids) for encoding, _, _ in parts], np.float32)
        mean = np.average(np.stack([vector for _, vector, _ in parts]), axis=0, weights=lengths)
        vector = (mean / max(float(np.linalg.norm(mean)), 1e-9)).astype(np.float32)
        return Encoded(vector, np.concatenate([tokens for _, _, tokens in parts]), weights, read_words(text))

    def _weights(self, text: str, encoding: Encoding) -> list[float]:
        shown = clean(text)
        spans: dict[int, tuple[int, int]] = {}
        for word, (start, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
            if word is not None:
                first, _ = spans.get(word, (start, end))
                spans[word] = (first, end)
        by_word = {word: self._idf.of_word(shown[start:end].lower()) for word, (start, end) in spans.items()}
        return [by_word[word] for word in encoding.word_ids[1:-1] if word is not None]


def _document(text: str, spans: Sequence[Span], encoded: Mapping[int, Encoded]) -> EncodedDocument:
    vectors = np.stack([one.vector for one in encoded.values()]) if encoded else np.zeros((0, 384), np.float32)
    words = tuple(
        encoded[n].words if n in encoded else read_words(text[span.start : span.end]) for n, span in enumerate(spans)
    )
    return EncodedDocument(tuple(spans), words, encoded, vectors)


def packaged_encoder(
    directory: Path,
    *,
    idf: Idf,
    tables: Tables,
    threads: int,
    at_once: int,
    batch_tokens: int,
    cache_bytes: int,
    documents_bytes: int,
    telemetry: Telemetry,
    slots: Slots | None = None,
) -> MiniLM:
    """The encoder inside the package. Raises ConfigError."""
    card = Card.load(directory / FOLDER)
    verify(directory / FOLDER / _TOKENIZER, card.files[_TOKENIZER])
    return MiniLM(
        directory / FOLDER / MODEL,
        directory / FOLDER / _TOKENIZER,
        identity=card.identity(MODEL),
        idf=idf,
        threads=threads,
        at_once=at_once,
        batch_tokens=batch_tokens,
        cache_bytes=cache_bytes,
        telemetry=telemetry,
        documents_bytes=documents_bytes,
        max_tokens=int(card.data["max_tokens"]),
        tables=tables,
        slots=slots,
    )

"""Sentence embeddings and token states by the embedded MiniLM, with a cache for documents that come again."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from exporters.result import ModelIdentity
from sidecar.inference.base import FloatArray
from sidecar.inference.batcher import Batcher
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.text import Span, Words, read_words, sentences
from sidecar.inference.onnx import OnnxModel
from sidecar.observe.telemetry import Telemetry

_SPECIAL = 2


@dataclass(frozen=True, slots=True)
class Encoded:
    """One short text. `vector` (384,) is L2-normalised; `tokens` (n, 768) are the states used for alignment, float16;
    `weights` (n,) the idf of the word each token belongs to."""

    vector: FloatArray
    tokens: NDArray[np.float16]
    weights: FloatArray
    words: Words


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """A document, sentence by sentence. `spans` are places in its text; `vectors` (sentences, 384)."""

    spans: tuple[Span, ...]
    sentences: tuple[Encoded, ...]
    vectors: FloatArray
    size_bytes: int


class MiniLM:
    """inference.base.Embedder, and the encodings that grounding and relevance are computed from."""

    def __init__(
        self,
        directory: Path,
        *,
        identity: ModelIdentity,
        idf: Idf,
        threads: int,
        batch_tokens: int,
        cache_bytes: int,
        telemetry: Telemetry,
        max_tokens: int = 256,
    ) -> None:
        self.identity = identity
        self._model = OnnxModel(directory / "model.onnx", sha256=identity.sha256, threads=threads)
        self._tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._idf = idf
        self._batcher: Batcher[Encoding, tuple[FloatArray, NDArray[np.float16]]] = Batcher(
            identity.name, self._compute, telemetry=telemetry, tokens=lambda e: len(e.ids), most_tokens=batch_tokens
        )
        self._cache: OrderedDict[bytes, EncodedDocument] = OrderedDict()
        self._cache_bytes = cache_bytes
        self._cached_bytes = 0
        self._running: dict[bytes, asyncio.Task[dict[bytes, EncodedDocument]]] = {}

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
        windows: list[Encoding] = []
        owners: list[int] = []
        for owner, encoding in enumerate(self._tokenizer.encode_batch([_clean(text) for text in texts])):
            parts = [encoding, *encoding.overflowing]
            windows.extend(parts)
            owners.extend([owner] * len(parts))
        order = sorted(range(len(windows)), key=lambda n: len(windows[n].ids))
        results = await self._batcher.predict([windows[n] for n in order])
        by_owner: list[list[tuple[Encoding, FloatArray, NDArray[np.float16]]]] = [[] for _ in texts]
        for n, (vector, tokens) in sorted(zip(order, results, strict=True), key=lambda pair: pair[0]):
            by_owner[owners[n]].append((windows[n], vector, tokens))
        return [self._join(text, parts) for text, parts in zip(texts, by_owner, strict=True)]

    async def documents(self, texts: Sequence[str]) -> list[EncodedDocument]:
        """Each document sentence by sentence, from the cache where it was seen before."""
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts]
        found: dict[bytes, EncodedDocument] = {}
        missing: dict[bytes, str] = {}
        awaited: dict[bytes, asyncio.Task[dict[bytes, EncodedDocument]]] = {}
        for key, text in zip(keys, texts, strict=True):
            cached = self._cache.get(key)
            if cached is not None:
                self._cache.move_to_end(key)
                found[key] = cached
            elif key in self._running:
                awaited[key] = self._running[key]
            else:
                missing[key] = text
        if missing:
            # Several evaluators ask for the same documents at the same moment: the first one's work serves all.
            task = asyncio.create_task(self._encode_documents(missing))
            self._running.update(dict.fromkeys(missing, task))
            task.add_done_callback(lambda done: self._finished(missing, done))
            awaited.update(dict.fromkeys(missing, task))
        for key, task in awaited.items():
            found[key] = (await asyncio.shield(task))[key]
        return [found[key] for key in keys]

    async def _encode_documents(self, missing: dict[bytes, str]) -> dict[bytes, EncodedDocument]:
        spans = {key: sentences(text) for key, text in missing.items()}
        pieces = [missing[key][span.start : span.end] for key, own in spans.items() for span in own]
        encoded = iter(await self.encode(pieces)) if pieces else iter(())
        made = {}
        for key, own in spans.items():
            made[key] = document = _document(own, [next(encoded) for _ in own])
            self._remember(key, document)
        return made

    def _finished(self, keys: Iterable[bytes], task: asyncio.Task[dict[bytes, EncodedDocument]]) -> None:
        for key in keys:
            self._running.pop(key, None)
        if not task.cancelled():
            task.exception()  # mark as seen: all who asked may have gone

    def _remember(self, key: bytes, document: EncodedDocument) -> None:
        if key in self._cache or document.size_bytes > self._cache_bytes:
            return
        self._cache[key] = document
        self._cached_bytes += document.size_bytes
        while self._cached_bytes > self._cache_bytes:
            _, oldest = self._cache.popitem(last=False)
            self._cached_bytes -= oldest.size_bytes

    def _compute(self, batch: Sequence[Encoding]) -> list[tuple[FloatArray, NDArray[np.float16]]]:
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
        clean = _clean(text)
        spans: dict[int, tuple[int, int]] = {}
        for word, (start, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
            if word is not None:
                first, _ = spans.get(word, (start, end))
                spans[word] = (first, end)
        by_word = {word: self._idf.of_word(clean[start:end].lower()) for word, (start, end) in spans.items()}
        return [by_word[word] for word in encoding.word_ids[1:-1] if word is not None]


def _document(spans: Sequence[Span], encoded: Sequence[Encoded]) -> EncodedDocument:
    vectors = np.stack([one.vector for one in encoded]) if encoded else np.zeros((0, 384), np.float32)
    size = sum(one.tokens.nbytes + one.weights.nbytes + one.vector.nbytes + 400 for one in encoded) + vectors.nbytes
    return EncodedDocument(tuple(spans), tuple(encoded), vectors, size)


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")

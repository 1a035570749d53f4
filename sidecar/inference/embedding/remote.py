"""An embedding model of one's own on a server: the Open Inference Protocol v2, or /embed of text-embeddings-inference."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import numpy as np
from pydantic import Field
from tokenizers import Encoding

from exporters.result import ModelIdentity
from exporters.text import clean
from sidecar.inference.base import Embedder, FloatArray
from sidecar.inference.embedding.onnx import OwnEmbedding, embedder_of, joined
from sidecar.inference.entry import Built, Dependencies, Entry, Running
from sidecar.inference.own.folder import Folder
from sidecar.inference.own.settings import languages_set
from sidecar.inference.remote import tei, v2
from sidecar.inference.remote.batches import Batches
from sidecar.inference.remote.build import (
    bounds_of,
    identity_of,
    line_of,
    open_tokenizer,
    place_of,
    place_of_tokens,
    told_of,
)
from sidecar.inference.remote.judges import Place, infer, parts, words_of
from sidecar.inference.remote.line import UNREADABLE, Ask
from sidecar.inference.remote.settings import ServerConfig
from sidecar.inference.remote.told import Told
from sidecar.inference.threads import off_loop
from sidecar.record.errors import ConfigError, PermanentInferenceError
from sidecar.redact.redactor import Redactor
from sidecar.redact.session import Session

_TRIED = "It is blue."
_TEXT = ("text",)


class RemoteEmbedding(OwnEmbedding, ServerConfig):
    """An embedding model of one's own, on a server."""

    fallback: str | None = Field(
        default="minilm",
        description="The model that stands in while the server is away; null: requests fail meanwhile.",
    )


class TextEmbedder:
    """inference.base.Embedder of a server that is sent texts. Windows are of words: the server's tokens are not known here."""

    def __init__(
        self, batches: Batches[str, FloatArray], *, identity: ModelIdentity, prefix: str, most_words: int
    ) -> None:
        self.identity = identity
        self.languages: frozenset[str] | None = None
        self._batches = batches
        self._prefix = prefix
        self._most_words = most_words

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """As Embedder says."""
        if not texts:
            return np.zeros((0, 0), np.float32)
        windows = await off_loop(lambda: [parts(clean(self._prefix + text), self._most_words) for text in texts])
        found = iter(await self._batches.predict([part for own in windows for part in own]))
        vectors = [[next(found) for _ in own] for own in windows]
        if len({len(one) for own in vectors for one in own}) != 1:
            raise PermanentInferenceError(UNREADABLE, "dimensions")
        return np.stack(
            [joined(of, [max(1, words_of(part)) for part in own]) for of, own in zip(vectors, windows, strict=True)]
        )


class RedactingEmbedder:
    """An embedder that is told pseudonyms, the same in all texts of a call."""

    def __init__(self, embedder: Embedder, redactor: Redactor) -> None:
        self.identity: ModelIdentity = embedder.identity
        self.languages = embedder.languages
        self._embedder = embedder
        self._redactor = redactor

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """As Embedder says."""

        def redact(session: Session) -> list[str]:
            return [session.redact(text).text for text in texts]

        return await self._embedder.embed(await self._redactor.run(redact, texts))


async def send_states(ask: Ask, place: Place, batch: Sequence[Encoding], *, pad: int) -> list[FloatArray]:
    """Of each encoding its token states (tokens, dimension), or one vector (dimension,), by a call of v2."""
    found = await infer(ask, place, batch, pad=pad)
    if found.ndim == 2:
        return _vectors(found)
    if found.ndim != 3 or found.shape[1] != max(len(encoding.ids) for encoding in batch):
        raise PermanentInferenceError(UNREADABLE, "shape")
    return [row[: len(encoding.ids)] for row, encoding in zip(found, batch, strict=True)]


async def send_texts(ask: Ask, place: Place, texts: Sequence[str]) -> list[FloatArray]:
    """The vector of each text, by a call of v2."""
    [name] = place.inputs
    said = await ask(place.path, v2.texts({name: texts}, place.output))
    return _vectors(v2.answer(said, place.output, rows=len(texts)).reshape(len(texts), -1))


async def send_embed(ask: Ask, texts: Sequence[str]) -> list[FloatArray]:
    """The vector of each text, by /embed of text-embeddings-inference."""
    return _vectors(tei.embedded(await ask("/embed", tei.embed(texts)), rows=len(texts)))


def _vectors(found: FloatArray) -> list[FloatArray]:
    """The rows, of which none may be of zeros: it would be like nothing."""
    if not found.any(axis=1).all():
        raise PermanentInferenceError(UNREADABLE, "zeros")
    return list(found)


def _build(config: RemoteEmbedding, dependencies: Dependencies) -> Built[Embedder]:
    folder = open_tokenizer(config, dependencies)
    tries: list[Callable[[int], Awaitable[object]]] = []
    told = told_of(config, dependencies, {})
    line = line_of(config, dependencies, told=told, probe=lambda n: tries[0](n))
    identity = identity_of(config, dependencies, {})
    name, bounds, telemetry = dependencies.name, bounds_of(config), dependencies.telemetry
    embedder: Embedder
    running: tuple[Running, ...]
    if folder is None:
        send = _sending(config, dependencies)
        texts = Batches(name, partial(line.through, send), bounds=bounds, telemetry=telemetry)
        tries.append(lambda n: send(line.attempt, [_TRIED] * n))
        embedder = TextEmbedder(texts, identity=identity, prefix=config.prefix, most_words=config.most_words)
        running = (texts, line)
    else:
        send_all = _sending_tokens(config, folder, dependencies, told)
        tokens = Batches(name, partial(line.through, send_all), bounds=bounds, telemetry=telemetry)
        tried = folder.tokenizer().encode(_TRIED)
        tries.append(lambda n: send_all(line.attempt, [tried] * n))
        embedder, running = embedder_of(folder, identity, config, tokens), (tokens, line)
    redactor = dependencies.redactor() if config.redact else None
    asked = embedder if redactor is None else RedactingEmbedder(embedder, redactor)
    told.name(asked)
    return Built(asked, running, away=line.problem)


def _sending_tokens(
    config: RemoteEmbedding, folder: Folder, dependencies: Dependencies, told: Told
) -> Callable[[Ask, Sequence[Encoding]], Awaitable[list[FloatArray]]]:
    place, pad = place_of_tokens(config, folder, dependencies, told), int(folder.config.get("pad_token_id") or 0)
    return lambda ask, batch: send_states(ask, place, batch, pad=pad)


def _sending(
    config: RemoteEmbedding, dependencies: Dependencies
) -> Callable[[Ask, Sequence[str]], Awaitable[list[FloatArray]]]:
    if config.protocol == "tei":
        return send_embed
    inputs = config.inputs or _TEXT
    if len(inputs) != 1:
        raise ConfigError(f"{dependencies.field}.inputs", "one text is sent", f"name one, as {_TEXT[0]}")
    place = place_of(config, dependencies, inputs)
    return lambda ask, texts: send_texts(ask, place, texts)


def _size(config: RemoteEmbedding, dependencies: Dependencies) -> int:
    folder = open_tokenizer(config, dependencies)
    if folder is not None:
        folder.most_tokens(config.max_tokens)
    return 0


ENTRY: Entry[Embedder] = Entry(
    "remote", RemoteEmbedding, _build, size=_size, fallback=lambda config: config.fallback, reads=languages_set
)

"""Judges and predictors that ask a server."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from tokenizers import Encoding

from exporters.result import ModelIdentity
from exporters.text import clean
from sidecar.inference.base import FloatArray
from sidecar.inference.own.graph import padded
from sidecar.inference.own.judge import Judge, Judged, Pair
from sidecar.inference.remote import tei, v2
from sidecar.inference.remote.batches import Batches
from sidecar.inference.remote.line import UNREADABLE, Ask
from sidecar.inference.threads import off_loop
from sidecar.record.errors import PermanentInferenceError
from sidecar.redact.redactor import Redactor
from sidecar.redact.session import Redacted, Session

# A Chinese character by itself, else a run of up to twelve characters: about a token or two each.
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{1,12}")
_LEAST_PREMISE_WORDS = 10


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model of v2 is asked, the names of what goes in and comes out, and `types` of inputs as far as the server told them."""

    path: str
    inputs: tuple[str, ...]
    output: str | None
    types: Mapping[str, str] = field(default_factory=dict)


async def infer(ask: Ask, place: Place, batch: Sequence[Encoding], *, pad: int) -> FloatArray:
    """What a model of tokens says of a batch (len(batch), ...), by a call of v2."""

    def body() -> bytes:
        given = padded(batch, pad=pad)
        return v2.tokens({name: given[name] for name in place.inputs}, place.output, place.types)

    said = await ask(place.path, await off_loop(body))
    return await off_loop(lambda: v2.answer(said, place.output, rows=len(batch)))


async def send_tokens(
    ask: Ask, place: Place, batch: Sequence[Encoding], *, pad: int, by_token: bool, labels: int
) -> list[FloatArray]:
    """Logits of each encoding, one a label, by a call of v2."""
    found = await infer(ask, place, batch, pad=pad)
    if found.ndim != (3 if by_token else 2) or found.shape[-1] != labels:
        raise PermanentInferenceError(UNREADABLE, f"logits are {found.shape[1:]}, id2label has {labels}")
    return [row[: len(encoding.ids)] if by_token else row for row, encoding in zip(found, batch, strict=True)]


async def send_texts(ask: Ask, place: Place, pairs: Sequence[Pair], *, column: int | None) -> list[float]:
    """The probability of each pair, by a call of v2 that sends both texts; where several columns come, that of `column`."""
    premise, hypothesis = place.inputs
    columns = {premise: [first for first, _ in pairs], hypothesis: [second for _, second in pairs]}
    found = v2.answer(await ask(place.path, v2.texts(columns, place.output)), place.output, rows=len(pairs))
    flat = found.reshape(len(pairs), -1)
    if (column or 0) >= flat.shape[1] or (column is None and flat.shape[1] > 1):
        raise PermanentInferenceError(UNREADABLE, f"{flat.shape[1]} columns: say which as column")
    return [_probability(float(p)) for p in flat[:, column or 0]]


async def send_predict(ask: Ask, pairs: Sequence[Pair], *, label: str | None, called: Sequence[str]) -> list[float]:
    """The probability of each pair, by /predict of text-embeddings-inference."""
    said = await ask("/predict", tei.predict(pairs))
    return [_probability(p) for p in tei.predicted(said, rows=len(pairs), label=label, called=called)]


async def send_rerank(ask: Ask, pairs: Sequence[Pair]) -> list[float]:
    """The score of each (passage, query), by a /rerank for each query."""
    by_query: dict[str, list[int]] = defaultdict(list)
    for n, (_, query) in enumerate(pairs):
        by_query[query].append(n)
    scores = [0.0] * len(pairs)
    for query, places in by_query.items():
        said = await ask("/rerank", tei.rerank(query, [pairs[n][0] for n in places]))
        for n, score in zip(places, tei.reranked(said, rows=len(places)), strict=True):
            scores[n] = _probability(score)
    return scores


class TextJudge:
    """inference.own.judge.Judge of a server that is sent texts. Windows are of words: the server's tokens are not known here."""

    def __init__(self, batches: Batches[Pair, float], *, identity: ModelIdentity, most_words: int) -> None:
        self.identity = identity
        self._batches = batches
        self._most_words = most_words

    async def judge(self, pairs: Sequence[Pair], *, context: Sequence[str] = ()) -> list[Judged]:
        """As Judge says."""
        windows = await off_loop(lambda: [self._windows(*pair) for pair in pairs])
        found = iter(await self._batches.predict([one for rows in windows for row in rows for one in row]))
        return [Judged(min(max(next(found) for _ in row) for row in rows)) for rows in windows]

    def _windows(self, premise: str, hypothesis: str) -> list[list[Pair]]:
        rows = []
        for part in parts(clean(hypothesis), self._most_words - _LEAST_PREMISE_WORDS):
            left = max(self._most_words - words_of(part), _LEAST_PREMISE_WORDS)
            rows.append([(piece, part) for piece in parts(clean(premise), left)])
        return rows


class RedactingJudge:
    """A judge who is told pseudonyms, the same in all texts of a request; marks come back to where they were."""

    def __init__(self, judge: Judge, redactor: Redactor) -> None:
        self.identity: ModelIdentity = judge.identity
        self._judge = judge
        self._redactor = redactor

    async def judge(self, pairs: Sequence[Pair], *, context: Sequence[str] = ()) -> list[Judged]:
        """As Judge says."""

        def redact(session: Session) -> list[tuple[Redacted, Redacted]]:
            return [(session.redact(premise), session.redact(hypothesis)) for premise, hypothesis in pairs]

        told = await self._redactor.run(redact, [*context, *(text for pair in pairs for text in pair)])
        judged = await self._judge.judge([(premise.text, hypothesis.text) for premise, hypothesis in told])
        return [_back(one, hypothesis) for one, (_, hypothesis) in zip(judged, told, strict=True)]


def _back(judged: Judged, redacted: Redacted) -> Judged:
    if judged.unsupported is None:
        return judged
    return replace(judged, unsupported=tuple(_origin(redacted, *span) for span in judged.unsupported))


def _origin(redacted: Redacted, start: int, end: int) -> tuple[int, int]:
    """Where a place of a redacted text was; one that touches a pseudonym takes in all that it stands for."""
    for _, _, new_start, new_end in redacted.places:
        if start < new_end and end > new_start:
            start, end = min(start, new_start), max(end, new_end)
    before = [place for place in redacted.places if place[3] <= start]
    within = [place for place in redacted.places if place[3] <= end]
    first = before[-1][1] + start - before[-1][3] if before else start
    last = within[-1][1] + end - within[-1][3] if within else end
    return first, last


def parts(text: str, most: int) -> list[str]:
    """Pieces of at most so many words; the text itself where it fits."""
    words = [match.span() for match in _WORD.finditer(text)]
    if len(words) <= most:
        return [text]
    step = max(1, most - most // 8)
    return [
        text[part[0][0] : part[-1][1]]
        for at in range(0, len(words) - (most - step), step)
        if (part := words[at : at + most])
    ]


def words_of(text: str) -> int:
    """How many words, or Chinese characters, a text has as windows count them."""
    return len(_WORD.findall(text))


def _probability(p: float) -> float:
    if not np.isfinite(p) or not 0 <= p <= 1:
        raise PermanentInferenceError(UNREADABLE, "not a probability")
    return round(p, 6)

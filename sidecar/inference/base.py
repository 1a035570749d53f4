"""What evaluators ask of models, without knowing which model answers.

Every call is awaited on the event loop and computed off it, batched over all requests in flight. Calls raise
RetryableInferenceError or PermanentInferenceError and nothing else. Probabilities are calibrated, finite, in 0..1.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from exporters.result import Abstention, Evidence, ModelIdentity, ValueConflict

FloatArray = NDArray[np.float32]
# Why a call failed whose model is away: requests that come now get another model, if one may stand in.
UNREACHABLE = "unreachable"


class Embedder(Protocol):
    """Sentence embeddings. `languages`: ISO 639-1 codes the model was made for; None of one that is chosen by rules for what it reads."""

    identity: ModelIdentity
    languages: frozenset[str] | None

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """L2-normalised embeddings, shape (len(texts), dimension). Long texts are windowed and averaged, never cut."""
        ...


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable statement. `text` is what the answer says; `context` is what a pronoun in it may refer to
    (the sentence before), `question` what the answer was to; or empty. Characters `start` to `end` of the answer say it; what a claim
    takes from elsewhere in the answer to be read alone (a subject, a heading) stands in `text` only. None where the claim was not cut
    out of an answer. `short` where it is all that the answer says, in a few words that mean nothing without the question; `numbered` where it is of a numbered list.
    `reply` is the "Yes," or "No," that it stands behind and does not have itself, or empty."""

    text: str
    context: str = ""
    start: int | None = None
    end: int | None = None
    question: str = ""
    short: bool = False
    numbered: bool = False
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Support:
    """The probability (0..1) that the documents say a claim, and where its best evidence stands. `unsupported` are places in the
    claim's text that they do not say, None of a model that marks no words; `conflicts` the values of which they say others.
    `contradicted` is the probability that they say the contrary rather than nothing where they do not say it, None of a model that
    does not tell these apart; `contrary` (0..1, more where a table tells it) how clearly the claim's words or values are compared and found the contrary of theirs."""

    probability: float
    evidence: Evidence | None
    unsupported: tuple[tuple[int, int], ...] | None = None
    conflicts: tuple[ValueConflict, ...] = ()
    contradicted: float | None = None
    contrary: float = 0.0


class Grounder(Protocol):
    """Does the text of the documents say this? At or above `threshold` a claim counts as supported, at or above
    `answer_threshold` an answer as grounded. `languages`: ISO 639-1 codes the model was made for."""

    identity: ModelIdentity
    threshold: float
    answer_threshold: float
    languages: frozenset[str]

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order. Evidence is selected from the documents; none is cut silently.
        Document indices in the evidence are indices into `documents`."""
        ...

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents. `claims` are those of the answer, `supports`
        what `support` said of them."""
        ...


class RelevanceModel(Protocol):
    """Calibrated relevance of documents to a question and of an answer to a question."""

    identity: ModelIdentity
    document_threshold: float
    answer_threshold: float
    languages: frozenset[str]

    async def documents(self, question: str, documents: Sequence[str]) -> list[float]:
        """Probability, for each document, that it helps to answer the question."""
        ...

    async def answer(self, question: str, answer: str) -> float:
        """Probability that the answer addresses the question (not that it is right)."""
        ...


class AbstentionModel(Protocol):
    """Does an answer decline? `languages`: ISO 639-1 codes it was made for. With other thresholds it has another `identity`."""

    identity: ModelIdentity
    threshold: float
    part_threshold: float
    languages: frozenset[str]

    async def kinds(self, question: str, answers: Sequence[str]) -> Sequence[Mapping[Abstention, float] | None]:
        """For each answer to a question (which may be empty) the probability of each kind; they add up to 1. None of one that is longer than the model
        reads: of a part of it nothing is said. One that declines in full or asks back
        with `threshold` or more does so; one that declines in part with `part_threshold` or more may, where some of its claims decline so surely too."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """The models an evaluator may use for one request. A `ModelSource` too: the same models for every request."""

    embedder: Embedder
    grounder: Grounder
    relevance: RelevanceModel
    abstention: AbstentionModel | None = None

    @asynccontextmanager
    async def route(self, *, service: str, languages: Callable[[], frozenset[str]]) -> AsyncIterator[Models]:
        """These models."""
        yield self


class ModelSource(Protocol):
    """Gives each request its models. `abstention` is one for all requests, whoever evaluates them; None where rules alone say how far an answer declines."""

    @property
    def abstention(self) -> AbstentionModel | None: ...

    def route(self, *, service: str, languages: Callable[[], frozenset[str]]) -> AbstractAsyncContextManager[Models]:
        """The models of a request, loaded for as long as the context is open. `languages` gives the ISO 639-1 codes of its
        texts; it is asked only where a rule wants to know. That a model reads them is for the evaluators to check, by
        `languages` of the model. Entering may wait for a model to load. Raises InferenceError where it cannot be loaded."""
        ...

"""Natural RAG requests of known kinds, composed out of passages, questions and answers that were written for the demo."""

from __future__ import annotations

import enum
import json
import random
from dataclasses import dataclass
from importlib import resources


class Kind(enum.StrEnum):
    """What is known of a request, for tests; nothing in its texts says so."""

    FAITHFUL = "faithful"
    HALLUCINATED = "hallucinated"
    ABSTAINING = "abstaining"
    OFF_TOPIC = "off_topic"
    FAILING = "failing"


# Whether an answer of a kind is made up: says what its documents do not. What is no answer is neither.
MADE_UP = {Kind.FAITHFUL: False, Kind.HALLUCINATED: True, Kind.OFF_TOPIC: True}


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieved passage; `score` as a vector store gives it."""

    id: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `answer` is None where the model call failed. Durations are seconds."""

    kind: Kind
    service: str
    question: str
    answer: str | None
    chunks: tuple[Chunk, ...]
    model: str
    provider: str
    variant: str
    error: str | None
    retrieval: float
    generation: float
    first_token: float
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with questions that it answers; answers stand at the place of their question."""

    id: str
    service: str
    text: str
    questions: tuple[str, ...]
    faithful: tuple[str, ...]
    hallucinated: tuple[str, ...]


_MODELS = (
    ("gpt-4o-mini", "openai"),
    ("claude-haiku-4-5", "anthropic"),
    ("gemini-2.5-flash", "gcp.gemini"),
    ("atlas-7b-instruct", "in-house"),
)
# As many times as all others together.
_FAVOUR = 2
_BASE = {Kind.ABSTAINING: 0.07, Kind.OFF_TOPIC: 0.03, Kind.FAILING: 0.05}


class Corpus:
    """Draws requests. Seeded: the same draws in every run."""

    def __init__(self, seed: int = 7, *, favourite: str | None = None) -> None:
        """Of the service `favourite` are most of the requests."""
        data = json.loads(
            resources.files("sidecar.commands.demo").joinpath("data/corpus.json").read_text(encoding="utf-8")
        )
        self.passages = tuple(
            Passage(
                p["id"], p["service"], p["text"], tuple(p["questions"]), tuple(p["faithful"]), tuple(p["hallucinated"])
            )
            for p in data["passages"]
        )
        self._abstentions: list[str] = data["abstentions"]
        self._off_topic: list[str] = data["off_topic"]
        self._unanswerable: list[str] = data["unanswerable"]
        # No text is made up of one question and right of another.
        self.made_up = frozenset((*(text for p in self.passages for text in p.hallucinated), *self._off_topic))
        self._random = random.Random(seed)  # noqa: S311 - traffic for a demo
        own = tuple(p for p in self.passages if p.service == favourite)
        self._drawn_from = self.passages + own * (_FAVOUR * len(self.passages) // max(1, len(own)))

    def draw(self, hallucinated_share: float) -> Request:
        """One request; the share is of all requests."""
        return self.compose(self._kind(hallucinated_share))

    def compose(self, kind: Kind) -> Request:
        """One request of a kind."""
        chance = self._random
        passage = chance.choice(self._drawn_from)
        place = chance.randrange(len(passage.questions))
        question, answer = passage.questions[place], self._answer(kind, passage, place)
        if kind is Kind.ABSTAINING:
            question = chance.choice(self._unanswerable)
        service = passage.service
        others = [one for one in self.passages if one.service == service and one is not passage]
        chunks = [passage, *chance.sample(others, chance.choice((1, 2, 2, 3)))]
        if kind is Kind.ABSTAINING:
            chunks = chunks[1:]
        elif chance.random() < 0.25:
            chance.shuffle(chunks)
        model, provider = chance.choices(_MODELS, (5, 3, 2, 1))[0]
        given = 60 + sum(len(one.text) for one in chunks) // 4 + len(question) // 4
        made = len(answer or "") // 4 + 4
        reasoning = chance.choice((0, 0, 16, 48)) if model.startswith("gemini") else 0
        return Request(
            kind=kind,
            service=service,
            question=question,
            answer=answer,
            chunks=tuple(
                Chunk(one.id, one.text, round(0.86 - 0.07 * n + chance.uniform(-0.02, 0.02), 4))
                for n, one in enumerate(chunks)
            ),
            model=model,
            provider=provider,
            variant=chance.choice(("A", "B")),
            error=chance.choice(("RateLimitError", "APITimeoutError", "InternalServerError"))
            if kind is Kind.FAILING
            else None,
            retrieval=chance.lognormvariate(-3.0, 0.5),
            generation=min(20.0, chance.lognormvariate(0.1, 0.5)),
            first_token=min(5.0, chance.lognormvariate(-1.2, 0.4)),
            input_tokens=given,
            output_tokens=made + reasoning,
            cached_tokens=chance.choice((0, 0, given // 2)),
            reasoning_tokens=reasoning,
        )

    def _kind(self, hallucinated_share: float) -> Kind:
        point = self._random.random()
        if point < hallucinated_share:
            return Kind.HALLUCINATED
        for kind, share in _BASE.items():
            point -= share
            if point < hallucinated_share:
                return kind
        return Kind.FAITHFUL

    def _answer(self, kind: Kind, passage: Passage, place: int) -> str | None:
        if kind is Kind.FAILING:
            return None
        if kind is Kind.ABSTAINING:
            return self._random.choice(self._abstentions)
        if kind is Kind.OFF_TOPIC:
            return self._random.choice(self._off_topic)
        return passage.hallucinated[place] if kind is Kind.HALLUCINATED else passage.faithful[place]

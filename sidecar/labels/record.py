"""What a person said of an answer: `rag-sidecar.label.v1`, one JSON object an answer (docs/labels.md). It holds no user text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

SCHEMA: Final = "rag-sidecar.label.v1"
Said = Literal["grounded", "hallucinated", "abstained", "skipped"]


class Draw(BaseModel):
    """How answers are drawn: every answer by a number in [0, 1) that follows from its id and the seed alone, where that is below the rate.
    Neither how many answers there are nor what was said of them is in it, so that a draw goes on with answers that come later."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    seed: str = Field(min_length=1, max_length=64, description="Draws of different seeds are independent.")
    rate: float = Field(gt=0, le=1, description="Probability with which an answer of the results is drawn.")

    def number(self, result: str) -> float:
        """The number of an answer, in [0, 1)."""
        key = self.seed.encode("utf-8", "surrogatepass")[:64]
        digest = hashlib.blake2b(
            result.encode("utf-8", "surrogatepass"), key=key, person=b"label", digest_size=8
        ).digest()
        return int.from_bytes(digest, "big") / 2**64

    def takes(self, result: str) -> bool:
        """Whether an answer is drawn."""
        return self.number(result) < self.rate


class Model(BaseModel):
    """Which model gave a verdict."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str = Field(description="Its name.")
    version: str = Field(description="Its version.")
    sha256: str = Field(description="Of its weights, hex; empty for a judge.")


class Beside(BaseModel):
    """An evaluator that decides verdicts, and what it said of the answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    evaluator: str = Field(description="Its name.")
    version: str = Field(default="1", description="Its version.")
    method: str = Field(default="local", description="Its formula.")
    model: Model | None = Field(
        default=None, description="Its model, or that which told an abstention; null where it had none to ask."
    )
    threshold: float | None = Field(default=None, description="Score from which on an answer is grounded.")
    label: str | None = Field(default=None, description="Its verdict; null where it gave none.")
    judged: bool = Field(default=False, description="Whether an LLM said it.")
    inclusion_probability: float | None = Field(
        default=None, gt=0, le=1, description="With which it saw the request, if not that of the label."
    )

    @property
    def identity(self) -> tuple[str | float | None, ...]:
        """All that its verdict follows from."""
        model = self.model
        own = (model.name, model.version, model.sha256) if model else ()
        return (self.evaluator, self.version, self.method, self.threshold, *own)


class Facts(BaseModel):
    """What is known of an answer before anybody looks at it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    result: str = Field(min_length=1, description="Id of the result.")
    trace_id: str = Field(description="Id of the trace, or of the native record.")
    request_id: str | None = Field(default=None, description="The caller's own id, where the results have it.")
    service: str = Field(description="The RAG service.")
    inclusion_probability: float = Field(gt=0, le=1, description="With which the request was kept for scoring.")
    upstream_adjusted_count: float | None = Field(
        default=None, gt=0, description="How many requests of the source it stands for, where that is known."
    )
    draw: Draw | None = Field(default=None, description="The draw that it came by; null where somebody picked it.")
    verdict: str | None = Field(default=None, description="The verdict of the result.")
    beside: tuple[Beside, ...] = Field(default=(), description="The evaluators that decide verdicts.")


class Label(BaseModel):
    """A person's verdict on an answer. `probability` is that of its being labelled at all; a picked answer has none, and stands for nothing but itself."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    format: Literal["rag-sidecar.label.v1"] = Field(default=SCHEMA, alias="schema", description="This format.")
    verdict: Said = Field(
        description="What was said of the answer; `skipped` is: not to be asked again, and not known."
    )
    wrong_claims: tuple[int, ...] = Field(
        default=(), description="Which claims of the result are made up, counted from 1; empty is: not said."
    )
    probability: float | None = Field(
        gt=0, le=1, description="Inclusion probability of the sample times the draw's; null for a picked answer."
    )
    who: str | None = Field(default=None, max_length=100, description="Pseudonym of whoever said it.")
    at: AwareDatetime = Field(description="When, RFC 3339.")
    about: Facts = Field(description="The answer, and what the evaluators said of it.")

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        draw = self.about.draw
        known = None if draw is None else draw.rate * self.about.inclusion_probability
        if known is None or self.probability is None:
            if known is not self.probability:
                raise ValueError("a drawn answer has a draw and a probability, a picked one has neither")
        elif abs(self.probability - known) > 1e-6 * known:
            raise ValueError("probability is not about.inclusion_probability times about.draw.rate")
        elif draw is not None and not draw.takes(self.about.result):
            raise ValueError("this answer is not one that the draw takes")
        return self

    @property
    def drawn(self) -> bool:
        """Whether it stands for others: it was drawn with a known probability."""
        return self.probability is not None

    @property
    def decided(self) -> bool:
        """Whether it says that the answer is grounded, or that it is not."""
        return self.verdict in ("grounded", "hallucinated")

    def weight(self, beside: Beside | None = None) -> float:
        """How many requests of the stream it stands for, or how many that an evaluator saw. A picked one has no weight."""
        if self.probability is None or self.about.draw is None:
            raise ValueError("a picked label has no weight")
        own = None if beside is None else beside.inclusion_probability
        known = self.probability if own is None else own * self.about.draw.rate
        return (self.about.upstream_adjusted_count or 1.0) / known

    def line(self) -> bytes:
        """As JSON."""
        return self.model_dump_json(by_alias=True).encode()


def label(facts: Facts, said: Said, *, wrong: Sequence[int] = (), who: str | None = None, at: datetime) -> Label:
    """A label of an answer, with the probability that follows from how it came here."""
    p = None if facts.draw is None else facts.draw.rate * facts.inclusion_probability
    return Label(verdict=said, wrong_claims=tuple(wrong), probability=p, who=who, at=at, about=facts)


def latest(labels: Iterable[Label]) -> dict[str, Label]:
    """By result: the label that counts. One that was drawn goes before one that was picked, then the later one counts."""
    found: dict[str, Label] = {}
    for one in labels:
        known = found.get(one.about.result)
        if known is None or (one.drawn, one.at) >= (known.drawn, known.at):
            found[one.about.result] = one
    return found

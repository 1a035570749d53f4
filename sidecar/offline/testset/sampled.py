"""Cases out of production: what users asked, drawn so that every service and every verdict has its part, and no question is there twice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sidecar.offline.testset.found import alike

ORIGIN = "production"
Stratum: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Sample:
    """A result that a case may be made of: its service and verdict."""

    id: str
    service: str
    verdict: str
    score: float | None = None
    inclusion_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a request says, as it may be written down. `documents` are (id, text)."""

    question: str
    answer: str
    documents: tuple[tuple[str, str], ...]
    reference: str | None = None


@dataclass(slots=True)
class Drawn:
    """The cases in their order as native records; how many there are of each stratum, and of how many results; why others are left out."""

    cases: list[dict[str, Any]] = field(default_factory=list)
    taken: Counter[Stratum] = field(default_factory=Counter)
    of: Counter[Stratum] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def draw(samples: Sequence[Sample], texts: Callable[[Sample], Told | None], count: int, seed: int) -> Drawn:
    """Up to `count` cases: one of each stratum in turn, as long as it has any. `texts` is asked of those that are drawn alone."""
    found = Drawn(of=Counter((one.service, one.verdict) for one in samples))
    queues = _queues(samples, seed)
    questions: list[str] = []
    while queues and len(found.cases) < count:
        for stratum in list(queues):
            if len(found.cases) >= count:
                break
            if not _one_of(queues[stratum], texts, questions, found):
                del queues[stratum]
    return found


def _queues(samples: Sequence[Sample], seed: int) -> dict[Stratum, list[Sample]]:
    queues: dict[Stratum, list[Sample]] = {}
    for one in sorted(samples, key=lambda one: (one.service, one.verdict, one.id)):
        queues.setdefault((one.service, one.verdict), []).append(one)
    for stratum, queue in queues.items():
        random.Random(f"{seed}/{stratum}").shuffle(queue)  # noqa: S311 - a draw, which guards nothing
    return queues


def _one_of(queue: list[Sample], texts: Callable[[Sample], Told | None], questions: list[str], found: Drawn) -> bool:
    """Take the next of a stratum that can be a case; False where none is left."""
    while queue:
        sample = queue.pop()
        told = texts(sample)
        reason = _unfit(told, questions)
        if told is not None and reason is None:
            questions.append(told.question)
            found.cases.append(_case(sample, told))
            found.taken[sample.service, sample.verdict] += 1
            return True
        found.left_out[reason or "no_request"] += 1
    return False


def _unfit(told: Told | None, questions: Sequence[str]) -> str | None:
    if told is None:
        return "no_request"
    if not told.question.strip() or not told.answer.strip():
        return "no_text"
    if any(alike(told.question, other) for other in questions):
        return "duplicate"
    return None


def _case(sample: Sample, told: Told) -> dict[str, Any]:
    params: Mapping[str, Any] = {
        "by": "results",
        "verdict": sample.verdict,
        "score": sample.score,
        "inclusion_probability": sample.inclusion_probability,
    }
    case: dict[str, Any] = {
        "id": sample.id,
        "service": sample.service,
        "question": told.question,
        "answer": told.answer,
        "contexts": [{"id": name, "text": text} if name else {"text": text} for name, text in told.documents if text],
        "origin": ORIGIN,
        "generation_params": {name: value for name, value in params.items() if value is not None},
    }
    return case if told.reference is None else {**case, "reference": told.reference}

"""Entities of a long reference in many documents: each text is read once, and not on the event loop."""

from __future__ import annotations

import asyncio

import pytest

from sidecar.evaluate.base import Dependencies
from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.context_entity_recall import ContextEntityRecall, ContextEntityRecallSettings
from sidecar.evaluate.text import entities
from sidecar.evaluate.text.entities import named_in
from sidecar.inference.compatible import resolved
from sidecar.record.request import Document, RagTrace


def test_each_text_is_read_once_whatever_the_number_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(text: str) -> str:
        read.append(text)
        return resolved(text)

    monkeypatch.setattr(entities, "resolved", reading)
    texts = [f"Anna Berg met guest {n} in Oslo." for n in range(5)]
    assert named_in(texts, ["Anna Berg", "Oslo", "Rome"]) == {"Anna Berg", "Oslo"}
    assert [text for text in read if text in texts] == texts


async def test_what_is_long_does_not_hold_the_loop() -> None:
    names = " ".join(f"She wrote to Person{n} in the end." for n in range(200))
    documents = tuple(
        Document(id=str(n), text=names + " More is said of it here." * 2000, rank=n + 1) for n in range(20)
    )
    trace = RagTrace(
        trace_id="t",
        service="kb",
        convention="native",
        timestamp=1.0,
        question="Who?",
        documents=documents,
        reference=names,
    )
    metric = ContextEntityRecall(ContextEntityRecallSettings(), Dependencies())
    case = Case(trace, None)
    assert case.reference_languages  # What others have asked for already is not what is looked at here.
    working = asyncio.create_task(metric.evaluate(case))
    await asyncio.sleep(0)
    assert not working.done(), "the loop had its turn while it worked"
    assert (await working).score == 1.0

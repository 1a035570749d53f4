"""Answers that say what they speak of by a pronoun, or leave it to the question, through the packaged models."""

from __future__ import annotations

import pytest

from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import Document, RagTrace

OFFICES = "The Berlin office was opened in 2009. The Hamburg office was opened in 2014."
ROOMS = "The standard room costs €90, the suite €160."
BUSES = "The day bus leaves at 9:00. The night bus leaves at 23:30."
DOCTORS = "Dr. Marit Olsen performs gastroscopies. Dr. Jonas Feld is responsible for cardiology."
FARES = "A Light ticket to Oslo costs $1,850. A Flex ticket to Oslo costs $2,500."


@pytest.mark.parametrize(
    ("document", "question", "right", "wrong"),
    [
        (OFFICES, "When was the Hamburg office opened?", "It was opened in 2014.", "It was opened in 2009."),
        (ROOMS, "How much is the suite?", "It costs €160.", "It costs €90."),
        (BUSES, "When does the night bus leave?", "It leaves at 23:30.", "It leaves at 9:00."),
        (DOCTORS, "Who performs gastroscopies?", "That would be Dr. Marit Olsen.", "That would be Dr. Jonas Feld."),
        (FARES, "What do I pay for a Flex ticket to Oslo?", "You'll pay $2,500.", "You'll pay $1,850."),
        ("Phone support is not included.", "Is phone support included?", "It isn't.", "It is."),
    ],
)
async def test_it_is_judged_by_what_the_question_names(document: str, question: str, right: str, wrong: str) -> None:
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), Telemetry())
    engine = Engine(EvaluateConfig(evaluators=("groundedness",)), runtime.router)

    async def verdict(answer: str) -> str | None:
        trace = RagTrace(
            trace_id=answer,
            service="golden",
            convention="native",
            timestamp=0.0,
            question=question,
            answer=answer,
            documents=(Document(1, document),),
        )
        return (await engine.evaluate(trace)).verdict

    await runtime.start()
    try:
        assert (await verdict(right), await verdict(wrong)) == ("grounded", "hallucinated")
    finally:
        await runtime.stop()

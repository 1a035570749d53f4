"""Results with their texts, made by hand, so that no model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from exporters.kafka import KafkaResultsConfig
from exporters.result import (
    ClaimLabel,
    ClaimResult,
    DocumentResult,
    Evaluation,
    Evidence,
    ModelIdentity,
    Outcome,
    Result,
    Verdict,
)
from sidecar.inference.grounding.detector import Anchor
from sidecar.kafka.produce.labels import LabelsConfig
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.page import StatusPageConfig, Watch
from sidecar.page.build import page_of
from sidecar.page.estimates import Estimator
from sidecar.page.routes import Routes
from sidecar.record.clock import Clock, ManualClock
from sidecar.record.request import RagTrace
from sidecar.record.texts import Texts

MODEL = ModelIdentity("embedded", "3", "ab" * 32)
QUESTION = "How long is the warranty?"
ANSWER = "The warranty is two years. Batteries are covered. Call us on Sunday."
DOCUMENTS = (("doc-1", "The warranty is two years. It does not cover batteries."), ("doc-2", "We are in Berlin."))
TEXTS = Texts(QUESTION, ANSWER, DOCUMENTS)
CLAIMS = (
    ClaimResult("The warranty is two years.", 0.97, supported=True, evidence=Evidence(0, 0, 26), start=0, end=26, label=ClaimLabel.SUPPORTED),
    ClaimResult("Batteries are covered.", 0.03, supported=False, evidence=Evidence(0, 27, 55), start=27, end=49, label=ClaimLabel.CONTRADICTED),
    ClaimResult("Call us on Sunday.", 0.1, supported=False, start=50, end=68, label=ClaimLabel.NOT_SAID),
)  # fmt: skip


def result(
    number: int,
    verdict: Verdict | None = Verdict.HALLUCINATED,
    *,
    score: float = 0.1,
    judge: Verdict | None = None,
    **more: Any,
) -> Result:
    """A result; `judge` is what a judge said of it, who was asked with probability 0.5."""
    evaluations = [
        Evaluation(evaluator="faithfulness", outcome=Outcome.SCORED, score=0.33, model=MODEL, claims=CLAIMS),
        Evaluation(
            evaluator="groundedness", outcome=Outcome.SCORED, score=score, label=None if verdict is None else str(verdict), model=MODEL,
            threshold=0.3, decides_verdict=True,
        ),
        Evaluation(
            evaluator="context_relevance", outcome=Outcome.SCORED, score=0.5, model=MODEL,
            documents=(DocumentResult(1, "doc-1", 0.9, relevant=True), DocumentResult(2, "doc-2", 0.1, relevant=False)),
        ),
    ]  # fmt: skip
    if judge is not None:
        evaluations.append(
            Evaluation(
                evaluator="groundedness_judge", outcome=Outcome.SCORED, score=0.5, label=str(judge), judged=True,
                model=ModelIdentity("gpt", "judge", ""), threshold=0.75, decides_verdict=True, inclusion_probability=0.5,
            )
        )  # fmt: skip
    made = Result(
        id=f"00000000-0000-5000-8000-{number:012d}", trace_id=f"{number:032x}", span_id="ab" * 8, service="support-bot", model="gpt-4o-mini",
        variant="A", timestamp=1_700_000_000.0, completed_at=1_700_000_001.0, outcome=Outcome.SCORED, verdict=verdict,
        evaluations=tuple(evaluations), tokens={"input": 300, "output": 20}, cost_usd={"input": 0.001}, durations={"total": 1.5},
        retrieved_documents=2,
    )  # fmt: skip
    return replace(made, **more)


RECEIVE = ReceiveConfig.model_validate({"bootstrap_servers": "127.0.0.1:9", "topics": ["spans"]})


def page_for(seen: Watch, telemetry: Telemetry, labels: Path | None = None, *, redacted: bool = True) -> Routes:
    """The page of a watch, without Kafka."""
    return page_of(
        seen,
        telemetry,
        estimator=Estimator(None),
        labels=LabelsConfig(file=labels),
        results=KafkaResultsConfig(),
        receive=RECEIVE,
        redacted=redacted,
    )


def trace(made: Result, *, user: str | None = None) -> RagTrace:
    return RagTrace(
        trace_id=made.trace_id, service=made.service, convention="native", timestamp=made.timestamp, user=user
    )


def watch(
    clock: Clock | None = None,
    *,
    anchors: Mapping[str, Anchor] | None = None,
    alone: bool = True,
    **settings: Any,
) -> Watch:
    config = StatusPageConfig.model_validate({"show_text": True, **settings})
    return Watch(config, telemetry=Telemetry(), clock=clock or ManualClock(), anchors=anchors or {}, alone=alone)


def feed(into: Watch, *results: Result, texts: Texts | None = TEXTS, user: str | None = None) -> None:
    for one in results:
        into.take(trace(one, user=user), one, texts)

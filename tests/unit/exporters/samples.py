"""Results to export: one with everything in it, and one of every outcome."""

from __future__ import annotations

from dataclasses import replace

from exporters.result import (
    Abstention,
    ClaimResult,
    Completeness,
    DocumentResult,
    Evaluation,
    Evidence,
    ModelIdentity,
    Outcome,
    Result,
    Subject,
    ValueConflict,
    Verdict,
)

SECRET = "Zaphod Beeblebrox lives at 42 Magrathea Lane"
MODEL = ModelIdentity(name="embedded", version="3", sha256="ab" * 32)
OTHER = ModelIdentity(name="minilm", version="1", sha256="cd" * 32)
ABSTENTION = ModelIdentity(name="abstention", version="1+0.9+0.5", sha256="ef" * 32)

FAITHFULNESS = Evaluation(
    evaluator="faithfulness",
    outcome=Outcome.SCORED,
    score=0.5,
    explanation=f"not supported: {SECRET}",
    model=MODEL,
    other_models=(OTHER,),
    abstention_model=ABSTENTION,
    threshold=0.5,
    parts={"supported": 1.0},
    claims=(
        ClaimResult(
            SECRET,
            0.125,
            supported=False,
            start=0,
            end=44,
            unsupported=((0, 4), (6, 9)),
            conflicts=(ValueConflict(26, 28, Evidence(1, 30, 32)),),
        ),
        ClaimResult("Towels are useful.", 0.875, supported=True, evidence=Evidence(0, 120, 260)),
    ),
)
GROUNDEDNESS = Evaluation(
    evaluator="groundedness",
    outcome=Outcome.SCORED,
    score=0.25,
    label="hallucinated",
    model=MODEL,
    threshold=0.5,
    version="2",
    method="consistency",
    decides_verdict=True,
)
CONTEXT = Evaluation(
    evaluator="context_relevance",
    subject=Subject.RETRIEVAL,
    outcome=Outcome.SCORED,
    score=0.5,
    model=MODEL,
    threshold=0.5,
    documents=(DocumentResult(1, "doc-1", 0.8, relevant=True), DocumentResult(2, None, 0.1, relevant=False)),
)
NO_ANSWER = Evaluation(evaluator="answer_relevancy", outcome=Outcome.UNSCORABLE, reason="no_question")
BROKEN = Evaluation(evaluator="context_precision", subject=Subject.DOCUMENT, outcome=Outcome.FAILED, reason="timeout")

SCORED = Result(
    id="5b0a9a52-0d8c-5b0a-9a52-0d8c3b8a6f11",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    span_id="b7ad6b7169203331",
    retrieval_span_id="00f067aa0ba902b7",
    service="support-bot",
    model="gpt-4o",
    provider="openai",
    variant="b",
    session="talk-7",
    timestamp=1_700_000_000.25,
    completed_at=1_700_000_001.5,
    outcome=Outcome.SCORED,
    verdict=Verdict.HALLUCINATED,
    abstention=Abstention.PARTIAL,
    inclusion_probability=0.25,
    response_id="chatcmpl-1",
    evaluations=(FAITHFULNESS, GROUNDEDNESS, CONTEXT, NO_ANSWER, BROKEN),
    tokens={"input": 1000, "output": 100, "cached_input": 600, "cache_write": 100, "reasoning": 40},
    cost_usd={"input": 0.25, "cached_input": 0.5, "output": 0.125},
    durations={"total": 2.0, "retrieval": 0.25, "generation": 1.5, "time_to_first_token": 0.07},
    retrieved_documents=2,
    trace=Completeness(records=3, spans=5, root_seen=True, ended="complete", cut=False),
)
SAMPLED_OUT = replace(
    SCORED,
    id="6b0a9a52-0d8c-5b0a-9a52-0d8c3b8a6f11",
    outcome=Outcome.SAMPLED_OUT,
    verdict=None,
    evaluations=(),
    inclusion_probability=1.0,
)
SHED = replace(SAMPLED_OUT, id="7b", outcome=Outcome.SHED, reason="backlog")
UNSCORABLE = replace(
    SCORED, id="8b", outcome=Outcome.UNSCORABLE, reason="no_question", verdict=None, evaluations=(NO_ANSWER,)
)
FAILED = replace(SCORED, id="9b", outcome=Outcome.FAILED, reason="internal", verdict=None, evaluations=(BROKEN,))
HOSTILE = Result(
    id="ab",
    trace_id="native id \ud800 " + "x" * 300,
    span_id=None,
    service="sur\udfffrogate " + "y" * 300,
    model="",
    variant=None,
    timestamp=float("nan"),
    completed_at=1e30,
    outcome=Outcome.SCORED,
    verdict=Verdict.GROUNDED,
    inclusion_probability=1.0,
    upstream_adjusted_count=float("inf"),
    evaluations=(
        Evaluation(evaluator="faithfulness", outcome=Outcome.SCORED, score=float("nan"), label="\ud800"),
        Evaluation(evaluator="groundedness", outcome=Outcome.SCORED, score=-1.0, threshold=float("inf")),
    ),
    tokens={"input": -5, "output": 10**30},
    cost_usd={"input": float("nan"), "output": -1.0},
    durations={"total": float("inf"), "retrieval": -1.0, "generation": float("nan"), "time_to_first_token": 1e300},
    retrieved_documents=-3,
)

EVERY_OUTCOME = (SCORED, SAMPLED_OUT, SHED, UNSCORABLE, FAILED)

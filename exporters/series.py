"""Every series about the RAG services, in one table. docs/metrics.md is generated from it.

`SUBJECT` labels say what a series is about; a row that has them is kept for each combination that is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

SUBJECT = ("rag_service", "model", "variant")

# Powers of two from 10 ms, which keep the relative error of a quantile even, and the round numbers SLOs are set at.
SECONDS = tuple(sorted([*(0.01 * 2**n for n in range(14)), 1.0, 2.5, 5.0, 10.0, 30.0]))
# As gen_ai.server.time_to_first_token of the OpenTelemetry GenAI metrics has them.
FIRST_TOKEN = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
SCORE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
DOCUMENTS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0)


@dataclass(frozen=True, slots=True)
class Series:
    """One row. `kind` is counter or histogram; `help` says what it means, with its unit; `labels` are all of them."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...]
    buckets: tuple[float, ...] = ()


SERIES: tuple[Series, ...] = (
    Series("rag_requests_total", "counter", "RAG requests, every one, sampled or not.", (*SUBJECT, "status")),
    Series("rag_request_duration_seconds", "histogram", "Duration of a whole request.", SUBJECT, SECONDS),
    Series("rag_retrieval_duration_seconds", "histogram", "Time in retrieval within a request.", SUBJECT, SECONDS),
    Series("rag_generation_duration_seconds", "histogram", "Time of the model call that gave the answer.", SUBJECT, SECONDS),
    Series("rag_time_to_first_token_seconds", "histogram", "Time to the first token of the answer.", SUBJECT, FIRST_TOKEN),
    Series("rag_retrieved_documents", "histogram", "Documents retrieved for a request.", SUBJECT, DOCUMENTS),
    Series("rag_tokens_total", "counter", "Tokens, in types that add up: input (not cached), cached_input, cache_write, output (not reasoning), reasoning.", (*SUBJECT, "type")),
    Series("rag_cost_usd_total", "counter", "Cost in US dollars, in types that add up; output has reasoning in it, request is a fee by call.", (*SUBJECT, "type")),
    Series("rag_unpriced_tokens_total", "counter", "Tokens of models that have no known price; they are in no cost.", ("model",)),
    Series("rag_evaluation_score", "histogram", "Scores, 0..1, 1 is good; each observation counts for the requests it stands for (1/p).", (*SUBJECT, "evaluator"), SCORE),
    Series("rag_evaluation_squared_weight_total", "counter", "Sums of squared weights times score^power, for standard errors of mean scores.", (*SUBJECT, "evaluator", "power")),
    Series("rag_evaluations_total", "counter", "Evaluations made, unweighted, by outcome.", (*SUBJECT, "evaluator", "outcome", "reason")),
    Series("rag_verdicts_total", "counter", "Verdicts, unweighted: the sample size.", (*SUBJECT, "verdict")),
    Series("rag_verdict_weight_total", "counter", "Verdicts, each counting for the requests it stands for (1/p): estimates of the whole traffic.", (*SUBJECT, "verdict")),
    Series("rag_verdict_weight_squared_total", "counter", "Sum of the squared weights of verdicts, for effective sample sizes.", (*SUBJECT, "verdict")),
    Series("rag_label_overflow_total", "counter", "Label values replaced by __other__ because the label was full.", ("label",)),
)  # fmt: skip

"""Every series about the RAG services, in one table. docs/metrics.md is generated from it.

`SUBJECT` labels say what a series is about; a row that has them is kept for each combination that is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

SUBJECT = ("rag_service", "model", "variant")
VERDICT = (*SUBJECT, "verdict", "grounding_model", "identity")
JUDGED = (*SUBJECT, "local", "judge", "grounding_model", "judge_model")

# Few edges, because each is a series of every subject: a step of 2 to 2.5 between them, at the round numbers that SLOs are set at.
SECONDS = (0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
RETRIEVAL = (0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
FIRST_TOKEN = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SCORE = (0.1, 0.3, 0.5, 0.7, 0.9)
DOCUMENTS = (0.0, 1.0, 3.0, 5.0, 10.0, 20.0)


@dataclass(frozen=True, slots=True)
class Series:
    """One row. `kind` is counter or histogram; `help` says what it means, with its unit; `labels` are all of them. `values` is how
    many combinations of the labels beside those of the subject and `evaluator` one subject has as a rule."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...]
    buckets: tuple[float, ...] = ()
    values: int = 1

    def cost(self, evaluators: int) -> int:
        """How many time series one subject has of it, with so many evaluators on; 0 where it is not kept by subject."""
        if not set(SUBJECT) <= set(self.labels):
            return 0
        parts = len(self.buckets) + 3 if self.kind == "histogram" else 1  # the edges, +Inf, sum and count
        return parts * self.values * (evaluators if "evaluator" in self.labels else 1)


SERIES: tuple[Series, ...] = (
    Series("rag_requests_total", "counter", "RAG requests, every one, sampled or not.", (*SUBJECT, "status"), values=2),
    Series("rag_request_duration_seconds", "histogram", "Duration of a whole request.", SUBJECT, SECONDS),
    Series("rag_retrieval_duration_seconds", "histogram", "Time in retrieval within a request.", SUBJECT, RETRIEVAL),
    Series("rag_generation_duration_seconds", "histogram", "Time of the model call that gave the answer.", SUBJECT, SECONDS),
    Series("rag_time_to_first_token_seconds", "histogram", "Time to the first token of the answer.", SUBJECT, FIRST_TOKEN),
    Series("rag_retrieved_documents", "histogram", "Documents retrieved for a request.", SUBJECT, DOCUMENTS),
    Series("rag_tokens_total", "counter", "Tokens; types add up: input (not cached), cached_input, cache_write, output (not reasoning), reasoning.", (*SUBJECT, "type"), values=5),
    Series("rag_cost_usd_total", "counter", "Cost in US dollars by type: output has reasoning, request a fee by call, reported what the trace says.", (*SUBJECT, "type"), values=6),
    Series("rag_unpriced_tokens_total", "counter", "Tokens of calls without a cost, in the trace too: no known price, or input or output not counted.", ("model",)),
    Series("rag_evaluation_score", "histogram", "Scores, 0..1, 1 is good; each observation counts for the requests it stands for (1/p).", (*SUBJECT, "evaluator"), SCORE),
    Series("rag_evaluation_squared_weight_total", "counter", "Sums of squared weights times score^power: standard errors of mean scores.", (*SUBJECT, "evaluator", "power"), values=3),
    Series("rag_evaluations_total", "counter", "Evaluations made, unweighted, by outcome.", (*SUBJECT, "evaluator", "outcome", "reason"), values=3),
    Series("rag_verdicts_total", "counter", "Verdicts, unweighted: the sample size.", VERDICT, values=3),
    Series("rag_verdict_weight_total", "counter", "Verdicts, each counting for the requests it stands for (1/p).", VERDICT, values=3),
    Series("rag_verdict_weight_squared_total", "counter", "Sum of the squared weights of verdicts, for effective sample sizes.", VERDICT, values=3),
    Series("rag_judged_verdicts_total", "counter", "Requests with a verdict of the judge, unweighted, by what the local model said and what the judge said.", JUDGED, values=0),
    Series("rag_judged_verdict_weight_total", "counter", "The same, each counting for the requests it stands for (1/p, the judge's own probability in it).", JUDGED, values=0),
    Series("rag_judged_verdict_weight_squared_total", "counter", "Sum of the squares of those weights, for effective sample sizes and intervals.", JUDGED, values=0),
    Series("rag_label_overflow_total", "counter", "Label values replaced by __other__ because the label was full.", ("label",)),
)  # fmt: skip


def subject_cost(evaluators: int) -> int:
    """How many time series one combination of service, model and variant makes, with so many evaluators on."""
    return sum(row.cost(evaluators) for row in SERIES)

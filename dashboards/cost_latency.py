"""The dashboard *RAG cost and latency*: what do answers cost, how long do they take, and where does the time go?

Every request counts here, sampled or not, so nothing is an estimate but the prices, which are list prices.
"""

from __future__ import annotations

from dataclasses import replace

from dashboards import promql, shapes
from dashboards.alert import COST_LATENCY
from dashboards.board import new_dashboard
from dashboards.objectives import EMPTY_SHARE, FIRST_TOKEN_SECONDS, REQUEST_SECONDS
from dashboards.panels import RATE, RED, SERVICES, Dashboard, Panel, Target, add

_COST = "rag_cost_usd_total"
_REQUESTS = "rag_requests_total"
_TOTAL = "rag_request_duration_seconds"
_RETRIEVAL = "rag_retrieval_duration_seconds"
_GENERATION = "rag_generation_duration_seconds"
_FIRST_TOKEN = "rag_time_to_first_token_seconds"  # noqa: S105 - a series
_DOCUMENTS = "rag_retrieved_documents"
_FREE = "Requests of models without a price count as free."
_DOTS = "The dots are single requests; each leads to its trace."


def dashboard() -> Dashboard:
    """The dashboard as the SDK's record."""
    board = new_dashboard(
        title="RAG cost and latency",
        uid=COST_LATENCY,
        description="Requests, errors, tokens, cost, latency and retrieval of RAG services. Every request counts, sampled or not; "
        "the variable Evaluator narrows nothing here.",
    )
    add(board, "Now", _now())
    add(board, "Requests and tokens", _traffic())
    add(board, "Cost", _cost())
    add(board, "Latency", _latency())
    add(board, "Retrieval", _retrieval())
    return board.build()


def _sum(series: str, *, by: str = "", extra: str = "") -> str:
    return promql.total("rate", series, RATE, by=by, where=SERVICES, extra=extra)


def _each(part: str, whole: str) -> str:
    """`part` for one of `whole`; nothing where there is none."""
    return f"{part}\n/ ({whole} > 0)"


def _per_request(by: str = "") -> str:
    return _each(_sum(_COST, by=by), _sum(_REQUESTS, by=by))


def _per_answer(by: str = "") -> str:
    return _each(_sum(_COST, by=by), _sum(_REQUESTS, by=by, extra='status="success"'))


def _now() -> list[Panel]:
    stats = (
        ("Requests", "RAG requests per second, every one, sampled or not.", "reqps", _sum(_REQUESTS)),
        ("Error share", "Share of requests that ended in an error.", "percentunit", shapes.error_share()),
        (
            "Cost per hour",
            "US dollars per hour at list prices, if it goes on like this.",
            "currencyUSD",
            f"{_sum(_COST)} * 3600",
        ),
        ("Cost per request", f"US dollars for a request, failed ones too. {_FREE}", "currencyUSD", _per_request()),
        (
            "Cost per answer",
            f"All cost over the requests without an error: what failed is paid for as well. {_FREE}",
            "currencyUSD",
            _per_answer(),
        ),
    )
    return [
        *(
            Panel(
                title=title,
                description=text,
                unit=unit,
                kind="stat",
                width=4,
                height=4,
                targets=(Target(expression, title.lower()),),
            )
            for title, text, unit, expression in stats
        ),
        Panel(
            title="Latency, 95th percentile",
            description="95 of 100 requests were faster.",
            unit="s",
            kind="stat",
            width=4,
            height=4,
            targets=(Target(promql.quantile(0.95, _TOTAL, RATE, where=SERVICES), "total", True),),
        ),
    ]


def _traffic() -> list[Panel]:
    return [
        shapes.requests_by("rag_service", "service"),
        shapes.requests_by("model", "model"),
        shapes.errors_by_service(),
        shapes.tokens_by_type(),
        shapes.gauge(
            "Tokens per request by type",
            "Input that grows means longer contexts, prompts or chats; cached input that falls means that a prompt's beginning "
            "no longer stays the same.",
            f"{_sum('rag_tokens_total', by='type')}\n/ ignoring (type) group_left () ({_sum(_REQUESTS)} > 0)",
            "{{type}}",
        ),
        shapes.unpriced_tokens(),
    ]


def _cost() -> list[Panel]:
    return [
        shapes.cost_per_hour("rag_service", "service"),
        shapes.cost_per_hour("model", "model"),
        shapes.cost_per_hour("type", "type"),
        shapes.gauge(
            "Cost per request by service",
            f"It rises with tokens per request, dearer models, and fewer cache hits. {_FREE} {shapes.runbook('RagCostSpike')}",
            _per_request("rag_service"),
            "{{rag_service}}",
            unit="currencyUSD",
        ),
        shapes.gauge(
            "Cost per request by model",
            f"Compare it with the scores of each model before you change to a cheaper one. {_FREE}",
            _per_request("model"),
            "{{model}}",
            unit="currencyUSD",
        ),
        shapes.gauge(
            "Cost per answer by variant",
            f"All cost over the requests without an error, of what you compare. {_FREE}",
            _per_answer("variant"),
            "{{variant}}",
            unit="currencyUSD",
        ),
    ]


def _latency() -> list[Panel]:
    share = tuple(
        Target(_each(_sum(f"{part}_sum"), _sum(f"{_TOTAL}_sum")), word)
        for part, word in ((_RETRIEVAL, "retrieval"), (_GENERATION, "generation"))
    )
    return [
        shapes.quantiles(
            "Duration of requests",
            f"From the start of a request to its end. {_DOTS}",
            _TOTAL,
            width=6,
            where=SERVICES,
            exemplars=True,
        ),
        shapes.quantiles(
            "Duration of retrieval",
            f"Time that retrieval covers, parallel searches once. Slow here: index, filters or the network to the store. {_DOTS}",
            _RETRIEVAL,
            width=6,
            where=SERVICES,
            exemplars=True,
        ),
        shapes.quantiles(
            "Duration of generation",
            f"The model call that gave the answer. It grows with the tokens of the answer. {_DOTS}",
            _GENERATION,
            width=6,
            where=SERVICES,
            exemplars=True,
        ),
        _limited(
            shapes.quantiles(
                "Time to the first token",
                "What a reader waits for, where answers are streamed and the traces say it. Compare it with retrieval: that comes "
                f"first. The line is the objective. {_DOTS} {shapes.runbook('RagFirstTokenBudgetBurnFast')}",
                _FIRST_TOKEN,
                width=6,
                where=SERVICES,
                exemplars=True,
            ),
            FIRST_TOKEN_SECONDS,
        ),
        Panel(
            title="Retrieval and generation, share of the time",
            description="Time in retrieval and in generation over the time of whole requests. The rest is everything else: rewriting, "
            "reranking, waiting. Requests whose traces do not time a step make its share too small.",
            unit="percentunit",
            targets=share,
        ),
        _limited(
            shapes.gauge(
                "Latency by service, 95th percentile",
                "95 of 100 requests of a service were faster. The line is what no more than one of a hundred may exceed. "
                + shapes.runbook("RagLatencyBudgetBurnFast"),
                promql.quantile(0.95, _TOTAL, RATE, by="rag_service", where=SERVICES),
                "{{rag_service}}",
                unit="s",
                width=12,
            ),
            REQUEST_SECONDS,
        ),
        shapes.heat(
            "Durations of requests",
            f"Two bands mean two kinds of requests, which a mean hides. {_DOTS}",
            _TOTAL,
            where=SERVICES,
        ),
        shapes.heat("Durations of generation", f"Where the model's time lies. {_DOTS}", _GENERATION, where=SERVICES),
        shapes.gauge(
            "Requests at once, by service",
            "How many requests of a service are on their way at a time, on average: seconds of requests per second. Where it rises and the rate of requests does not, they take longer.",
            promql.total("rate", f"{_TOTAL}_sum", RATE, by="rag_service", where=SERVICES),
            "{{rag_service}}",
            width=24,
        ),
    ]


def _limited(panel: Panel, limit: float) -> Panel:
    """The panel with the limit as a line."""
    return replace(panel, thresholds=((limit, RED),), lines=True)


def _retrieval() -> list[Panel]:
    none = _sum(f"{_DOCUMENTS}_bucket", by="rag_service", extra='le="0.0"')
    share = promql.ratio(none, _sum(f"{_DOCUMENTS}_count", by="rag_service"))
    return [
        shapes.gauge(
            "Documents per request by service",
            "Mean number of documents that a request retrieved. A change without a release points at the index or its filters.",
            promql.mean(_DOCUMENTS, RATE, by="rag_service", where=SERVICES),
            "{{rag_service}}",
        ),
        Panel(
            title="Requests without documents",
            description="Share of requests for which retrieval found nothing. Their answers rest on nothing: look at filters, at "
            f"permissions, and at what the index lacks. {shapes.runbook('RagRetrievalEmpty')}",
            unit="percentunit",
            width=8,
            targets=(Target(share),),
            thresholds=((EMPTY_SHARE, RED),),
            lines=True,
            ratio=True,
        ),
        shapes.heat(
            "Documents per request",
            "How many requests retrieved how many documents. A line at the limit that you set means that the limit cuts off.",
            _DOCUMENTS,
            where=SERVICES,
            unit="short",
            width=8,
            exemplars=False,
        ),
    ]

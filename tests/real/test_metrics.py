"""promtool and Prometheus read what we expose: no lint, and the numbers come back by PromQL."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Sequence
from dataclasses import replace

import pytest
from prometheus_client import generate_latest

from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import Verdict
from sidecar.observe.admin import Admin, AdminConfig
from sidecar.observe.telemetry import SERIES, Series, Telemetry
from sidecar.probe.series import SERIES as PROBE_SERIES
from tests.parts import paths
from tests.parts.prometheus import Prometheus
from tests.unit.exporters.samples import EVERY_OUTCOME, HOSTILE, SCORED

pytestmark = pytest.mark.real


def filled(rows: Sequence[Series]) -> Telemetry:
    """A registry with a value in every series of a table."""
    telemetry = Telemetry(series=rows)
    for row in rows:
        labels = dict.fromkeys(row.labels, "x")
        {"counter": telemetry.count, "gauge": telemetry.set, "histogram": telemetry.observe}[row.kind](
            row.name, 1.0, **labels
        )
    return telemetry


async def everything() -> Telemetry:
    """A registry with every series of ours in it, and those about the RAG services."""
    telemetry = filled(SERIES)
    exporter = PrometheusExporter(PrometheusConfig(), telemetry.registry, evaluators=["faithfulness"])
    await exporter.export([*EVERY_OUTCOME, HOSTILE, replace(SCORED, id="u", cost_usd=None, unpriced_tokens=5)])
    return telemetry


@pytest.mark.parametrize("whose", ["sidecar", "probe"])
async def test_promtool_finds_nothing_to_complain_of(whose: str) -> None:
    telemetry = await everything() if whose == "sidecar" else filled(PROBE_SERIES)
    done = await asyncio.to_thread(
        subprocess.run,
        [str(paths.find("promtool")), "check", "metrics"],
        input=generate_latest(telemetry.registry),
        capture_output=True,
        timeout=60,
        check=False,
    )
    complaints = (done.stdout + done.stderr).decode()
    assert (done.returncode, complaints) == (0, "")


async def test_prometheus_reads_weighted_quality_and_exemplars_back() -> None:
    telemetry = Telemetry()
    exporter = PrometheusExporter(PrometheusConfig(), telemetry.registry, evaluators=["faithfulness"])
    admin = Admin(AdminConfig(host="127.0.0.1", port=0), telemetry.registry, alive=lambda: None, ready=lambda: None)
    await admin.start()
    try:
        with Prometheus({"sidecar": f"127.0.0.1:{admin.port}"}) as prometheus:
            # One hallucinated answer that stands for four requests, and six grounded ones that stand for two each.
            grounded = replace(SCORED, verdict=Verdict.GROUNDED, inclusion_probability=0.5)
            await exporter.export([SCORED, *(replace(grounded, id=f"g{n}") for n in range(6))])
            ratio = (
                'sum(rag_verdict_weight_total{verdict="hallucinated"}) '
                '/ sum(rag_verdict_weight_total{verdict=~"hallucinated|grounded"})'
            )
            ask = asyncio.to_thread
            assert await ask(prometheus.wait_for, ratio) == [({}, 0.25)]
            size = "sum(rag_verdict_weight_total) ^ 2 / sum(rag_verdict_weight_squared_total)"
            assert (await ask(prometheus.query, size))[0][1] == pytest.approx(16**2 / (16 + 6 * 4))
            joined = "rag_verdict_weight_total * on (rag_service, model, variant) group_left rag_requests_total{status='success'}"
            assert len(await ask(prometheus.query, joined)) == 3
            score = 'rag_evaluation_score_bucket{evaluator="faithfulness", le="0.5"}'
            assert [value for _, value in await ask(prometheus.query, score)] == [16]
            median = "histogram_quantile(0.5, sum by (le) (rag_request_duration_seconds_bucket))"
            assert 1.0 < (await ask(prometheus.query, median))[0][1] <= 2.5
            found = await ask(
                prometheus.get,
                "/api/v1/query_exemplars",
                query="rag_evaluation_score_bucket",
                start="1699999000",
                end="1700001000",
            )
            assert {e["labels"]["trace_id"] for row in found for e in row["exemplars"]} == {SCORED.trace_id}
    finally:
        await admin.stop()

"""Requests that a probe sent: whatever marks them, nothing counts them as traffic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sidecar.decode.probes import TRACE_STATE_KEY, says_so
from tests.unit.decode.spans import message, span
from tests.unit.test_pipeline import Setting, build, native


def chain(marked: Mapping[str, Any], **more: Any) -> bytes:
    """A RAG request of three spans; what marks it stands on the root alone."""
    kind = "openinference.span.kind"
    return message(
        span("root", {kind: "CHAIN", "input.value": "What?", "output.value": "It is blue.", **marked}, number=1, lasts=3, **more),
        span(
            "search",
            {kind: "RETRIEVER", "retrieval.documents.0.document.content": "It is blue."},
            number=2, parent=1, at=0.1,
        ),
        span("model", {kind: "LLM", "output.value": "It is blue.", "llm.model_name": "m"}, number=3, parent=1, at=1.2),
    )  # fmt: skip


async def ran(value: bytes) -> Setting:
    setting = build([value])
    await setting.run()
    return setting


MARKED = {
    "an attribute that baggage gave": chain({"rag.probe": "true"}),
    "an attribute that is a truth": chain({"rag.probe": True}),
    "a captured header": chain({"http.request.header.x-rag-probe": ["1"]}),
    "tracestate": chain({}, traceState="ot=th:8, rag-probe=1"),
    "a native record": native(1, probe=True),
}
PLAIN = {
    "nothing": chain({}),
    "a mark that says no": chain({"rag.probe": "false"}),
    "tracestate of another": chain({}, traceState="not-rag-probe=1"),
    "a native record": native(1),
    "a native record that says no": native(1, probe=False),
}


@pytest.mark.parametrize("marked", MARKED.values(), ids=MARKED)
async def test_a_marked_request_is_counted_as_a_probe_and_as_nothing_else(marked: bytes) -> None:
    setting = await ran(marked)
    assert setting.sink.results == []
    assert list(setting.telemetry.values("rag_sidecar_requests_total")) == []
    assert setting.telemetry.value("rag_sidecar_traces_ignored_total", reason="probe") == 1
    assert setting.source.done, "its record is acknowledged like any other"


@pytest.mark.parametrize("plain", PLAIN.values(), ids=PLAIN)
async def test_what_is_not_marked_is_traffic(plain: bytes) -> None:
    setting = await ran(plain)
    assert len(setting.sink.results) == 1
    assert setting.telemetry.value("rag_sidecar_traces_ignored_total", reason="probe") == 0


@pytest.mark.parametrize(
    ("value", "said"), [(1, True), (0, False), (None, False), ("off", False), ("yes", True), (["0"], False)]
)
def test_what_says_yes(value: Any, said: bool) -> None:
    assert says_so(value) is said


def test_the_key_is_one_that_trace_context_allows() -> None:
    assert TRACE_STATE_KEY.replace("-", "").isalpha()
    assert TRACE_STATE_KEY.islower()

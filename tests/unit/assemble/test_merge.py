"""One merge of what spans say: what is there stays, what lacks is filled, and a feedback of 0 is something."""

from __future__ import annotations

from sidecar.assemble.request import build_requests
from sidecar.record.request import Document
from sidecar.record.span import RagSpan, Said, SpanKind
from tests.unit.assemble.test_buffer import span


def test_what_lacks_is_filled_and_what_is_there_stays() -> None:
    mine = Said(question="mine", feedback=0.0, session="s")
    theirs = Said(question="theirs", answer="theirs", feedback=1.0, documents=(Document(1, "d"),), streaming=True)
    assert mine.fill(theirs) == Said(
        question="mine", answer="theirs", feedback=0.0, session="s", documents=(Document(1, "d"),), streaming=True
    )


def test_a_feedback_of_zero_is_taken() -> None:
    assert Said().fill(Said(feedback=0.0)).feedback == 0.0


def test_a_request_says_what_its_top_says_then_what_others_say() -> None:
    spans: list[RagSpan] = [
        span(1, 1, SpanKind.CHAIN, question="q", user="of the top"),
        span(1, 2, SpanKind.RETRIEVER, parent=1, documents=(Document(1, "d"),), session="s", user="other"),
        span(1, 3, SpanKind.LLM, parent=1, answer="a", feedback=0.0, tenant="t", variant="v"),
    ]
    before = [one.said for one in spans]
    [request] = build_requests(spans)
    assert (request.user, request.session, request.tenant, request.variant) == ("of the top", "s", "t", "v")
    assert request.feedback == 0.0
    assert [one.said for one in spans] == before
    assert spans[0].said.session is None

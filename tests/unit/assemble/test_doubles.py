"""One model call that two instrumentations report is one call, by whichever of its names each knows it."""

from __future__ import annotations

import pytest

from sidecar.assemble.doubles import Doubles
from sidecar.record.request import ModelCall, RagTrace, Tokens
from tests.unit.decode.recordings import understood
from tests.unit.decode.spans import message, span

DATED = "gpt-4o-mini-2024-07-18"


def request(model: str | None, requested: str | None = None, *, at: int = 0, tokens: Tokens | None = None) -> RagTrace:
    call = ModelCall("openai", model, tokens or Tokens(10, 5), at, at + 1_000_000_000, requested=requested)
    return RagTrace(trace_id="t", service="kb", convention="x", timestamp=0.0, answer="A.", model_calls=(call,))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("gpt-4o-mini", None), ("gpt-4o-mini", None)),
        ((DATED, "gpt-4o-mini"), ("gpt-4o-mini", "gpt-4o-mini")),
        (("gpt-4o-mini", "gpt-4o-mini"), (DATED, "gpt-4o-mini")),
        ((DATED, None), ("gpt-4o-mini", None)),
        (("gpt-4o-mini", None), ("openai/GPT-4o-mini", None)),
        (("claude-sonnet-4", None), ("claude-sonnet-4@20250514", None)),
        (("finance-eu", "alias"), (DATED, "alias")),
        ((None, None), (None, None)),
    ],
)
def test_names_of_one_model(one: tuple[str | None, str | None], other: tuple[str | None, str | None]) -> None:
    doubles = Doubles()
    doubles.know(request(*one))
    assert doubles.is_double(request(*other))


@pytest.mark.parametrize(
    "other",
    [
        request("gpt-4o"),
        request("gpt-4o-mini", at=2_000_000_000),
        request("gpt-4o-mini", tokens=Tokens(11, 5)),
        request(None),
    ],
    ids=["another model", "another time", "other counts", "no name"],
)
def test_another_call_is_no_double(other: RagTrace) -> None:
    doubles = Doubles()
    doubles.know(request("gpt-4o-mini", "gpt-4o-mini"))
    assert not doubles.is_double(other)


def test_a_call_reported_under_its_dated_name_too_is_counted_once() -> None:
    kind = "openinference.span.kind"
    tokens = {"llm.token_count.prompt": 10, "llm.token_count.completion": 5}
    whole = message(
        span("chain", {kind: "CHAIN", "input.value": "Q?", "output.value": "A."}, number=1),
        span("search", {kind: "RETRIEVER", "retrieval.documents.0.document.content": "D."}, number=2, parent=1),
        span("llm", {kind: "LLM", "llm.model_name": "gpt-4o-mini", **tokens}, number=3, parent=1, lasts=0.9),
    )
    usage = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}
    names = {"gen_ai.request.model": "gpt-4o-mini-2024-07-18", "gen_ai.response.model": "gpt-4o-mini-2024-07-18"}
    alone = span("chat", {"gen_ai.operation.name": "chat", **names, **usage}, number=9, at=0.1, lasts=0.5)
    found = understood([whole, message({**alone, "traceId": "ab" * 16})])
    assert [one.kind for one in found] == ["rag"]

"""Cases to a service and back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sidecar.probe.cases import Question
from sidecar.probe.send import Sender, Sent, filled
from sidecar.probe.settings import ProbeConfig
from tests.parts.rag_server import Asked, Said, answer, serving

RESPONSE = {"answer": "data.text", "contexts": "data.hits[].{text: body, id: id}"}


def question(text: str) -> Question:
    return Question({"question": text, "id": "c1"}, {"request_id": "c1", "question": text, "reference": "r"})


async def sent(url: str, *questions: str, **more: Any) -> tuple[list[Sent], list[tuple[str | None, float]]]:
    request = {"url": url, "body": {"q": "{question}", "top_k": 3}, **more.pop("request", {})}
    config = ProbeConfig.model_validate(
        {"service": "kb", "cases": "c", "request": request, "response": RESPONSE, **more}
    )
    told: list[tuple[str | None, float]] = []
    found = await Sender(config).send([question(one) for one in questions], lambda *one: told.append(one))
    return found, told


async def test_what_comes_back_fills_in_the_case() -> None:
    with serving() as server:
        [one], told = await sent(server.url, "How long are backups kept?")
    assert one.failure is None
    assert one.row["response"] == "Backups are kept for 14 days and stored in a second data centre."
    assert [hit["id"] for hit in one.row["retrieved_contexts"]] == ["backups"]
    assert (one.row["reference"], one.row["service"], one.row["latency_seconds"]) == ("r", "kb", one.seconds)
    assert told == [(None, one.seconds)]


async def test_every_request_is_marked_as_a_probes_in_a_trace_of_its_own() -> None:
    with serving() as server:
        await sent(server.url, "one", "two")
    for asked in server.asked:
        marks = {name: asked.headers[name] for name in ("tracestate", "baggage", "x-rag-probe")}
        assert marks == {"tracestate": "rag-probe=1", "baggage": "rag.probe=true", "x-rag-probe": "1"}
        assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-01", asked.headers["traceparent"])
    assert len({asked.headers["traceparent"] for asked in server.asked}) == 2


async def test_the_member_of_tracestate_may_be_one_that_nobody_guesses() -> None:
    with serving() as server:
        await sent(server.url, "one", trace_state="k7f2")
    assert server.asked[0].headers["tracestate"] == "k7f2=1"


@pytest.mark.parametrize(
    ("said", "reason", "detail"),
    [
        (Said("no", status=503), "http_5xx", "status 503"),
        (Said("no", status=401), "http_4xx", "status 401"),
        (Said({}, status=302), "http_3xx", "status 302"),
        (Said(b"<html>"), "bad_json", None),
        (Said({"data": {}}), "no_answer", None),
        (Said({"data": {"text": "  "}}), "no_answer", None),
        (Said({"data": {"text": 5}}), "no_answer", None),
        (Said([]), "no_answer", None),
        (Said({"data": {"text": "x" * 3000}}), "too_large", None),
        (Said(answer(Asked("/", {}, {"q": "x"})), after=3.0), "unanswered", "timed out after 0.2 s"),
    ],
)
async def test_what_is_no_answer_has_a_reason(said: Said, reason: str, detail: str | None) -> None:
    with serving(lambda _: said) as server:
        # Only who is too slow is not waited for; on a busy machine others may be slow too.
        limits = {"timeout_seconds": 0.2 if said.after else 60.0, "most_answer_bytes": 2000}
        [one], told = await sent(server.url, "q", request=limits)
    assert (one.failure, one.detail) == (reason, detail)
    assert told[0][0] == reason
    assert one.row["reference"] == "r"


async def test_a_service_that_is_not_there_is_a_reason_too() -> None:
    [one], _ = await sent("http://127.0.0.1:9/ask", "q")
    assert (one.failure, one.detail) == ("unanswered", "connection refused")
    [one], _ = await sent("http://no-such-host.invalid/ask", "q")
    assert (one.failure, one.detail) == ("unanswered", "the host name is not known")


async def test_no_more_requests_are_made_at_once_than_are_set() -> None:
    now, most = 0, 0

    def says(asked: Asked) -> object:
        nonlocal now, most
        now += 1
        most = max(most, now)
        said = answer(asked)
        now -= 1
        return Said(said)

    with serving(says) as server:
        found, _ = await sent(server.url, *(f"q{n}" for n in range(12)), concurrency=1)
    assert len(found) == 12
    assert most == 1


def test_what_a_case_says_is_never_a_template() -> None:
    told = {"question": "What is {id}?", "id": "7", "reference": "", "kind": ""}
    body = {"messages": [{"role": "user", "content": "Q {id}: {question}"}], "n": 3, "other": "{unknown}", "none": None}
    assert filled(body, told) == {
        "messages": [{"role": "user", "content": "Q 7: What is {id}?"}], "n": 3, "other": "{unknown}", "none": None
    }  # fmt: skip

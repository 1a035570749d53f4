"""Traces of several requests, wrapped model calls, gateways, hops and calls after the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from sidecar.assemble import contexts
from sidecar.assemble.generation import after_label
from sidecar.assemble.request import build_requests
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import RagTrace, Tokens, TraceKind
from tests.unit.decode.recordings import record, understood
from tests.unit.decode.spans import dumps, message, one, pairs, span

KIND = "openinference.span.kind"
QUESTION, ANSWER, TEXT = "Which currency has Rome?", "Rome has the euro.", "rome uses the euro."


def chain(
    number: int, parent: int | None = None, attributes: Mapping[str, Any] | None = None, *, name: str = "rag"
) -> dict[str, Any]:
    return span(name, {KIND: "CHAIN", **(attributes or {})}, number=number, parent=parent, at=number, lasts=9)


def retriever(
    number: int, parent: int | None, *documents: tuple[str, float], kind: str = "RETRIEVER"
) -> dict[str, Any]:
    output = dumps([{"id": text, "content": text, "score": score} for text, score in documents])
    return span("search", {KIND: kind, "output.value": output}, number=number, parent=parent, at=number, lasts=0.5)


def model(
    number: int,
    parent: int | None,
    answer: str | None = ANSWER,
    prompt: str = f"{TEXT} {QUESTION}",
    attributes: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    said = (
        {}
        if answer is None
        else {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": answer}
    )
    sent = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": prompt}
    usage = {"llm.token_count.prompt": 100, "llm.token_count.completion": 5}
    return span(
        "llm",
        {KIND: "LLM", "llm.model_name": "m", **sent, **said, **usage, **(attributes or {})},
        number=number,
        parent=parent,
        at=number,
        lasts=0.5,
    )


def asked(number: int) -> dict[str, Any]:
    return {"input.value": f"Question {number}?", "output.value": f"Answer {number}."}


def three(parent: int, *, name: str = "rag", texts: bool = True) -> list[dict[str, Any]]:
    """Three requests below a span."""
    return [
        one_span
        for at in (10, 20, 30)
        for one_span in (
            chain(at, parent, name=name.format(at), attributes=asked(at) if texts else None),
            retriever(at + 1, at, (f"text {at}", 0.5)),
            model(at + 2, at, f"Answer {at}." if texts else None, f"text {at}"),
        )
    ]


@pytest.mark.parametrize("texts", [True, False], ids=["with texts", "without texts"])
def test_a_batch_is_not_one_request(texts: bool) -> None:
    batch = [chain(1, None, {"session.id": 7}, name="nightly"), chain(2, 1, name="loop"), *three(2, texts=texts)]
    requests = understood([message(*batch)])
    assert [request.root_span_id for request in requests] == [f"{number:016x}" for number in (10, 20, 30)]
    assert [request.tokens for request in requests] == [Tokens(100, 5)] * 3
    assert [request.session for request in requests] == ["7"] * 3
    if texts:
        assert [request.answer for request in requests] == [f"Answer {number}." for number in (10, 20, 30)]


@pytest.mark.parametrize("retrieved", [1, 2])
def test_a_turn_without_a_retrieval_is_one_of_several_too(retrieved: int) -> None:
    turns = three(1)[3 * (2 - retrieved) :]
    turns[-2:] = [model(32, 30, "Answer 30.")]
    requests = understood([message(chain(1, name="conversation"), *turns)])
    assert [request.kind for request in requests] == [*[TraceKind.RAG] * retrieved, TraceKind.LLM_ONLY]
    assert [request.answer for request in requests] == [f"Answer {number}." for number in (10, 20, 30)[2 - retrieved :]]


@pytest.mark.parametrize(
    "last",
    [chain(30, 1, asked(30), name="title"), chain(30, 1)],
    ids=["another name", "it was not asked"],
)
def test_a_step_with_a_model_call_alone_is_no_turn(last: dict[str, Any]) -> None:
    [request] = understood([message(chain(1, name="conversation"), *three(1)[:6], last, model(32, 30))])
    assert request.root_span_id == f"{1:016x}"


def test_a_batch_says_attributes_of_its_requests_which_they_say_better() -> None:
    own = {"tier": "gold", "region": "eu", "team": "a"}
    batch = chain(1, None, own), chain(2, 1, {"region": "us"}), *three(2)
    batch[2]["attributes"] += pairs({"team": "b"})
    decoder = Decoder(DecodeConfig(keep_attributes=("tier", "region", "team")), Telemetry())
    requests = build_requests(decoder.decode(record(message(*batch))).spans)
    assert [dict(request.attributes) for request in requests] == [
        {"tier": "gold", "region": "us", "team": team} for team in ("b", "a", "a")
    ]


@pytest.mark.parametrize(
    "spans",
    [
        [chain(1, None, {"input.value": QUESTION, "output.value": ANSWER}), *three(1, name="step {}")],
        [chain(1), *three(1), model(40, 1)],
        [chain(1), *three(1), retriever(40, 1, ("text", 0.5))],
        [chain(1), *three(1, name="step {}", texts=False)],
        [chain(1), *three(1)[:3]],
    ],
    ids=["it was asked", "its own model call", "its own retrieval", "steps that nobody was asked", "one part"],
)
def test_a_chain_that_does_the_work_of_one_request_stays_one(spans: list[dict[str, Any]]) -> None:
    [request] = understood([message(*spans)])
    assert request.root_span_id == f"{1:016x}"


def test_a_model_span_has_what_its_wrapper_says_and_it_does_not() -> None:
    sdk = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-2", "gen_ai.system": "openai"}
    request = one(message(
        chain(1, None, {"input.value": QUESTION}), retriever(2, 1, (TEXT, 0.9)), model(3, 1, attributes={"llm.cost.total": 0.25}), span("chat m", sdk, number=4, parent=3, at=4),
    ))  # fmt: skip
    assert (request.answer, request.tokens) == (ANSWER, Tokens(100, 5))
    assert [call.reported_cost_usd for call in request.model_calls] == [0.25]
    assert (request.provider, request.model_requested, request.model_answered) == ("openai", "m-2", None)
    assert (request.span_id, request.missing) == (f"{4:016x}", ())


def test_a_wrapper_of_several_calls_fills_none() -> None:
    sdk = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    request = one(
        message(
            retriever(2, None, (TEXT, 0.9)),
            model(3, None),
            *(span("chat", sdk, number=at, parent=3, at=at) for at in (4, 5)),
        )
    )
    assert (request.answer, request.tokens) == (None, Tokens())


@pytest.mark.parametrize(
    ("answer", "failure"), [("replies", {}), ("Sorry!", {"error.type": "RateLimitError"})], ids=["rubbish", "it failed"]
)
def test_a_wrapper_gives_no_answer_that_the_model_did_not(answer: str, failure: dict[str, Any]) -> None:
    sdk = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **failure}
    request = one(
        message(retriever(2, None, (TEXT, 0.9)), model(3, None, answer), span("chat", sdk, number=4, parent=3, at=4))
    )
    assert (request.answer, request.tokens) == (None, Tokens(100, 5))


def through_a_gateway(between: dict[str, Any]) -> RagTrace:
    """A request whose model call goes through another service, with a span between the two spans of the call."""
    gateway = span(
        "chat",
        {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 9},
        number=5,
        parent=4,
        at=5,
    )
    own = message(
        chain(1),
        retriever(2, 1, (TEXT, 0.9)),
        model(3, 1),
        span("POST", between, number=4, parent=3, at=4),
        service="support-bot",
    )
    [request] = understood([own, message(gateway, service="proxy")])
    return request


def test_a_request_through_a_gateway_is_that_of_the_service_that_called_it() -> None:
    request = through_a_gateway({})
    assert (request.service, request.tokens) == ("support-bot", Tokens(9))


def test_a_service_behind_a_chain_of_its_own_is_not_a_gateway() -> None:
    assert through_a_gateway({KIND: "CHAIN"}).service == "proxy"


def hops(*, last: bool = False, prompt: str = "hidden") -> RagTrace:
    final = [retriever(8, 1, ("b", 0.97), ("a", 0.95), kind="RERANKER")] if last else []
    return one(message(
        chain(1, None, {"input.value": QUESTION, "output.value": ANSWER}),
        retriever(2, 1, ("noise", 0.9), ("a", 0.8)), retriever(3, 1, ("a", 0.99), kind="RERANKER"),
        retriever(4, 1, ("other noise", 0.9), ("b", 0.8)), retriever(5, 1, ("b", 0.99), kind="RERANKER"),
        *final, model(9, 1, prompt=prompt),
    ))  # fmt: skip


@pytest.mark.parametrize("prompt", ["hidden", "a and b"])
def test_each_hop_has_its_reranked_documents(prompt: str) -> None:
    assert [(d.rank, d.id, d.score) for d in hops(prompt=prompt).documents] == [(1, "a", 0.99), (2, "b", 0.99)]


def test_a_reranker_of_reranked_documents_has_the_last_word() -> None:
    assert [(d.rank, d.id, d.score) for d in hops(last=True).documents] == [(1, "b", 0.97), (2, "a", 0.95)]


@pytest.mark.parametrize(
    "shown", [None, f"Dear Eve, {ANSWER}"], ids=["the root shows nothing", "the root shows the answer"]
)
def test_a_call_after_the_answer_is_not_the_answer(shown: str | None) -> None:
    request = one(message(
        chain(1, None, {"input.value": QUESTION, **({"output.value": shown} if shown else {})}),
        retriever(2, 1, (TEXT, 0.9)), model(3, 1), model(4, 1, "Currency of Rome", f"A title for this: {QUESTION} {ANSWER}"),
    ))  # fmt: skip
    assert (request.answer, request.span_id) == (shown or ANSWER, f"{3:016x}")


def test_a_word_of_a_grader_within_the_shown_answer_is_not_the_answer() -> None:
    documents = ("Refunds take 30 days.", "Shipping takes 5 days.", "We like cats.")
    shown = "Refunds take 30 days (source: refunds.pdf). You will know more from the mail that we send."
    graders = [
        model(at, 1, said, f"Is this of use? {text}")
        for at, said, text in zip((3, 4, 5), ("yes", "no", "no"), documents, strict=True)
    ]
    own = "Refunds take 30 days [d1]. You will know more from the mail that we send."
    request = one(message(
        chain(1, None, {"input.value": QUESTION, "output.value": shown}),
        retriever(2, 1, *((text, 0.9) for text in documents)), *graders, model(6, 1, own, " ".join(documents)),
    ))  # fmt: skip
    assert (request.answer, request.span_id) == (shown, f"{6:016x}")
    assert [document.text for document in request.documents] == list(documents)


def test_documents_are_made_ready_for_all_prompts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fold = contexts._fold

    def folds(calls: int) -> int:
        """How often a document is folded where so many model calls were not given it."""
        seen: Counter[str] = Counter()
        monkeypatch.setattr(contexts, "_fold", lambda text: seen.update([text]) or fold(text))
        one(message(retriever(1, None, (TEXT, 0.9)), *(model(at, None, prompt="hidden") for at in range(2, 2 + calls))))
        return seen[TEXT]

    assert folds(9) == folds(2)


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("Why is this a slow query: SELECT 1?", "Why is this a slow query: SELECT 1?"),
        ("Use this.\n\nQuestion: How long?\nAnswer:", "How long?"),
        ("Two years. Batteries. Question: How long? Helpful Answer:", "How long?"),
        ("Two years.\n**User question:** What is the right answer: A or B?", "What is the right answer: A or B?"),
        ("Question: How long? \nContext: Two years. \nAnswer:", "How long?"),
        ("Question: an example?\nAnswer: yes\n\nQuestion: How long?\nAnswer:", "How long?"),
        ("Here is the user's question: How long?", "How long?"),
        ("Frage: Wie lange?", "Frage: Wie lange?"),
        ("Two years.\n\nUsing only the context, answer the question: How long?", "How long?"),
        ("Answer the following question: How long?\nContext: Two years.", "How long?"),
        ("Use this to answer the user's query:\nHow long?", "How long?"),
        ("Question: How long?\nAnswer this question:", "How long?\nAnswer this question:"),
        ("How should I answer the question: why us?", "How should I answer the question: why us?"),
    ],
)
def test_a_label_of_a_prompt_is_cut_and_words_of_a_question_are_not(prompt: str, question: str) -> None:
    assert after_label(prompt) == question

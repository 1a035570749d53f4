"""Conversations of several requests: out of traces of agents, out of test cases, and what a report says of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sidecar.assemble.request import build_requests
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.case import Case, read_cases
from sidecar.offline.sessions import joined, sessions_of
from sidecar.record.authored import Message, ToolCall
from sidecar.record.record import Attributes
from sidecar.record.span import RawSpan
from tests.parts.judge_server import Asked
from tests.unit.evaluate.fakes import FakeGrounder, models
from tests.unit.evaluate.judged.scripted import engine, judged, only
from tests.unit.offline.records import record, said

WARM, COLD = ToolCall("weather_check", {"city": "Ulm"}), ToolCall("weather_check", {"city": "Oslo"})
TALK = (
    Message("user", "How warm is it in Ulm?"),
    Message("assistant", None, (WARM,)),
    Message("tool", "75 F"),
    Message("assistant", "It is 75 °F."),
    Message("user", "And in Oslo?"),
    Message("assistant", None, (COLD,)),
    Message("tool", "41 F"),
    Message("assistant", "It is 50 °F."),
)


def genai(messages: tuple[Message, ...]) -> Attributes:
    def sent(one: Message) -> dict[str, Any]:
        calls = [{"type": "tool_call", "id": "1", "name": c.name, "arguments": c.arguments} for c in one.tool_calls]
        kind = ("tool_call_response", "response") if one.role == "tool" else ("text", "content")
        parts = [{"type": kind[0], "id": "1", kind[1]: one.text}] if one.text else []
        return {"role": one.role, "parts": [*parts, *calls]}

    *told, answer = map(sent, messages)
    head = [{"role": "system", "parts": [{"type": "text", "content": "You tell the weather."}]}]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps([*head, *told]),
        "gen_ai.output.messages": json.dumps([answer]),
    }


def openinference(messages: tuple[Message, ...]) -> Attributes:
    found: dict[str, Any] = {"openinference.span.kind": "LLM"}
    places = [("input", n) for n in range(len(messages) - 1)] + [("output", 0)]
    for (side, place), one in zip(places, messages, strict=True):
        name = f"llm.{side}_messages.{place}.message"
        found[f"{name}.role"] = one.role
        if one.text:
            found[f"{name}.content"] = one.text
        for n, call in enumerate(one.tool_calls):
            found[f"{name}.tool_calls.{n}.tool_call.function.name"] = call.name
            found[f"{name}.tool_calls.{n}.tool_call.function.arguments"] = json.dumps(dict(call.arguments))
    return found


def traced(number: int, attributes: Attributes) -> Case:
    """The request of a trace of one session."""
    span = RawSpan(
        trace_id=f"{number:032x}",
        span_id=f"{number:016x}",
        parent_span_id=None,
        name="chat",
        start_ns=number * 10**9,
        end_ns=number * 10**9 + 1,
        attributes={**attributes, "session.id": "s1"},
        resource={"service.name": "agent"},
    )
    [trace] = build_requests(Decoder(DecodeConfig(), Telemetry()).read([span]))
    return Case(str(number), str(number), str(number), None, None, trace)


@pytest.mark.parametrize("said_by", [genai, openinference])
@pytest.mark.parametrize("first", [0, 2, 4], ids=["the whole history", "its end", "no history"])
def test_traces_of_a_session_are_one_conversation_however_much_of_it_each_repeats(said_by: Any, first: int) -> None:
    [found] = joined([traced(2, said_by(TALK[first:])), traced(1, said_by(TALK[:4]))])
    assert found.trace.messages == TALK
    assert (found.trace.question, found.trace.answer) == ("And in Oslo?", "It is 50 °F.")
    assert (found.id, found.trace.session) == ("s1", "s1")


async def test_each_turn_of_a_session_is_held_against_what_its_tools_had_said() -> None:
    [found] = joined([traced(1, genai(TALK[:4])), traced(2, genai(TALK[4:]))])
    settings = {"evaluators": ["turn_faithfulness"], "references": "off"}
    tools = {"It is 75 °F.": 0.9, "It is 50 °F.": 0.2}
    local = models(FakeGrounder(by_claim=tools, languages=frozenset({"en", "de"})))
    [one] = (await Engine(EvaluateConfig.model_validate(settings), local).evaluate(found.trace)).evaluations
    assert one.score == pytest.approx(0.552, abs=0.001)
    assert (one.parts["turns"], one.parts["worst_turn"]) == (2, 2)


async def test_the_worst_turn_is_counted_among_all_that_the_assistant_said() -> None:
    greeted = (Message("user", "Hello!"), Message("assistant", "Hello! How can I help?"), *TALK)
    settings = EvaluateConfig.model_validate({"evaluators": ["turn_faithfulness"], "references": "off"})
    local = models(FakeGrounder(by_claim={"It is 75 °F.": 0.9, "It is 50 °F.": 0.2}, languages=frozenset({"en", "de"})))
    [one] = (await Engine(settings, local).evaluate(traced(1, genai(greeted)).trace)).evaluations
    assert (one.parts["turns"], one.parts["worst_turn"]) == (2, 3)


TURNS: list[dict[str, Any]] = [
    {
        "session_id": "s1", "id": "b", "timestamp": 1_700_000_020, "question": "And the lamp?", "answer": "One year.", "contexts": ["The lamp has one year."],
        "reference_tool_calls": [{"name": "search", "args": {"q": "lamp"}}], "reference_topics": ["warranty"], "kind": "simple",
    },
    {
        "session_id": "s1", "id": "a", "timestamp": 1_700_000_010, "question": "How long is the warranty?", "answer": "Two years.", "contexts": ["Two years."],
        "reference_tool_calls": [], "reference_topics": ["warranty", "price"], "kind": "simple",
    },
    {"session_id": "s2", "id": "c", "question": "Hello?", "answer": "Hello."},
    {"id": "d", "question": "Hello?", "answer": "Hello."},
]  # fmt: skip


def test_cases_of_one_session_are_put_together_and_others_stay() -> None:
    cases, _ = read_cases(TURNS, DecodeConfig())
    found, *others = joined(cases)
    assert [one.id for one in others] == ["s2", "d"]
    assert others[0].trace.messages == (Message("user", "Hello?"), Message("assistant", "Hello."))
    assert others[1] == cases[3]
    assert found.trace.messages == (
        Message("user", "How long is the warranty?"),
        Message("tool", "Two years."),
        Message("assistant", "Two years."),
        Message("user", "And the lamp?"),
        Message("tool", "The lamp has one year."),
        Message("assistant", "One year."),
    )
    authored = found.trace.authored
    assert authored is not None
    assert authored.tool_calls == (ToolCall("search", {"q": "lamp"}),)
    assert (authored.topics, found.kind, found.trace.documents) == (("warranty", "price"), "simple", ())
    assert joined(cases[1::-1]) == [found]  # whatever their order in the file


def test_sessions_of_one_name_in_two_services_are_two_cases() -> None:
    turns = [{**row, "service": service} for service in ("kb", "shop") for row in TURNS[:2]]
    cases, _ = read_cases([*turns, {**TURNS[2], "service": "kb"}], DecodeConfig())
    found = joined(cases)
    assert [one.id for one in found] == ["kb/s1", "shop/s1", "s2"]
    assert len({one.key for one in found}) == 3


async def test_a_judge_sees_the_topics_of_all_turns() -> None:
    cases, _ = read_cases(TURNS[:2], DecodeConfig())
    [found] = joined(cases)

    def says(asked: Asked) -> object:
        if asked.schema == "Topics":
            texts = [one["text"] for one in asked.data["messages"]]
            return {"topics": ["warranty", "lamps"] if "And the lamp?" in texts and "Two years." in texts else []}
        if asked.schema == "OnTopic":
            return {"on_topic": [True, False]}
        return {"reason": "r", "refused": False}

    async with engine(says, only("topic_adherence")) as (made, _):
        one = await judged(made, found.trace)
    assert one.parts["precision"] == 0.5
    assert one.score == pytest.approx(2 / 3)


def test_a_report_says_how_sessions_went_and_which_turn_was_the_worst() -> None:
    found = sessions_of(
        [
            record("b", said("groundedness", 0.2), session="s1", service="x", timestamp="2026-01-02T00:00:00.000Z"),
            record(
                "a",
                said("groundedness", 1.0),
                said("f", 0.0),
                session="s1",
                service="x",
                timestamp="2026-01-01T00:00:00.000Z",
            ),
            record("c", said("groundedness", 0.8), session="s2", service="x"),
            record("d", said("groundedness", None, "no_context"), session="s2", service="x"),
            record("e", said("groundedness", 0.0), session="s3", service="x"),
            record("f", said("groundedness", 0.0), session="s1", service="y"),
            record("g", said("groundedness", 1.0), session="s1", service="z"),
            record("h", said("groundedness", 0.9), session="s1", service="z"),
        ]
    )
    assert found is not None
    assert (found.sessions, found.turns) == (3, 6)
    grounded, other = found.metrics
    assert (grounded.metric, grounded.sessions) == ("groundedness", 3)
    assert grounded.mean == pytest.approx((0.6 + 0.8 + 0.95) / 3)
    assert grounded.worst_turn == pytest.approx((0.2 + 0.8 + 0.9) / 3)
    assert grounded.lower is not None
    assert (other.metric, other.sessions, other.lower) == ("f", 1, None)
    assert [(one.session, one.case, one.turn, one.turns, one.score) for one in found.worst] == [
        ("s1", "b", 2, 2, 0.2),
        ("s2", "c", 1, 2, 0.8),
        ("s1", "h", 2, 2, 0.9),
    ]
    assert sessions_of([record("a", said("f", 1.0), session="s1"), record("b", said("f", 1.0))]) is None


def test_a_turn_that_cannot_be_answered_has_a_number_and_is_in_no_mean() -> None:
    kinds = ("simple", "negative", "simple")
    turns = [
        record(str(n), said("f", score), session="s", kind=kind, timestamp=f"2026-01-01T00:00:0{n}.000Z")
        for n, (score, kind) in enumerate(zip((0.9, 0.0, 0.3), kinds, strict=True))
    ]
    found = sessions_of(turns)
    assert found is not None
    assert found.turns == 3
    assert found.metrics[0].mean == pytest.approx(0.6)
    assert [(one.case, one.turn, one.turns) for one in found.worst] == [("2", 3, 3)]

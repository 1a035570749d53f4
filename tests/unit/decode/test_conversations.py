"""Conversations of agents, out of the spans of their last model call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sidecar.assemble.request import build_requests
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.authored import Message, ToolCall
from sidecar.record.record import Attributes
from sidecar.record.request import RagTrace
from sidecar.record.span import RawSpan

CALL = ToolCall("weather_check", {"city": "Ulm"})
TALK = (
    Message("user", "How warm is it in Ulm?"),
    Message("assistant", None, (CALL,)),
    Message("tool", "75 F"),
    Message("assistant", "75 °F."),
)
SENT = [
    {"role": "user", "parts": [{"type": "text", "content": "How warm is it in Ulm?"}]},
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "1", "name": "weather_check", "arguments": {"city": "Ulm"}}],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "75 F"}]},
]
GENAI: dict[str, Any] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": json.dumps(SENT),
    "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "75 °F."}]}]),
}
FLAT: dict[str, Any] = {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "How warm is it in Ulm?",
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather_check",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city": "Ulm"}',
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.content": "75 F",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "75 °F.",
}


def read(attributes: Attributes, *, keep: bool = True) -> RagTrace:
    span = RawSpan(
        trace_id="01" * 16,
        span_id="02" * 8,
        parent_span_id=None,
        name="chat",
        start_ns=1,
        end_ns=2,
        attributes={**attributes, "session.id": "s1"},
        resource={"service.name": "agent"},
    )
    decoder = Decoder(DecodeConfig(), Telemetry(), keep_text=lambda *_: keep)
    [one] = build_requests(decoder.read([span]))
    return one


@pytest.mark.parametrize("attributes", [GENAI, FLAT], ids=["OTel GenAI", "OpenInference"])
def test_the_conversation_of_an_agent_is_read_with_its_session(attributes: Attributes) -> None:
    found = read(attributes)
    assert found.messages == TALK
    assert (found.session, found.answer) == ("s1", "75 °F.")
    assert read(attributes, keep=False).messages == ()


def test_a_question_and_an_answer_are_no_conversation() -> None:
    plain = {**GENAI, "gen_ai.input.messages": json.dumps(SENT[:1])}
    assert read(plain).messages == ()

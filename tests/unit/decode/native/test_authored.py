"""Fields that authors of test cases write, under all their names, and conversations."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.native.reader import read_native_line
from sidecar.observe.telemetry import Telemetry
from sidecar.record.authored import Authored, Message, SourceUnit, ToolCall
from sidecar.record.errors import DecodeError
from sidecar.record.memory import trace_bytes
from sidecar.record.record import Record
from sidecar.record.request import RagTrace

QUESTION = {"question": "How long is the warranty?"}


def read(more: dict[str, Any], config: DecodeConfig | None = None) -> RagTrace:
    line = orjson.dumps({**QUESTION, **more})
    return read_native_line(line, config or DecodeConfig(), fallback_timestamp=1.0)


def authored(more: dict[str, Any]) -> Authored:
    found = read(more).authored
    assert found is not None
    return found


@pytest.mark.parametrize(
    "name", ["reference", "ground_truth", "ground_truth_answer", "groundTruthAnswer", "expected_output"]
)
def test_the_reference_answer_has_many_names(name: str) -> None:
    assert read({name: "Two years."}).reference == "Two years."


@pytest.mark.parametrize("name", ["reference_contexts", "ground_truth_contexts"])
def test_reference_contexts_are_texts_under_either_name(name: str) -> None:
    assert authored({name: ["Two years.", {"content": "From the purchase."}]}).contexts == (
        "Two years.",
        "From the purchase.",
    )


def test_all_that_an_author_may_say_is_read() -> None:
    given = {
        "reference_context_ids": ["a", 7],
        "reference_tool_calls": [{"name": "weather", "args": {"city": "Ulm"}}],
        "reference_topics": ["science"],
        "rubrics": {"score5_description": "right", "score1_description": "wrong"},
        "kind": "multi_hop",
        "origin": "synthetic",
        "persona": {"name": "Ana", "role_description": "buys a lamp"},
        "difficulty": "hard",
        "source_units": [{"document": "d1", "start": 3, "end": 9}, {"document_id": "d2", "span": [0, 2]}, {"id": "d3"}],
        "generation_params": {"temperature": 0.2},
    }
    assert authored(given) == Authored(
        context_ids=("a", "7"),
        tool_calls=(ToolCall("weather", {"city": "Ulm"}),),
        topics=("science",),
        rubric={1: "wrong", 5: "right"},
        kind="multi_hop",
        origin="synthetic",
        persona="Ana: buys a lamp",
        difficulty="hard",
        source_units=(SourceUnit("d1", 3, 9), SourceUnit("d2", 0, 2), SourceUnit("d3")),
        generation_params={"temperature": 0.2},
    )


def test_a_record_of_production_has_none_of_it() -> None:
    found = read({"answer": "Two years."})
    assert (found.authored, found.messages, found.retrieved) == (None, (), None)


def test_an_empty_list_of_contexts_says_that_retrieval_found_nothing() -> None:
    assert (read({"contexts": []}).documents, read({"contexts": []}).retrieved) == ((), True)
    assert read({"contexts": None}).retrieved is None


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"reference_contexts": 3}, "reference_contexts"),
        ({"reference_contexts": ["a", ""]}, "reference_contexts"),
        ({"reference_contexts": ["a"] * 1001}, "reference_contexts"),
        ({"reference_context_ids": ["a", {}]}, "reference_context_ids"),
        ({"reference_tool_calls": {"name": "a"}}, "reference_tool_calls"),
        ({"reference_tool_calls": [{"args": {}}]}, "reference_tool_calls"),
        ({"reference_topics": ["t" * 501]}, "reference_topics"),
        ({"rubrics": {"score1_description": "alone"}}, "rubrics"),
        ({"rubrics": {"one": "a", "two": "b"}}, "rubrics"),
        ({"rubrics": {"1": "a", "2": " "}}, "rubrics"),
        ({"persona": "p" * 4001}, "persona"),
        ({"source_units": ["d1"]}, "source_units"),
        ({"source_units": [{"document": "d1", "start": 9, "end": 3}]}, "source_units"),
        ({"generation_params": {"prompt": "p" * 10_000}}, "generation_params"),
        ({"generation_params": [1]}, "generation_params"),
        ({"messages": [{"role": "user", "content": "a"}] * 501}, "messages"),
    ],
)
def test_what_cannot_be_read_names_its_field_and_not_what_stands_in_it(more: dict[str, Any], field: str) -> None:
    with pytest.raises(DecodeError, match=f"bad_field: {field}") as error:
        read(more)
    assert "pppp" not in str(error.value)


TALKED = [{"role": role, "content": f"{role} {n}"} for n in range(251) for role in ("user", "assistant")]


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"rubrics": {"one": "a", "two": "b"}, "kind": "simple"}, Authored(kind="simple")),
        ({"reference_topics": ["t" * 501], "reference_contexts": ["a"]}, Authored(contexts=("a",))),
        ({"generation_params": [1], "persona": "p" * 4001}, None),
    ],
)
def test_of_a_request_of_production_a_field_that_cannot_be_read_is_left_out_and_counted(
    more: dict[str, Any], left: Authored | None
) -> None:
    telemetry = Telemetry()
    line = orjson.dumps({"question": "How long?", "answer": "Two years.", **more})
    [found] = Decoder(DecodeConfig(), telemetry).decode(Record("t", 0, 0, 1.0, None, line)).requests
    assert (found.question, found.answer, found.authored) == ("How long?", "Two years.", left)
    bad = len(more) - (left is not None)
    assert list(telemetry.values("rag_sidecar_decode_errors_total")) == [({"topic": "t", "reason": "bad_field"}, bad)]


def test_of_a_conversation_that_is_too_long_the_last_turn_is_left() -> None:
    line = orjson.dumps({"messages": TALKED, "request_id": "1"})
    [found] = Decoder(DecodeConfig(), Telemetry()).decode(Record("t", 0, 0, 1.0, None, line)).requests
    assert (found.question, found.answer, found.messages) == ("user 250", "assistant 250", ())


@pytest.mark.parametrize(
    ("roles", "question", "answer"),
    [
        (["user", "assistant", "user"], "user 2", None),
        (["user", "assistant", "user", "tool"], "user 2", None),
        (["user", "assistant", "user", "assistant", "tool", "assistant"], "user 2", "assistant 5"),
        (["user", "assistant", "tool"], "user 0", "assistant 1"),
    ],
)
def test_an_answer_of_an_earlier_turn_is_none_of_the_last(roles: list[str], question: str, answer: str | None) -> None:
    talk = [{"role": role, "content": f"{role} {n}"} for n, role in enumerate(roles)]
    found = read_native_line(orjson.dumps({"messages": talk}), DecodeConfig(), fallback_timestamp=1.0)
    assert (found.question, found.answer) == (question, answer)


CALL = ToolCall("weather_check", {"city": "Ulm"})
TALK = (
    Message("user", "How warm is it in Ulm?"),
    Message("assistant", None, (CALL,)),
    Message("tool", "75 F"),
    Message("assistant", "75 °F."),
)
SHAPES: dict[str, list[dict[str, Any]]] = {
    "Ragas": [
        {"type": "human", "content": "How warm is it in Ulm?"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "weather_check", "args": {"city": "Ulm"}}]},
        {"type": "tool", "content": "75 F"},
        {"type": "ai", "content": "75 °F."},
    ],
    "OpenAI": [
        {"role": "user", "content": "How warm is it in Ulm?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"type": "function", "function": {"name": "weather_check", "arguments": '{"city": "Ulm"}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "75 F"},
        {"role": "assistant", "content": [{"type": "text", "text": "75 °F."}]},
    ],
    "OTel GenAI": [
        {"role": "user", "parts": [{"type": "text", "content": "How warm is it in Ulm?"}]},
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "1", "name": "weather_check", "arguments": {"city": "Ulm"}}],
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "75 F"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "75 °F."}]},
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["messages", "conversation", "user_input"])
def test_a_conversation_is_read_in_every_shape_and_tells_question_and_answer(shape: str, name: str) -> None:
    line = orjson.dumps({name: SHAPES[shape]})
    found = read_native_line(line, DecodeConfig(), fallback_timestamp=1.0)
    assert found.messages == TALK
    assert (found.question, found.answer) == ("How warm is it in Ulm?", "75 °F.")


def test_the_names_of_a_user_are_mapped() -> None:
    config = DecodeConfig(mapping={"reference_contexts": "gold.texts", "origin": "meta.from"})
    found = read({"gold": {"texts": ["Two years."]}, "meta": {"from": "human"}}, config).authored
    assert found == Authored(contexts=("Two years.",), origin="human")


def test_dropped_texts_are_gone_and_what_reports_are_split_by_stays() -> None:
    found = read(
        {"reference": "Secret.", "reference_contexts": ["Secret."], "origin": "human", "messages": SHAPES["OpenAI"]}
    )
    bare = found.without_text()
    assert "Secret" not in repr(bare)
    assert "Ulm" not in repr(bare)
    assert bare.authored == Authored(origin="human")


def test_what_is_written_counts_as_memory() -> None:
    small, large = read({"reference_contexts": ["a"]}), read({"reference_contexts": ["a" * 10_000]})
    assert trace_bytes(large) - trace_bytes(small) >= 2 * 9_999

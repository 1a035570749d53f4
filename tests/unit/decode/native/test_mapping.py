"""Records in a user's own words, read by the expressions of decode.mapping."""

from __future__ import annotations

import orjson
import pytest
from pydantic import ValidationError

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native_line

RECORD = {
    "message": {"body": {"q": "How long is the warranty?"}, "reply": [{"text": "Two"}, {"text": "years."}]},
    "hits": [{"_source": {"content": "The warranty is two years."}, "_id": "d1", "_score": 3.5}, {"_source": {}}],
    "question": "not this one",
    "meta": {"svc": "support", "llm": "gpt-4o-mini", "took": 812, "arm": "B", "run": "r1"},
}
MAPPING = {
    "question": "message.body.q",
    "answer": "join(' ', message.reply[].text)",
    "contexts": "hits[?_source.content].{text: _source.content, id: _id, score: _score}",
    "service": "meta.svc",
    "model": "meta.llm",
    "latency_ms": "meta.took",
    "variant": "meta.arm",
    "session_id": "meta.nowhere",
    "request_id": "meta.run",
}


def test_fields_come_from_where_the_expressions_say() -> None:
    config = DecodeConfig(mapping=MAPPING)
    trace = read_native_line(orjson.dumps(RECORD), config, fallback_timestamp=1.0)
    assert (trace.question, trace.answer) == ("How long is the warranty?", "Two years.")
    assert [(d.text, d.id, d.score) for d in trace.documents] == [("The warranty is two years.", "d1", 3.5)]
    assert (trace.service, trace.model_answered, trace.variant, trace.session) == ("support", "gpt-4o-mini", "B", None)
    assert trace.durations.total == pytest.approx(0.812)


def test_what_an_expression_does_not_find_stays_as_it_was() -> None:
    config = DecodeConfig(mapping={"question": "nowhere", "answer": "join(' ', question)"})
    trace = read_native_line(b'{"id": "r1", "question": "What?", "answer": "That."}', config, fallback_timestamp=1.0)
    assert (trace.question, trace.answer) == ("What?", "That.")


@pytest.mark.parametrize(
    ("mapping", "said"), [({"qestion": "a"}, "no field 'qestion'"), ({"question": "a["}, "question: 'a\\['")]
)
def test_a_wrong_mapping_names_the_field(mapping: dict[str, str], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        DecodeConfig(mapping=mapping)

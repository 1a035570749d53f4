"""A file that is one JSON value is told for what it is, however it is printed; one of lines never."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from sidecar.offline.whole import Whole

RECORD = {"question": "How long?", "answer": "Two years."}
_LINES = "and one JSON object a line is read: `jq -c"
LIST = f"the file is a JSON list, {_LINES} '.[]' FILE` makes lines of it; `evaluate` reads it as it is"
OBJECT = f"the file is a JSON object over several lines, {_LINES} . FILE` makes lines of it"
OTLP = {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "q" * 500} for _ in range(500)]}]}]}
TRACES = "the file is one JSON value over several lines: traces of OpenTelemetry, not requests: `rag-sidecar inspect"
ZIPKIN = [[{"traceId": "ab", "id": "cd", "name": "q", "localEndpoint": {"serviceName": "kb"}}]]


def told(text: str) -> str:
    whole = Whole()
    for line in text.encode().splitlines(keepends=True):
        if line.strip():
            whole.add(line)
    return "\n".join(whole.told())


def listed(records: Sequence[object]) -> str:
    """As editors keep them: a record a line."""
    return "[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (listed([RECORD, RECORD]), LIST),
        ("\ufeff" + listed([RECORD, RECORD]), LIST),
        (listed([RECORD] * 5000), LIST),
        (json.dumps([RECORD, RECORD], indent=2), LIST),
        (json.dumps([RECORD, RECORD]), LIST),
        ("[\n]\n", LIST),
        (json.dumps(RECORD, indent=2), OBJECT),
        ((json.dumps(RECORD, indent=2) + "\n") * 2, OBJECT),
        (json.dumps({"cases": [RECORD]}, indent=1), OBJECT.replace("-c .", "-c '.cases[]'")),
        (json.dumps(OTLP, indent=2), TRACES),
        (json.dumps([OTLP], indent=2), TRACES),
        (json.dumps(ZIPKIN, indent=2), "the file is one JSON value over several lines: a span of Zipkin"),
    ],
    ids=[
        "a list", "behind a mark", "a long list", "in many lines", "in one line", "empty", "an object", "objects", "around", "otlp", "exports", "zipkin",
    ],
)  # fmt: skip
def test_a_file_of_one_value_is_told(text: str, said: str) -> None:
    assert told(text).startswith(said)


@pytest.mark.parametrize(
    "text",
    [
        "",
        json.dumps(RECORD) + "\n" + listed([RECORD]),
        json.dumps(RECORD) + ",\n" + json.dumps(RECORD) + ",\n",
        '{"question": "cut of\n' + json.dumps(RECORD),
        "{broken\n" + json.dumps(RECORD),
        json.dumps(OTLP),
        json.dumps(ZIPKIN),
        "5\n[\n",
        "[" * 100_000,
    ],
    ids=["nothing", "lines", "commas", "cut off", "broken", "otlp in a line", "zipkin in a line", "a number", "deep"],
)
def test_nothing_is_told_of_lines(text: str) -> None:
    assert told(text) == ""

"""What a command says of what other tools write, and which of it `inspect` reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.commands.called import called
from tests.unit.commands.exports import export

_ID_OF_JAEGER = {"traceID": "ab", "spanID": "cd"}
_JAEGER = {"traceID": "ab", "spans": [{**_ID_OF_JAEGER, "operationName": "q", "tags": []}], "processes": {}}
_ZIPKIN = {"traceId": "ab", "id": "cd", "name": "q", "duration": 5, "localEndpoint": {"serviceName": "kb"}, "tags": {}}


@pytest.mark.parametrize("command", ["score", "evaluate"])
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"resourceSpans": []}, "1 record: traces of OpenTelemetry, not requests: `rag-sidecar inspect --json FILE`"),
        (
            {
                "event_id": "e",
                "record_attributes": {"ai.observability.span_type": "record_root"},
                "record_type": "SPAN",
            },
            "1 record: an event of TruLens, whose requests stand in several: export its traces; `rag-sidecar inspect",
        ),
        (
            {"record_id": "r", "input": "How long?", "output": "Two years.", "record_json": "{}"},
            "1 record: a record of TruLens, whose contexts stand in the calls of record_json: give them as `contexts`",
        ),
        (
            {"name": "q", "context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": {}},
            "1 record: a span as the SDK prints it, not a request: export it; `rag-sidecar inspect --json FILE`",
        ),
        ({"batches": [{"scopeSpans": []}]}, "1 record: traces of OpenTelemetry, not requests: `rag-sidecar inspect"),
        ({"data": [_JAEGER]}, "1 record: traces of Jaeger, not requests: take them as OTLP from its /api/v3/traces"),
        (_JAEGER, "1 record: traces of Jaeger, not requests"),
        (
            {**_ID_OF_JAEGER, "operationName": "q", "tags": []},
            "1 record: traces of Jaeger, not requests: take them as OTLP from its /api/v3/traces/TRACE_ID; `rag-sidecar",
        ),
        (_ZIPKIN, "1 record: a span of Zipkin, not a request: send it through a Collector (receiver zipkin"),
        ([_ZIPKIN], "1 record: a span of Zipkin"),
        ([[_ZIPKIN, _ZIPKIN]], "1 record: a span of Zipkin, not a request"),
    ],
    ids=[
        "otlp", "events of trulens", "records of trulens", "console", "tempo", "jaeger", "a trace of jaeger", "a span of jaeger",
        "zipkin", "spans of zipkin", "traces of zipkin",
    ],
)  # fmt: skip
def test_what_other_tools_export_is_told_with_where_to_take_it(
    tmp_path: Path, command: str, row: object, said: str
) -> None:
    (path := tmp_path / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert said in called(command, path).stderr
    if not said.startswith("1 record: traces"):
        assert said in called("inspect", path).stdout
        assert said in called("inspect", "--json", path).stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (export("c" * 32), "the file is one JSON value over several lines: traces of OpenTelemetry, not requests: `rag-sidecar inspect --json FILE`"),
        ([{"question": "How long?", "answer": "Two years."}] * 2, "the file is a JSON list, and one JSON object a line is read: `jq -c '.[]' FILE` makes"),
    ],
    ids=["otlp", "a list"],
)  # fmt: skip
def test_score_tells_a_file_that_is_one_json_value(tmp_path: Path, content: object, said: str) -> None:
    # As editors keep a list: a record a line, of which the last looks like one of a file of lines.
    rows = json.dumps(content).replace("[{", "[\n{").replace("}, {", "},\n{").replace("}]", "}\n]")
    for text in (json.dumps(content, indent=2), rows):
        (path := tmp_path / "in.jsonl").write_text(text, encoding="utf-8")
        run = called("score", path)
        assert run.returncode == 1
        assert run.stderr.count(said) == 1


def test_inspect_tells_spans_as_the_sdk_prints_them_one_after_another(tmp_path: Path) -> None:
    span = {"name": "q", "context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": {}}
    (path := tmp_path / "spans.json").write_text((json.dumps(span, indent=4) + "\n") * 2, encoding="utf-8")
    run = called("inspect", path)
    assert run.returncode == 1
    assert f"unreadable: {path}, line 9: missing_field" in run.stdout
    assert "2 records: a span as the SDK prints it, not a request: export it" in run.stdout


@pytest.mark.parametrize("around", [lambda one: {"trace": one}, lambda one: {"result": one}, lambda one: one])
@pytest.mark.parametrize("key", ["batches", "resourceSpans"])
def test_inspect_reads_what_tempo_and_jaeger_answer_in_otlp(
    tmp_path: Path, key: str, around: Callable[[object], object]
) -> None:
    answered = around({key: export("c" * 32)["resourceSpans"]})
    (path := tmp_path / "trace.json").write_text(json.dumps(answered), encoding="utf-8")
    run = called("inspect", "--json", path)
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout)["answer"] == "Two years."


@pytest.mark.parametrize("as_list", [False, True], ids=["one after another", "a list"])
def test_inspect_reads_several_exports_of_several_lines(tmp_path: Path, as_list: bool) -> None:
    exports = [export("c" * 32), export("d" * 32)]
    texts = [json.dumps(one, indent=2) for one in ([exports] if as_list else exports)]
    (path := tmp_path / "spans.json").write_text("\n\n".join(texts), encoding="utf-8")
    run = called("inspect", "--json", path)
    assert (run.returncode, run.stderr) == (0, "")
    assert [json.loads(line)["answer"] for line in run.stdout.splitlines()] == ["Two years."] * 2

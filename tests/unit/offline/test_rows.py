"""Files of cases in the forms of other tools: shapes as their exporters write them, read into the same cases."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from sidecar.decode.config import DecodeConfig
from sidecar.offline.case import Case, Unread, read_cases
from sidecar.offline.foreign import Format
from sidecar.offline.rows import read
from sidecar.record.errors import ConfigError, DecodeError

# As EvaluationDataset of Ragas names them.
SAMPLES: list[dict[str, Any]] = [
    {
        "user_input": "How long is the warranty?", "retrieved_contexts": ["It's two years.", 'Ask for "parts".'],
        "reference_contexts": ["It's two years."], "response": "Two years.", "reference": "2 years",
    },
    {
        "user_input": "保修多久？", "retrieved_contexts": ["保修两年。"], "reference_contexts": ["保修两年。"],
        "response": "两年。", "reference": "两年",
    },
]  # fmt: skip


def cases(path: Path, form: Format = Format.AUTO) -> tuple[list[Case], list[Unread]]:
    _, rows = read(path, form)
    return read_cases(rows, DecodeConfig())


def to_jsonl(path: Path) -> Path:
    return _written(path / "a.jsonl", "\n".join(json.dumps(one, ensure_ascii=False) for one in SAMPLES))


def to_json(path: Path) -> Path:
    return _written(path / "a.json", json.dumps(SAMPLES, indent=1))


def to_csv(path: Path) -> Path:
    """As `EvaluationDataset.to_csv` does: lists as Python writes them."""
    with (path / "a.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(SAMPLES[0]))
        writer.writeheader()
        writer.writerows(SAMPLES)
    return path / "a.csv"


def to_parquet(path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(SAMPLES), path / "a.parquet")
    return path / "a.parquet"


def to_folder(path: Path) -> Path:
    """As `Dataset.save_to_disk` does: an Arrow stream in parts beside descriptions."""
    table = pa.Table.from_pylist(SAMPLES)
    for number in range(2):
        with ipc.new_stream(path / f"data-0000{number}-of-00002.arrow", table.schema) as writer:
            writer.write_table(table.slice(number, 1))
    _written(path / "state.json", "{}")
    return path


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("written", [to_jsonl, to_json, to_csv, to_parquet, to_folder], ids=lambda one: one.__name__)
def test_the_same_samples_are_the_same_cases_in_every_form(tmp_path: Path, written: Callable[[Path], Path]) -> None:
    found, unread = cases(written(tmp_path))
    assert unread == []
    expected, _ = read_cases(SAMPLES, DecodeConfig())
    assert found == expected
    assert [document.text for document in found[0].trace.documents] == SAMPLES[0]["retrieved_contexts"]
    assert found[1].trace.authored is not None
    assert found[1].trace.authored.contexts == ("保修两年。",)


def test_items_of_a_dataset_of_langfuse_have_references_and_no_answers(tmp_path: Path) -> None:
    items = [
        {
            "id": "i1", "status": "ACTIVE", "datasetId": "d", "datasetName": "kb", "sourceTraceId": None, "createdAt": "2026-01-01T00:00:00Z",
            "input": {"question": "How long?", "contexts": ["Two years."]}, "expectedOutput": {"answer": "2 years"},
            "metadata": {"kind": "simple", "origin": "human"},
        },
        {"id": "i2", "status": "ACTIVE", "datasetId": "d", "input": "Who?", "expectedOutput": "Nobody knows.", "metadata": None},
        {"id": "i3", "status": "ARCHIVED", "datasetId": "d", "input": "Old?", "expectedOutput": "Old."},
    ]  # fmt: skip
    for text in (json.dumps(items), json.dumps({"data": items, "meta": {"page": 1}})):
        found, unread = cases(_written(tmp_path / "langfuse.json", text))
        assert unread == []
        assert [(one.id, one.trace.question, one.trace.answer, one.trace.reference) for one in found] == [
            ("i1", "How long?", None, "2 years"),
            ("i2", "Who?", None, "Nobody knows."),
        ]
        assert [one.text for one in found[0].trace.documents] == ["Two years."]
        assert (found[0].kind, found[0].origin) == ("simple", "human")


def test_examples_of_a_dataset_of_phoenix_as_json_and_as_csv(tmp_path: Path) -> None:
    example = {
        "id": "RGF0YXNldEV4YW1wbGU6MQ==", "input": {"query": "How long?"}, "output": {"answer": "2 years"},
        "metadata": {"kind": "simple"}, "updated_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    whole = {"data": {"dataset_id": "d", "version_id": "v", "examples": [example]}}
    columns = "example_id,input_query,output_answer,metadata_kind\nRGF0YXNldEV4YW1wbGU6MQ==,How long?,2 years,simple\n"
    for path in (_written(tmp_path / "a.json", json.dumps(whole)), _written(tmp_path / "a.csv", columns)):
        [one], unread = cases(path)
        assert unread == []
        assert (one.id, one.trace.question, one.trace.answer, one.trace.reference, one.kind) == (
            "RGF0YXNldEV4YW1wbGU6MQ==", "How long?", None, "2 years", "simple",
        )  # fmt: skip


def test_runs_of_an_experiment_of_phoenix_have_answers(tmp_path: Path) -> None:
    run = {
        "example_id": "e1", "repetition_number": 1, "input": {"query": "How long?"}, "reference_output": {"answer": "2 years"},
        "output": {"answer": "Two years.", "contexts": ["It is two years."]}, "error": None, "latency_ms": 1500.0,
        "trace_id": "t", "prompt_token_count": 10, "completion_token_count": 3, "annotations": [],
    }  # fmt: skip
    second = {**run, "repetition_number": 2, "output": "2."}
    found, unread = cases(_written(tmp_path / "runs.json", json.dumps([run, second])))
    assert unread == []
    assert [(one.id, one.trace.answer, one.trace.reference) for one in found] == [
        ("e1", "Two years.", "2 years"),
        ("e1#2", "2.", "2 years"),
    ]
    assert found[0].trace.durations.total == 1.5
    assert (found[0].trace.tokens.input, found[0].trace.tokens.output) == (10, 3)
    assert [one.text for one in found[0].trace.documents] == ["It is two years."]


def test_a_record_that_only_looks_like_an_export_stays_native_unless_it_is_said(tmp_path: Path) -> None:
    row = {"id": "1", "input": {"question": "How long?"}, "output": {"answer": "Two years."}, "metadata": {}}
    path = _written(tmp_path / "a.jsonl", json.dumps(row))
    [native], _ = cases(path)
    assert (native.trace.answer, native.trace.reference) == ("Two years.", None)
    [phoenix], _ = cases(path, Format.PHOENIX)
    assert (phoenix.trace.answer, phoenix.trace.reference) == (None, "Two years.")


def test_what_spreadsheets_and_editors_put_into_a_file_costs_no_row(tmp_path: Path) -> None:
    """A mark of the encoding in front, a semicolon where the comma stands in numbers."""
    row = {"question": "How long, please?", "answer": "Two years."}
    files = {
        "a.jsonl": json.dumps(row),
        "a.json": json.dumps([row]),
        "a.csv": 'question,answer\n"How long, please?",Two years.\n',
        "b.csv": "question;answer\nHow long, please?;Two years.\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
        [one], unread = cases(tmp_path / name)
        assert (unread, one.trace.question, one.trace.answer) == ([], "How long, please?", "Two years.")


def test_a_row_of_csv_with_too_many_cells_is_told_with_its_place(tmp_path: Path) -> None:
    found, unread = cases(_written(tmp_path / "a.csv", "question,answer\nHow?,So.\nHow?,So.,More.\n"))
    assert (len(found), [(one.row, one.reason) for one in unread]) == (1, [(2, "bad_row")])


def test_a_row_that_is_no_case_is_found_by_its_line(tmp_path: Path) -> None:
    good = '{"question": "How?", "answer": "So."}'
    files = {
        "a.jsonl": f"{good}\n\n  \n{{broken\n\n{{}}\n",
        "a.csv": 'question,answer\n\n"How\nlong?",So.\n\n\nHow?,So.,More.\n,,\n',
        "a.json": f"[{good}, 1]",
    }
    places = {"a.jsonl": ["line 4", "line 6"], "a.csv": ["line 7", "line 8"], "a.json": ["row 2"]}
    for name, text in files.items():
        found, unread = cases(_written(tmp_path / name, text))
        assert (len(found), [one.place for one in unread]) == (1, places[name])


def test_cells_that_say_that_nothing_is_there_are_empty_where_that_means_something(tmp_path: Path) -> None:
    text = (
        "question,answer,retrieved_contexts,reference,model\n"
        "How?,NaN,nan,None,NaN\nHow?,None,NULL,So.,m\nHow?,none of them,\"['null']\",So.,m\n"
    )
    _, rows = read(_written(tmp_path / "a.csv", text))
    assert rows == [
        {"question": "How?", "reference": "None", "model": "NaN"},
        {"question": "How?", "reference": "So.", "model": "m"},
        {
            "question": "How?",
            "answer": "none of them",
            "retrieved_contexts": ["null"],
            "reference": "So.",
            "model": "m",
        },
    ]
    assert rows.blank == {"answer": 2, "retrieved_contexts": 2}
    _, rows = read(_written(tmp_path / "a.jsonl", '{"question": "How?", "answer": "None"}'))
    assert (rows, rows.blank) == ([{"question": "How?", "answer": "None"}], {})


def test_a_list_in_a_line_of_jsonl_is_one_row_that_is_no_case(tmp_path: Path) -> None:
    lines = b'[1,2]\n{"question": "How?", "answer": "So."}\n{"question": "Who?", "answer": "Me."}\n'
    (tmp_path / "a.jsonl").write_bytes(lines)
    found, unread = cases(tmp_path / "a.jsonl")
    assert (len(found), [one.row for one in unread]) == (2, [1])


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a"])
def test_a_line_over_the_limit_is_one_row_that_is_no_case(tmp_path: Path, name: str) -> None:
    one, long = b'{"question": "How?", "answer": "So."}\n', b'{"question": "' + b"x" * 2000 + b'"}\n'
    content = one + b"\n" + long + one
    (path := tmp_path / name).write_bytes((gzip.compress if name.endswith(".gz") else bytes)(b"\xef\xbb\xbf" + content))
    source, found = read(path, limits=DecodeConfig(most_record_bytes=1024))
    assert [type(row) for row in found] == [dict, DecodeError, dict]
    told = "too_large: 2017 bytes, decode.most_record_bytes is 1024; raise it, or give one record a line"
    assert (str(found[1]), found.lines) == (told, [1, 3, 4])
    assert source.sha256 == hashlib.sha256(content).hexdigest()


def test_a_list_in_one_line_is_no_line_over_the_limit(tmp_path: Path) -> None:
    rows = [{"question": "x" * 2000, "answer": "So."}] * 2
    for name in ("a.jsonl", "a.json", "a.jsonl.gz"):
        path = _written(tmp_path / name, "\n" + json.dumps(rows))
        _, found = read(path, limits=DecodeConfig(most_record_bytes=1024))
        assert found == rows


@pytest.mark.parametrize(
    "name", ["cases", "test_cases", "examples", "samples", "items", "rows", "records", "results", "data"]
)
def test_cases_are_found_in_an_object_around_them(tmp_path: Path, name: str) -> None:
    found, unread = cases(_written(tmp_path / "a.json", json.dumps({"name": "set", name: SAMPLES})))
    assert (len(found), unread) == (2, [])


def test_a_line_of_jsonl_in_another_encoding_is_no_case(tmp_path: Path) -> None:
    text = '{"question": "How much?", "answer": "£5"}\n'
    (tmp_path / "a.jsonl").write_bytes(text.encode("latin-1") + text.encode())
    found, unread = cases(tmp_path / "a.jsonl")
    assert [one.trace.answer for one in found] == ["£5"]
    assert unread == [Unread(1, "bad_encoding", "must be UTF-8: save the file so", line=1)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.parquet", b"no table", "bad_parquet"),
        ("a.csv", b"question\nM\xfcll?\n", "bad_encoding: CSV must be UTF-8: save it so"),
        ("a.csv", "question\nWho?\n".encode("utf-16"), r"a\.csv: a text in UTF-16, and UTF-8 is read \(save it"),
        (
            "a.csv",
            b"question,answer,answer\nHow?,So.,No.\n",
            "bad_columns: column 'answer' stands there twice: keep one, or name the other otherwise",
        ),
        ("a.json", b"[1, ", "bad_json"),
        ("missing.jsonl", None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read(tmp_path / name)
    with pytest.raises(ConfigError, match=r"without \*\.arrow"):
        read(tmp_path)


def test_columns_without_a_name_may_be_several(tmp_path: Path) -> None:
    _, rows = read(_written(tmp_path / "a.csv", ",,question\n1,x,How?\n"))
    assert [row["question"] for row in rows if isinstance(row, dict)] == ["How?"]


def test_cells_of_texts_stay_texts_though_they_be_json(tmp_path: Path) -> None:
    content = (
        "question, answer , contexts,ground_truth,id\n"
        """What?,"{""price"": 5}","['It is 5.']","['a', 'b']",[7]\n"""
        """What?,"[""Red"", ""Blue""]","[{""text"": ""Red""}]","{""price"": 5}",2\n"""
        """What?,"{""answer"": ""Two""}",It is two.,"[1, 2]",3\n"""
    )
    _, rows = read(_written(tmp_path / "a.csv", content))
    assert rows == [
        {"question": "What?", "answer": '{"price": 5}', "contexts": ["It is 5."], "ground_truth": ["a", "b"], "id": "[7]"},
        {"question": "What?", "answer": '["Red", "Blue"]', "contexts": [{"text": "Red"}], "ground_truth": '{"price": 5}', "id": "2"},
        {"question": "What?", "answer": {"answer": "Two"}, "contexts": "It is two.", "ground_truth": "[1, 2]", "id": "3"},
    ]  # fmt: skip


def test_conversations_and_objects_that_hold_a_record_are_read_out_of_cells(tmp_path: Path) -> None:
    content = (
        "input,output,user_input\n"
        """"{""query"": ""How?""}","{""price"": 5}","[{'content': 'Hi', 'type': 'human'}]"\n"""
        """"{""a"": 1}","{""answer"": ""2"", ""contexts"": [""z""]}",[x]\n"""
    )
    _, rows = read(_written(tmp_path / "a.csv", content))
    assert rows == [
        {"input": {"query": "How?"}, "output": '{"price": 5}', "user_input": [{"content": "Hi", "type": "human"}]},
        {"input": '{"a": 1}', "output": {"answer": "2", "contexts": ["z"]}, "user_input": "[x]"},
    ]


@pytest.mark.parametrize(
    ("text", "whole", "line"),
    [
        ('q,a\n1,one\n2,"two\n3,three\n4,four\n', 1, 3),
        ('q,a\r\n1,"one\r\nand more"\r\n"2\r\nb","two\r\n3,three', 1, 5),
        ('q,a\n1,"one ""and\na half"" two', 0, 2),
        ('q,a\n1,"', 0, 2),
        ('q,"a\n1,one\n', 0, 1),
    ],
    ids=["rows", "behind cells of several lines", "doubled quotes", "at the very end", "in the head"],
)
def test_a_quote_that_is_never_closed_is_a_row_that_names_its_line(
    tmp_path: Path, text: str, whole: int, line: int
) -> None:
    _, found = read(_written(tmp_path / "a.csv", text))
    assert len(found) == whole + 1
    assert str(found[-1]) == f"bad_row: the quote opened in line {line} is never closed"


def test_rows_of_csv_may_be_blank_short_or_empty(tmp_path: Path) -> None:
    text = 'q, a,b\n\n1,"one\nmore"\n,,\n1,2,3,4\n3,b,"c"'
    _, found = read(_written(tmp_path / "a.csv", text))
    assert [one if isinstance(one, dict) else str(one) for one in found] == [
        {"q": "1", "a": "one\nmore"},
        {},
        "bad_row: more cells than columns",
        {"q": "3", "a": "b", "b": "c"},
    ]
    assert read(_written(tmp_path / "none.csv", ""))[1] == []


@pytest.mark.parametrize("written", [to_jsonl, to_json], ids=lambda one: one.__name__)
def test_standard_input_is_json_or_json_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: Callable[[Path], Path]
) -> None:
    with written(tmp_path).open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        source, rows = read(Path("-"))
    assert source.name == "standard input"
    assert rows == SAMPLES

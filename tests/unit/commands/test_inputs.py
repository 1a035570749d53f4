"""What a command says of an input that it cannot read, and that it reads what is packed."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.parts.broker import produce
from tests.parts.mock_kafka import MockKafka
from tests.unit.commands.called import called
from tests.unit.commands.exports import export
from tests.unit.commands.test_cli import GOOD

PATH = "{path}"
# Every input that a command line names, and what stands before the path in a message.
INPUTS = (
    (("score", PATH), ""),
    (("evaluate", PATH), ""),
    (("evaluate", PATH, "--gate", PATH), "--gate: "),
    (("evaluate", PATH, "--against", PATH), "--against: "),
    (("inspect", PATH), ""),
    (("results", "worst", PATH), ""),
    (("compare", PATH, PATH), ""),
    (("compare", PATH, "--variant", "a", "--variant", "b"), ""),
    (("testset", PATH), ""),
    (("testset", "--from-results", PATH, "--requests", PATH), ""),
    (("calibrate", PATH), ""),
    (("label", PATH, "--requests", PATH, "--labels", "labels.jsonl"), ""),
    (("label", "--import", PATH, "--labels", "labels.jsonl"), "--import: "),
    (("probe", PATH), ""),
    (("check", "-c", PATH), "--config: "),
)
_SAID = re.compile(r'"(?:question|score|verdict)": ?[^,}]+')
READERS = ("score", "evaluate", "inspect")


def of(words: tuple[str, ...], path: Path) -> list[str]:
    return [str(path) if word == PATH else word for word in words]


@pytest.mark.parametrize(("words", "before"), INPUTS, ids=lambda value: " ".join(value) if value else "")
def test_a_file_that_is_not_there_is_named_as_it_was_typed(tmp_path: Path, words: tuple[str, ...], before: str) -> None:
    path = tmp_path / "not-there.jsonl"
    run = called(*of(words, path))
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"error {before}{path}: ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["inspect"], "error inspect: give a file or --topic"),
        (["compare"], "error compare: give files, --topic or --prometheus"),
        (["testset"], "error testset: give documents, --from-results or --topic"),
        (["results", "show", "nobody", PATH], "error nobody: none of 0 results has it"),
        (["results", "worst", PATH, "--topic", "t"], "error results: a file and --topic are given"),
        (["score", PATH, "no/such/out.jsonl"], "error no/such/out.jsonl: No such file or directory (give a writable"),
        (["evaluate", PATH, "-o", "no/such/out.json"], "error no/such/out.json: No such file or directory"),
        (["evaluate", PATH], "error {path}: holds no case"),
        (["calibrate", PATH], "error {path}: holds no record (give native records with a label"),
        (["calibrate", PATH, "--from-judge"], "error {path}: holds no record (give native records"),
        (["calibrate", PATH, "--of-judge"], "error --of-judge: {path} holds no labels of"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_no_message_says_what_was_not_typed(tmp_path: Path, words: list[str], expected: str) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"")
    run = called(*of(tuple(words), path))
    assert run.returncode == 2
    assert run.stderr.startswith(expected.format(path=path))


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", ["in.jsonl.gz", "in.jsonl"])
def test_what_is_packed_with_gzip_is_read(tmp_path: Path, command: str, name: str) -> None:
    path, plain = tmp_path / name, tmp_path / "plain.jsonl"
    lines = "".join(json.dumps({**GOOD, "request_id": name}) + "\n" for name in "ab").encode()
    path.write_bytes(gzip.compress(lines))
    plain.write_bytes(lines)
    extra = ["--json"] if command == "inspect" else ["-o", "-"] if command == "evaluate" else []
    run, expected = called(command, path, *extra), called(command, plain, *extra)
    assert (run.returncode, expected.returncode) == (0, 0)
    assert _SAID.findall(run.stdout) == _SAID.findall(expected.stdout) != []


@pytest.mark.parametrize("name", ["in.json", "in.jsonl", "in.ndjson"])
def test_inspect_reads_lines_behind_a_byte_order_mark(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" + "".join(json.dumps({**GOOD, "request_id": one}) + "\n" for one in "ab").encode())
    run = called("inspect", path, "--json")
    assert (run.returncode, run.stderr) == (0, "")
    assert len(run.stdout.splitlines()) == 2


@pytest.mark.parametrize("field", ["dead_letter_topic", "repartition"])
def test_inspect_reads_a_topic_that_the_sidecar_writes_to(tmp_path: Path, field: str) -> None:
    with MockKafka() as broker:
        broker.create_topic("written")
        produce(broker, "written", [json.dumps(GOOD).encode()])
        receive = {"bootstrap_servers": broker.bootstrap_servers, "topics": ["spans"], field: "written"}
        (path := tmp_path / "config.yaml").write_text(json.dumps({"receive": receive}), encoding="utf-8")
        run = called("inspect", "--topic", "written", "--json", "-c", path)
        missing = called("inspect", "--topic", "writen", "-c", path)
    assert (run.returncode, run.stderr) == (0, "")
    assert len(run.stdout.splitlines()) == 1
    assert missing.returncode == 3
    assert missing.stderr == "Kafka topic: writen does not exist (create it, or correct --topic)\n"


@pytest.mark.parametrize("command", READERS)
def test_an_archive_that_is_cut_short_is_told(tmp_path: Path, command: str) -> None:
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode())[:-12])
    run = called(command, path)
    assert (run.returncode, run.stderr) == (
        2,
        f"error {path}: the gzip archive is damaged or cut short (pack it anew)\n",
    )


@pytest.mark.parametrize("words", ["score -", "evaluate -", "inspect -", "results worst -"])
def test_a_closed_standard_input_is_an_error_of_the_input(words: str) -> None:
    command = f"exec {sys.executable} -m sidecar {words} <&-"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 2
    assert run.stderr == "error standard input: is closed (give a file, or send something in)\n"


@pytest.mark.parametrize(("words", "code"), [(["score"], 1), (["evaluate"], 1), (["evaluate", "all"], 2)])
def test_misspelt_fields_are_told_at_the_end(tmp_path: Path, words: list[str], code: int) -> None:
    path, wrong = tmp_path / "in.jsonl", {"quesion": "Secret?", "anwser": "Secret.", "other": "Secret"}
    path.write_text("".join(json.dumps(row) + "\n" for row in ([] if "all" in words else [GOOD]) + [wrong, wrong]))
    run = called(words[0], path)
    assert run.returncode == code
    assert run.stderr.count("field 'quesion' is not read (2 records): did you mean question?") == 1
    assert run.stderr.count("field 'anwser' is not read (2 records): did you mean answer?") == 1
    assert "Secret" not in run.stderr
    assert "'other'" not in run.stderr


@pytest.mark.parametrize("command", ["score", "evaluate"])
def test_a_line_over_the_limit_is_told_and_the_others_are_scored(tmp_path: Path, command: str) -> None:
    (path := tmp_path / "in.jsonl").write_bytes(
        b"\n".join([json.dumps(GOOD).encode(), b"x" * 5000, json.dumps(GOOD).encode()])
    )
    extra = ["-o", "-"] if command == "evaluate" else []
    run = called(command, path, *extra, RAG_SIDECAR_DECODE__MOST_RECORD_BYTES="1024")
    said = "5001 bytes, decode.most_record_bytes is 1024; raise it, or give one record a line"
    assert run.returncode == 1
    if command == "score":
        rows = [json.loads(line) for line in run.stdout.splitlines()]
        assert [row["outcome"] for row in rows] == ["scored", "failed", "scored"]
        assert (rows[1]["line"], rows[1]["reason"], rows[1]["detail"]) == (2, "too_large", said)
    else:
        assert len(json.loads(run.stdout)["results"]) == 2
        assert f"line 2 is no case: too_large: {said}" in run.stderr


@pytest.mark.parametrize(
    ("command", "name", "text"),
    [
        ("score", "in.jsonl", '{"q": "How long?", "a": "Two years.", "contexts": ["It is two years."]}\n' * 2),
        ("evaluate", "in.tsv", "q\ta\tcontexts\n" + "How long?\tTwo years.\tIt is two years.\n" * 2),
    ],
)
def test_fields_that_are_not_read_are_told_where_no_record_has_an_answer(
    tmp_path: Path, command: str, name: str, text: str
) -> None:
    (path := tmp_path / name).write_text(text, encoding="utf-8")
    run = called(command, path)
    assert run.returncode == 0
    assert run.stderr.count("no answer in 2 of 2 records; fields that are not read (docs/native.md has those") == 1
    assert run.stderr.count("takes names of your own): a\n") == 1


_UNPACK = "(unpack it, or pack it with gzip; save a spreadsheet as CSV in UTF-8)"
_SAVE = "(save it as UTF-8: `iconv -f UTF-16 -t UTF-8`, or `Set-Content -Encoding utf8` in PowerShell)"


@pytest.mark.parametrize("command", ["score", "evaluate", "inspect", "calibrate"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PK\x03\x04 and more", f"a zip archive {_UNPACK}"),
        (b"BZh91AY&SY and more", "an archive of bzip2 (unpack it, or pack it with gzip)"),
        (json.dumps(GOOD).encode("utf-16"), f"a text in UTF-16, and UTF-8 is read {_SAVE}"),
        (json.dumps(GOOD).encode("utf-16-be"), f"a text in UTF-16, and UTF-8 is read {_SAVE}"),
    ],
)
def test_another_archive_or_encoding_is_told(
    tmp_path: Path, command: str, pack: Callable[[bytes], bytes], content: bytes, told: str
) -> None:
    (path := tmp_path / "in.jsonl").write_bytes(pack(content))
    run = called(command, path)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"error {path}: {told}\n")


@pytest.mark.parametrize("words", ["version", "score {path}", "inspect {path} --json", "evaluate {path} -o -"])
def test_a_closed_standard_output_is_told(tmp_path: Path, words: str) -> None:
    (path := tmp_path / "in.jsonl").write_text(json.dumps(GOOD) + "\n")
    command = f"exec {sys.executable} -m sidecar {words.format(path=path)} >&-"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, "could not be written" in run.stderr) == (4, True)
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr


def test_a_file_whose_name_is_no_utf_8_is_evaluated_and_reported(tmp_path: Path) -> None:
    path, target = tmp_path / "in\udcff.jsonl", tmp_path / "out.json"
    path.write_text(json.dumps(GOOD) + "\n")
    assert called("evaluate", path, "-o", target).returncode == 0
    assert json.loads(target.read_text())["source"]["name"] == "in\ufffd.jsonl"


def test_where_standard_input_is_not_read_that_is_said() -> None:
    run = called("calibrate", "-")
    assert (run.returncode, run.stderr) == (2, "error -: standard input is not read here (give a file)\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("inspect", "x", "--records", "5"), "--records: a file is read, and no topic (leave it out, or give --topic)"),
        (("inspect", "x", "--bootstrap-servers", "b:1"), "--bootstrap-servers: a file is read, and no topic"),
        (("inspect", "--topic", "t", "--logs", "l"), "--logs: a topic is read, and no file (leave it out: log records"),
        *(
            (("results", *command, "x", "--records", "5"), "--records: a file is read, and no topic (leave it out)\n")
            for command in (("worst",), ("tail",), ("show", "abc"))
        ),
        (("testset", "--from-results", "x", "--requests", "y", "--records", "5"), "--records: a file is read, and no"),
        (("evaluate", "x", "--most-usd", "1"), "--most-usd: no judge is asked (leave it out, or set judge.url)\n"),
        (("evaluate", "x", "-o", "-", "--resume"), "--resume: no report is written that a run could be kept beside"),
    ],
)
def test_what_would_say_nothing_is_refused(words: tuple[str, ...], said: str) -> None:
    run = called(*words)
    assert (run.returncode, run.stderr[: len(f"error {said}")]) == (2, f"error {said}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({**GOOD, "answer": ["Two", "years."]}, ": bad_field: answer must be a text"),
        ([GOOD, {**GOOD, "contexts": [1]}], ", record 2 of its list: bad_field: contexts: item 1 is neither"),
        ([GOOD, 5], ", record 2 of its list: not_an_object"),
        (export("c" * 32, "zz", "0x"), ": no_trace_id: 2 parts of the record could not be read"),
        (
            export("c" * 32, startTimeUnixNano="soon"),
            ": bad_time: 1 part of the record could not be read (a time such as `startTimeUnixNano` is neither",
        ),
        (
            export("c" * 32, events=[{"attributes": "a"}]),
            ": bad_attributes: 1 part of the record could not be read (`attributes` is neither a list",
        ),
    ],
    ids=["a field", "a field of one of a list", "one of a list", "spans", "a time", "attributes"],
)
def test_inspect_tells_what_it_could_not_read_of_a_record(tmp_path: Path, content: object, said: str) -> None:
    (path := tmp_path / "in.json").write_text(json.dumps(content), encoding="utf-8")
    run = called("inspect", path)
    assert run.returncode == 1
    assert run.stdout.count("  request (") == 1
    assert f"unreadable: {path}{said}" in run.stdout


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"latency_ms": "15 ms"}, "latency_ms must be a number from 0 to 1,000,000 seconds"),
        ({"usage": {"completion_tokens": 1e30}}, "completion_tokens of usage must be a number from 0 to 1,000,000,000"),
        ({"timestamp": True}, "timestamp must be a text or a number"),
    ],
)
def test_inspect_tells_a_field_that_was_passed_over_as_that(
    tmp_path: Path, wrong: dict[str, object], said: str
) -> None:
    (path := tmp_path / "in.jsonl").write_text(json.dumps({**GOOD, **wrong}) + "\n", encoding="utf-8")
    run, beside = called("inspect", path), called("inspect", "--json", path)
    assert (run.returncode, beside.returncode) == (1, 1)
    assert run.stdout.count("  request (") == len(beside.stdout.splitlines()) == 1
    assert "unreadable" not in run.stdout + beside.stderr
    [told] = [line for line in run.stdout.splitlines() if said in line]
    assert told.startswith(f"{path}, line 1: {said}")
    assert told.endswith(": passed over")
    assert beside.stderr == told + "\n"


def test_inspect_holds_no_records_without_an_id_for_one(tmp_path: Path) -> None:
    bare = {name: value for name, value in GOOD.items() if name not in ("request_id", "timestamp")}
    rows = [bare, bare, {**bare, "model": "m"}]
    (path := tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = called("inspect", "--json", path)
    assert (run.returncode, run.stderr) == (0, "")
    assert [json.loads(line)["model_answered"] for line in run.stdout.splitlines()] == [None, None, "m"]


def test_requests_that_inspect_makes_of_spans_are_cases(tmp_path: Path) -> None:
    spans = Path("tests/golden/decode/oi_langchain_ok.pb").resolve()
    (path := tmp_path / "in.jsonl").write_text(called("inspect", "--json", spans).stdout, encoding="utf-8")
    run = called("evaluate", path)
    assert run.returncode == 0, run.stderr
    assert "1 case of in.jsonl; verdicts: grounded 1" in run.stdout


def test_turns_of_a_session_that_inspect_printed_are_one_conversation(tmp_path: Path) -> None:
    turns = [{**GOOD, "request_id": name, "session_id": "s", "model": "gpt-4o"} for name in "abc"]
    (path := tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in turns), encoding="utf-8")
    (cases := tmp_path / "cases.jsonl").write_text(called("inspect", "--json", path).stdout, encoding="utf-8")
    again = called("inspect", "--json", cases)
    assert (again.returncode, again.stderr, again.stdout) == (0, "", cases.read_text(encoding="utf-8"))
    [one] = json.loads(called("evaluate", cases, "--sessions", "-o", "-").stdout)["results"]
    assert (one["session"], one["model"], one["timestamp"]) == ("s", "gpt-4o", "2026-01-01T00:00:00.000Z")


@pytest.mark.parametrize("text", ["", "\n  \n"])
def test_a_file_without_any_record_is_refused_and_the_results_of_before_stay(tmp_path: Path, text: str) -> None:
    (path := tmp_path / "in.jsonl").write_text(text, encoding="utf-8")
    (target := tmp_path / "out.jsonl").write_text("before", encoding="utf-8")
    run = called("score", path, target)
    assert (run.returncode, run.stdout, target.read_text()) == (2, "", "before")
    assert (
        run.stderr == f"error {path}: holds no record (give native records, one JSON object a line: docs/native.md)\n"
    )
    assert called("evaluate", path).returncode == 2

"""The file of a probe."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.probe.settings import load_probe
from sidecar.record.errors import ConfigError

LEAST = "service: kb\ncases: cases.jsonl\nrequest: {url: 'http://rag:8080/ask'}\n"


def written(folder: Path, text: str) -> Path:
    (path := folder / "probe.yaml").write_text(text, encoding="utf-8")
    return path


def test_the_least_that_is_needed_and_cases_beside_it(tmp_path: Path) -> None:
    probe = load_probe(written(tmp_path, LEAST))
    assert (probe.service, probe.cases, probe.every_seconds) == ("kb", tmp_path / "cases.jsonl", 900)
    assert probe.request.body == {"question": "{question}"}


def test_a_gate_may_be_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "gate.yaml").write_text("metrics: {faithfulness: 0.7}\n", encoding="utf-8")
    gate = load_probe(written(tmp_path, LEAST + "gate: gate.yaml\n")).gate
    assert gate.metrics["faithfulness"] is not None
    assert gate.metrics["faithfulness"].limit == 0.7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "none.yaml: No such file or directory"),
        ("metrics: {\n", "line 2: not valid YAML"),
        ("metrics:\n  faithfulness: 2026-13-45\n", "line 2: a value that is not what it looks like"),
        ("metrics: {faithfulness: 85}\n", "metrics.faithfulness.limit"),
    ],
)
def test_a_wrong_gate_file_is_named_by_the_field_that_gave_it(tmp_path: Path, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / "none.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_probe(written(tmp_path, LEAST + "gate: none.yaml\n"))
    assert raised.value.field == "gate"
    assert said in str(raised.value)


def test_secrets_come_from_the_environment_and_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (key := tmp_path / "key").write_text("of-a-file\n", encoding="utf-8")
    monkeypatch.setenv("RAG_TOKEN", "of-the-environment")
    more = (
        f"request:\n  url: http://rag/ask\n  headers:\n    authorization: {{env: RAG_TOKEN}}\n    x-key: {{file: {key}}}\n    x-plain: text\n"
        "  prefix: {Authorization: 'Bearer '}\n"
    )
    request = load_probe(written(tmp_path, LEAST.replace("request: {url: 'http://rag:8080/ask'}\n", more))).request
    assert request.read_headers() == {
        "authorization": "Bearer of-the-environment", "x-key": "of-a-file", "x-plain": "text"
    }  # fmt: skip
    assert "text'" not in repr(request.headers["x-plain"])
    monkeypatch.delenv("RAG_TOKEN")
    with pytest.raises(ConfigError, match=r"request\.headers\.authorization: the environment has no RAG_TOKEN"):
        request.read_headers()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a list\n", "must be a map"),
        ("service: kb\n", "cases: is required"),
        (LEAST + "evry_seconds: 5\n", "no such setting"),
        (LEAST + "every_seconds: 5\n", "must be at least 10"),
        (LEAST.replace("ask'}", "ask', body: {n: 1180591620717411303424}}"), "request.body: cannot be written as JSON"),
        (LEAST.replace("ask'}", "ask', body: {s: !!set {a}}}"), "request.body: cannot be written as JSON"),
        (
            LEAST.replace("ask'}", "ask', body: {q: '{frage}'}}"),
            "request.body: nothing fills in {frage}; known are question, id, reference, kind",
        ),
        (
            LEAST.replace("ask'}", "ask', body: {m: [{c: 'Q: {question} {referenze}'}]}}"),
            "request.body: nothing fills in {referenze}; did you mean reference?",
        ),
        (
            LEAST.replace("ask'}", "ask', body: {q: {question}}}"),
            'request.body: every case would send the same: write "{q',
        ),
        (LEAST.replace("ask'}", "ask', body: {q: '{id}'}}"), "request.body: every case would send the same"),
        (LEAST.replace("/ask'", "/ask?q={question}'"), "request.url: {question} is not filled in here"),
        (LEAST.replace("ask'}", "ask', headers: {x-case: '{id}'}}"), "request.headers: x-case has a name in braces"),
        (LEAST.replace("ask'}", "ask', prefix: {k: '${TOKEN}'}}"), "request.prefix: k has a name in braces"),
        (LEAST + "response: {contexts: hits}\n", "answer is required"),
        (LEAST + "response: {answer: 'a[', contexts: b}\n", "is not a JMESPath expression"),
        (LEAST + "response: {answers: a}\n", "no field 'answers'"),
        (LEAST.replace("http://rag:8080/ask", "rag:8080"), "must be an address"),
        (LEAST.replace("http://rag", "http://u:p@rag"), "must hold no login"),
        (LEAST.replace("ask'}", "ask', headers: {Traceparent: x}}"), "is set by the probe itself"),
        (LEAST.replace("ask'}", "ask', headers: {k: {env: A, file: b}}}"), "either env or file"),
        (LEAST + "gate: {metrics: {faithfulness: 85}}\n", "gate.metrics.faithfulness"),
        (LEAST + "every_seconds: 2026-13-45\n", "probe.yaml, line 4: a value that is not what it looks like"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_probe(written(tmp_path, text))
    assert said in str(raised.value)
    assert "u:p" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    ['{"q": "{question}", "n": {"k": 3}}', "query { hits(q: {question}) { text } }", "{{context}} {question} {}"],
)
def test_braces_that_are_no_place_stay(tmp_path: Path, text: str) -> None:
    given = LEAST.replace("ask'}", f"ask', body: {{q: '{text}'}}}}")
    assert load_probe(written(tmp_path, given)).request.body == {"q": text}


def test_a_token_that_cannot_be_encoded_is_named_and_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN", "hush\udcff")
    given = LEAST.replace("ask'}", "ask', headers: {authorization: {env: RAG_TOKEN}}}")
    with pytest.raises(ConfigError, match=r"request\.headers\.authorization: holds bytes that are no UTF-8") as refused:
        load_probe(written(tmp_path, given)).request.read_headers()
    assert "hush" not in str(refused.value)

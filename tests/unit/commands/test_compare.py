"""`rag-sidecar compare` as a user types it: reports, results, a topic, Prometheus."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pytest

from sidecar.offline.record import Compared
from sidecar.offline.render.forms import as_json
from tests.parts.broker import Message, produce
from tests.parts.mock_kafka import MockKafka
from tests.unit.commands.called import called as cli
from tests.unit.offline.records import record, said
from tests.unit.offline.test_gate import report


def reports(folder: Path) -> tuple[Path, Path]:
    chance = random.Random(4)
    for name, shift in (("a", 0.0), ("b", 0.1)):
        scores = [min(1.0, max(0.0, chance.gauss(0.6 + shift, 0.05))) for _ in range(40)]
        made = report(*(record(f"c{n}", said("faithfulness", score), said("g", 0.5)) for n, score in enumerate(scores)))
        (folder / f"{name}.json").write_text(as_json(made), encoding="utf-8")
    return folder / "a.json", folder / "b.json"


def results(*counts: int) -> list[bytes]:
    chance = random.Random(5)
    rows = [
        {
            "schema": "rag-sidecar.result.v1", "id": f"{variant}{n}", "service": "kb", "variant": variant, "outcome": "scored",
            "verdict": "grounded" if chance.random() < good else "hallucinated", "inclusion_probability": 0.5,
            "evaluations": [{"evaluator": "faithfulness", "outcome": "scored", "score": chance.uniform(0.4, good)}],
        }
        for variant, count, good in zip(("old", "new"), counts, (0.7, 0.9), strict=True)
        for n in range(count)
    ]  # fmt: skip
    return [json.dumps(row).encode() for row in rows]


VARIANTS = ("--variant", "old", "--variant", "new")


def test_two_reports_are_compared_case_by_case(tmp_path: Path) -> None:
    a, b = reports(tmp_path)
    target = tmp_path / "out.json"
    run = cli("compare", a, b, "-o", target, "-o", tmp_path / "out.md", "-o", tmp_path / "out.html")
    assert run.returncode == 0, run.stderr
    found = Compared.model_validate_json(target.read_bytes())
    assert found.paired
    by_name = {one.metric: one for one in found.comparisons}
    assert (by_name["faithfulness"].winner, by_name["faithfulness"].pairs) == ("B", 40)
    assert by_name["g"].says == "no difference in any case"
    assert re.search(r"faithfulness +40 +0\.\d+ +0\.\d+ +\+0\.1\d\d .*B is better", run.stdout)
    assert "pairs that show a difference of" in run.stdout
    assert "B is better" in (tmp_path / "out.md").read_text()
    assert "<script" not in (tmp_path / "out.html").read_text()


def test_copies_of_one_case_are_no_evidence(tmp_path: Path) -> None:
    for name, score in (("a", 0.4), ("b", 0.9)):
        keys = ("c0", *(f"c0#{n}" for n in range(2, 13)))
        made = report(*(record("c0", said("faithfulness", score), key=key, digest=key) for key in keys))
        (tmp_path / f"{name}.json").write_text(as_json(made), encoding="utf-8")
    run = cli("compare", tmp_path / "a.json", tmp_path / "b.json", "-o", tmp_path / "out.json")
    assert run.returncode == 0, run.stderr
    [one] = Compared.model_validate_json((tmp_path / "out.json").read_bytes()).comparisons
    assert (one.pairs, one.winner) == (1, None)
    assert run.stderr.splitlines() == [f"{name}: 11 cases repeating an id not counted" for name in "AB"]


def test_two_variants_of_a_file_of_results_are_compared_by_their_means(tmp_path: Path) -> None:
    (source := tmp_path / "results.jsonl").write_bytes(b"\n".join([*results(300, 200), b"{broken"]))
    run = cli("compare", source, *VARIANTS, "--service", "kb", "-o", "-")
    assert run.returncode == 0, run.stderr
    found = Compared.model_validate_json(run.stdout)
    assert (found.paired, found.a, found.b) == (False, "old", "new")
    assert {one.metric: one.winner for one in found.comparisons} == {"grounded_answers": "B", "faithfulness": "B"}
    assert found.split is not None
    assert found.split.mismatch
    assert "the split is not what was wanted" in run.stderr
    assert "1 result could not be read, left out" in run.stderr
    other = cli("compare", source, *VARIANTS, "--service", "another")
    assert other.returncode == 2
    assert "--variant: no result of another is of old or new (there are: none)" in other.stderr
    misspelt = cli("compare", source, "--variant", "old", "--variant", "nwe")
    assert (misspelt.returncode, misspelt.stdout) == (2, "")
    assert "--variant: no result is of nwe (there are: old 300, new 200)" in misspelt.stderr


def test_two_variants_of_a_topic(tmp_path: Path) -> None:
    with MockKafka() as broker:
        broker.create_topic("results")
        other = results(1, 0)[0].replace(b"old0", b"another")
        erased = [Message(other, key=b"erased"), Message(None, key=b"erased")]
        produce(broker, "results", [*results(150, 150), *erased])
        run = cli(
            "compare",
            "--topic",
            "results",
            *VARIANTS,
            "-o",
            "-",
            RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS=broker.bootstrap_servers,
        )
    assert run.returncode == 0, run.stderr
    assert [one.size_a for one in Compared.model_validate_json(run.stdout).comparisons] == pytest.approx([150, 150])


def test_a_topic_that_the_sidecar_writes_results_to_is_read_where_they_are(tmp_path: Path) -> None:
    with MockKafka() as broker:
        broker.create_topic("results")
        produce(broker, "results", results(150, 150))
        settings = f"""
            receive: {{bootstrap_servers: "127.0.0.1:1", topics: [spans], start_timeout_seconds: 10}}
            results: {{topic: results, bootstrap_servers: "{broker.bootstrap_servers}"}}"""
        (path := tmp_path / "config.yaml").write_text(settings, encoding="utf-8")
        run = cli("compare", "--topic", "results", *VARIANTS, "-o", "-", "-c", path)
        missing = cli("compare", "--topic", "reslts", *VARIANTS, "-c", path)
    assert run.returncode == 0, run.stderr
    assert [one.size_a for one in Compared.model_validate_json(run.stdout).comparisons] == pytest.approx([150, 150])
    assert missing.returncode == 3
    assert missing.stderr == "Kafka topic: reslts does not exist (create it, or correct --topic)\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "one of them"),
        (("a.json", "--prometheus", "http://x"), "one of them"),
        (("a.json", "b.json", *VARIANTS), "--variant: two files are reports, which have no variants (leave it out)"),
        (
            ("a.json", "b.json", "--service", "s"),
            "--service: two files are reports, which have no services (leave it out)",
        ),
        (
            ("a.json", "b.json", "--share-a", "0.5"),
            "--share-a: two files are reports of the same cases, whose split is no traffic's (leave it out)",
        ),
        (
            ("a.json", "b.json", "--window", "1d"),
            "--window: Prometheus is not asked (leave it out, or give --prometheus URL)",
        ),
        (("a.jsonl", *VARIANTS, "--token-file", "t"), "--token-file: Prometheus is not asked"),
        (("--topic", "t", *VARIANTS, "--window", "2h"), "--window: Prometheus is not asked"),
        (("a.jsonl", *VARIANTS, "--last", "5"), "--last: no topic is read (leave it out, or give --topic)"),
        (("--prometheus", "user:secret@x", *VARIANTS), "--prometheus: is no address: "),
        (("a.json",), "a.json: there is no second report to compare it with (give two reports"),
        (("missing.jsonl", *VARIANTS), "No such file"),
        (("missing.json", "b.json"), "No such file"),
        (("--prometheus", "http://127.0.0.1:1", "--variant", "a", "--variant", "a"), "two variants are compared"),
        (("--prometheus", "not an address", *VARIANTS), "is no address"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else None,
)
def test_what_cannot_be_compared_is_told(words: tuple[str, ...], message: str) -> None:
    run = cli("compare", *words)
    assert run.returncode == 2
    assert message in run.stderr
    assert "secret" not in run.stderr


@pytest.mark.parametrize("variants", [VARIANTS, VARIANTS[:2]])
def test_a_report_has_no_variants(tmp_path: Path, variants: tuple[str, ...]) -> None:
    (path := tmp_path / "report.json").write_text(as_json(report(record("c0", said("f", 0.5)))), encoding="utf-8")
    run = cli("compare", path, *variants)
    assert run.returncode == 2
    assert run.stderr.startswith(f"error {path}: a report of `evaluate`, which has no variants (give two reports")


@contextmanager
def prometheus(answer: object, status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """Something that answers every query so, and remembers them."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())["query"][0])
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_prometheus_that_says_no_is_quoted() -> None:
    with prometheus({"status": "error", "errorType": "bad_data", "error": "parse error"}, 400) as (url, asked):
        run = cli("compare", "--prometheus", url, *VARIANTS, "--service", 'k"b', "--window", "2h")
    assert run.returncode == 1
    assert "bad_data: parse error" in run.stderr
    assert asked == ['sum by (variant, evaluator) (increase(rag_evaluation_score_count{rag_service="k\\"b"}[2h]))']


def test_a_server_that_is_no_prometheus_or_none_at_all_is_told() -> None:
    with prometheus(["hello"]) as (url, _):
        run = cli("compare", "--prometheus", url, *VARIANTS)
    assert run.returncode == 1
    assert "no answer of Prometheus" in run.stderr
    run = cli("compare", "--prometheus", "http://user:secret@127.0.0.1:1", *VARIANTS)
    assert run.returncode == 1
    assert run.stderr.startswith(
        "error --prometheus: no answer from http://127.0.0.1:1: ConnectError (give the address"
    )


def test_metrics_that_are_named_decide_alone(tmp_path: Path) -> None:
    a, b = reports(tmp_path)
    run = cli("compare", a, b, "--decide", "g, faithfulness", "-o", tmp_path / "out.md", "-o", tmp_path / "out.html")
    said = "decided by faithfulness; p is corrected for 1 metric; too few cases differ (6 at least) in g"
    assert run.returncode == 0, run.stderr
    assert all(said in one for one in (run.stdout, *((tmp_path / f"out.{end}").read_text() for end in ("md", "html"))))
    told = cli("compare", a, b, "--decide", "g")
    assert "told, does not decide" in told.stdout
    assert "told alone: faithfulness" in told.stdout
    wrong = cli("compare", a, b, "--decide", "fatihfulness")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "error --decide: no metric is called 'fatihfulness' (did you mean faithfulness?)\n"


def test_a_variant_that_prometheus_does_not_know_is_told_with_those_it_knows() -> None:
    rows = [{"metric": {"variant": name, "evaluator": "f"}, "value": [0, "200"]} for name in ("old", "new")]
    with prometheus({"status": "success", "data": {"result": rows}}) as (url, _):
        run = cli("compare", "--prometheus", url, "--variant", "old", "--variant", "nwe")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "error --variant: no result is of nwe (there are: old 0, new 0)\n"

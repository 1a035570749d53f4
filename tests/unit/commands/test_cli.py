"""The command line as a user types it: outputs, messages and exit codes."""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from sidecar import config
from sidecar.__main__ import COMMANDS, Command
from tests.parts.mock_kafka import MockKafka
from tests.unit.commands.called import called
from tests.unit.decode.recordings import FOLDER

GOOD = {
    "request_id": "a",
    "timestamp": "2026-01-01T00:00:00Z",
    "service": "kb",
    "question": "How long is the warranty?",
    "answer": "Two years.",
    "contexts": ["The warranty is two years."],
}


def cli(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_SIDECAR_", "OTEL_"))}
    command = [sys.executable, "-m", "sidecar", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env={**clean, **environment}, check=False
    )


def test_version_prints_the_version() -> None:
    assert cli("version").stdout == cli("--version").stdout == "rag-sidecar 0.1.0\n"


def test_help_lists_every_command_with_its_whole_line_at_80_columns() -> None:
    run = cli("--help", COLUMNS="80")
    said = " ".join(run.stdout.split())
    for command in COMMANDS:
        assert f" {command.name} {command.line} " in said
    assert max(map(len, run.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [*([command.name] for command in COMMANDS), ["models", "export"], ["models", "quantise"], ["models", "verify"]],
    ids=lambda words: " ".join(words),
)
def test_no_help_is_cut_at_80_columns(words: list[str]) -> None:
    run = cli(*words, "--help", COLUMNS="80")
    assert run.returncode == 0
    assert "…" not in run.stdout
    # What may be given more than once is no line that was cut.
    assert "..." not in run.stdout.replace("COMMAND [ARGS]...", "").replace("[DOCUMENTS]...", "")
    assert max(map(len, run.stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_line_of_a_command_is_the_first_of_its_own_help(command: Command) -> None:
    own = typer.main.get_command(importlib.import_module(f"sidecar.commands.{command.module}").cli)
    assert own.help
    assert own.help.partition("\n\n")[0] == command.line


def test_help_imports_no_heavy_library() -> None:
    code = "import sidecar.__main__, sys; sys.stdout.write(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    heavy = {"onnxruntime", "numpy", "aiokafka", "grpc", "pydantic", "opentelemetry", "tokenizers", "genai_prices"}
    assert heavy.isdisjoint(run.stdout.split())


def test_no_message_sends_to_an_index_where_nothing_is_published() -> None:
    root = Path(__file__).parents[3]
    pages = [
        root / "README.md",
        *root.glob("docs/**/*.md"),
        *root.glob("sidecar/**/*.py"),
        *root.glob("exporters/*.py"),
    ]
    assert [str(page) for page in pages if re.search(r"pip install '?rag-sidecar", page.read_text("utf-8"))] == []


def test_score_ends_with_1_where_an_evaluator_failed_for_every_request(tmp_path: Path) -> None:
    source, settings = tmp_path / "in.jsonl", tmp_path / "config.yaml"
    source.write_text("".join(json.dumps({**GOOD, "request_id": str(n)}) + "\n" for n in range(3)))
    settings.write_text(
        "inference:\n  grounding: far\n  models:\n    grounding:\n"
        '      far: {remote: "http://127.0.0.1:9", model: nli, fallback: null, timeout_seconds: 1}\n'
    )
    run = cli("score", source, "--config", settings)
    assert run.returncode == 1
    assert "failed for every request: faithfulness, groundedness\n" in run.stderr
    assert [json.loads(line)["request_id"] for line in run.stdout.splitlines()] == ["0", "1", "2"]


def test_score_keeps_the_order_and_gives_unreadable_lines_their_place(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    lines = [json.dumps({**GOOD, "request_id": str(n)}) for n in range(40)]
    lines[7] = "{broken"
    lines[9] = '{"request_id": "9"}'
    source.write_text("\n".join(lines) + "\n")
    run = cli("score", source, target)
    assert run.returncode == 1
    assert "2 lines could not be read" in run.stderr
    results = [json.loads(line) for line in target.read_text().splitlines()]
    assert [r["trace_id"] for r in results] == [None if n in (7, 9) else str(n) for n in range(40)]
    assert (results[7]["outcome"], results[7]["reason"], results[7]["line"]) == ("failed", "bad_json", 8)
    assert (results[9]["reason"], results[9]["detail"]) == (
        "missing_field",
        "a record needs a question, an answer, contexts or messages",
    )
    assert results[0]["schema"] == "rag-sidecar.result.v1"
    assert results[0]["evaluations"][0]["claims"][0]["text"] == "Two years."


def test_score_tells_what_a_file_is_to_be_where_no_line_is_a_request(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps([GOOD], indent=1))
    run = cli("score", source)
    assert run.returncode == 1
    assert "no line is a request: give plain UTF-8 with one JSON object a line" in run.stderr


def test_score_is_the_same_in_every_run(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(
        "".join(json.dumps({**GOOD, "request_id": str(n), "answer": "Two years. " * n}) + "\n" for n in range(1, 12))
    )
    one, two = cli("score", source), cli("score", source)
    assert one.returncode == 0
    assert one.stdout == two.stdout != ""


def test_score_ends_with_a_summary_on_standard_error_and_no_bar_where_that_is_no_terminal(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    lines = [json.dumps({**GOOD, "request_id": str(n)}) for n in range(3)]
    source.write_text("\n".join([*lines, json.dumps({**GOOD, "contexts": []}), "{broken"]))
    run = cli("score", source)
    said = [" ".join(line.split()) for line in run.stderr.splitlines()]
    assert said[0] == "4 requests; verdicts: grounded 3, none 1"
    [groundedness] = [line for line in said if line.startswith("groundedness")]
    assert groundedness.split()[1] == "3"
    assert groundedness.endswith("no_context 1")
    assert said[-1] == "1 line could not be read; the output says why in each place"
    assert "scoring" not in run.stderr
    own = [json.loads(line)["request_id"] for line in run.stdout.splitlines()]
    assert own == ["0", "1", "2", "a", None]


def test_the_callers_request_id_is_in_the_result_beside_a_trace_id_and_of_an_unreadable_request(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    nameless = {key: value for key, value in GOOD.items() if key != "request_id"}
    records = [{**nameless, "request-ID": 7}, {"requestId": "x"}, nameless]
    source.write_text("\n".join(map(json.dumps, records)))
    results = [json.loads(line) for line in cli("score", source).stdout.splitlines()]
    assert [(one["request_id"], one["outcome"]) for one in results] == [
        ("7", "scored"),
        ("x", "failed"),
        (None, "scored"),
    ]


@pytest.mark.parametrize("name", ["id", "trace_id", "runId", "case_id", "request_id"])
def test_the_callers_id_is_in_the_result_under_any_of_its_names(tmp_path: Path, name: str) -> None:
    (source := tmp_path / "in.jsonl").write_text(f'{{"{name}": 3, "answer": ["no"]}}\n{{"{name}": " x"}}\n')
    run = called("score", source)
    assert [json.loads(line)["request_id"] for line in run.stdout.splitlines()] == ["3", " x"]


@pytest.mark.parametrize("link", ["itself", "symlink", "hardlink"])
def test_score_refuses_to_write_over_its_input(tmp_path: Path, link: str) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(GOOD) + "\n")
    if link == "itself":
        target = source
    elif link == "symlink":
        target.symlink_to(source)
    else:
        target.hardlink_to(source)
    run = cli("score", source, target)
    assert run.returncode == 2
    assert "is the input itself" in run.stderr
    assert source.read_text() == json.dumps(GOOD) + "\n"


def test_score_refuses_to_append_to_its_input(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(GOOD) + "\n")
    command = f"{sys.executable} -m sidecar score {source} >> {source}"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 2
    assert "standard output: is the input itself" in run.stderr


@pytest.mark.parametrize("words", [["/dev/full"], []], ids=["a device", "standard output"])
def test_a_full_disk_is_a_line_and_an_exit_code_of_its_own(tmp_path: Path, words: list[str]) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(GOOD) + "\n")
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "sidecar", "score", str(source), *words]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert run.returncode == 4
    assert "No space left on device: the results could not be written" in run.stderr
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr


def test_where_the_disk_fills_up_the_old_output_stays_and_no_half_file_is_left(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({**GOOD, "request_id": str(n)}) + "\n" for n in range(20)))
    target.write_text("old\n")
    command = f"ulimit -f 8; exec {sys.executable} -m sidecar score {source} {target}"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 4, run.stderr
    assert "out.jsonl: File too large: the results could not be written" in run.stderr
    assert target.read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_score_leaves_the_old_output_and_no_half_file(tmp_path: Path, number: signal.Signals) -> None:
    pipe, target = tmp_path / "in.pipe", tmp_path / "out.jsonl"
    os.mkfifo(pipe)
    target.write_text("old\n")
    command = [sys.executable, "-m", "sidecar", "score", str(pipe), str(target)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process, pipe.open("w") as writer:
        for n in range(70):
            writer.write(json.dumps({**GOOD, "request_id": str(n)}) + "\n")
        writer.flush()
        deadline = time.monotonic() + 60
        while not [one for one in tmp_path.glob(".out*.part") if one.exists()] and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        # The pipe stays open and says nothing more.
        process.send_signal(number)
        assert process.wait(60) == 130
    assert target.read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.pipe", "out.jsonl"]


def test_an_output_keeps_its_permissions_and_the_link_that_leads_to_it(tmp_path: Path) -> None:
    source, target, link = tmp_path / "in.jsonl", tmp_path / "out.jsonl", tmp_path / "link.jsonl"
    source.write_text(json.dumps(GOOD) + "\n")
    target.write_text("old\n")
    target.chmod(0o640)
    link.symlink_to(target)
    assert cli("score", source, link).returncode == 0
    assert link.is_symlink()
    assert json.loads(target.read_text())["request_id"] == "a"
    assert target.stat().st_mode & 0o777 == 0o640


def test_score_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    run = cli("score", tmp_path / "none.jsonl")
    assert run.returncode == 2
    assert "No such file" in run.stderr


def test_inspect_prints_what_was_understood_and_what_is_missing() -> None:
    run = cli("inspect", FOLDER / "otel_genai_nocontent_ok.pb")
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in run.stdout
    assert "retriever" in run.stdout
    assert run.returncode == 0


def test_inspect_prints_json_for_machines() -> None:
    run = cli("inspect", FOLDER / "oi_langchain_ok.pb", "--json")
    [record] = [json.loads(line) for line in run.stdout.splitlines()]
    assert (record["question"], record["tokens"]["input"]) == (
        "Which port does a Kafka broker listen on by default?",
        145,
    )


@pytest.mark.parametrize("name", ["oi_langchain_ok.pb", "lines"])
def test_inspect_reads_standard_input(tmp_path: Path, name: str) -> None:
    lines = f"{json.dumps(GOOD)}\n{json.dumps({**GOOD, 'request_id': 'b'})}\n".encode()
    data = lines if name == "lines" else (FOLDER / name).read_bytes()
    command = [sys.executable, "-m", "sidecar", "inspect", "-", "--json"]
    run = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == (2 if name == "lines" else 1)


def test_inspect_names_records_that_share_an_id_and_differ(tmp_path: Path) -> None:
    lines = (
        '{"id": "c7", "answer": "b"}',
        '{"id": "c7", "answer": "b", "ts": 1767225600}',
        '{"id": "c7", "answer": "c"}',
    )
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    run = cli("inspect", tmp_path / "x.jsonl")
    assert (run.returncode, run.stderr) == (0, "")
    assert "records with the id of another one and other content, which are not scored: 1; ids must be" in run.stdout


def test_inspect_names_the_line_of_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(f"{json.dumps(GOOD)}\n\n{{broken\n")
    run = cli("inspect", tmp_path / "x.jsonl")
    assert run.returncode == 1
    assert f"unreadable: {tmp_path / 'x.jsonl'}, line 3: bad_json: column 2\n" in run.stdout
    (tmp_path / "x.pb").write_bytes(b"nothing")
    assert f"unreadable: {tmp_path / 'x.pb'}: unknown_format: " in cli("inspect", tmp_path / "x.pb").stdout


def test_inspect_shows_no_character_that_a_terminal_obeys(tmp_path: Path) -> None:
    hostile = "a\x1b]0;t\x07\x9b2J"
    spoilt = {**GOOD, "request_id": hostile, "question": hostile, "contexts": [{"id": hostile, "text": hostile}]}
    (tmp_path / "x.jsonl").write_text(json.dumps({**spoilt, "model": hostile, hostile: 1}))
    run = cli("inspect", tmp_path / "x.jsonl")
    assert run.returncode == 0
    assert run.stdout.count("a\ufffd]0;t\ufffd\ufffd2J") == 7
    assert not set(run.stdout) & {"\x1b", "\x07", "\x9b"}


def test_inspect_of_something_else_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"hello": 1}')
    run = cli("inspect", tmp_path / "x.json")
    assert run.returncode == 1
    assert "missing_field" in run.stdout
    assert "No RAG request was understood" in run.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "receive: {bootstrap_server: x}",
            "receive.bootstrap_server: no such setting (did you mean bootstrap_servers?)",
        ),
        ("sample: {rate: 2}", "sample.rate: must be at most 1"),
        (
            "receive: {bootstrap_servers: 'k:9092', topics: [a], security: {protocol: SSL, password: hunter2x}}",
            "receive.security",
        ),
    ],
)
def test_a_wrong_setting_is_named_and_secrets_are_not_printed(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "c.yaml").write_text(text)
    run = cli("run", "-c", tmp_path / "c.yaml")
    assert run.returncode == 2
    assert message in run.stderr.replace("\n", " ")
    assert "hunter2x" not in run.stderr
    assert "Traceback" not in run.stderr


def test_a_broker_that_is_down_is_waited_for_and_named_with_the_step_until_sigterm(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(
        "receive: {bootstrap_servers: '127.0.0.1:1', topics: [a], start_timeout_seconds: 3}\n"
        "admin: {host: 127.0.0.1, port: 0}\nlog: {format: text}\n"
    )
    command = [sys.executable, "-m", "sidecar", "run", "-c", str(tmp_path / "c.yaml")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if "waiting for Kafka" in line:
                break
        process.send_signal(signal.SIGTERM)
        said += process.stderr.readlines()
    assert process.returncode == 0
    (waiting,) = [line for line in said if "waiting for Kafka" in line]
    assert "waiting for Kafka: connect: 127.0.0.1:1: no connection" in waiting
    assert "Traceback" not in "".join(said)


def test_a_bare_check_says_what_is_wanted_and_offers_an_example() -> None:
    run = cli("check")
    assert run.returncode == 2
    for word in ("--config FILE", "RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS", "rag-sidecar check --example"):
        assert word in run.stderr


@pytest.mark.parametrize("switched_on", [False, True], ids=["as it is", "with all that is switched off"])
def test_the_example_is_a_configuration_that_loads(tmp_path: Path, switched_on: bool) -> None:
    run = cli("check", "--example")
    assert run.returncode == 0
    text = re.sub(r"(?m)^( *)#(?=[^ \n])", r"\1", run.stdout) if switched_on else run.stdout
    path = tmp_path / "config.yaml"
    path.write_text(text)
    settings = config.load(path)
    assert settings.receive.topics == ("otlp_spans",)
    assert settings.results.topic == ("rag_results" if switched_on else None)
    if switched_on:
        assert (settings.otlp.used_protocol, settings.otlp.endpoint) == ("http/protobuf", "http://otel-collector:4318")


def test_check_says_what_works_and_what_to_mend(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    with MockKafka() as broker:
        broker.create_topic("spans")
        path.write_text(f"receive: {{bootstrap_servers: '{broker.bootstrap_servers}', topics: [spans]}}\n")
        good = cli("check", "-c", path)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "an example request scored" in good.stdout
    path.write_text("receive: {bootstrap_servers: '127.0.0.1:1', topics: [spans]}\n")
    bad = cli("check", "-c", path)
    assert bad.returncode == 1
    assert "mend  kafka: connect" in bad.stdout


def test_check_says_that_other_brokers_of_the_results_are_sent_no_login(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    with MockKafka() as broker:
        broker.create_topic("results")
        path.write_text(
            "receive: {bootstrap_servers: '127.0.0.1:1', topics: [spans], security: {protocol: SASL_PLAINTEXT, username: u, password: hunter2x}}\n"
            f"results: {{bootstrap_servers: '{broker.bootstrap_servers}', topic: results}}\n"
        )
        found = cli("check", "-c", path)
        path.write_text(path.read_text().replace("topic: results", "topic: missing"))
        missing = cli("check", "-c", path)
    assert "ok    results: topic results: 4 partitions, PLAINTEXT" in found.stdout
    assert "sent no login" in found.stdout
    assert "hunter2x" not in found.stdout + found.stderr
    assert "mend  results: topic: the results topic missing does not exist" in missing.stdout


def test_the_demo_scores_and_accounts_for_every_request_without_a_terminal() -> None:
    run = cli("demo", DEMO_SECONDS="8")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "metrics http://127.0.0.1:" in run.stdout
    assert "accounted for" in run.stdout
    assert "worst" in run.stdout

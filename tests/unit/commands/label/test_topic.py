"""Results and requests from topics, labels to a topic and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sidecar.commands.from_labels import read_drawn
from sidecar.commands.label.run import cli
from sidecar.kafka.settings import ReceiveConfig
from sidecar.labels.facts import facts_of
from sidecar.labels.record import Draw, label
from sidecar.labels.store import Store, Topic, read_labels
from sidecar.record.errors import BrokerError, ConfigError
from tests.kafka.harness import fresh
from tests.parts.broker import Message, produce, read
from tests.parts.mock_kafka import MockKafka
from tests.unit.commands.label.answers import request, result


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


def config_file(folder: Path, broker: MockKafka, **topics: str) -> Path:
    path = folder / "config.yaml"
    sections = {
        "receive": {"bootstrap_servers": broker.bootstrap_servers, "topics": [topics["requests"]]},
        "results": {"topic": topics["results"]},
        "labels": {"topic": topics.get("labels")},
    }
    path.write_text(json.dumps(sections))  # JSON is YAML.
    return path


def test_a_queue_out_of_topics_is_labelled_into_a_topic_and_goes_on_from_it(broker: MockKafka, tmp_path: Path) -> None:
    topics = {name: fresh(name) for name in ("requests", "results", "labels")}
    for topic in topics.values():
        broker.create_topic(topic)
    produce(broker, topics["requests"], [Message(json.dumps(request(n)).encode()) for n in range(3)])
    produce(broker, topics["results"], [Message(json.dumps(result(n, p=0.5)).encode()) for n in range(3)])
    produce(broker, topics["labels"], [Message(b"something else")])
    words = ["--rate", "1", "--config", str(config_file(tmp_path, broker, **topics))]
    said = CliRunner().invoke(cli, words, input="g\nh 2\nq\n", catch_exceptions=False)
    assert "2 labelled, 1 left" in said.stderr
    messages = [message for message in read(broker, topics["labels"], count=3) if message.value != b"something else"]
    labels = [json.loads(message.value or b"") for message in messages]
    assert sorted(one["verdict"] for one in labels) == ["grounded", "hallucinated"]
    assert {one["probability"] for one in labels} == {0.5}
    assert [message.key for message in messages] == [one["about"]["result"].encode() for one in labels]
    said = CliRunner().invoke(
        cli, [*words, "--labels", str(tmp_path / "own.jsonl")], input="s\n", catch_exceptions=False
    )
    assert "3 taken, 2 labelled already, 1 to ask about" in said.stderr
    assert json.loads((tmp_path / "own.jsonl").read_text())["verdict"] == "skipped"
    assert len(read(broker, topics["labels"], count=4)) == 4


def test_labels_of_a_topic_are_saved_into_a_file_that_calibrate_reads(broker: MockKafka, tmp_path: Path) -> None:
    topics = {name: fresh(name) for name in ("requests", "results", "labels")}
    broker.create_topic(topics["labels"])
    facts = facts_of(result(1, p=0.5))
    assert facts is not None
    drawn = facts.model_copy(update={"draw": Draw(seed="1", rate=1.0)})
    one = label(drawn, "hallucinated", at=datetime(2026, 1, 15, tzinfo=UTC))
    produce(broker, topics["labels"], [Message(b"something else"), Message(one.line())])
    saved = tmp_path / "saved.jsonl"
    words = ["--save", str(saved), "--config", str(config_file(tmp_path, broker, **topics))]
    said = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "1 label written" in said.stderr
    assert read_labels(saved) == [one]
    assert read_drawn(saved).decided == [one]


def test_a_topic_that_is_missing_and_results_that_are_nowhere_are_named(broker: MockKafka, tmp_path: Path) -> None:
    topics = {name: fresh(name) for name in ("requests", "results")}
    path = config_file(tmp_path, broker, **topics)
    words = ["--labels", str(tmp_path / "labels.jsonl"), "--config", str(path)]
    with pytest.raises(BrokerError, match=f"topic: {topics['results']} does not exist"):
        CliRunner().invoke(cli, words, catch_exceptions=False)
    path.write_text(json.dumps({"receive": {"bootstrap_servers": broker.bootstrap_servers, "topics": ["spans"]}}))
    with pytest.raises(ConfigError, match="results: none are named"):
        CliRunner().invoke(cli, words, catch_exceptions=False)


def test_what_was_erased_in_the_results_topic_is_not_asked_about(broker: MockKafka, tmp_path: Path) -> None:
    topics = {name: fresh(name) for name in ("requests", "results")}
    for topic in topics.values():
        broker.create_topic(topic)
    produce(broker, topics["requests"], [Message(json.dumps(request(n)).encode()) for n in range(3)])
    rows = [Message(json.dumps(result(n, p=0.5)).encode(), key=result(n, p=0.5)["trace_id"].encode()) for n in range(3)]
    produce(broker, topics["results"], [*rows, Message(None, key=rows[0].key)])
    words = [
        "--rate",
        "1",
        "--labels",
        str(tmp_path / "l.jsonl"),
        "--config",
        str(config_file(tmp_path, broker, **topics)),
    ]
    said = CliRunner().invoke(cli, words, input="q\n", catch_exceptions=False)
    assert "2 answers, each drawn with probability 1" in said.stderr
    assert "2 taken, 0 labelled already, 2 to ask about" in said.stderr


def test_a_labels_topic_that_brokers_make_by_themselves_has_no_labels_yet(broker: MockKafka) -> None:
    store = Store(None, Topic(fresh("labels"), ReceiveConfig(bootstrap_servers=broker.bootstrap_servers, topics="t")))
    assert store.read() == []

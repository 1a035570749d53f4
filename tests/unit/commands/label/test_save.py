"""`rag-sidecar label --save` as people use it: labels of a topic or a file go beside those that the target holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sidecar.commands.label.run import cli
from sidecar.record.errors import ConfigError
from tests.parts.broker import Message, produce
from tests.parts.mock_kafka import MockKafka
from tests.unit.commands.label.answers import Desk


def save(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=False)


def labelled(folder: Path, count: int) -> Desk:
    folder.mkdir(exist_ok=True)
    desk = Desk(folder, count=count)
    desk.run("--rate", "1", typed="g\n" * count)
    return desk


def test_labels_go_behind_those_that_the_file_holds_and_none_of_them_is_lost(tmp_path: Path) -> None:
    desk, other = labelled(tmp_path / "a", 4), labelled(tmp_path / "b", 2)
    later = {**json.loads(desk.labels.read_text().splitlines()[0]), "field_of_later": 1}
    (target := tmp_path / "target.jsonl").write_text(desk.labels.read_text() + json.dumps(later) + "\n")
    before = target.read_text()
    said = save("--save", target, "--labels", other.labels)
    assert said.stderr == "2 labels written beside the 5 that stood there\n"
    assert target.read_text() == before + other.labels.read_text()
    assert "0 labels written beside the 7" in save("--save", target, "--labels", other.labels).stderr
    assert target.read_text() == before + other.labels.read_text()


def test_the_labels_of_a_topic_come_to_those_of_the_terminal(tmp_path: Path) -> None:
    desk, other = labelled(tmp_path / "a", 20), labelled(tmp_path / "b", 3)
    with MockKafka() as broker:
        broker.create_topic("labels")
        produce(broker, "labels", [Message(line) for line in other.labels.read_bytes().splitlines()])
        config = tmp_path / "config.json"
        receive = {"bootstrap_servers": broker.bootstrap_servers, "topics": ["spans"]}
        config.write_text(json.dumps({"receive": receive, "labels": {"topic": "labels", "file": str(desk.labels)}}))
        before = desk.labels.read_bytes().splitlines()
        said = save("--save", desk.labels, "--config", config)
        assert said.stderr == "3 labels written beside the 20 that stood there\n"
        after = desk.labels.read_bytes().splitlines()
        assert (after[:20], sorted(after[20:])) == (before, sorted(other.labels.read_bytes().splitlines()))
        config.write_text(
            json.dumps({"receive": receive, "labels": {"topic": "labels", "file": str(tmp_path / "none")}})
        )
        assert save("--save", tmp_path / "new.jsonl", "--config", config).stderr == "3 labels written\n"
        with pytest.raises(ConfigError, match=r"--labels: .*typo: there is no such file"):
            save("--save", tmp_path / "new.jsonl", "--labels", tmp_path / "typo", "--config", config)


def test_a_file_of_labels_that_is_not_there_is_named_and_the_target_stays(tmp_path: Path) -> None:
    desk = labelled(tmp_path, 3)
    before = desk.labels.read_bytes()
    with pytest.raises(ConfigError, match=r"--labels: .*typo.jsonl: there is no such file \(give the file that holds"):
        save("--save", desk.labels, "--labels", tmp_path / "typo.jsonl")
    assert desk.labels.read_bytes() == before


def test_a_target_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    desk = labelled(tmp_path, 1)
    before = desk.requests.read_bytes()
    with pytest.raises(ConfigError, match=r"--save: .*requests.jsonl, line 1: "):
        save("--save", desk.requests, "--labels", desk.labels)
    assert desk.requests.read_bytes() == before

"""The configuration: every mistake is named with its path and its mend."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sidecar import config
from sidecar.record.errors import ConfigError

_KAFKA = "receive:\n  bootstrap_servers: kafka:9092\n  topics: [otlp_spans]\n"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file for the settings, and an environment without any of ours."""
    for name in list(os.environ):
        if name.startswith(config.PREFIX):
            monkeypatch.delenv(name)
    return tmp_path / "config.yaml"


def test_a_minimal_file_is_enough(written: Path) -> None:
    written.write_text(_KAFKA)
    settings = config.load(written)
    assert settings.sample.rate == 1.0
    assert settings.admin.port == 9464


def test_the_environment_wins_over_the_file(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written.write_text(_KAFKA + "sample:\n  rate: 0.5\n  min_rate: 0.01\n")
    monkeypatch.setenv("RAG_SIDECAR_SAMPLE__RATE", "0.25")
    settings = config.load(written)
    assert (settings.sample.rate, settings.sample.min_rate) == (0.25, 0.01)


def test_the_environment_alone_is_enough(monkeypatch: pytest.MonkeyPatch, written: Path) -> None:
    monkeypatch.setenv("RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS", "kafka:9092")
    monkeypatch.setenv("RAG_SIDECAR_RECEIVE__TOPICS", '["otlp_spans"]')
    assert config.load(None).receive.bootstrap_servers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "receive: {bootstrap_server: 'kafka:9092'}",
            "receive.bootstrap_server: no such setting (did you mean bootstrap_servers?)",
        ),
        (_KAFKA + "recieve: {}", "recieve: no such setting (did you mean receive?)"),
        (_KAFKA + "sample: {rate: 1.5}", "sample.rate: Input should be less than or equal to 1"),
        (_KAFKA + "sample: {budget: {hi: 1}}", "sample.budget.hi: no such setting (known are "),
        ("sample: {rate: 0.5}", "receive: is required (set it in the file, or as RAG_SIDECAR_RECEIVE)"),
        ("- a\n- b", "the top level must be a map of sections"),
        ("receive: [", "line 1: not valid YAML"),
        (_KAFKA + "results: {topic: otlp_spans}", "results would be read back in"),
        (
            _KAFKA + "evaluate: {groundedness: {thresold: 0.4}}\n",
            "evaluate.groundedness.thresold: no such setting (did you mean threshold?)",
        ),
        (
            _KAFKA + "evaluate: {groundednes: {threshold: 0.4}}\n",
            "evaluate.groundednes: no such setting (did you mean groundedness?)",
        ),
        (_KAFKA + "evaluate: {faithfulness: {threshold: 4}}\n", "evaluate.faithfulness.threshold: "),
    ],
)
def test_a_mistake_is_named_with_its_path_and_mend(written: Path, text: str, message: str) -> None:
    written.write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(written)
    assert message in str(caught.value)


def test_every_mistake_is_named_at_once(written: Path) -> None:
    written.write_text(_KAFKA + "sample: {rate: 7}\nadmin: {port: -1}\n")
    with pytest.raises(ConfigError) as caught:
        config.load(written)
    assert "sample.rate" in str(caught.value)
    assert "admin.port" in str(caught.value)


def test_an_unknown_section_in_the_environment_is_named(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written.write_text(_KAFKA)
    monkeypatch.setenv("RAG_SIDECAR_SAMPEL__RATE", "0.1")
    with pytest.raises(ConfigError, match="RAG_SIDECAR_SAMPEL__RATE: no such setting"):
        config.load(written)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--config: .*FileNotFoundError"):
        config.load(tmp_path / "none.yaml")


def test_a_secret_is_not_in_the_message_of_another_mistake(written: Path) -> None:
    written.write_text(_KAFKA + "admin: {bearer_token: hunter2, port: x}\n")
    with pytest.raises(ConfigError) as caught:
        config.load(written)
    assert "hunter2" not in str(caught.value)


def test_commands_without_kafka_do_not_ask_for_it(written: Path) -> None:
    written.write_text("sample: {rate: 0.5}\n")
    assert config.load(written, kafka=False).sample.rate == 0.5

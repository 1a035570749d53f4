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
        (_KAFKA + "sample: {rate: 1.5}", "sample.rate: must be at most 1"),
        (_KAFKA + "sample: {budget: {hi: 1}}", "sample.budget.hi: no such setting (known are "),
        (
            "sample: {rate: 0.5}",
            "receive.bootstrap_servers: is required (set it in the file, or as RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS)",
        ),
        (_KAFKA + "sample: {rate: x}", "sample.rate: must be a number"),
        (_KAFKA + "admin: {port: 8.5}", "admin.port: must be a whole number"),
        (_KAFKA + "prometheus: {enabled: perhaps}", "prometheus.enabled: must be true or false"),
        (_KAFKA + "prometheus: {thresholds: 3}", "prometheus.thresholds: must be a list (write [0.5, 0.7] or 0.5,0.7)"),
        (_KAFKA + "sample: 3", "sample: must be a map: `name: value` lines below it"),
        (
            _KAFKA + "sample: {rules: [{service: a, rat: 1}]}",
            "sample.rules.0.rat: no such setting (did you mean rate?)",
        ),
        (_KAFKA + "price: {models: {m: {inptu: 1}}}", "price.models.m.inptu: no such setting (did you mean input"),
        (_KAFKA + "inference: {detector: {sensitivty: 1}}", "no such setting (did you mean sensitivity?)"),
        (_KAFKA + "log: {level: warn}", "(did you mean WARNING?)"),
        (_KAFKA + "log: {level: 3}", "log.level: must be one of 'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
        ("- a\n- b", "the top level must be a map of sections"),
        ("receive: [", "line 1: not valid YAML"),
        ("sample:\n  rate: 1\n  rate: 0.5", "line 3: a key that stands there already (give each key once)"),
        ("sample:\n  rate: 2026-13-45", "line 2: a value that is not what it looks like"),
        (_KAFKA + "results: {topic: otlp_spans}", "results would be read back in"),
        (_KAFKA + "labels: {topic: otlp_spans}", "labels would be read back in"),
        (
            _KAFKA + "labels: {topic: otlp_spans}",
            "labels.topic 'otlp_spans' is among the topics that are received (receive.topics): ",
        ),
        (
            "receive: {bootstrap_servers: 'k:9092', topic_pattern: 'rag_.*'}\nlabels: {topic: rag_labels}",
            "(receive.topic_pattern): labels would be read back in; name another topic",
        ),
        (
            "receive: {bootstrap_servers: 'k:9092', topics: [a], repartition: b}\nresults: {topic: b}",
            "results.topic 'b' is among the topics that are received (receive.repartition): ",
        ),
        (
            "receive: {bootstrap_servers: 'k:9092', topics: [a], dead_letter_topic: b}\nlabels: {topic: b}",
            "receive.dead_letter_topic 'b' is labels.topic too: name another",
        ),
        (
            _KAFKA + "results: {topic: b}\nlabels: {topic: b}",
            "labels.topic 'b' is results.topic too: name another",
        ),
        (
            "receive: {bootstrap_servers: 'k:9092', topics: [a], dead_letter_topic: b}\nresults: {topic: b}",
            "receive.dead_letter_topic 'b' is results.topic too",
        ),
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


def test_results_on_other_brokers_may_have_the_name_of_another_topic(written: Path) -> None:
    written.write_text(
        "receive: {bootstrap_servers: 'k:9092', topics: [a], dead_letter_topic: b}\n"
        "results: {topic: c, bootstrap_servers: 'other:9092'}\nlabels: {topic: c}\n"
    )
    assert config.load(written).labels.topic == "c"


def test_a_judged_evaluator_is_named_by_who_judges(written: Path) -> None:
    written.write_text(_KAFKA + "evaluate: {evaluators: [faithfulness_judge]}\n")
    with pytest.raises(ConfigError, match=r"faithfulness_judge is what evaluate\.faithfulness\.by: judge"):
        config.load(written)


def test_every_mistake_is_named_at_once(written: Path) -> None:
    written.write_text(_KAFKA + "sample: {rate: 7}\nadmin: {port: -1}\n")
    with pytest.raises(ConfigError) as caught:
        config.load(written)
    assert "sample.rate" in str(caught.value)
    assert "admin.port" in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("RECEIVE__TOPICS", "[a", ': not a list (write ["a", "b"] or a,b)'),
        ("SAMPLE__RULES", "a,b", ': not a list (write [{"service": ..., "rate": ...}, ...])'),
        ("SAMPLE__RULES", '[{"service": "a"}]', " (sample.rules.0.rate): is required"),
        ("DECODE__TOPICS", "a", ': not a map (write {"key": "value"})'),
        ("DECODE__TOPICS", "{a", ': not a map (write {"key": "value"})'),
        ("DECODE__TOPICS__A", "b", ": must be one of 'sniff'"),
        ("SAMPLE", "0.5", ": a section, not a value (write RAG_SIDECAR_SAMPLE__RATE=..., or the section as JSON)"),
        ("SAMPLE", '{"rate": "x"}', " (sample.rate): must be a number"),
        ("SAMPLE__RATE", "x", ": must be a number"),
        ("SAMPLE__RATE__X", "1", ": no such setting (sample.rate has nothing below it)"),
        ("SAMPLE__RAET", "1", ": no such setting (did you mean rate?)"),
        ("SAMPEL__RATE", "1", ": no such setting (did you mean RAG_SIDECAR_SAMPLE__RATE?)"),
        ("ADMIN_PORT", "1", ": no such setting (did you mean RAG_SIDECAR_ADMIN__PORT?)"),
        ("PORT", "9464", ": no such setting (did you mean RAG_SIDECAR_ADMIN__PORT?)"),
        ("ADMIN__PORT", "8o", ": must be a whole number"),
        ("PROMETHEUS__ENABLED", "perhaps", ": must be true or false"),
        ("PROMETHEUS__THRESHOLDS", "0.5,x", " (prometheus.thresholds.1): must be a number"),
        ("RESULTS__REDACT", r"\d{3,4}", ': not a list (write ["a", "b"] or a,b)'),
        ("INFERENCE__DETECTOR", "x", ": a section, not a value"),
    ],
)
def test_a_mistake_in_the_environment_is_named_by_its_variable(
    written: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    written.write_text(_KAFKA)
    monkeypatch.setenv(config.PREFIX + variable, value)
    with pytest.raises(ConfigError) as caught:
        config.load(written)
    assert f"{config.PREFIX}{variable}{message}" in str(caught.value)
    assert "nput should" not in str(caught.value)


def test_a_mistake_of_the_file_is_not_blamed_on_a_variable_of_the_same_section(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.write_text(_KAFKA + "sample: {rate: x}")
    monkeypatch.setenv("RAG_SIDECAR_SAMPLE", '{"min_rate": 0.01}')
    with pytest.raises(ConfigError, match=r"^sample\.rate: must be a number, got 'x'$"):
        config.load(written)


def test_a_rule_over_an_attribute_that_is_not_kept_is_refused_with_its_place(written: Path) -> None:
    rule = "sample: {always_keep: [{name: errors, error: true}, {name: vip, attribute: app.vip, equals: true}]}\n"
    written.write_text(_KAFKA + rule)
    with pytest.raises(
        ConfigError, match=r"sample\.always_keep\.1\.attribute: app\.vip is not in decode\.keep_attributes"
    ):
        config.load(written)
    written.write_text(_KAFKA + rule + "decode: {keep_attributes: [app.vip]}\n")
    assert config.load(written).sample.always_keep[1].equals is True


@pytest.mark.parametrize("value", ['["a", "b"]', "a,b", " a, b ,"])
def test_a_list_is_json_or_words_with_commas(written: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    written.write_text(_KAFKA)
    monkeypatch.setenv("RAG_SIDECAR_RECEIVE__TOPICS", value)
    monkeypatch.setenv("RAG_SIDECAR_DECODE__KEEP_ATTRIBUTES", value)
    settings = config.load(written)
    assert (settings.receive.topics, settings.decode.keep_attributes) == (("a", "b"), ("a", "b"))


def test_a_section_as_json_and_a_variable_below_it_are_one(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written.write_text(_KAFKA + "sample: {rate: 0.5, min_rate: 0.2, salt: file}\n")
    monkeypatch.setenv("RAG_SIDECAR_SAMPLE__RATE", "0.3")
    monkeypatch.setenv("RAG_SIDECAR_SAMPLE", '{"rate": 0.4, "min_rate": 0.1}')
    sample = config.load(written).sample
    assert (sample.rate, sample.min_rate, sample.salt) == (0.3, 0.1, "file")


def test_the_command_line_wins_over_the_environment(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written.write_text(_KAFKA)
    monkeypatch.setenv("RAG_SIDECAR_RECEIVE__TOPICS", "a")
    assert config.load(written, receive={"topics": ["b"]}).receive.topics == ("b",)


_LINKS = {
    "RAG_SIDECAR_SERVICE_HOST": "10.0.0.1",
    "RAG_SIDECAR_SERVICE_PORT": "9464",
    "RAG_SIDECAR_SERVICE_PORT_METRICS": "9464",
    "RAG_SIDECAR_PORT": "tcp://10.0.0.1:9464",
    "RAG_SIDECAR_PORT_9464_TCP": "tcp://10.0.0.1:9464",
    "RAG_SIDECAR_PORT_9464_TCP_PROTO": "tcp",
    "RAG_SIDECAR_PORT_9464_TCP_PORT": "9464",
    "RAG_SIDECAR_PORT_9464_TCP_ADDR": "fd00::1",
}


def test_what_kubernetes_sets_for_a_service_of_our_name_is_no_setting(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.write_text(_KAFKA)
    expected = config.load(written)
    for name, value in _LINKS.items():
        monkeypatch.setenv(name, value)
    assert config.load(written) == expected


@pytest.mark.parametrize("name", _LINKS)
def test_the_name_of_a_service_link_with_something_else_in_it_is_a_mistake(
    written: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    written.write_text(_KAFKA)
    monkeypatch.setenv(name, "yes!")
    with pytest.raises(ConfigError, match=f"{name}: no such setting"):
        config.load(written)


def test_no_settings_at_all_are_told_from_wrong_ones(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SIDECAR_PORT", "tcp://10.0.0.1:9464")
    with pytest.raises(ConfigError) as caught:
        config.load(None)
    for word in ("--config FILE", "RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS", "check --example"):
        assert word in str(caught.value)


@pytest.mark.parametrize("level", ["info", "Info", "INFO"])
def test_a_level_of_the_log_is_known_in_any_case(written: Path, level: str) -> None:
    written.write_text(_KAFKA + f"log: {{level: {level}}}")
    assert config.load(written).log.level == "INFO"


def test_an_unknown_section_in_the_environment_is_named(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written.write_text(_KAFKA)
    monkeypatch.setenv("RAG_SIDECAR_SAMPEL__RATE", "0.1")
    with pytest.raises(ConfigError, match="RAG_SIDECAR_SAMPEL__RATE: no such setting"):
        config.load(written)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--config: .*No such file or directory"):
        config.load(tmp_path / "none.yaml")


def test_a_secret_is_not_in_the_message_of_another_mistake(written: Path) -> None:
    written.write_text(_KAFKA + "admin: {bearer_token: hunter2, port: x}\n")
    with pytest.raises(ConfigError) as caught:
        config.load(written)
    assert "hunter2" not in str(caught.value)


def test_commands_without_kafka_do_not_ask_for_it(written: Path) -> None:
    written.write_text("sample: {rate: 0.5}\n")
    assert config.load(written, kafka=False).sample.rate == 0.5

"""Settings of the Kafka side: what is refused, by which field, and that secrets stay secret."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from exporters.kafka import KafkaResultsConfig
from sidecar.kafka.settings import ReceiveConfig

BASE: dict[str, Any] = {"bootstrap_servers": "a:1", "topics": ["spans"]}


def refused(**settings: Any) -> tuple[str, str]:
    """The field and the words of the first error."""
    with pytest.raises(ValidationError) as caught:
        ReceiveConfig.model_validate({**BASE, **settings})
    first = caught.value.errors()[0]
    return ".".join(str(part) for part in first["loc"]), first["msg"]


@pytest.mark.parametrize("servers", ["a:1,b:2", ["a:1", "b:2"], '["a:1", "b:2"]', " a:1 , b:2,"])
def test_servers_are_a_list_or_separated_by_commas(servers: object) -> None:
    assert ReceiveConfig.model_validate({**BASE, "bootstrap_servers": servers}).bootstrap_servers == "a:1,b:2"


@pytest.mark.parametrize("topics", ["a,b", ["a", "b"], '["a", "b"]'])
def test_topics_are_a_list_or_separated_by_commas(topics: object) -> None:
    assert ReceiveConfig.model_validate({**BASE, "topics": topics}).topic_names == ("a", "b")


@pytest.mark.parametrize("servers", ["", [], "kafka", "kafka:port", "kafka:0", "kafka:99999", 5, [5]])
def test_a_server_without_host_and_port_is_refused(servers: object) -> None:
    assert refused(bootstrap_servers=servers)[0] == "bootstrap_servers"


@pytest.mark.parametrize("server", ["http://kafka:9092", "a:9092, SASL_SSL://u:secret@kafka:9092"])
def test_a_server_that_is_written_as_an_address_of_the_web_is_told_what_to_leave_out(server: str) -> None:
    field, told = refused(bootstrap_servers=server)
    scheme = server.removeprefix("a:9092, ").partition("://")[0]
    assert (field, told.removeprefix("Value error, ")) == (
        "bootstrap_servers",
        f"leave out {scheme}://, brokers are host:port",
    )
    with pytest.raises(ValidationError, match=f"leave out {scheme}://"):
        KafkaResultsConfig(bootstrap_servers=server)


@pytest.mark.parametrize("settings", [{"topics": []}, {"topic_pattern": "a.*"}, {"topics": ["no good"]}])
def test_exactly_one_of_topics_and_pattern_is_asked_for_by_the_field_topics(settings: dict[str, Any]) -> None:
    assert refused(**settings)[0] == "topics"


def test_a_pattern_that_is_no_regular_expression_is_refused() -> None:
    assert refused(topics=[], topic_pattern="(")[0] == "topic_pattern"


@pytest.mark.parametrize("settings", [{}, {"topics": [], "topic_pattern": "spa.*"}])
def test_a_dead_letter_topic_that_is_read_itself_is_refused(settings: dict[str, Any]) -> None:
    assert refused(**settings, dead_letter_topic="spans")[0] == "dead_letter_topic"


def test_a_pattern_means_whole_names() -> None:
    config = ReceiveConfig.model_validate({**BASE, "topics": [], "topic_pattern": "a|b.*"})
    assert [name for name in ("a", "ab", "b", "bc", "cb") if config.wants(name)] == ["a", "b", "bc"]


def test_a_session_shorter_than_its_heartbeats_is_refused() -> None:
    assert "heartbeat" in refused(session_timeout_seconds=3, heartbeat_interval_seconds=2)[1]


LOGIN = {"protocol": "SASL_SSL", "username": "u", "password": "hidden"}


@pytest.mark.parametrize(
    ("security", "word"),
    [
        ({"username": "u", "password": "hidden"}, "does not log in"),
        ({"ca_file": "ca.pem"}, "not encrypted"),
        ({"protocol": "SSL", "cert_file": "c.pem"}, "belong together"),
        ({"protocol": "SASL_SSL"}, "needs username"),
        ({"protocol": "SASL_SSL", "username": "u"}, "password or password_file"),
        ({**LOGIN, "password_file": "p"}, "password or password_file"),
        ({**LOGIN, "sasl_mechanism": "OAUTHBEARER"}, "token_file"),
    ],
)
def test_security_settings_that_do_not_fit_each_other_are_refused(security: dict[str, Any], word: str) -> None:
    field, message = refused(security=security)
    assert field == "security"
    assert word in message
    assert "hidden" not in message

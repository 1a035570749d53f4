"""Settings of the Kafka side: addresses, security, group and fetch sizes. Secrets never show in a repr or a message."""

from __future__ import annotations

import json
import re
import ssl
from pathlib import Path
from typing import Any, Literal, Self

from aiokafka.abc import AbstractTokenProvider
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator, model_validator

from sidecar.record.errors import ConfigError

Protocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]


class SecurityConfig(BaseModel):
    """How we speak to the brokers and who we say we are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    protocol: Protocol = Field(default="PLAINTEXT", description="PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.")
    sasl_mechanism: Mechanism = Field(
        default="SCRAM-SHA-512", description="PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER; read for SASL only."
    )
    username: str | None = Field(default=None, description="SASL user.")
    password: SecretStr | None = Field(default=None, description="SASL password; better from the environment.")
    password_file: Path | None = Field(default=None, description="File that holds the SASL password.")
    token_file: Path | None = Field(
        default=None, description="File that holds an OAUTHBEARER token; read again for each connection."
    )
    ca_file: Path | None = Field(default=None, description="PEM file of authorities to trust; else the system's.")
    cert_file: Path | None = Field(default=None, description="PEM file of our certificate, for mutual TLS.")
    key_file: Path | None = Field(default=None, description="PEM file of its private key.")
    key_password: SecretStr | None = Field(default=None, description="Password of the private key, if it has one.")
    check_hostname: bool = Field(default=True, description="Whether the broker's certificate must hold its host name.")

    @property
    def tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def sasl(self) -> bool:
        """Whether we log in."""
        return self.protocol in ("SASL_PLAINTEXT", "SASL_SSL")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.sasl:
            self._check_login()
        elif self.username or self.password or self.password_file or self.token_file:
            raise ValueError(f"protocol {self.protocol} does not log in: set SASL_SSL, or remove username and password")
        if not self.tls and (self.ca_file or self.cert_file or self.key_file):
            raise ValueError(
                f"protocol {self.protocol} is not encrypted: set SSL or SASL_SSL, or remove the certificates"
            )
        if (self.cert_file is None) != (self.key_file is None):
            raise ValueError("cert_file and key_file belong together")
        return self

    def _check_login(self) -> None:
        if self.sasl_mechanism == "OAUTHBEARER":
            if self.token_file is None:
                raise ValueError("OAUTHBEARER needs token_file")
            return
        if self.username is None:
            raise ValueError(f"{self.sasl_mechanism} needs username")
        if (self.password is None) == (self.password_file is None):
            raise ValueError(f"{self.sasl_mechanism} needs either password or password_file")

    def client_options(self) -> dict[str, Any]:
        """What aiokafka's clients take as keyword arguments. Reads the files; raises ConfigError naming the one at fault."""
        options: dict[str, Any] = {"security_protocol": self.protocol}
        if self.tls:
            options["ssl_context"] = self._ssl_context()
        if self.sasl:
            options["sasl_mechanism"] = self.sasl_mechanism
            if self.sasl_mechanism == "OAUTHBEARER":
                options["sasl_oauth_token_provider"] = _TokenFile(_required(self.token_file))
            else:
                options["sasl_plain_username"] = self.username
                options["sasl_plain_password"] = self._password()
        return options

    def _password(self) -> str:
        if self.password is not None:
            return self.password.get_secret_value()
        return _read("password_file", _required(self.password_file))

    def _ssl_context(self) -> ssl.SSLContext:
        for field in ("ca_file", "cert_file", "key_file"):
            path: Path | None = getattr(self, field)
            if path is not None:
                _read(field, path)
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
        except ssl.SSLError as error:
            raise _wrong("ca_file", f"{self.ca_file} is not a PEM file of certificates") from error
        context.check_hostname = self.check_hostname
        if self.cert_file and self.key_file:
            secret = self.key_password.get_secret_value() if self.key_password else ""
            try:
                context.load_cert_chain(self.cert_file, self.key_file, password=secret)
            except ssl.SSLError as error:
                raise _wrong("cert_file", "certificate and key do not fit, or the key's password is wrong") from error
        return context


class ReceiveConfig(BaseModel):
    """Settings of what reads from Kafka."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bootstrap_servers: str = Field(description="Brokers as host:port, a list or separated by commas.")
    topic_pattern: str | None = Field(
        default=None, description="Regular expression that whole topic names must match, in place of topics."
    )
    topics: tuple[str, ...] | str = Field(
        default=(), validate_default=True, description="Topics to read, a list or separated by commas."
    )
    group_id: str = Field(default="rag-sidecar", min_length=1, description="Consumer group; replicas share it.")
    client_id: str = Field(default="rag-sidecar", min_length=1, description="Name that brokers log.")
    auto_offset_reset: Literal["latest", "earliest"] = Field(
        default="latest", description="Where a group without committed offsets begins: latest or earliest."
    )
    session_timeout_seconds: float = Field(
        default=30.0, gt=0, description="Without a heartbeat for this long the group goes on without us."
    )
    heartbeat_interval_seconds: float = Field(default=3.0, gt=0, description="Time between heartbeats.")
    rebalance_timeout_seconds: float = Field(
        default=30.0, gt=0, description="Time that members have to join again when the group changes."
    )
    max_poll_interval_seconds: float = Field(
        default=300.0, gt=0, description="When nobody asks for records for this long, we leave the group."
    )
    poll_timeout_seconds: float = Field(default=0.2, gt=0, le=5, description="How long one poll waits for records.")
    max_records: int = Field(default=500, ge=1, description="Most records of one poll.")
    max_partition_fetch_bytes: int = Field(
        default=8 * 1024 * 1024, ge=1024, description="Bytes fetched at once from a partition; one record must fit."
    )
    fetch_max_bytes: int = Field(
        default=32 * 1024 * 1024, ge=1024, description="Bytes fetched at once from a broker: what is held unread."
    )
    most_batch_bytes: int = Field(
        default=64 * 1024 * 1024,
        ge=1024 * 1024,
        description="Bytes that one compressed batch may unpack to; a larger one is passed over and counted as unreadable.",
    )
    fetch_max_wait_seconds: float = Field(
        default=0.5, gt=0, description="How long a broker may wait for new records before it answers."
    )
    connect_timeout_seconds: float = Field(default=10.0, gt=0, description="Time for one connection to be made.")
    start_timeout_seconds: float = Field(
        default=30.0, gt=0, description="Time at the start for topics and group; then we start without partitions."
    )
    stop_timeout_seconds: float = Field(default=10.0, gt=0, description="Time for leaving the group at the stop.")
    metadata_max_age_seconds: float = Field(
        default=60.0, gt=0, description="How often new topics and partitions are looked for."
    )
    commit_interval_seconds: float = Field(default=5.0, ge=0, description="Time between commits of offsets.")
    lag_interval_seconds: float = Field(default=15.0, gt=0, description="Time between measurements of the lag.")
    dead_letter_topic: str | None = Field(
        default=None, description="Topic for records that cannot be read; none = they are counted and passed over."
    )
    repartition: str | None = Field(
        default=None,
        description="Topic of our own that spans are written to by trace id and assembled from, for source topics without "
        "the Collector's partition_traces_by_id.",
    )
    security: SecurityConfig = Field(default=SecurityConfig(), description="Encryption and login.")

    @field_validator("bootstrap_servers", mode="before")
    @classmethod
    def _servers(cls, value: object) -> object:
        servers = [server.strip() for server in _strings(value)]
        for server in servers:
            _, colon, port = server.rpartition(":")
            if not colon or not port.isdigit() or not 0 < int(port) < 65536:
                raise ValueError(f"{server!r} is not host:port")
        if not servers:
            raise ValueError("name at least one broker as host:port")
        return ",".join(servers)

    @field_validator("topic_pattern")
    @classmethod
    def _pattern(cls, value: str | None) -> str | None:
        if value:
            try:
                re.compile(value)
            except re.error as error:
                raise ValueError(f"is not a regular expression: {error}") from None
        return value or None

    @field_validator("topics", mode="before")
    @classmethod
    def _topics(cls, value: object, info: ValidationInfo) -> object:
        topics = tuple(topic.strip() for topic in _strings(value))
        if "topic_pattern" not in info.data:
            return topics
        if bool(topics) == bool(info.data["topic_pattern"]):
            raise ValueError("name either topics or topic_pattern, exactly one of them")
        for topic in topics:
            if not re.fullmatch(r"[A-Za-z0-9._-]{1,249}", topic):
                raise ValueError(f"{topic!r} is not a topic name")
        return topics

    @field_validator("dead_letter_topic", "repartition")
    @classmethod
    def _no_circle(cls, value: str | None, info: ValidationInfo) -> str | None:
        pattern, topics = info.data.get("topic_pattern"), info.data.get("topics", ())
        if value and (value in topics or (pattern and re.fullmatch(pattern, value))):
            raise ValueError(f"{value!r} is among the topics that are read: records would go in circles")
        if value and info.field_name == "repartition" and value == info.data.get("dead_letter_topic"):
            raise ValueError("is the dead-letter topic: name another")
        return value or None

    @model_validator(mode="after")
    def _times(self) -> Self:
        if self.heartbeat_interval_seconds * 2 > self.session_timeout_seconds:
            raise ValueError("session_timeout_seconds must be at least twice heartbeat_interval_seconds")
        return self

    @property
    def topic_names(self) -> tuple[str, ...]:
        """The topics to read; empty where a pattern is given."""
        return self.topics if isinstance(self.topics, tuple) else (self.topics,)

    @property
    def own_names(self) -> tuple[str, ...]:
        """The topics that must be there: those to read by name, and the one that spans are repartitioned through."""
        return (*self.topic_names, self.repartition) if self.repartition else self.topic_names

    def wants(self, topic: str) -> bool:
        """Whether a topic is one that is read."""
        if topic == self.repartition:
            return True
        if self.topic_pattern:
            return re.fullmatch(self.topic_pattern, topic) is not None
        return topic in self.topic_names


class _TokenFile(AbstractTokenProvider):  # type: ignore[misc]
    """An OAUTHBEARER token from a file that something else keeps fresh, such as a projected service account token."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def token(self) -> str:
        return _read("token_file", self._path)


def _strings(value: object) -> list[str]:
    """A list of strings out of a list, a JSON list (as the environment has it), or a comma-separated string."""
    if isinstance(value, str):
        parts = json.loads(value) if value.lstrip().startswith("[") else value.split(",")
    elif isinstance(value, (list, tuple)):
        parts = list(value)
    else:
        raise ValueError("give a list, or a string separated by commas")
    if not all(isinstance(part, str) for part in parts):
        raise ValueError("give a list of strings")
    return [part for part in parts if part.strip()]


def _read(field: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(field, f"{path}: {type(error).__name__}") from error


def _wrong(field: str, problem: str) -> ConfigError:
    return ConfigError(f"receive.security.{field}", problem, "give a file that this process can read")


def _required(path: Path | None) -> Path:
    if path is None:
        raise ValueError("the settings were not validated")
    return path

"""Settings of the Kafka side: addresses, security, group and fetch sizes."""

from __future__ import annotations

import json
import math
import re
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from exporters.clients.security import Brokers, SecurityConfig, refuse_schemes

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_REPARTITIONED_SECONDS = 1.0


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
        default="latest",
        description="Where the group begins in topics that it has never read: latest or earliest. What comes to be later, a new "
        "partition or a new topic of topic_pattern, is read from its start.",
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
        default=30.0,
        gt=0,
        description="Time of one attempt to reach topics and group. `check` ends after it; `run` waits on, see docs/adr/0026.",
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
    repartition_wait_seconds: float = Field(
        default=60.0,
        ge=0,
        description="How long traces wait for what lies in the source topics and is not yet written to receive.repartition.",
    )
    security: SecurityConfig = Field(default=SecurityConfig(), description="Encryption and login.")

    @field_validator("bootstrap_servers", mode="before")
    @classmethod
    def _servers(cls, value: object) -> object:
        servers = [server.strip() for server in _strings(value)]
        refuse_schemes(servers)
        for server in servers:
            _, colon, port = server.rpartition(":")
            if not colon or not port.isdigit() or not 0 < int(port) < 65536:
                raise ValueError(f"{server.rpartition('@')[2]!r} is not host:port")
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
            if not _TOPIC.fullmatch(topic):
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
    def brokers(self) -> Brokers:
        """The cluster that is read from, and that dead letters and repartitioned spans go to."""
        return Brokers(self.bootstrap_servers, self.security, "receive")

    @property
    def topic_names(self) -> tuple[str, ...]:
        """The topics to read; empty where a pattern is given."""
        return self.topics if isinstance(self.topics, tuple) else (self.topics,)

    @property
    def commits_every_seconds(self) -> float:
        """Time between commits. What is repartitioned waits for those of the source topics (consume/behind.py)."""
        return min(self.commit_interval_seconds, _REPARTITIONED_SECONDS if self.repartition else math.inf)

    @property
    def own_names(self) -> tuple[str, ...]:
        """The topics that must be there: those to read by name, and the one that spans are repartitioned through."""
        return (*self.topic_names, self.repartition) if self.repartition else self.topic_names

    def wants(self, topic: str) -> bool:
        """Whether a topic is one that is read."""
        return self.named_by(topic) is not None

    def named_by(self, topic: str) -> str | None:
        """The setting by which a topic is read; None where it is not."""
        if topic == self.repartition:
            return "receive.repartition"
        if self.topic_pattern:
            return "receive.topic_pattern" if re.fullmatch(self.topic_pattern, topic) else None
        return "receive.topics" if topic in self.topic_names else None


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

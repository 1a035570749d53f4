"""The whole configuration, made of the stages' own. YAML first, environment over it; an unknown key is an error with its path.

Environment: `RAG_SIDECAR_` and the path with `__` between, for example `RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS`.
Lists are given as JSON or separated by commas, maps as JSON.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exporters.kafka import KafkaResultsConfig
from exporters.langfuse import LangfuseConfig
from exporters.otlp import OtlpConfig
from exporters.phoenix import PhoenixConfig
from exporters.prometheus import PrometheusConfig
from sidecar.assemble import AssembleConfig
from sidecar.decode.config import DecodeConfig
from sidecar.deliver import DeliverConfig
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.runtime import InferenceConfig
from sidecar.kafka.produce.labels import LabelsConfig
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.admin import AdminConfig
from sidecar.observe.logs import LogConfig
from sidecar.page.door import CLOSED_BY, is_loopback
from sidecar.page.settings import StatusPageConfig
from sidecar.pipeline import PipelineConfig
from sidecar.price import PriceConfig
from sidecar.record.errors import ConfigError
from sidecar.redact.settings import RedactConfig
from sidecar.sample.rules import SampleConfig
from sidecar.settings import environment
from sidecar.settings.messages import Given
from sidecar.settings.validated import validated
from sidecar.settings.yaml_file import read_yaml

PREFIX = "RAG_SIDECAR_"
_NO_TOPICS: Mapping[str, Any] = {"topics": ["unused"], "topic_pattern": None}
_NO_KAFKA = {"bootstrap_servers": "unused:9092", "topics": ["unused"]}
_NOT_SETTINGS = frozenset({"RAG_SIDECAR_CONFIG", "RAG_SIDECAR_CACHE"})


class ReloadConfig(BaseModel):
    """Settings of reading the settings again."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    watch: bool = Field(default=True, description="Read the file again when it changes; SIGHUP always does.")
    interval_seconds: float = Field(
        default=5.0, gt=0, description="How often the file is looked at; a change must be there twice to be taken."
    )


class Config(BaseModel):
    """Everything that can be set. Each part is documented where it is used."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    receive: ReceiveConfig = Field(description="Kafka in.")
    decode: DecodeConfig = Field(default=DecodeConfig(), description="Bytes to spans.")
    assemble: AssembleConfig = Field(default=AssembleConfig(), description="Spans to requests.")
    sample: SampleConfig = Field(default=SampleConfig(), description="Which requests are scored.")
    pipeline: PipelineConfig = Field(default=PipelineConfig(), description="Queues and workers.")
    evaluate: EvaluateConfig = Field(default=EvaluateConfig(), description="What scores a request.")
    inference: InferenceConfig = Field(default=InferenceConfig(), description="Local models.")
    judge: JudgeConfig = Field(default=JudgeConfig(), description="An LLM that evaluators may ask.")
    price: PriceConfig = Field(default=PriceConfig(), description="Token prices.")
    redact: RedactConfig = Field(
        default=RedactConfig(), description="Personal data and secrets in what leaves the process."
    )
    deliver: DeliverConfig = Field(default=DeliverConfig(), description="Queues of the exporters.")
    prometheus: PrometheusConfig = Field(default=PrometheusConfig(), description="Series about the RAG services.")
    otlp: OtlpConfig = Field(default=OtlpConfig(), description="OpenTelemetry evaluation events and our own spans.")
    results: KafkaResultsConfig = Field(default=KafkaResultsConfig(), description="The Kafka results topic.")
    phoenix: PhoenixConfig = Field(default=PhoenixConfig(), description="Scores beside the traces in Arize Phoenix.")
    langfuse: LangfuseConfig = Field(default=LangfuseConfig(), description="Scores beside the traces in Langfuse.")
    labels: LabelsConfig = Field(default=LabelsConfig(), description="What people said of answers.")
    admin: AdminConfig = Field(default=AdminConfig(), description="/metrics and probes.")
    status_page: StatusPageConfig = Field(default=StatusPageConfig(), description="The page at `/` of the admin port.")
    log: LogConfig = Field(default=LogConfig(), description="Logs.")
    reload: ReloadConfig = Field(default=ReloadConfig(), description="Settings that change while the sidecar runs.")

    @property
    def required_exporters(self) -> tuple[str, ...]:
        """Sections of the exporters that offsets wait for."""
        if self.deliver.required is not None:
            return self.deliver.required
        return ("results",) if self.results.topic is not None else ()

    @property
    def receive_results(self) -> ReceiveConfig:
        """`receive` with the brokers of the results, for who reads those."""
        brokers = self.results.brokers(self.receive.brokers)
        return self.receive.model_copy(update={"bootstrap_servers": brokers.servers, "security": brokers.security})

    @model_validator(mode="after")
    def _required_exporters_are_on(self) -> Config:
        on = {
            "results.topic": self.results.topic is not None,
            "otlp.endpoint": self.otlp.wanted,
            "phoenix.url": self.phoenix.url is not None,
            "langfuse.url": self.langfuse.url is not None,
        }
        for field, wanted in on.items():
            name = field.partition(".")[0]
            if not wanted and name in self.required_exporters:
                raise ValueError(f"deliver.required names {name}, which is off: set {field}, or leave it out")
        return self

    @model_validator(mode="after")
    def _rules_ask_for_what_is_kept(self) -> Config:
        for number, rule in enumerate(self.sample.always_keep):
            if rule.attribute is not None and rule.attribute not in self.decode.keep_attributes:
                raise ValueError(
                    f"sample.always_keep.{number}.attribute: {rule.attribute} is not in decode.keep_attributes, so that the rule keeps nothing: add it there"
                )
        return self

    @model_validator(mode="after")
    def _a_judge_is_there(self) -> Config:
        if self.judge.url is None and self.evaluate.judged:
            asked = ", ".join(sorted(self.evaluate.judged))
            raise ValueError(
                f"judge.url is not set, and {asked} would ask the judge: set it, or evaluate.NAME.by to local"
            )
        return self

    @model_validator(mode="after")
    def _texts_are_shown_to_nobody_unasked(self) -> Config:
        if (
            self.status_page.enabled
            and self.status_page.show_text
            and not (self.admin.asks or is_loopback(self.admin.host))
        ):
            raise ValueError(
                f"status_page.show_text would show questions and answers to whoever reaches {self.admin.host}: {CLOSED_BY}"
            )
        return self

    @model_validator(mode="after")
    def _results_are_not_read_back(self) -> Config:
        for name, topic in (("results", self.results.topic), ("labels", self.labels.topic)):
            if topic is not None and (field := self.receive.named_by(topic)):
                raise ValueError(
                    f"{name}.topic {topic!r} is among the topics that are received ({field}): {name} would be read back in; name another topic"
                )
        return self

    @model_validator(mode="after")
    def _what_is_written_goes_to_topics_of_its_own(self) -> Config:
        received = self.receive.brokers
        fields = [
            ("receive.dead_letter_topic", self.receive.dead_letter_topic),
            ("labels.topic", self.labels.topic),
        ]
        if not self.results.brokers(received).others(received):
            fields.append(("results.topic", self.results.topic))
        for (one, topic), (other, same) in itertools.combinations(fields, 2):
            if topic and topic == same:
                raise ValueError(f"{one} {topic!r} is {other} too: name another")
        return self


def load(path: Path | None, *, kafka: bool = True, receive: Mapping[str, Any] | None = None) -> Config:
    """The configuration of a YAML file (or of none) and the environment. Raises ConfigError naming every field that is wrong.

    Commands that need no Kafka pass `kafka=False`: their `receive` section is not read. `receive` is what the command line
    says of that section; it wins over file and environment.
    """
    if path is None and kafka and receive is None and not _environment()[0]:
        raise ConfigError(
            "settings",
            "none are given: name a file with --config FILE (or RAG_SIDECAR_CONFIG), or set at least "
            f"{PREFIX}RECEIVE__BOOTSTRAP_SERVERS and {PREFIX}RECEIVE__TOPICS",
            "`rag-sidecar check --example > config.yaml` writes a file to start with",
        )
    return build(_read(path) if path else {}, kafka=kafka, receive=receive)


def load_for_topic(path: Path | None, *, servers: str | None = None) -> Config:
    """The configuration of a command that reads one topic, which its command line names: any, also one that the sidecar writes to. Which topics are
    received is not read; `servers` win over file and environment. Raises ConfigError."""
    return load(path, receive={**_NO_TOPICS, **({"bootstrap_servers": servers} if servers else {})})


def names_kafka(path: Path) -> bool:
    """Whether a file or the environment say anything of `receive`. Raises ConfigError for what cannot be read."""
    return any(values.get("receive") for values in (_read(path), _environment()[0]))


def build(values: Mapping[str, Any], *, kafka: bool = True, receive: Mapping[str, Any] | None = None) -> Config:
    """A Config of plain values, the environment over them, and `receive` over both.

    Raises ConfigError naming every field that is wrong.
    """
    over, variables = _environment()
    merged = environment.merge({"receive": {}, **values}, over)
    if not kafka:
        merged["receive"] = _NO_KAFKA
    elif not isinstance(merged["receive"], Mapping):
        merged["receive"] = receive or merged["receive"]
    elif receive is not None:
        merged["receive"] = {**merged["receive"], **receive}
    return validated(Config, Given(merged, over, variables), prefix=PREFIX)


def _environment() -> tuple[dict[str, Any], dict[tuple[str, ...], str]]:
    return environment.read(Config, os.environ, prefix=PREFIX, not_settings=_NOT_SETTINGS)


def _read(path: Path) -> dict[str, Any]:
    values = read_yaml(path, "--config")
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise ConfigError("--config", f"{path}: the top level must be a map of sections", "for example `receive:`")
    return values

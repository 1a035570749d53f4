"""The whole configuration, made of the stages' own. YAML first, environment over it; an unknown key is an error with its path.

Environment: `RAG_SIDECAR_` and the path with `__` between, for example `RAG_SIDECAR_RECEIVE__BOOTSTRAP_SERVERS`.
Lists and maps are given as JSON.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from exporters.kafka import KafkaResultsConfig
from exporters.otlp import OtlpConfig
from exporters.prometheus import PrometheusConfig
from sidecar.assemble import AssembleConfig
from sidecar.decode.decoder import DecodeConfig
from sidecar.deliver import DeliverConfig
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.runtime import InferenceConfig
from sidecar.kafka.consume.receiver import ReceiveConfig
from sidecar.observe.admin import AdminConfig
from sidecar.observe.logs import LogConfig
from sidecar.pipeline import PipelineConfig
from sidecar.price import PriceConfig
from sidecar.record.errors import ConfigError
from sidecar.sample import SampleConfig

PREFIX = "RAG_SIDECAR_"
_NO_KAFKA = {"bootstrap_servers": "unused:9092", "topics": ["unused"]}
_NOT_SETTINGS = frozenset({"RAG_SIDECAR_CONFIG", "RAG_SIDECAR_CACHE"})


class Config(BaseSettings):
    """Everything that can be set. Each part is documented where it is used."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        nested_model_default_partial_update=False,
    )

    receive: ReceiveConfig = Field(description="Kafka in.")
    decode: DecodeConfig = Field(default=DecodeConfig(), description="Bytes to spans.")
    assemble: AssembleConfig = Field(default=AssembleConfig(), description="Spans to requests.")
    sample: SampleConfig = Field(default=SampleConfig(), description="Which requests are scored.")
    pipeline: PipelineConfig = Field(default=PipelineConfig(), description="Queues and workers.")
    evaluate: EvaluateConfig = Field(default=EvaluateConfig(), description="What scores a request.")
    inference: InferenceConfig = Field(default=InferenceConfig(), description="Local models.")
    price: PriceConfig = Field(default=PriceConfig(), description="Token prices.")
    deliver: DeliverConfig = Field(default=DeliverConfig(), description="Queues of the exporters.")
    prometheus: PrometheusConfig = Field(default=PrometheusConfig(), description="Series about the RAG services.")
    otlp: OtlpConfig = Field(default=OtlpConfig(), description="OpenTelemetry evaluation events and our own spans.")
    results: KafkaResultsConfig = Field(default=KafkaResultsConfig(), description="The Kafka results topic.")
    admin: AdminConfig = Field(default=AdminConfig(), description="/metrics and probes.")
    log: LogConfig = Field(default=LogConfig(), description="Logs.")

    @model_validator(mode="after")
    def _results_are_not_read_back(self) -> Config:
        if self.results.topic is not None and self.receive.wants(self.results.topic):
            raise ValueError(
                f"results.topic {self.results.topic!r} is among the topics that are received: results would be read back in"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file; nothing else is read."""
        return env_settings, init_settings


def load(path: Path | None, *, kafka: bool = True, receive: Mapping[str, Any] | None = None) -> Config:
    """The configuration of a YAML file (or of none) and the environment. Raises ConfigError naming every field that is wrong.

    Commands that need no Kafka pass `kafka=False`: their `receive` section is not read. `receive` is what the command line
    says of that section; it wins over the file.
    """
    values = _read(path) if path else {}
    _refuse_unknown_environment(os.environ)
    if receive is not None:
        section = values.get("receive")
        values = {**values, "receive": {**(section if isinstance(section, dict) else {}), **receive}}
    return build(values if kafka else {**values, "receive": _NO_KAFKA})


def build(values: Mapping[str, Any]) -> Config:
    """A Config of plain values, with the environment over them. Raises ConfigError naming every field that is wrong."""
    try:
        return Config(**values)
    except ValidationError as error:
        raise _explain(error) from None
    except SettingsError as error:
        raise ConfigError("environment", str(error), "lists and maps are given as JSON") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("--config", f"{path}: {type(error).__name__}", "give a readable UTF-8 YAML file") from error
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        raise ConfigError("--config", f"{path}{place}: not valid YAML", "check indentation and quotes") from error
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise ConfigError("--config", f"{path}: the top level must be a map of sections", "for example `receive:`")
    return values


def _refuse_unknown_environment(environment: Mapping[str, str]) -> None:
    for name in environment:
        if not name.startswith(PREFIX) or name in _NOT_SETTINGS:
            continue
        section = name.removeprefix(PREFIX).split("__")[0].lower()
        if section not in Config.model_fields:
            raise ConfigError(name, "no such setting", _near(section, list(Config.model_fields)))


def _explain(error: ValidationError) -> ConfigError:
    lines = []
    for item in error.errors(include_url=False, include_input=False):
        path = ".".join(str(part) for part in item["loc"])
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            message = f"no such setting ({_near(str(item['loc'][-1]), _siblings(item['loc']))})"
        elif item["type"] == "missing":
            message = (
                f"is required (set it in the file, or as {PREFIX}{'__'.join(str(p) for p in item['loc']).upper()})"
            )
        lines.append((path or "config", message))
    first, *others = lines
    return ConfigError(first[0], first[1] + "".join(f"\n{field}: {message}" for field, message in others))


def _siblings(location: tuple[int | str, ...]) -> list[str]:
    model: Any = Config
    for part in location[:-1]:
        fields = getattr(model, "model_fields", {})
        if part not in fields:
            return []
        model = fields[part].annotation
    return list(getattr(model, "model_fields", {}))


def _near(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return "known are " + ", ".join(known) if known else "remove it"

"""The file of a probe: what is sent where, how often, and what must come of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from exporters.clients.address import http_address
from exporters.text import clean
from sidecar.decode.native.mapping import check
from sidecar.decode.probes import KEY_PATTERN, TRACE_STATE_KEY
from sidecar.observe.admin import AdminConfig
from sidecar.observe.logs import LogConfig
from sidecar.offline.gate import GateFile, load_gate
from sidecar.record.errors import ConfigError
from sidecar.settings.environment import near
from sidecar.settings.messages import Given
from sidecar.settings.validated import validated
from sidecar.settings.yaml_file import read_yaml

FIELDS = ("question", "id", "reference", "kind")
# What looks like a place to fill in: JSON and templates in a text have spaces, quotes or two braces there.
_PLACE = re.compile(r"(?<!\{)\{([^\W\d]\w*)\}(?!\})")
_MINE = frozenset(
    {"traceparent", "tracestate", "baggage", "x-rag-probe", "content-length", "host", "transfer-encoding"}
)


class From(BaseModel):
    """A value that does not stand in the file: one of both."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    env: str | None = Field(default=None, min_length=1, description="Name of an environment variable.")
    file: Path | None = Field(default=None, description="A file that holds it; read again for each round.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.env is None) == (self.file is None):
            raise ValueError("give either env or file")
        return self

    def read(self, field: str) -> str:
        """Raises ConfigError naming the field, never the value."""
        if self.env is not None:
            value = os.environ.get(self.env, "").strip()
            if not value:
                raise ConfigError(field, f"the environment has no {self.env}", "set it, or name another")
            return value
        try:
            value = Path(self.file or "").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(field, f"{self.file}: {type(error).__name__}", "give a readable file") from error
        if not value:
            raise ConfigError(field, f"{self.file} is empty", "give a file that holds the value")
        return value


class RequestConfig(BaseModel):
    """One request to the RAG service: JSON by POST."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(description="Address that questions are posted to.")
    headers: Mapping[str, SecretStr | From] = Field(
        default={},
        description="More headers: a text, or `{env: NAME}` or `{file: PATH}` for what is secret. Never logged.",
    )
    prefix: Mapping[str, str] = Field(
        default={}, description="What stands before the value of a header, as `authorization: 'Bearer '`."
    )
    body: Any = Field(
        default={"question": "{question}"},
        description="What is posted: JSON in which `{question}`, `{id}`, `{reference}` and `{kind}` stand for those of the case.",
    )
    timeout_seconds: float = Field(default=30.0, gt=0, le=3600, description="For a request and its whole answer.")
    most_answer_bytes: int = Field(default=5_000_000, ge=1000, description="A longer answer cannot be read.")
    ca_file: Path | None = Field(default=None, description="Authorities to trust in place of the system's (PEM).")
    cert_file: Path | None = Field(default=None, description="Certificate of ours (PEM).")
    key_file: Path | None = Field(default=None, description="Its key (PEM).")

    @field_validator("url")
    @classmethod
    def _an_address(cls, url: str) -> str:
        if place := _PLACE.search(url):
            raise ValueError(f"{place[0]} is not filled in here: put it into request.body")
        return http_address(url, login="give headers")

    @field_validator("body")
    @classmethod
    def _json(cls, body: Any) -> Any:
        """Written as JSON, with the question in it, and with no place that nothing fills in."""
        try:
            orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
        except orjson.JSONEncodeError as error:
            raise ValueError(f"cannot be written as JSON ({error}): give a text in its place") from None
        texts = list(_texts(body))
        for name in (place[1] for text in texts for place in _PLACE.finditer(text)):
            if name not in FIELDS:
                literal = f"where it is meant as it stands, write {{ {name} }} with spaces"
                raise ValueError(f"nothing fills in {{{name}}}; {near(name, FIELDS)} ({literal})")
        if not any("{question}" in text for text in texts):
            raise ValueError('every case would send the same: write "{question}", in quotes, where it goes')
        return body

    @field_validator("headers", "prefix")
    @classmethod
    def _as_it_stands(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        for name, value in given.items():
            text = value.get_secret_value() if isinstance(value, SecretStr) else value
            if isinstance(text, str) and _PLACE.search(text):
                mend = "give {env: NAME} or {file: PATH}; what is of the case goes into request.body"
                raise ValueError(f"{name} has a name in braces, and headers are sent as they stand: {mend}")
        return given

    @field_validator("headers")
    @classmethod
    def _not_ours(cls, headers: Mapping[str, SecretStr | From]) -> Mapping[str, SecretStr | From]:
        taken = sorted(name for name in headers if name.lower() in _MINE)
        if taken:
            raise ValueError(f"{', '.join(taken)} is set by the probe itself: leave it out")
        return headers

    def read_headers(self) -> dict[str, str]:
        """The headers as they are sent. Raises ConfigError naming the header."""
        before = {name.lower(): text for name, text in self.prefix.items()}
        found = {
            name: before.get(name.lower(), "")
            + (value.read(f"request.headers.{name}") if isinstance(value, From) else value.get_secret_value())
            for name, value in self.headers.items()
        }
        for name, text in found.items():
            if clean(name + text) != name + text:
                field = f"request.headers.{clean(name)}"
                raise ConfigError(field, "holds bytes that are no UTF-8", "give a text that can be encoded")
        return found


class ProbeConfig(BaseModel):
    """A probe."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    service: str = Field(min_length=1, max_length=256, description="Name of the RAG service, as its traces have it.")
    cases: Path = Field(
        description="The cases (docs/cases.md), 20 to 50 of them; beside this file where it is no whole path."
    )
    most_cases: int = Field(default=50, ge=1, le=1000, description="Only the first so many of them.")
    gate: GateFile = Field(
        default=GateFile(),
        description="What must be kept, as a gate of `evaluate` has it (docs/offline.md); or the path of such a file, beside this one.",
    )
    every_seconds: float = Field(
        default=900.0, ge=10, description="Time from the beginning of a round to that of the next one."
    )
    concurrency: int = Field(default=2, ge=1, le=64, description="Requests to the service at the same time.")
    request: RequestConfig = Field(description="What is sent.")
    trace_state: str = Field(
        default=TRACE_STATE_KEY,
        pattern=KEY_PATTERN,
        description="The member of tracestate that marks what is sent: that of the sidecar's `decode.probe_trace_state`.",
    )
    response: Mapping[str, str] = Field(
        default={"answer": "answer", "contexts": "contexts"},
        description='Where fields of a native record are in what comes back, as JMESPath: `answer: data.text`, `contexts: "hits[].{text: body, id: id}"`.',
    )
    admin: AdminConfig = Field(default=AdminConfig(), description="/metrics and probes, as the sidecar has them.")
    log: LogConfig = Field(default=LogConfig(), description="Logs.")

    @field_validator("response")
    @classmethod
    def _expressions(cls, response: Mapping[str, str]) -> Mapping[str, str]:
        check(response)
        if "answer" not in response:
            raise ValueError("answer is required: say where it is")
        return response


def _texts(body: Any) -> Iterator[str]:
    """The texts in which places are filled in: values at any depth, no keys."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, Mapping | list):
        for value in body.values() if isinstance(body, Mapping) else body:
            yield from _texts(value)


def load_probe(path: Path) -> ProbeConfig:
    """Raises ConfigError naming every field that is wrong."""
    given = read_yaml(path)
    if not isinstance(given, Mapping):
        raise ConfigError(str(path), "the top level must be a map", "see docs/probe.md")
    if isinstance(given.get("gate"), str):
        given = {**given, "gate": load_gate(path.parent / given["gate"], "gate")}
    try:
        probe = validated(ProbeConfig, Given(given, {}, {}))
    except ConfigError as wrong:
        raise ConfigError(str(path), str(wrong), "see docs/probe.md") from None
    cases = probe.cases.expanduser()
    return probe.model_copy(update={"cases": cases if cases.is_absolute() else path.parent / cases})

"""Settings of the decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sidecar.decode.native.mapping import check
from sidecar.decode.probes import KEY_PATTERN, TRACE_STATE_KEY

Encoding = Literal["sniff", "otlp_proto", "otlp_json", "native_json", "otlp_logs_proto"]


class DecodeConfig(BaseModel):
    """Settings of the decoder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    encoding: Encoding = Field(default="sniff", description="How records are encoded; sniff tells by the first bytes.")
    topics: Mapping[str, Encoding] = Field(default={}, description="Encodings by topic; `*` and `?` are wildcards.")
    mapping: Mapping[str, str] = Field(
        default={}, description="Your own names in native records: field to JMESPath expression, as `question: data.q`."
    )
    most_record_bytes: int = Field(
        default=8 * 1024 * 1024,
        ge=1024,
        description="Larger records go to the dead-letter topic unread. A megabyte of JSON stops everything else for about 20 ms while it is "
        "parsed, one of brackets alone for 140; no parser lets go of the interpreter meanwhile, and what another process has parsed takes "
        "as long to hand over. Hence no more than `receive.max_partition_fetch_bytes`; Kafka and the Collector stop at 1 MB by default.",
    )
    most_text_chars: int = Field(
        default=2_000_000, ge=1000, description="Longer texts are left out, and the request is marked."
    )
    tenant_keys: tuple[str, ...] = Field(
        default=("tenant", "tenant.id", "tenant_id"), description="Attributes that may hold the tenant."
    )
    variant_keys: tuple[str, ...] = Field(default=("variant",), description="Attributes that may hold the variant.")
    keep_attributes: tuple[str, ...] = Field(
        default=(), description="Span attributes, and fields of native records, that sampling rules ask for."
    )
    probe_attributes: tuple[str, ...] = Field(
        default=("rag.probe", "http.request.header.x-rag-probe"),
        description="Attributes of spans or resources that say that a probe sent the request: no traffic; so does `probe` in native records (docs/probe.md).",
    )
    probe_trace_state: str | None = Field(
        default=TRACE_STATE_KEY,
        pattern=KEY_PATTERN,
        description="The member of tracestate that says so; null for none. Where callers from outside set tracestate, one that nobody guesses.",
    )
    weight_attribute: str | None = Field(
        default=None,
        description="Attribute that says how many traces one stands for where tracestate does not, as `SampleRate`.",
    )

    @field_validator("mapping")
    @classmethod
    def _expressions(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        check(value)
        return value

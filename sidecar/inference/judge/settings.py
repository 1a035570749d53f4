"""The section `judge`: which LLM is asked, how fast, and for how much."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from exporters.clients.address import http_address
from sidecar.inference.grounding.detector import Detector

_CALL = "/chat/completions"


class JudgeConfig(BaseModel):
    """Settings of the judge. Off unless `url` is set; `evaluate.NAME.by` says which evaluators ask it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str | None = Field(
        default=None,
        description="Address of an OpenAI-compatible API, as https://api.openai.com/v1 or http://vllm:8000/v1; one that ends in "
        "/chat/completions is taken as it is, with what stands behind `?` (Azure).",
    )
    model: str = Field(default="gpt-4o-mini", min_length=1, description="Name of the model there.")
    provider: str | None = Field(
        default=None,
        description="Whose price list counts, as openai or azure; by default whoever has a model of that name.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="Key, sent as a bearer token; better from the environment."
    )
    api_key_file: Path | None = Field(default=None, description="File that holds the key; read again for each call.")
    headers: Mapping[str, SecretStr] = Field(
        default={}, description="More headers of each call, as api-key for Azure; better from the environment."
    )
    ca_file: Path | None = Field(default=None, description="Authorities to trust in place of the system's (PEM).")
    cert_file: Path | None = Field(default=None, description="Certificate of ours (PEM).")
    key_file: Path | None = Field(default=None, description="Its key (PEM).")
    replies: Literal["auto", "json_schema", "json_object", "text"] = Field(
        default="auto",
        description="How verdicts are asked for: by a schema that the server enforces, as a JSON object, or as JSON in text. `auto` begins "
        "with the schema, goes on to the next where the server refuses it, and looks for JSON in the text where it ignores it. What comes back is checked "
        "all the same.",
    )
    temperature: float | None = Field(
        default=0.0, ge=0, le=2, description="Sampling temperature; null leaves it out, for models that take none."
    )
    most_output_tokens: int = Field(
        default=1500, ge=16, description="Most tokens of one reply; a longer one is cut off by the server and fails."
    )
    parameters: Mapping[str, Any] = Field(
        default={}, description="More fields of the body of each call, as reasoning_effort or seed."
    )
    timeout_seconds: float = Field(
        default=30.0,
        gt=0,
        description="Deadline of one question, its retries included. At least 120 where no traffic waits: of `evaluate`, `testset`, `probe` and `FrameScorer`.",
    )
    attempts: int = Field(
        default=3,
        ge=1,
        le=10,
        description="Attempts at one question, where another one may help (429, 5xx, a connection that broke, time-outs by `attempt_seconds`).",
    )
    attempt_seconds: float | None = Field(
        default=None,
        gt=0,
        description="Deadline of one attempt: a call that hangs is tried again after it. null: it has all of `timeout_seconds`, which a slow model may "
        "need, and one that hangs is not tried again.",
    )
    concurrency: int = Field(default=8, ge=1, le=256, description="Calls at the same time, of each replica.")
    tokens_per_minute: int | None = Field(
        default=None,
        ge=1000,
        description="Tokens a minute over all replicas, shared by their partitions; null is no limit.",
    )
    budget_usd_per_hour: float | None = Field(
        default=1.0,
        gt=0,
        description="Most US dollars in any hour, over all replicas, shared by their partitions and paced over the hour. null: no limit.",
    )
    budget_usd_per_day: float | None = Field(
        default=10.0,
        gt=0,
        description="The same for any day. Where the budget is short the sampling rate gives way first.",
    )
    pause_seconds: float = Field(
        default=300.0,
        gt=0,
        description="After a refusal that does not pass by itself (401, 402, 403, 404, an empty account) the judge is tried again so often.",
    )
    breaker_failures: int = Field(
        default=5, ge=1, description="So many questions in a row without an answer open the circuit breaker."
    )
    breaker_seconds: float = Field(
        default=10.0, gt=0, description="How long it stays open at first; each time longer, up to `pause_seconds`."
    )
    cache_megabytes: int = Field(default=16, ge=0, description="Memory for replies to questions that come again.")
    most_chars: int = Field(
        default=60_000,
        ge=100,
        description="A request with more characters in question, answer and documents is unscorable{reason=too_long}, never cut.",
    )
    redact: bool = Field(
        default=True,
        description="Send pseudonyms in place of personal data and secrets, as `redact` says; off where the model is yours.",
    )
    detector: Detector | None = Field(
        default=None,
        description="How often the judge's verdict is right, measured on answers that people labelled: the anchored estimate is corrected for it. "
        "Without it the interval allows for the error that the rules state (5 %).",
    )
    salt: str = Field(
        default="judge",
        description="Which requests are drawn follows from this and the trace id; the same on all replicas.",
    )

    @field_validator("url")
    @classmethod
    def _an_address(cls, url: str | None) -> str | None:
        return None if url is None else http_address(url, login="give api_key, api_key_file or headers")

    @field_validator("parameters")
    @classmethod
    def _not_ours(cls, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        taken = sorted({"model", "messages", "response_format", "temperature", "n", "stream"} & set(parameters))
        if taken:
            raise ValueError(f"{', '.join(taken)} is set by the sidecar itself: leave it out")
        return parameters

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        if self.api_key is not None and self.api_key_file is not None:
            raise ValueError("give either api_key or api_key_file")
        return self

    @property
    def endpoint(self) -> str:
        """Where questions are posted to. Raises ValueError where the judge is off."""
        if self.url is None:
            raise ValueError("judge.url is not set")
        parts = urlsplit(self.url)
        path = parts.path.rstrip("/")
        return urlunsplit(parts._replace(path=path if path.endswith(_CALL) else path + _CALL, fragment=""))

"""Settings of the status page."""

from __future__ import annotations

import string
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

PLACEHOLDERS = ("trace_id", "span_id", "service")


class StatusPageConfig(BaseModel):
    """Settings of the status page. What it keeps lies in memory alone; a restart forgets texts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(default=True, description="Show the status page at `/` of the admin port.")
    show_text: bool = Field(
        default=False,
        description="Keep questions, answers and documents of the answers that are kept, redacted, and show them. Off a loopback address `admin` must ask for a "
        "token or a password.",
    )
    trace_url: str | None = Field(
        default=None,
        description="Where a trace is shown, for links, with {trace_id} and if need be {span_id}, {service}: `https://jaeger.example.org/trace/{trace_id}`.",
    )
    keep_hours: float = Field(default=24.0, gt=0, le=168, description="Answers that are older are forgotten.")
    keep_answers: int = Field(
        default=100,
        ge=1,
        le=1000,
        description="Answers kept of each service in each of three lists: the worst, the latest, and a random part.",
    )
    keep_megabytes: int = Field(
        default=32,
        ge=1,
        description="Memory for all answers that are kept, a quarter of it for those of other replicas.",
    )
    read_results: bool = Field(
        default=True,
        description="Where results.topic is on, read the results of the other replicas from it, and those from before the start; wants Read on the topic.",
    )
    look_back_hours: float = Field(
        default=72.0, ge=0, le=72, description="How far back the results topic is read at the start."
    )
    look_back_results: int = Field(
        default=20_000, ge=0, le=1_000_000, description="And how many of its latest records at the most."
    )
    most_services: int = Field(default=50, ge=1, description="Different services; what others send is not shown.")
    label_rate: float = Field(
        default=0.05,
        gt=0,
        le=1,
        description="Probability with which /label asks about an answer; a draw that was begun goes on at its own.",
    )
    label_seed: str = Field(
        default="1", min_length=1, max_length=64, description="Names that draw, as --seed of `rag-sidecar label`."
    )

    @field_validator("trace_url")
    @classmethod
    def _a_template(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            names = [name for _, name, _, _ in string.Formatter().parse(url) if name is not None]
            shown = urlsplit(url.format(**dict.fromkeys(PLACEHOLDERS, "x")))
        except (ValueError, KeyError, IndexError, AttributeError) as error:
            raise ValueError(
                f"is no template: braces are for {', '.join(PLACEHOLDERS)} alone, double others"
            ) from error
        if shown.scheme not in ("http", "https") or not shown.hostname:
            raise ValueError("must be an address that begins with http:// or https://")
        if "trace_id" not in names:
            raise ValueError("must hold {trace_id}")
        if urlsplit(url).netloc != shown.netloc:
            raise ValueError("the host may not depend on the trace")
        return url

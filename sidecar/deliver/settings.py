"""Settings of the queues between the pipeline and the exporters."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Queued: TypeAlias = Literal["results", "otlp", "phoenix", "langfuse"]


class DeliverConfig(BaseModel):
    """Settings of the queues between the pipeline and the exporters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    required: tuple[Queued, ...] | None = Field(
        default=None,
        description="Exporters (results, otlp, phoenix, langfuse) that must have a result before its offset is committed; intake pauses while they take "
        "nothing. By default results, where results.topic is set. Those not named get what they can take.",
    )
    queue_size: int = Field(
        default=4096,
        ge=1,
        description="Results waiting for one exporter before intake pauses (required), or new ones are dropped for it (others).",
    )
    batch_size: int = Field(default=256, ge=1, description="Most results in one push.")
    linger_seconds: float = Field(default=0.2, ge=0, description="Time that a push waits for more results to go along.")
    timeout_seconds: float = Field(default=15.0, gt=0, description="Time for one push.")
    most_attempts: int = Field(
        default=6,
        ge=1,
        description="Pushes of one batch before it is dropped; a required exporter is tried without end. Single results that the destination refuses for good, as "
        "one that is larger than the results topic takes (its max.message.bytes; `results.include_text` adds texts), are dropped whoever asks, counted and logged.",
    )
    backoff_seconds: float = Field(
        default=0.5,
        gt=0,
        description="First wait between attempts; doubles, with jitter, up to 30 s, or what the receiver asks for, up to 5 minutes.",
    )

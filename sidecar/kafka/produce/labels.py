"""Where labels go: a topic, keyed by the id of the result, so that compaction keeps the latest, or a file. One JSON object each."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class LabelsConfig(BaseModel):
    """Settings of labels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str | None = Field(
        default=None,
        pattern=r"^[a-zA-Z0-9._-]{1,249}$",
        description="Topic that `rag-sidecar label` writes labels to, on the brokers of `receive`, and reads what was labelled from; none: files alone.",
    )
    file: Path | None = Field(
        default=None,
        description="File of labels that the page /label and `rag-sidecar label` add to and read what was labelled from, where that names no other.",
    )

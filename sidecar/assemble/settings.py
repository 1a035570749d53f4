"""Settings of the assembler."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class AssembleConfig(BaseModel):
    """How long traces are waited for, and how much of them is held."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    quiet_seconds: float = Field(
        default=5.0, ge=0, description="A trace whose root has ended is complete after this long without a span."
    )
    quiet_without_root_seconds: float = Field(default=30.0, ge=0, description="The same without a root.")
    max_age_seconds: float = Field(default=120.0, gt=0, description="A trace ends at this age at the latest.")
    most_traces: int = Field(default=50_000, ge=1, description="Traces being put together; the oldest ends first.")
    most_bytes: int = Field(default=256_000_000, ge=1_000_000, description="Approximate bytes of the same.")
    most_spans: int = Field(
        default=10_000, ge=1, description="Spans of one trace; more are left out and the request is marked."
    )
    remember_seconds: float = Field(
        default=600.0,
        ge=0,
        description="How long ids of ended traces are known, so that late spans are, and within which ids of native records must be unique.",
    )
    keep_llm_only: bool = Field(default=True, description="Report model calls without retrieval as requests too.")

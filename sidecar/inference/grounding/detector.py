"""How often the grounding model's verdict is right."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from pydantic import BaseModel, ConfigDict, Field, field_validator

_FIRST, _LAST = date(2000, 1, 1), date(2100, 1, 1)


class Detector(BaseModel):
    """Rates of the verdict on labelled answers, 0..1, and how many answers of each kind they were measured on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sensitivity: float = Field(ge=0, le=1, description="Share of hallucinated answers that are found.")
    specificity: float = Field(ge=0, le=1, description="Share of grounded answers that pass.")
    hallucinated: int = Field(ge=1, description="Hallucinated answers that the sensitivity was measured on.")
    grounded: int = Field(ge=1, description="Grounded answers that the specificity was measured on.")


class Anchor(Detector):
    """The same on randomly drawn answers of one service, for one identity of the verdict: what `rag-sidecar calibrate` makes of labels."""

    identity: str = Field(
        pattern=r"^[0-9a-f]{8}$",
        description="Of the verdict that the rates are of, as the series have it: with another model, version or threshold they hold no more.",
    )
    hallucinated: int = Field(ge=0, description="Hallucinated answers that the sensitivity was measured on.")
    grounded: int = Field(ge=30, description="Grounded answers that the specificity was measured on.")
    labelled: date | None = Field(
        default=None,
        description="When people labelled: half of the labels are older. From then on `evaluate.anchors_expire_days` are counted; without a date it holds on. Between 2000 and 2100.",
    )

    @field_validator("labelled")
    @classmethod
    def _in_our_time(cls, labelled: date | None) -> date | None:
        """Days are added to it, and another century is a slip of the pen."""
        if labelled is not None and not _FIRST <= labelled <= _LAST:
            raise ValueError(f"must be a date from {_FIRST} to {_LAST}")
        return labelled

    def expiry(self, days: int) -> float | None:
        """When it anchors no more, `days` after it was labelled, in seconds since the epoch; None is never."""
        if self.labelled is None or not days:
            return None
        return (datetime.combine(self.labelled, time(), UTC) + timedelta(days=days)).timestamp()

"""What can be turned while the service runs."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]


class Knobs(BaseModel):
    """Shares of the requests, 0..1, that a fault befalls; each is drawn by itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hallucinate: Share = Field(
        default=0.0, description="Numbers are changed, and something is added that no document says."
    )
    refuse: Share = Field(default=0.0, description="It declines to answer.")
    retrieve_nothing: Share = Field(
        default=0.0, description="The search finds no document, and it says that it does not know."
    )
    retrieval_fails: Share = Field(default=0.0, description="The search raises, and the caller gets a 502.")
    slow: Share = Field(default=0.0, description="The model takes `slow_seconds` longer.")
    slow_seconds: Annotated[float, Field(ge=0, le=60)] = Field(default=12.0, description="How much longer, seconds.")
    traffic: Annotated[float, Field(ge=0, le=50)] = Field(
        default=0.0, description="Questions a second that it asks itself."
    )

    def turned(self, change: object) -> Knobs:
        """These knobs with those of a JSON object turned. Raises pydantic.ValidationError, which names the knob."""
        asked = change if isinstance(change, dict) else {"": change}
        return Knobs.model_validate({**self.model_dump(), **asked})

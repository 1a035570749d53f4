"""Langfuse: each evaluation as a score of the observation that was evaluated, and the verdict as a categorical score.

`POST /api/public/ingestion` of its public API (langfuse/langfuse, web/public/generated/api/openapi.yml), with events of the type `score-create`. The id
of a score is a function of result and evaluator, so that Langfuse overwrites it when it comes again. The answer is 207 with a list of what was
taken and of what was not: it is read event by event.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from exporters.base import PermanentExportError, RetryableExportError
from exporters.http_push import JsonPush, Url, http_error, well
from exporters.result import Result
from exporters.scores import Score, plain, scores_of
from exporters.serialize import rfc3339
from exporters.text import Patterns, clean, text_door

_NAMESPACE = uuid.UUID("3d1b7c0e-6a0f-5c55-9d57-6b2f0e6c1f4a")
# Its own limit is 3.5 MB a batch.
_MOST_BYTES = 2_000_000
_MOST_EVENTS = 500
_AGAIN = 500
_TOO_MANY = 429


class LangfuseConfig(BaseModel):
    """Settings of scores in Langfuse."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Url | None = Field(
        default=None, description="Base URL, for example https://cloud.langfuse.com; none turns the exporter off."
    )
    public_key: str | None = Field(default=None, description="Public key of the project.")
    secret_key: SecretStr | None = Field(default=None, description="Its secret key.")
    environment: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9_-]{1,40}$",
        description="Environment of the scores; by default Langfuse's own, `default`.",
    )
    include_text: bool = Field(default=False, description="Send explanations, which are user text, as comments.")
    redact: Patterns = Field(
        default=(), description="Regular expressions; what they match becomes [redacted] in texts."
    )
    timeout_seconds: float = Field(default=10.0, gt=0, description="Time for one request.")

    @model_validator(mode="after")
    def _whole(self) -> LangfuseConfig:
        if self.environment is not None and self.environment.startswith("langfuse"):
            raise ValueError("environment must not begin with langfuse, which Langfuse keeps for itself")
        if self.url is not None and (self.public_key is None or self.secret_key is None):
            raise ValueError("url needs public_key and secret_key: take both from the project's settings")
        return self


class LangfuseExporter:
    """Exporter to Langfuse."""

    name = "langfuse"
    every_trace = False
    local = False

    def __init__(self, config: LangfuseConfig) -> None:
        self._config = config
        self._text = text_door(config.include_text, config.redact)
        self._push: JsonPush | None = None

    async def start(self) -> None:
        """Make ready; nothing is sent yet, for a receiver may come later."""
        secret = self._config.secret_key.get_secret_value() if self._config.secret_key else ""
        login = base64.b64encode(f"{self._config.public_key}:{secret}".encode()).decode()
        headers = {"authorization": f"Basic {login}"}
        self._push = JsonPush(self._config.url or "", self._config.timeout_seconds, headers)

    async def check(self) -> None:
        """Send a batch of nothing. Raises ExportError where Langfuse does not take it."""
        await self._send([])

    async def export(self, results: Sequence[Result]) -> None:
        """Send the scores of all results. Raises RetryableExportError or PermanentExportError."""
        refused: set[str] = set()
        events = [event for one in scores_of(results) for event in self._events(one)]
        for batch in _batches(list({event["id"]: event for event in events}.values())):
            refused |= await self._send(batch)
        if refused:
            raise PermanentExportError(
                "Langfuse refuses some scores",
                error_type="partial",
                rejected=len({event["body"]["metadata"]["result_id"] for event in events if event["id"] in refused}),
            )

    async def stop(self) -> None:
        """Close connections."""
        push, self._push = self._push, None
        if push is not None:
            await push.close()

    async def _send(self, batch: Sequence[Mapping[str, Any]]) -> set[str]:
        """Ids of the events that were refused for good."""
        if self._push is None:
            raise PermanentExportError("not started", error_type="not_started")
        answer = await self._push.post("/api/public/ingestion", {"batch": batch})
        if not well(answer):
            raise http_error(answer)
        errors = _errors(answer.body)
        if any(status >= _AGAIN or status == _TOO_MANY for status in errors.values()):
            raise RetryableExportError("Langfuse could not take some scores now", error_type="partial")
        return set(errors)

    def _events(self, one: Score) -> Iterator[dict[str, Any]]:
        """The score, and beside it the verdict where the evaluation gave it."""
        if one.value is not None:
            yield self._event(one, one.evaluation.evaluator, one.value, "NUMERIC")
        if one.label is not None:
            yield self._event(one, f"{one.evaluation.evaluator}_label", one.label, "CATEGORICAL")

    def _event(self, one: Score, name: str, value: float | str, kind: str) -> dict[str, Any]:
        body = plain(
            {
                "id": str(uuid.uuid5(_NAMESPACE, clean(f"{one.result.id}/{name}"))),
                "traceId": one.result.trace_id.lower(),
                "observationId": one.span_id,
                "name": clean(name),
                "value": value,
                "dataType": kind,
                "comment": self._text(one.evaluation.explanation),
                "metadata": one.details,
                "environment": self._config.environment,
            }
        )
        # An event that comes again with the same id is passed over: a better result must not be.
        event_id = str(uuid.uuid5(_NAMESPACE, orjson.dumps(body, option=orjson.OPT_SORT_KEYS).decode()))
        at = rfc3339(one.result.timestamp) or rfc3339(one.result.completed_at)
        return {"id": event_id, "type": "score-create", "timestamp": at, "body": body}


def _batches(events: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Within the limits of one request; nothing for nothing."""
    batch: list[dict[str, Any]] = []
    size = 0
    for event in events:
        own = len(orjson.dumps(event))
        if batch and (size + own > _MOST_BYTES or len(batch) >= _MOST_EVENTS):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += own
    if batch:
        yield batch


def _errors(body: bytes) -> dict[str, int]:
    """Of a 207: ids of events that were not taken, each with its status. Raises PermanentExportError where it is no such answer."""
    try:
        said = orjson.loads(body)
        return {str(one["id"]): int(one["status"]) for one in said["errors"]}
    except (ValueError, TypeError, KeyError) as error:
        raise PermanentExportError(
            "the receiver does not speak Langfuse's API", error_type="not_langfuse", closed=True
        ) from error

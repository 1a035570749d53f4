"""Arize Phoenix: each evaluation as an annotation of the span that was evaluated, and what is said of each document beside it.

`POST /v1/span_annotations` and `/v1/document_annotations` of its REST API (arize.com/docs/phoenix, "REST API"). An annotation of a span is found
again by span, name and `identifier`, here the id of the result; one of a document by span, position and name: sent twice, each is there once.

A span that Phoenix does not have yet is refused with 404, where it is asked to write at once. Then it is asked to keep the annotations and to wait for the
span, which it does for about ten minutes, in its memory; whether it came is not known here. Documents always go that way, since one position beyond those
that Phoenix counts in a span would refuse them all.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from exporters.base import PermanentExportError
from exporters.http_push import JsonPush, Url, http_error, well
from exporters.result import Result
from exporters.scores import Score, plain, scores_of
from exporters.text import Patterns, clean, text_door

_MOST_ANNOTATIONS = 500
_MISSING = 404


class PhoenixConfig(BaseModel):
    """Settings of scores in Arize Phoenix."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Url | None = Field(
        default=None, description="Base URL, for example http://phoenix:6006; none turns the exporter off."
    )
    api_key: SecretStr | None = Field(default=None, description="Key of Phoenix's API, where it asks for one.")
    documents: bool = Field(default=True, description="Annotate each retrieved document too.")
    include_text: bool = Field(default=False, description="Send explanations, which are user text.")
    redact: Patterns = Field(
        default=(), description="Regular expressions; what they match becomes [redacted] in texts."
    )
    timeout_seconds: float = Field(default=10.0, gt=0, description="Time for one request.")


class PhoenixExporter:
    """Exporter to Phoenix."""

    name = "phoenix"
    every_trace = False
    local = False

    def __init__(self, config: PhoenixConfig) -> None:
        self._config = config
        self._text = text_door(config.include_text, config.redact)
        self._push: JsonPush | None = None

    async def start(self) -> None:
        """Make ready; nothing is sent yet, for a receiver may come later."""
        key = self._config.api_key
        headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
        self._push = JsonPush(self._config.url or "", self._config.timeout_seconds, headers)

    async def check(self) -> None:
        """Send an annotation of nothing. Raises ExportError where Phoenix does not take it."""
        await self._post("/v1/span_annotations?sync=true", [])

    async def export(self, results: Sequence[Result]) -> None:
        """Write the annotations of all results. Raises RetryableExportError or PermanentExportError."""
        scores = list(scores_of(results))
        for part in _parts([self._of_span(one) for one in scores]):
            await self._annotate(part)
        if self._config.documents:
            for part in _parts([row for one in scores for row in _of_documents(one)]):
                await self._post("/v1/document_annotations?sync=false", part)

    async def stop(self) -> None:
        """Close connections."""
        push, self._push = self._push, None
        if push is not None:
            await push.close()

    async def _annotate(self, rows: Sequence[dict[str, object]]) -> None:
        if not await self._post("/v1/span_annotations?sync=true", rows, missing=True):
            await self._post("/v1/span_annotations?sync=false", rows)

    async def _post(self, path: str, rows: Sequence[dict[str, object]], *, missing: bool = False) -> bool:
        """Whether they were taken; False is a span that is not there, where `missing` says that it may be."""
        if self._push is None:
            raise PermanentExportError("not started", error_type="not_started")
        answer = await self._push.post(path, {"data": rows})
        if answer.status == _MISSING and missing:
            return False
        if not well(answer):
            raise http_error(answer)
        return True

    def _of_span(self, one: Score) -> dict[str, object]:
        said = {"score": one.value, "label": one.label, "explanation": self._text(one.evaluation.explanation)}
        return {
            "span_id": one.span_id,
            "name": clean(one.evaluation.evaluator),
            "annotator_kind": _kind(one),
            "identifier": clean(one.result.id),
            "result": plain(said),
            "metadata": one.details,
        }


def _of_documents(one: Score) -> list[dict[str, object]]:
    return [
        {
            "span_id": one.span_id,
            "document_position": document.rank - 1,
            "name": clean(one.evaluation.evaluator),
            "annotator_kind": _kind(one),
            "result": {"score": document.score, "label": "relevant" if document.relevant else "not relevant"},
            "metadata": one.details,
        }
        for document in one.evaluation.documents
    ]


def _kind(one: Score) -> str:
    return "LLM" if one.evaluation.judged else "CODE"


def _parts(rows: Sequence[dict[str, object]]) -> list[Sequence[dict[str, object]]]:
    return [rows[start : start + _MOST_ANNOTATIONS] for start in range(0, len(rows), _MOST_ANNOTATIONS)]

"""The HTTP side of the page: `/`, `/label`, what they are made of, and the API under `/api/` (docs/status-page.md)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from exporters.serialize import Json
from sidecar.observe.admission import Admission
from sidecar.page.answers import MOST_ROWS, VERDICTS, Wanted, rows, whole, worst_of
from sidecar.page.door import Door, answer, problem
from sidecar.page.labelling import Given, Labelling, RefusedError
from sidecar.page.numbers import SPANS
from sidecar.page.overview import Overview, span_of
from sidecar.page.shelf import LISTS, Kept, List
from sidecar.page.tombstones import Tombstones
from sidecar.record.errors import BrokerError, ConfigError, OutputError
from sidecar.settings.messages import first_of

logger = logging.getLogger(__name__)

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_MOST_BODY = 64 * 1024
_MOST_QUERY = 200
_ROWS = "50"


_ERASED_BY = {"trace_id": "a trace", "user": "a user", "session": "a session"}
Posted = TypeVar("Posted", bound=BaseModel)


class Erased(BaseModel):
    """What is to be erased: in a body, for addresses are logged on their way."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    trace_id: str | None = Field(default=None, min_length=1, max_length=1024)
    user: str | None = Field(default=None, min_length=1, max_length=1024)
    session: str | None = Field(default=None, min_length=1, max_length=1024)
    topic: bool = Field(default=False, description="Erase in the results topic too.")


class Routes:
    """The handlers. `labelling` is None where labels have nowhere to go or texts are not shown."""

    def __init__(self, overview: Overview, labelling: Labelling | None, tombstones: Tombstones) -> None:
        self._overview = overview
        self._watch = overview.watch
        self._labelling = labelling
        self._tombstones = tombstones
        self._files = _static()

    def made(self, admission: Admission, host: str) -> Sequence[BaseRoute]:
        """The routes, behind a door of that admission."""
        door = Door(admission, host)
        self._door = door
        files = [Route(f"/static/{name}", door.page(self._file)) for name in self._files if not name.endswith(".html")]
        return [
            Route("/", door.page(self._file)),
            Route("/label", door.page(self._file)),
            *files,
            Route("/api/status", door.data(self._status)),
            Route("/api/answers", door.data(self._answers)),
            Route("/api/erase", door.data(self._erase), methods=["POST"]),
            Route("/api/answers/{result_id}", door.data(self._answer)),
            Route("/api/label", door.data(self._next), methods=["GET"]),
            Route("/api/label", door.data(self._label), methods=["POST"]),
        ]

    async def _file(self, request: Request) -> Response:
        name = {"/": "index.html", "/label": "label.html"}.get(request.url.path, request.url.path.rpartition("/")[2])
        content, media_type = self._files[name]
        return Response(content, media_type=media_type)

    async def _status(self, request: Request) -> Response:
        asked = request.query_params
        span = span_of(asked.get("range"))
        return _no_range() if span is None else answer(self._overview.page(asked.get("service"), span))

    async def _answers(self, request: Request) -> Response:
        asked = request.query_params
        if (wrong := _wrong(asked)) is not None:
            return problem(400, wrong)
        listed: List = asked.get("list", "worst")  # type: ignore[assignment]
        span = span_of(asked.get("range"))
        if span is None:
            return _no_range()
        wanted = Wanted(
            service=asked.get("service"),
            replica=asked.get("replica"),
            model=asked.get("model"),
            variant=asked.get("variant"),
            verdict=asked.get("verdict"),
            text=(asked.get("q") or "").strip()[:_MOST_QUERY] or None,
            since=self._watch.now() - span.seconds if "range" in asked else None,
        )
        self._watch.sweep()
        session = asked.get("session")
        kept = self._watch.listed(wanted.service, listed) if session is None else self._watch.session(session)
        most = min(MOST_ROWS, int(asked.get("limit", _ROWS)))
        found = await asyncio.to_thread(rows, kept, wanted, most=most)
        if session is not None:
            found |= {"session": {"turns": len(kept), "worst": worst_of(kept)}}
        return answer(found)

    async def _answer(self, request: Request) -> Response:
        kept = self._watch.get(request.path_params["result_id"])
        if kept is None:
            return problem(404, "this answer is not kept, or not any more")
        return answer({**await asyncio.to_thread(self._whole, kept), "labelled": self._labelled(kept)})

    def _whole(self, kept: Kept) -> dict[str, Json]:
        return whole(kept, trace_url=self._watch.config.trace_url)

    def _labelled(self, kept: Kept) -> str | None:
        return None if self._labelling is None else self._labelling.said_of(kept.result.id)

    async def _erase(self, request: Request) -> Response:
        given = await _posted(request, Erased)
        if isinstance(given, Response):
            return given
        asked = {name: value for name in _ERASED_BY if (value := getattr(given, name)) is not None}
        if not asked:
            return problem(400, f"name what to erase: {', '.join(_ERASED_BY)}")
        if given.topic and not self._tombstones.possible:
            return problem(409, "topic: results.topic is not set; leave it out to erase from this page alone")
        try:
            gone, traces = await self._taken_out(asked) if given.topic else (0, 0)
        except (BrokerError, ConfigError) as error:
            logger.warning("nothing was erased: no tombstones could be written to the results topic: %s", error)
            return problem(
                503, f"nothing was erased on this page, for the results topic could not be written; ask again: {error}"
            )
        gone = max(gone, len(self._watch.erase(**asked)))
        by, who = (
            " and ".join(_ERASED_BY[name] for name in asked),
            self._door.name(request) or "somebody without a login",
        )
        logger.info("%d answers of %s were erased from the page by %s", gone, by, who)
        found: dict[str, Json] = {"erased": gone}
        if given.topic:
            logger.info("%d traces were erased in the results topic by %s", traces, who)
            found["traces_in_topic"] = traces
        return answer(found)

    async def _taken_out(self, asked: Mapping[str, str]) -> tuple[int, int]:
        """Write tombstones for what is asked and for what comes while they are written; nothing is dropped here, so that after a failure the same can be
        asked again. How many answers and traces. Raises BrokerError, ConfigError."""
        answers: set[str] = set()
        traces: set[str] = set()
        new = {asked["trace_id"]} if "trace_id" in asked else set()
        while True:
            found = self._watch.found(**asked)
            answers |= {one.result.id for one in found}
            new |= {one.result.trace_id for one in found} - traces
            if not new:
                return len(answers), len(traces)
            await self._tombstones.write(new)
            traces, new = traces | new, set()

    async def _next(self, request: Request) -> Response:
        if self._labelling is None:
            return problem(409, _NO_LABELS)
        asked = request.query_params
        try:
            return answer(await self._labelling.next(asked.get("service"), but=asked.get("but")))
        except RefusedError as error:
            return problem(409, str(error))
        except (BrokerError, ConfigError, OutputError) as error:
            return _store_failed(error)

    async def _label(self, request: Request) -> Response:
        if self._labelling is None:
            return problem(409, _NO_LABELS)
        given = await _posted(request, Given)
        if isinstance(given, Response):
            return given
        try:
            made = await self._labelling.add(given, user=self._door.name(request))
        except RefusedError as error:
            return problem(409, str(error))
        except (BrokerError, ConfigError, OutputError) as error:
            return _store_failed(error)
        return answer({"result": made.about.result, "verdict": made.verdict, "probability": made.probability})


def _no_range() -> Response:
    return problem(400, f"range: must be one of {', '.join(one.name for one in SPANS)}")


_NO_LABELS = "labels have nowhere to go: set status_page.show_text, and labels.file or labels.topic"


def _store_failed(error: Exception) -> Response:
    logger.warning("labels could not be read or written: %s: %s", type(error).__name__, error)
    return problem(
        503, f"labels cannot be read or written now: {type(error).__name__}; the log of the sidecar says more"
    )


async def _posted(request: Request, model: type[Posted]) -> Posted | Response:
    """What was posted, or what is wrong with it."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return problem(415, "send JSON")
    try:
        posted = orjson.loads(await _body(request))
        return model.model_validate(posted) if isinstance(posted, dict) else problem(400, "send a JSON object")
    except ValidationError as error:
        return problem(400, first_of(error))
    except ValueError:
        return problem(400, f"not JSON, or more than {_MOST_BODY} bytes")


async def _body(request: Request) -> bytes:
    found = b""
    async for part in request.stream():
        found += part
        if len(found) > _MOST_BODY:
            raise ValueError("too long")
    return found


def _wrong(asked: Mapping[str, str]) -> str | None:
    """What cannot be answered in the filters of a list, or None. A name that is not known (yet) is no mistake, and finds nothing."""
    for field, default, known in (("list", "worst", LISTS), ("verdict", "none", VERDICTS)):
        if asked.get(field, default) not in known:
            return f"{field}: must be one of {', '.join(known)}"
    limit = asked.get("limit", _ROWS)
    if not (limit.isascii() and limit.isdecimal() and len(limit) < 10 and int(limit) > 0):
        return f"limit: must be a whole number from 1; no more than {MOST_ROWS} come"
    return None


def _static() -> dict[str, tuple[bytes, str]]:
    """The files that a browser is sent: content and media type by name."""
    folder = resources.files("sidecar.page") / "static"
    found = {}
    for file in folder.iterdir():
        kind = _TYPES.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            found[file.name] = (file.read_bytes(), kind)
    return found

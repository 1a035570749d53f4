"""Posts JSON to a backend, and says for each failure whether trying again may help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

import orjson
from pydantic import AfterValidator

from exporters.base import ExportError, PermanentExportError, RetryableExportError
from exporters.clients.http import Answer, HttpClient, Limits, UnansweredError, WrongRequestError

# Nothing is wrong with the request itself: an address, a login or a right has to be mended first.
CLOSED_HTTP = frozenset({301, 302, 307, 308, 401, 402, 403, 404, 405})
# A backend that breaks over a request or is out of room may take it later.
_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504, 507})


async def post(client: HttpClient, url: str, body: bytes, headers: Mapping[str, str] | None = None) -> Answer:
    """The answer, whatever its status. Raises RetryableExportError or PermanentExportError where there is none."""
    try:
        return await client.post(url, body, headers=headers)
    except UnansweredError as error:
        raise RetryableExportError("the receiver is out of reach", error_type="unreachable") from error
    except WrongRequestError as error:
        raise PermanentExportError(
            "the address or a header makes no sense", error_type="bad_request", closed=True
        ) from error


def http_error(answer: Answer, retryable: frozenset[int] = _RETRYABLE) -> ExportError:
    """What an answer that is no success means."""
    said, kind = f"the receiver answers {answer.status}", f"http_{answer.status}"
    if answer.status in retryable:
        return RetryableExportError(said, error_type=kind, retry_after_seconds=answer.retry_after_seconds)
    return PermanentExportError(said, error_type=kind, closed=answer.status in CLOSED_HTTP)


def well(answer: Answer) -> bool:
    """Whether it is a success."""
    return 200 <= answer.status < 300


class JsonPush:
    """Posts JSON below a base URL, with a login."""

    def __init__(self, url: str, timeout_seconds: float, headers: Mapping[str, str]) -> None:
        self._url = url.rstrip("/")
        self._client = HttpClient(Limits(timeout_seconds), headers={"content-type": "application/json", **headers})

    async def post(self, path: str, value: object) -> Answer:
        """The answer, whatever its status. Raises RetryableExportError or PermanentExportError where there is none."""
        return await post(self._client, f"{self._url}{path}", orjson.dumps(value))

    async def close(self) -> None:
        """Close connections. Safe to call twice."""
        await self._client.close()


def is_url(text: str) -> bool:
    """Whether it is an absolute address of HTTP."""
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _checked(url: str) -> str:
    if not is_url(url):
        raise ValueError("is no URL: write for example http://backend:3000")
    return url


Url: TypeAlias = Annotated[str, AfterValidator(_checked)]

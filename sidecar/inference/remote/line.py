"""The line to a model server: calls with retries, and what is known of whether it is there.

A server that does not answer, refuses whoever asks, says three times in a row what cannot be read, or refuses five calls in a row, is *away*:
calls fail at once with the reason UNREACHABLE, and it is tried now and then with a call of its own until it answers again.
"""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from exporters.clients.http import (
    Answer,
    HttpClient,
    Limits,
    TlsFiles,
    TooSlowError,
    UnansweredError,
    WrongRequestError,
)
from sidecar.inference.base import UNREACHABLE
from sidecar.inference.remote.settings import ServerConfig
from sidecar.inference.remote.told import Told, one_line
from sidecar.record.errors import ConfigError, InferenceError, PermanentInferenceError, RetryableInferenceError

logger = logging.getLogger(__name__)
UNREADABLE = "remote_answer"
REFUSED = "remote_refused"
Item = TypeVar("Item")
Output = TypeVar("Output")
Ask = Callable[[str, bytes], Awaitable[bytes]]

_MOST_ANSWER_BYTES = 64_000_000
_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 5.0
_FIRST_TRY_SECONDS = 1.0
_LONGEST_TRY_SECONDS = 30.0
_AGAIN = frozenset({408, 425, 429, 502, 503, 504})
_BREAKS = frozenset({424, 500})
_NOT_FOR_US = frozenset({401, 403, 404, 405})
_MOST_BROKEN = 3
_MOST_REFUSED = 5
_MOST_SAID = 200  # characters


class Line:
    """`probe` is a call about so many examples that shows whether the model answers; `changed` is told when it goes away or comes back.
    `weigh` says how many items of a call a server counts together. `why` is what was wrong when it was lost last."""

    def __init__(
        self,
        config: ServerConfig,
        name: str,
        *,
        field: str,
        probe: Callable[[int], Awaitable[object]],
        told: Told,
        changed: Callable[[bool], None],
        weigh: Callable[[Sequence[Any]], int] = len,
    ) -> None:
        """Connects to nothing. Raises ConfigError where a file of TLS cannot be read."""
        self._config = config
        self._name = name
        self._probe = probe
        self._told = told
        self._changed = changed
        self._weigh = weigh
        self._broken = self._refused = 0
        self._tried = 1
        self._pause = _FIRST_TRY_SECONDS
        self._trying: asyncio.Task[None] | None = None
        self.away = False
        self.why = self._said = ""
        limits = Limits(config.timeout_seconds, config.in_flight, _MOST_ANSWER_BYTES)
        files = (str(path) if path else None for path in (config.ca_file, config.cert_file, config.key_file))
        try:
            self._client = HttpClient(limits, headers={"content-type": "application/json"}, tls=TlsFiles(*files))
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(field, f"TLS files: {type(error).__name__}", "name PEM files that can be read") from error

    def problem(self) -> str | None:
        """Why the model cannot be asked now, with what the server said; None where it can. Not for logs: a server may repeat what it was sent."""
        return ": ".join(filter(None, (self.why, self._said))) if self.away else None

    async def start(self) -> None:
        """See whether the model answers. One that does not is away: the sidecar starts without it. Safe to call twice."""
        if self._trying is None and (error := await self._try_once()) is not None:
            self._lose(error)

    async def stop(self) -> None:
        """Close what is open."""
        if self._trying is not None:
            self._trying.cancel()
            await asyncio.gather(self._trying, return_exceptions=True)
            self._trying = None
        await self._client.close()

    async def ask(self, path: str, body: bytes) -> bytes:
        """The answer to a POST. Raises RetryableInferenceError(UNREACHABLE) where the server is away, PermanentInferenceError
        where it does not take what we ask."""
        if self.away:
            raise RetryableInferenceError(UNREACHABLE)
        try:
            said = await self._attempts(path, body)
        except RetryableInferenceError as error:
            self._lose(error)
            raise RetryableInferenceError(UNREACHABLE) from error
        return said

    async def through(
        self, send: Callable[[Ask, Sequence[Item]], Awaitable[Sequence[Output]]], items: Sequence[Item]
    ) -> Sequence[Output]:
        """What `send` reads out of the answers to its calls. Raises as `ask`, and PermanentInferenceError(UNREADABLE)."""
        try:
            found = await send(self.ask, items)
            if len(found) != len(items):
                raise PermanentInferenceError(UNREADABLE, "length")
        except PermanentInferenceError as error:
            unreadable = error.reason == UNREADABLE and self._breaks()
            if unreadable or (error.reason == REFUSED and self._refuses(self._weigh(items))):
                self._lose(error)
                raise RetryableInferenceError(UNREACHABLE) from error
            raise
        self._broken = self._refused = 0
        self._tried, self._pause = 1, _FIRST_TRY_SECONDS
        return found

    def _breaks(self) -> bool:
        """Whether the call that just went wrong was one too many."""
        self._broken += 1
        return self._broken >= _MOST_BROKEN

    def _refuses(self, items: int) -> bool:
        """Whether the call that was just refused was one too many; it is back when it takes as many items of an example."""
        self._refused += 1
        self._tried = items
        return self._refused >= _MOST_REFUSED

    async def _attempts(self, path: str, body: bytes) -> bytes:
        for attempt in range(self._config.retries + 1):
            asked_for: float | None = None
            try:
                answer = await self._once(path, body)
            except UnansweredError as error:
                said = str(error)
            else:
                if answer.status == 200:
                    return answer.body
                self._refuse(answer)
                said, asked_for = str(answer.status), answer.retry_after_seconds
            if attempt < self._config.retries:
                await asyncio.sleep(_pause(attempt, asked_for))
        if said.isdigit() and int(said) in _BREAKS and not self._breaks():
            raise PermanentInferenceError("remote_broke")
        raise RetryableInferenceError(said)

    async def attempt(self, path: str, body: bytes) -> bytes:
        """One attempt, also where the server is away. Raises UnansweredError or PermanentInferenceError."""
        answer = await self._once(path, body)
        if answer.status != 200:
            raise _refusal(answer)
        self._told.hear(answer.body)
        return answer.body

    async def _get(self, path: str) -> bytes | None:
        """Raises TooSlowError: what hangs once would hang again where it is asked next."""
        try:
            answer = await self._client.get(self._config.remote + path, headers=await self._login())
        except TooSlowError:
            raise
        except (UnansweredError, WrongRequestError):
            return None
        return answer.body if answer.status == 200 else None

    async def _once(self, path: str, body: bytes) -> Answer:
        try:
            return await self._client.post(self._config.remote + path, body, headers=await self._login())
        except WrongRequestError as error:
            raise PermanentInferenceError(REFUSED, str(error)) from error

    def _refuse(self, answer: Answer) -> None:
        """Raises for a status that another attempt does not change."""
        if answer.status in _NOT_FOR_US:
            raise RetryableInferenceError(str(answer.status))
        if answer.status not in _AGAIN | _BREAKS:
            raise _refusal(answer)

    async def _login(self) -> dict[str, str]:
        path = self._config.token_file
        if path is None:
            return {}
        try:
            token = (await asyncio.to_thread(Path.read_text, path, encoding="utf-8")).strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UnansweredError(f"token file: {type(error).__name__}") from error
        return {"authorization": f"Bearer {token}"}

    def _lose(self, error: InferenceError | UnansweredError) -> None:
        if self.away:
            return
        self.away, self.why = True, (why := str(error))
        self._said = error.said if isinstance(error, InferenceError) else ""
        logger.error("model %s is away (%s): what stands in for it judges until it answers again", self._name, why)
        self._changed(True)
        self._trying = asyncio.create_task(self._try(), name=f"try-{self._name}")

    async def _try(self) -> None:
        while True:
            await asyncio.sleep(self._pause * random.uniform(0.75, 1.25))  # noqa: S311 - spreads calls, guards nothing
            self._pause = min(2 * self._pause, _LONGEST_TRY_SECONDS)
            if await self._try_once() is None:
                break
        self.away, self._broken, self._trying = False, 0, None
        # One that refused all calls takes an example; the next call that it refuses is enough.
        self._refused = min(self._refused, _MOST_REFUSED - 1)
        logger.info("model %s answers again", self._name)
        self._changed(False)

    async def _try_once(self) -> InferenceError | UnansweredError | None:
        """What is wrong, or None where it answers as it should."""
        try:
            await self._told.read(self._get)
            await self._probe(self._tried)
        except (InferenceError, UnansweredError) as error:
            return error
        self._told.settle()
        return None


def _refusal(answer: Answer) -> PermanentInferenceError:
    said = one_line(answer.body[: 4 * _MOST_SAID].decode(errors="replace"), _MOST_SAID)
    return PermanentInferenceError(REFUSED, str(answer.status), said=said)


def _pause(attempt: int, asked_for: float | None) -> float:
    grown = min(_FIRST_PAUSE_SECONDS * 2**attempt, _LONGEST_PAUSE_SECONDS)
    return min(asked_for, _LONGEST_PAUSE_SECONDS) if asked_for is not None else grown * random.uniform(0.5, 1.0)  # noqa: S311 - as above

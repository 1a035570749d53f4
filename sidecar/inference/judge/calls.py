"""Calls over HTTP: their deadline, retries, limits and cost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import stamina
from pydantic import BaseModel

from exporters.clients.files import UnreadableFileError, read_text
from exporters.clients.http import Answer, HttpClient, UnansweredError, WrongRequestError
from sidecar.inference.judge.bill import Bill, Cost, Prices
from sidecar.inference.judge.budget import Budget
from sidecar.inference.judge.door import Door
from sidecar.inference.judge.pace import Pace
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Completion, Dialect, body, completion, refusal
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock
from sidecar.record.errors import InferenceError, PermanentInferenceError, RetryableInferenceError

_REFUSALS = {401: "unauthorized", 402: "payment", 403: "forbidden", 404: "not_found"}
_AGAIN = frozenset({408, 409, 425, 429})
_OURS = frozenset({400, 422})
# A gateway gave up waiting: the model behind it may have worked all the same.
_GAVE_UP = frozenset({504, 524})
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
_MOST_DIALECTS = 6


class _AgainError(Exception):
    """Another attempt may help, after `seconds` where the server says so."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass(slots=True)
class Call:
    """One call to be made, how far it has come (what its deadline means follows from that), and what all of its attempts cost."""

    evaluator: str
    messages: list[dict[str, str]]
    reply: type[BaseModel]
    temperature: float | None
    asking: bool = False
    cost: Cost = field(default_factory=Cost)


class Calls:
    """Posts one question after the other, `judge.concurrency` of them at once."""

    def __init__(
        self,
        config: JudgeConfig,
        client: HttpClient,
        *,
        telemetry: Telemetry,
        clock: Clock,
        price: Prices,
        budget: Budget,
        pace: Pace,
        door: Door,
        tracing: Tracing,
    ) -> None:
        self._config = config
        self._client = client
        self._telemetry = telemetry
        self._clock = clock
        self._bill = Bill(config, telemetry, price)
        self._budget = budget
        self._pace = pace
        self.door = door
        self._tracing = tracing
        self._room = asyncio.Semaphore(config.concurrency)
        self._fixed = config.replies != "auto"
        self._dialect = Dialect(format="json_schema" if config.replies == "auto" else config.replies)

    @property
    def tolerant(self) -> bool:
        """Whether JSON is looked for in the text around it. Not where the settings say that the server enforces the schema: one that takes
        `response_format` may ignore it all the same."""
        return self._config.replies != "json_schema"

    async def close(self) -> None:
        """Close connections."""
        await self._client.close()

    async def make(self, call: Call) -> Completion:
        """The completion, by the deadline. Raises InferenceError."""
        self._telemetry.set("rag_sidecar_judge_budget_factor", self._budget.factor)
        try:
            async with asyncio.timeout(self._config.timeout_seconds), self._room:
                with self.door.entered():
                    return await self._bounded(call)
        except TimeoutError as error:
            if call.asking:
                self.door.failed()
            raise RetryableInferenceError("judge_timeout" if call.asking else "judge_busy") from error

    async def _bounded(self, call: Call) -> Completion:
        """Within budget and pace; what was set aside and not used is given back."""
        foreseen = self._bill.foreseen(call.messages)
        self._budget.reserve(foreseen.dollars)
        try:
            await self._pace.take(foreseen.tokens)
            call.asking = True
            return await self._retried(call)
        finally:
            self._budget.settle(foreseen.dollars, call.cost.dollars)
            if call.asking:
                self._pace.give_back(foreseen.tokens - call.cost.tokens)

    async def _retried(self, call: Call) -> Completion:
        until = self._clock.monotonic() + self._config.timeout_seconds

        def again(error: Exception) -> bool | float:
            if not isinstance(error, _AgainError):
                return False
            if error.seconds is None:
                return True
            return error.seconds if self._clock.monotonic() + error.seconds < until else False

        retries = stamina.retry_context(
            on=again,
            attempts=self._config.attempts,
            timeout=self._config.timeout_seconds,
            wait_initial=_FIRST_WAIT,
            wait_max=_LONGEST_WAIT,
            wait_jitter=_FIRST_WAIT,
        )
        try:
            async for attempt in retries:
                with attempt:
                    return await self._attempt(call)
        except _AgainError as error:
            self.door.failed()
            raise RetryableInferenceError("judge_unavailable", str(error)) from error
        raise RetryableInferenceError("judge_unavailable")

    async def _attempt(self, call: Call) -> Completion:
        """One attempt, in whatever the server understands."""
        for _ in range(_MOST_DIALECTS):
            dialect = self._dialect
            with self._tracing.chat(self._config.model, self._config.endpoint, self._config.provider) as tell:
                answer = await self._post(call, self._body(call, dialect))
                if answer.status == 200:
                    self.door.answered()
                    said = completion(answer)
                    tell(_told(said))
                    return said
                tell({"http.response.status_code": answer.status, "error.type": str(answer.status)})
            other = dialect.after(refusal(answer).words, fixed=self._fixed) if answer.status in _OURS else None
            if other is None:
                raise self._refused(answer)
            if self._dialect is dialect:
                self._dialect = other
        raise PermanentInferenceError("judge_refused", "400")

    def _body(self, call: Call, dialect: Dialect) -> bytes:
        return body(self._config, dialect, messages=call.messages, reply=call.reply, temperature=call.temperature)

    async def _post(self, call: Call, sent: bytes) -> Answer:
        login = await self._login()
        started = self._clock.monotonic()
        answer: Answer | None = None
        begun = False

        def begins() -> None:
            nonlocal begun
            begun = True

        try:
            answer = await self._client.post(self._config.endpoint, sent, headers=login, begins=begins)
            return answer
        except UnansweredError as error:
            raise _AgainError(str(error)) from error
        except WrongRequestError as error:
            self.door.refused("not_found")
            raise PermanentInferenceError("judge_refused", str(error)) from error
        finally:
            self._telemetry.observe("rag_sidecar_judge_seconds", self._clock.monotonic() - started)
            if begun:
                self._charge(call, answer)

    def _charge(self, call: Call, answer: Answer | None) -> None:
        """Also for a call that the deadline ended: what was sent may cost. A refusal costs nothing."""
        if answer is None or answer.status in _GAVE_UP:
            call.cost += self._bill.unanswered(call.evaluator, call.messages)
        elif answer.status == 200:
            call.cost += self._bill.answered(call.evaluator, call.messages, answer)

    async def _login(self) -> dict[str, str]:
        key = self._config.api_key.get_secret_value() if self._config.api_key else None
        if self._config.api_key_file is not None:
            try:
                key = await asyncio.to_thread(read_text, "judge.api_key_file", self._config.api_key_file)
            except UnreadableFileError as error:
                self.door.refused("key_file")
                raise PermanentInferenceError("judge_refused", "key_file") from error
        return {} if key is None else {"authorization": f"Bearer {key}"}

    def _refused(self, answer: Answer) -> InferenceError | _AgainError:
        """What an answer that is no success means; the door is told where it is not about this question alone."""
        said = refusal(answer)
        reason = "quota" if answer.status == 429 and said.empty else _REFUSALS.get(answer.status)
        if reason is None and 300 <= answer.status < 400:
            reason = "not_found"
        if reason is not None:
            self.door.refused(reason)
            return PermanentInferenceError("judge_refused", reason)
        if answer.status in _AGAIN or answer.status >= 500:
            return _AgainError(str(answer.status), said.again_after)
        self.door.answered()
        return PermanentInferenceError("judge_refused", str(answer.status))


def _told(said: Completion) -> dict[str, str | int | None]:
    """What a span is told of a completion."""
    return {
        "gen_ai.response.model": said.model,
        "gen_ai.usage.input_tokens": said.used.input,
        "gen_ai.usage.output_tokens": said.used.output,
    }

"""Calls over HTTP: their deadline, retries, limits and cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import stamina
from pydantic import BaseModel

from exporters.clients.files import UnreadableFileError, read_text
from exporters.clients.http import Answer, HttpClient, UnansweredError, WrongRequestError
from sidecar.inference.judge.budget import Budget
from sidecar.inference.judge.door import Door
from sidecar.inference.judge.pace import Pace
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Completion, Dialect, Used, body, completion, refusal
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock
from sidecar.record.errors import InferenceError, PermanentInferenceError, RetryableInferenceError

# US dollars of so many tokens of a model (provider or None, model); None where it has no price.
Prices = Callable[[str | None, str, Used], float | None]

_REFUSALS = {401: "unauthorized", 402: "payment", 403: "forbidden", 404: "not_found"}
_AGAIN = frozenset({408, 409, 425, 429})
_OURS = frozenset({400, 422})
_QUOTA = ("insufficient_quota", "billing_hard_limit", "quota_exceeded", "exceeded your current quota")
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
# What a reply is foreseen to take where it may take more.
_FORESEEN_OUTPUT = 400
_MOST_DIALECTS = 6


class _AgainError(Exception):
    """Another attempt may help, after `seconds` where the server says so."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass(slots=True)
class Call:
    """One call to be made, and how far it has come: what its deadline means follows from that."""

    evaluator: str
    messages: list[dict[str, str]]
    reply: type[BaseModel]
    temperature: float | None
    asking: bool = False


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
        self._price = price
        self._budget = budget
        self._pace = pace
        self.door = door
        self._tracing = tracing
        self._room = asyncio.Semaphore(config.concurrency)
        self._fixed = config.replies != "auto"
        self._dialect = Dialect(format="json_schema" if config.replies == "auto" else config.replies)

    @property
    def tolerant(self) -> bool:
        """Whether nobody but us holds replies to the schema."""
        return self._dialect.format != "json_schema"

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
        foreseen = Used(estimate(call.messages), 0, min(self._config.most_output_tokens, _FORESEEN_OUTPUT))
        tokens = foreseen.input + foreseen.output
        reserved = self._dollars(foreseen) or 0.0
        self._budget.reserve(reserved)
        spent, used, taken = 0.0, Used(), False
        try:
            await self._pace.take(tokens)
            taken = call.asking = True
            answered = await self._retried(call)
            used, spent = answered.used, self._bill(call.evaluator, answered.used)
            return answered
        finally:
            self._budget.settle(reserved, spent)
            if taken:
                self._pace.give_back(tokens - used.input - used.output)

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
                answer = await self._post(self._body(call, dialect))
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

    async def _post(self, sent: bytes) -> Answer:
        started = self._clock.monotonic()
        try:
            return await self._client.post(self._config.endpoint, sent, headers=await self._login())
        except UnansweredError as error:
            raise _AgainError(str(error)) from error
        except WrongRequestError as error:
            self.door.refused("not_found")
            raise PermanentInferenceError("judge_refused", str(error)) from error
        finally:
            self._telemetry.observe("rag_sidecar_judge_seconds", self._clock.monotonic() - started)

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
        empty = answer.status == 429 and any(word in said.code or word in said.words.lower() for word in _QUOTA)
        reason = "quota" if empty else _REFUSALS.get(answer.status)
        if reason is None and 300 <= answer.status < 400:
            reason = "not_found"
        if reason is not None:
            self.door.refused(reason)
            return PermanentInferenceError("judge_refused", reason)
        if answer.status in _AGAIN or answer.status >= 500:
            return _AgainError(str(answer.status), answer.retry_after_seconds)
        self.door.answered()
        return PermanentInferenceError("judge_refused", str(answer.status))

    def _bill(self, evaluator: str, used: Used) -> float:
        parts = {
            "input": max(0, used.input - used.cached_input),
            "cached_input": used.cached_input,
            "output": max(0, used.output - used.reasoning),
            "reasoning": used.reasoning,
        }
        for kind, tokens in parts.items():
            if tokens:
                self._telemetry.count("rag_sidecar_judge_tokens_total", tokens, evaluator=evaluator, type=kind)
        dollars = self._dollars(used)
        if dollars is None:
            unpriced = used.input + used.output
            self._telemetry.count("rag_sidecar_judge_unpriced_tokens_total", unpriced)
            return 0.0
        self._telemetry.count("rag_sidecar_judge_cost_usd_total", dollars, evaluator=evaluator)
        return dollars

    def _dollars(self, used: Used) -> float | None:
        return self._price(self._config.provider, self._config.model, used)


def _told(said: Completion) -> dict[str, str | int | None]:
    """What a span is told of a completion."""
    return {
        "gen_ai.response.model": said.model,
        "gen_ai.usage.input_tokens": said.used.input,
        "gen_ai.usage.output_tokens": said.used.output,
    }


def estimate(messages: list[dict[str, str]]) -> int:
    """About how many tokens messages have: a quarter of the ASCII characters, and one for each other character."""
    total = 0
    for message in messages:
        text = message["content"]
        plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
        total += plain // 4 + (len(text) - plain)
    return total + 10 * len(messages)

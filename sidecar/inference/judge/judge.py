"""The judge: an LLM behind an OpenAI-compatible API that evaluators may ask, one question at a time."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

import stamina.instrumentation

from exporters.clients.http import HttpClient, Limits, TlsFiles
from exporters.result import ModelIdentity
from exporters.text import clean
from sidecar.inference.judge.bill import Prices
from sidecar.inference.judge.block import block
from sidecar.inference.judge.budget import Budget, at_once, purses
from sidecar.inference.judge.cache import Cache
from sidecar.inference.judge.calls import Call, Calls
from sidecar.inference.judge.door import Door
from sidecar.inference.judge.pace import Pace
from sidecar.inference.judge.prompt import Prompt
from sidecar.inference.judge.reading import InvalidReplyError, Said, read
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.suspicion import suspicions
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock, SystemClock
from sidecar.record.errors import ConfigError, InferenceError, RetryableInferenceError
from sidecar.redact.redactor import Redactor

_MOST_ANSWER_BYTES = 2_000_000
_REQUESTS = "rag_sidecar_judge_requests_total"
INVALID = "judge_invalid"


@dataclass(frozen=True, slots=True)
class Question(Generic[Said]):
    """One thing to ask. `data` is what goes into the block, `reply` what may come back; `evaluator` is whom tokens and cost are counted for.

    again        ask once more where the reply is invalid
    temperature  None is that of the settings; `vote` tells apart questions that are to be answered independently
    """

    evaluator: str
    prompt: Prompt
    data: Mapping[str, object]
    reply: type[Said]
    again: bool = False
    temperature: float | None = None
    vote: int = 0


class Judge:
    """Belongs to the event loop it is started on. `factor` is what the budget leaves of the rates that are set."""

    def __init__(
        self,
        config: JudgeConfig,
        telemetry: Telemetry,
        *,
        price: Prices,
        redactor: Callable[[], Redactor | None] = lambda: None,
        share: Callable[[], float] = lambda: 1.0,
        clock: Clock | None = None,
        paced: bool = True,
        tracing: Tracing | None = None,
    ) -> None:
        """`share` is this replica's of budget and tokens, 0..1. Where it is not `paced`, the money of a day (or of an hour, where no day is
        set) may be spent at once. Connects to nothing. Raises ConfigError."""
        clock = clock or SystemClock()
        self.config = config
        self.identity = ModelIdentity(config.model, "judge", "")
        self._telemetry = telemetry
        self._redactor = redactor
        hour, day = config.budget_usd_per_hour, config.budget_usd_per_day
        self._budget = Budget(purses(hour, day, share) if paced else at_once(hour if day is None else day), clock)
        self._cache = Cache(config.cache_megabytes * 1_000_000)
        self._calls = Calls(
            config,
            _client(config),
            telemetry=telemetry,
            clock=clock,
            price=price,
            budget=self._budget,
            pace=Pace(config.tokens_per_minute, clock, share=share),
            tracing=tracing or Tracing(),
            door=Door(
                telemetry,
                clock,
                failures=config.breaker_failures,
                first_seconds=min(config.breaker_seconds, config.pause_seconds),
                longest_seconds=config.pause_seconds,
            ),
        )

    @property
    def factor(self) -> float:
        """In (0, 1]."""
        return self._budget.factor

    @property
    def paused(self) -> str | None:
        """Why nothing is asked now; None where it is."""
        return self._calls.door.reason

    async def start(self) -> None:
        """Nothing is asked yet. Safe to call twice."""
        # The library would log each retry and count it in a registry that is not ours.
        stamina.instrumentation.set_on_retry_hooks([])

    async def stop(self) -> None:
        """Close connections. Safe to call twice."""
        await self._calls.close()

    async def told(self, texts: Sequence[tuple[str, str]]) -> list[str]:
        """What the judge may be told of one request: (place, text) each, as they may leave the process, in the same order. What in them
        speaks to the judge is counted by its place."""
        for place, text in texts:
            for kind in suspicions(text):
                self._telemetry.count("rag_sidecar_judge_suspicious_texts_total", place=place, kind=kind)
        plain = [clean(text) for _, text in texts]
        redactor = self._redactor() if self.config.redact else None
        if redactor is None:
            return plain
        return await redactor.run(lambda session: [session.redact(text).text for text in plain], plain)

    async def ask(self, question: Question[Said]) -> Said:
        """The reply, valid by its schema. Raises InferenceError: judge_invalid, judge_paused, judge_budget, judge_busy, judge_timeout,
        judge_unavailable, judge_refused or judge_answer."""
        data = block(question.data)
        messages = [{"role": "system", "content": question.prompt.text}, {"role": "user", "content": data}]
        key = _key(question, self.config, data)
        known = self._cache.get(key)
        if known is not None:
            self._count(question, "cached")
            return question.reply.model_validate_json(known)
        for _ in range(1 + question.again):
            try:
                said = await self._once(question, messages)
            except InvalidReplyError:
                self._count(question, INVALID)
            except InferenceError as error:
                self._count(question, error.reason)
                raise
            else:
                self._count(question, "ok")
                self._cache.put(key, said.model_dump_json())
                return said
        raise RetryableInferenceError(INVALID)

    async def _once(self, question: Question[Said], messages: list[dict[str, str]]) -> Said:
        temperature = self.config.temperature if question.temperature is None else question.temperature
        answered = await self._calls.make(Call(question.evaluator, messages, question.reply, temperature))
        if answered.text is None or not answered.whole:
            raise InvalidReplyError("cut off")
        return read(answered.text, question.reply, data=question.data, tolerant=self._calls.tolerant)

    def _count(self, question: Question[Said], outcome: str) -> None:
        self._telemetry.count(_REQUESTS, evaluator=question.evaluator, outcome=outcome)


def _key(question: Question[Said], config: JudgeConfig, data: str) -> bytes:
    digest = hashlib.sha256()
    for part in (
        config.endpoint,
        config.model,
        question.prompt.text,
        question.reply.__name__,
        str((question.vote, question.temperature)),
        data,
    ):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.digest()


def _client(config: JudgeConfig) -> HttpClient:
    headers = {name: value.get_secret_value() for name, value in config.headers.items()}
    files = (str(path) if path else None for path in (config.ca_file, config.cert_file, config.key_file))
    try:
        return HttpClient(
            Limits(config.attempt_seconds or config.timeout_seconds, config.concurrency, _MOST_ANSWER_BYTES),
            headers={"content-type": "application/json", **headers},
            tls=TlsFiles(*files),
        )
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            "judge.ca_file, cert_file, key_file", type(error).__name__, "name PEM files that can be read"
        ) from error

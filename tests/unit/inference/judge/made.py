"""A judge for tests, and what it may be asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, Literal

from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import Prompt
from sidecar.inference.judge.reading import Reply
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Used
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.redact.redactor import Redactor
from tests.parts.judge_server import Asked, JudgeServer

KEY = "sk-secret-4711"
# US dollars for a token.
CENT = 0.01


class Rating(Reply):
    """What it may say."""

    reason: str
    rating: Literal[0, 1, 2]


RIGHT = {"reason": "It is.", "rating": 2}


def right(_: Asked) -> object:
    """Whatever it is asked."""
    return RIGHT


def then(*said: object) -> Iterator[object]:
    """One after the other, the last for ever."""
    yield from said
    while True:
        yield said[-1]


def price(provider: str | None, model: str, used: Used) -> float | None:
    """A cent a token."""
    return CENT * (used.input + used.output)


def question(text: str = "It is blue.", **more: Any) -> Question[Rating]:
    """A question about a text."""
    return Question("groundedness_judge", Prompt("try", 1, "Rate it."), {"answer": text}, Rating, **more)


@asynccontextmanager
async def judging(
    answer: Callable[[Asked], object],
    *,
    telemetry: Telemetry | None = None,
    clock: Clock | None = None,
    redactor: Redactor | None = None,
    prices: Callable[[str | None, str, Used], float | None] = price,
    **settings: Any,
) -> AsyncIterator[tuple[Judge, JudgeServer]]:
    """A judge and the server that it asks."""
    async with JudgeServer(answer) as server:
        given = {"url": server.url, "model": "judge-1", "budget_usd_per_hour": None, "budget_usd_per_day": None}
        judge = Judge(
            JudgeConfig.model_validate({**given, **settings}),
            telemetry or Telemetry(),
            price=prices,
            redactor=lambda: redactor,
            clock=clock,
        )
        await judge.start()
        try:
            yield judge, server
        finally:
            await judge.stop()

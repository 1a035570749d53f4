"""A judge that says what a test tells it to, over real HTTP, and engines that ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from exporters.result import Evaluation, ModelIdentity
from sidecar.evaluate.base import Lane
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.registry import EVALUATORS
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Embedder, FloatArray, Models
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import RagTrace
from tests.parts.judge_server import Asked, JudgeServer
from tests.unit.evaluate.fakes import IDENTITY, FakeGrounder, FakeRelevance
from tests.unit.inference.judge.made import judging

INVALID = "I would rather not say."


@dataclass
class Angles:
    """An embedder whose vectors stand at given cosines to the first text of each call."""

    cosines: Mapping[str, float]
    identity: ModelIdentity = IDENTITY
    languages: frozenset[str] | None = None

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        rows = [(1.0, 0.0), *((self.cosines[text], (1 - self.cosines[text] ** 2) ** 0.5) for text in texts[1:])]
        return np.array(rows, np.float32)


def local(embedder: Embedder) -> Models:
    """Local models beside the judge."""
    return Models(embedder, FakeGrounder(), FakeRelevance())


@asynccontextmanager
async def engine(
    answer: Callable[[Asked], object],
    evaluate: Mapping[str, Any],
    *,
    cosines: Mapping[str, float] | None = None,
    reads: frozenset[str] | None = None,
    embedder: Embedder | None = None,
    telemetry: Telemetry | None = None,
    **judge: Any,
) -> AsyncIterator[tuple[Engine, JudgeServer]]:
    """An engine with these settings of `evaluate`, and the server that its judge asks."""
    async with judging(answer, telemetry=telemetry, **judge) as (made, server):
        config = EvaluateConfig.model_validate(evaluate)
        yield Engine(config, local(embedder or Angles(cosines or {}, languages=reads)), judge=made), server


async def judged(one: Engine, trace: RagTrace) -> Evaluation:
    """What the only slow evaluator says."""
    [found] = (await one.evaluate(trace, lane=Lane.SLOW, drawn=one.draw(trace))).evaluations
    return found


def only(name: str, **settings: object) -> dict[str, Any]:
    """Settings of one evaluator that the judge answers, for every request."""
    both = next(entry.local for entry in EVALUATORS if entry.name == name) is not None
    return {"evaluators": [name], "references": "off", name: {**({"by": "judge"} if both else {}), **settings}}

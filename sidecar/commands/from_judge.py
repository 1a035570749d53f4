"""Labels of the judge in place of a person's."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from exporters.result import Verdict
from sidecar.commands.calibration import DECIDED
from sidecar.config import Config
from sidecar.evaluate.base import Lane
from sidecar.evaluate.engine import Engine
from sidecar.inference.base import ModelSource
from sidecar.judging import judge_of
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import redactor_of


async def labelled_by_judge(
    traces: Sequence[RagTrace], settings: Config, models: ModelSource
) -> list[tuple[RagTrace, bool]]:
    """The requests that the judge gives a verdict on, with that (True: grounded). Raises ConfigError where there is no judge."""
    redactor = redactor_of(settings.redact)
    judge = judge_of(settings.judge, settings.price, Telemetry(), redactor=lambda: redactor, paced=False)
    if judge is None:
        raise ConfigError(
            "judge.url", "is not set, so that there is no judge", "set it, or label the requests yourself"
        )
    asked = settings.evaluate.of("groundedness").model_copy(update={"by": "judge"})
    only = {"evaluators": ("groundedness",), "groundedness": asked, "metrics": {}}
    engine = Engine(settings.evaluate.model_copy(update=only), models, judge=judge)
    gate = asyncio.Semaphore(settings.judge.concurrency)

    async def one(trace: RagTrace) -> Verdict | None:
        async with gate:
            return (await engine.evaluate(trace, lane=Lane.SLOW)).verdict

    await judge.start()
    try:
        found = await asyncio.gather(*map(one, traces))
    finally:
        await judge.stop()
    return [(trace, said is Verdict.GROUNDED) for trace, said in zip(traces, found, strict=True) if said in DECIDED]

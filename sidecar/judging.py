"""From settings to the judge, with the prices of its tokens."""

from __future__ import annotations

from collections.abc import Callable

from sidecar.inference.judge.bill import Prices
from sidecar.inference.judge.judge import Judge
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Used
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.price import PriceConfig, Pricer
from sidecar.record.clock import Clock
from sidecar.record.errors import ConfigError
from sidecar.record.request import ModelCall, Tokens
from sidecar.redact.redactor import Redactor

_THOUSAND = Used(input=1000, output=1000)


def judge_of(
    config: JudgeConfig,
    price: PriceConfig,
    telemetry: Telemetry,
    *,
    redactor: Callable[[], Redactor | None],
    share: Callable[[], float] = lambda: 1.0,
    clock: Clock | None = None,
    paced: bool = True,
    tracing: Tracing | None = None,
) -> Judge | None:
    """The judge; None where none is set. Commands that someone waits for are not `paced`. Raises ConfigError, also for a budget in US dollars of a model that has no price."""
    if config.url is None:
        return None
    prices = prices_of(Pricer(price))
    limited = [name for name in ("budget_usd_per_hour", "budget_usd_per_day") if getattr(config, name) is not None]
    if limited and prices(config.provider, config.model, _THOUSAND) is None:
        raise ConfigError(
            f"judge.{limited[0]}",
            f"the model {config.model!r} has no known price, so that no budget can be kept",
            f"set price.models.{config.model} ({{input: 0, output: 0}} for a model of your own), or {' and '.join(limited)} to null",
        )
    if config.detector is not None:
        for rate in ("sensitivity", "specificity"):
            telemetry.set("rag_sidecar_judge_detector_rate", getattr(config.detector, rate), rate=rate)
        for label in ("hallucinated", "grounded"):
            telemetry.set("rag_sidecar_judge_detector_labelled", getattr(config.detector, label), label=label)
    return Judge(
        config, telemetry, price=prices, redactor=redactor, share=share, clock=clock, paced=paced, tracing=tracing
    )


def prices_of(pricer: Pricer) -> Prices:
    """What so many tokens of a model cost, by the list of the pricer."""

    def price(provider: str | None, model: str, used: Used) -> float | None:
        tokens = Tokens(input=used.input, output=used.output, cached_input=used.cached_input, reasoning=used.reasoning)
        cost = pricer.price([ModelCall(provider, model, tokens)]).cost_usd
        return None if cost is None else sum(cost.values())

    return price

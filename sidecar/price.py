"""What tokens cost, by the price list of genai-prices (inside that package; nothing is downloaded).

A call is priced at the rates of the tier that its size falls into: tokens read from a cache, written to one, and all others
each at their own rate, where the list has one. Reasoning tokens cost what output tokens cost, unless the list says
otherwise. A model that the list does not know has no cost, never a cost of 0: its tokens are counted apart.
"""

from __future__ import annotations

import fnmatch
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from genai_prices import Usage, calc_price
from genai_prices.types import ModelPrice as ListedPrice
from genai_prices.types import TieredPrices
from pydantic import BaseModel, ConfigDict, Field

from sidecar.record.request import ModelCall, Tokens

# Provider names of the OpenTelemetry conventions that the list calls otherwise.
_PROVIDERS = {
    "aws.bedrock": "aws",
    "azure.ai.inference": "azure",
    "azure.ai.openai": "azure",
    "deepseek_ai": "deepseek",
    "gcp.gemini": "google",
    "gcp.gen_ai": "google",
    "gcp.vertex_ai": "google",
    "mistral_ai": "mistral",
    "moonshot_ai": "moonshotai",
    "x_ai": "x-ai",
}
# What runs on one's own machines has no list price, whatever the model is called.
_SELF_HOSTED = frozenset(
    {"ollama", "vllm", "llamacpp", "llama_cpp", "lmstudio", "lm_studio", "sglang", "tgi", "localai"}
)
_MOST_KNOWN = 2000
# Prices may change with the date or the time of day: what was looked up is good for this long.
_LOOKUP_SECONDS = 900


class ModelPrice(BaseModel):
    """A price of your own, in US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0, description="Input tokens.")
    output: float = Field(ge=0, description="Output tokens, reasoning included.")
    cached_input: float | None = Field(
        default=None, ge=0, description="Input tokens read from a cache; by default as input."
    )
    cache_write: float | None = Field(
        default=None, ge=0, description="Input tokens written to a cache; by default as input."
    )


class PriceConfig(BaseModel):
    """Settings of the prices."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: Mapping[str, ModelPrice] = Field(
        default={}, description="Prices by model name (* and ? match any), before those of the list."
    )


@dataclass(frozen=True, slots=True)
class Priced:
    """Cost in US dollars by type (input, cached_input, cache_write, output, and request where a call itself costs),
    None where nothing had a price; and the tokens of models without one."""

    cost_usd: dict[str, float] | None
    unpriced_tokens: int


@dataclass(frozen=True, slots=True)
class _Rates:
    """US dollars per token, and per call."""

    input: float
    cached_input: float
    cache_write: float
    output: float
    reasoning: float
    request: float = 0.0


@dataclass(frozen=True, slots=True)
class _Tiers:
    """Rates by the size of a call: tier i is for calls of more than `starts[i]` input tokens; the first start is -1."""

    starts: tuple[int, ...]
    rates: tuple[_Rates, ...]

    def at(self, input_tokens: int) -> _Rates:
        place = 0
        for n, start in enumerate(self.starts):
            if input_tokens > start:
                place = n
        return self.rates[place]


class Pricer:
    """Prices model calls. `now` is seconds since the epoch, for prices that change with time."""

    def __init__(self, config: PriceConfig, *, now: Callable[[], float] = time.time) -> None:
        self._own = [(name.lower(), _own_tiers(price)) for name, price in config.models.items()]
        self._now = now
        self._known: dict[tuple[str | None, str], _Tiers | None] = {}
        self._known_until = -math.inf

    def price(self, calls: Sequence[ModelCall]) -> Priced:
        """The cost of all calls of a request. Never raises."""
        cost: dict[str, float] = {}
        unpriced = 0
        priced = False
        for call in calls:
            counted = max(0, call.tokens.input or 0) + max(0, call.tokens.output or 0)
            if not counted:
                continue
            tiers = self._tiers(call)
            if tiers is None:
                unpriced += counted
                continue
            priced = True
            for kind, dollars in _cost(call.tokens, tiers).items():
                cost[kind] = cost.get(kind, 0.0) + dollars
        return Priced(cost if priced else None, unpriced)

    def _tiers(self, call: ModelCall) -> _Tiers | None:
        model = (call.model or "").strip().lower()
        if not model:
            return None
        now = self._now()
        if now >= self._known_until or len(self._known) >= _MOST_KNOWN:
            self._known.clear()
            self._known_until = now + _LOOKUP_SECONDS
        provider = (call.provider or "").strip().lower() or None
        key = (provider, model)
        if key not in self._known:
            self._known[key] = self._look_up(provider, model, now)
        return self._known[key]

    def _look_up(self, provider: str | None, model: str, now: float) -> _Tiers | None:
        for pattern, own in self._own:
            if model == pattern or fnmatch.fnmatchcase(model, pattern):
                return own
        if provider in _SELF_HOSTED:
            return None
        for candidate, name in _candidates(provider, model):
            found = _listed(candidate, name, now)
            if found is not None:
                return found
        return None


def _candidates(provider: str | None, model: str) -> list[tuple[str | None, str]]:
    """Under which names to look: as the provider's, as any provider's, and as `provider/model` of a gateway.

    Many gateways and frameworks report a provider name of their own, but the model's true name.
    """
    known = _PROVIDERS.get(provider or "", provider)
    found: list[tuple[str | None, str]] = [(known, model), (None, model)] if known else [(None, model)]
    prefix, slash, rest = model.partition("/")
    if slash and prefix not in _SELF_HOSTED:
        found += [(_PROVIDERS.get(prefix, prefix), rest), (None, rest)]
    return found


def _listed(provider: str | None, model: str, now: float) -> _Tiers | None:
    """The list's prices for a model, None where it has none."""
    try:
        moment = datetime.fromtimestamp(now, UTC)
        found = calc_price(
            Usage(input_tokens=0, output_tokens=0), model, provider_id=provider, genai_request_timestamp=moment
        )
    except (LookupError, ValueError, OverflowError):
        return None
    price = found.model_price
    if price.input_mtok is None and price.output_mtok is None:
        return None
    prices = (price.input_mtok, price.cache_read_mtok, price.cache_write_mtok, price.output_mtok)
    starts = sorted({-1, *(tier.start for p in prices if isinstance(p, TieredPrices) for tier in p.tiers)})
    return _Tiers(tuple(starts), tuple(_rates(price, start + 1) for start in starts))


def _rates(price: ListedPrice, input_tokens: int) -> _Rates:
    """The rates for a call of so many input tokens. What has no rate of its own costs what its kind costs."""
    fresh = _per_token(price.input_mtok, input_tokens, 0.0)
    output = _per_token(price.output_mtok, input_tokens, 0.0)
    written = _per_token(price.cache_write_5m_mtok, input_tokens, fresh)
    return _Rates(
        input=fresh,
        cached_input=_per_token(price.cache_read_mtok, input_tokens, fresh),
        cache_write=_per_token(price.cache_write_mtok, input_tokens, written),
        output=output,
        reasoning=_per_token(price.output_reasoning_mtok, input_tokens, output),
        request=_per_token(price.requests_kcount, input_tokens, 0.0) * 1000.0,
    )


def _per_token(price: Decimal | TieredPrices | None, input_tokens: int, otherwise: float) -> float:
    """US dollars for one of a million. A tier holds for the whole call, as providers bill it."""
    if price is None:
        return otherwise
    if isinstance(price, TieredPrices):
        applicable = price.base
        for tier in price.tiers:
            if input_tokens > tier.start:
                applicable = tier.price
        return float(applicable) / 1e6
    return float(price) / 1e6


def _own_tiers(price: ModelPrice) -> _Tiers:
    rates = _Rates(
        input=price.input / 1e6,
        cached_input=(price.input if price.cached_input is None else price.cached_input) / 1e6,
        cache_write=(price.input if price.cache_write is None else price.cache_write) / 1e6,
        output=price.output / 1e6,
        reasoning=price.output / 1e6,
    )
    return _Tiers((-1,), (rates,))


def _cost(tokens: Tokens, tiers: _Tiers) -> dict[str, float]:
    """Dollars by type. Counts are inclusive: input holds cached and written tokens, output holds reasoning."""
    cached, written = max(0, tokens.cached_input or 0), max(0, tokens.cache_write or 0)
    whole = max(0, tokens.input or 0, cached + written)
    output = max(0, tokens.output or 0)
    reasoning = min(output, max(0, tokens.reasoning or 0))
    rates = tiers.at(whole)
    parts = {
        "input": (whole - cached - written) * rates.input,
        "cached_input": cached * rates.cached_input,
        "cache_write": written * rates.cache_write,
        "output": (output - reasoning) * rates.output + reasoning * rates.reasoning,
        "request": rates.request,
    }
    return {kind: dollars for kind, dollars in parts.items() if dollars or kind in ("input", "output")}

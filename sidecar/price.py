"""What tokens cost, by the price list of genai-prices (inside that package; nothing is downloaded)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genai_prices import Usage, calc_price
from pydantic import BaseModel, ConfigDict, Field

from sidecar.trace import ModelCall, Tokens

_MOST_KNOWN = 1000
_PROVIDERS = {"azure.ai.openai": "azure", "aws.bedrock": "aws", "gcp.gemini": "google", "gcp.vertex_ai": "google", "gcp.gen_ai": "google",
              "mistral_ai": "mistral", "x_ai": "x-ai"}  # fmt: skip


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

    models: Mapping[str, ModelPrice] = Field(default={}, description="Prices by model name, before those of the list.")


@dataclass(frozen=True, slots=True)
class Priced:
    """Cost in US dollars by type (input, cached_input, cache_write, output), None where nothing had a price; and the
    tokens of models without one."""

    cost_usd: dict[str, float] | None
    unpriced_tokens: int


@dataclass(frozen=True, slots=True)
class _Rates:
    """US dollars per token."""

    input: float
    cached_input: float
    cache_write: float
    output: float


class Pricer:
    """Prices model calls. Prices that depend on the size of a call (tiers) are asked for by call."""

    def __init__(self, config: PriceConfig) -> None:
        self._own = {
            name.lower(): _Rates(
                price.input / 1e6,
                (price.input if price.cached_input is None else price.cached_input) / 1e6,
                (price.input if price.cache_write is None else price.cache_write) / 1e6,
                price.output / 1e6,
            )
            for name, price in config.models.items()
        }
        self._unknown: set[tuple[str | None, str]] = set()

    def price(self, calls: Sequence[ModelCall]) -> Priced:
        """The cost of all calls of a request. Never raises."""
        cost: dict[str, float] = {}
        unpriced = 0
        priced = False
        for call in calls:
            counted = (call.tokens.input or 0) + (call.tokens.output or 0)
            if not counted:
                continue
            one = self._call(call)
            if one is None:
                unpriced += counted
                continue
            priced = True
            for kind, dollars in one.items():
                cost[kind] = cost.get(kind, 0.0) + dollars
        return Priced(cost if priced else None, unpriced)

    def _call(self, call: ModelCall) -> dict[str, float] | None:
        if not call.model:
            return None
        own = self._own.get(call.model.lower())
        cached, written, fresh = _cut(call.tokens)
        if own is not None:
            return {
                "input": fresh * own.input,
                "cached_input": cached * own.cached_input,
                "cache_write": written * own.cache_write,
                "output": (call.tokens.output or 0) * own.output,
            }
        return self._listed(call, cached, written)

    def _listed(self, call: ModelCall, cached: int, written: int) -> dict[str, float] | None:
        provider = _PROVIDERS.get(call.provider or "", call.provider)
        key = (provider, call.model or "")
        if key in self._unknown:
            return None
        for candidate in (provider, None) if provider else (None,):
            try:
                return _by_list(call, candidate, cached, written)
            except (LookupError, ValueError):
                continue
        if len(self._unknown) < _MOST_KNOWN:
            self._unknown.add(key)
        return None


def _by_list(call: ModelCall, provider: str | None, cached: int, written: int) -> dict[str, float]:
    """Prices by type. The list gives one input price for all kinds of input; the share of each kind is the difference
    that leaving it out makes."""

    def cost(tokens_in: int, read: int, write: int) -> tuple[float, float]:
        usage = Usage(
            input_tokens=tokens_in,
            cache_read_tokens=read or None,
            cache_write_tokens=write or None,
            output_tokens=call.tokens.output or 0,
        )
        found = calc_price(usage, model_ref=call.model or "", provider_id=provider)
        return float(found.input_price), float(found.output_price)

    total = max(call.tokens.input or 0, cached + written)
    whole, output = cost(total, cached, written)
    without_cached = cost(total - cached, 0, written)[0] if cached else whole
    without_both = cost(total - cached - written, 0, 0)[0] if written else without_cached
    return {
        "input": max(0.0, without_both),
        "cached_input": max(0.0, whole - without_cached),
        "cache_write": max(0.0, without_cached - without_both),
        "output": output,
    }


def _cut(tokens: Tokens) -> tuple[int, int, int]:
    """(cached, written, fresh) input tokens."""
    cached, written = tokens.cached_input or 0, tokens.cache_write or 0
    return cached, written, max(0, (tokens.input or 0) - cached - written)

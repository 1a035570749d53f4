"""What tokens cost, by the price list of genai-prices (inside that package; nothing is downloaded).

A call is priced at the rates of the tier that its size falls into: tokens read from a cache, written to one, and all others
each at their own rate, where the list has one. Reasoning tokens cost what output tokens cost, unless the list says
otherwise. Of a model that the list does not know, and of a call whose input or output was not counted though it has a price,
the cost is what the trace reports; without that there is none, never a cost of 0 or of a part: the tokens are counted apart.
"""

from __future__ import annotations

import fnmatch
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from sidecar.price.table import Rates, Tiers, listed
from sidecar.record.request import ModelCall, Tokens

_MOST_KNOWN = 2000
# Prices may change with the date or the time of day: what was looked up is good for this long.
_LOOKUP_SECONDS = 900
_MOST_REPORTED_USD = 1000.0
# "gpt-4o-2024-08-06", "claude-3-5-sonnet-20241022", "claude-3-5-sonnet@20241022".
_DATE = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest)\Z")


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
        default={},
        description="Prices by model name, before those of the list; * and ? match any, for models that have no price by their whole name. "
        "Where neither fits, a name holds for its dated versions and behind a gateway's prefix, too (openai/gpt-4o-2024-08-06). Else a model costs what its trace reports.",
    )


@dataclass(frozen=True, slots=True)
class Priced:
    """Cost in US dollars by type (input, cached_input, cache_write, output, request where a call itself costs, and reported where
    the trace alone says what a call cost), None where nothing had a price; and the tokens of calls without a cost."""

    cost_usd: dict[str, float] | None
    unpriced_tokens: int


class Pricer:
    """Prices model calls. `now` is seconds since the epoch, for prices that change with time."""

    def __init__(self, config: PriceConfig, *, now: Callable[[], float] = time.time) -> None:
        self._own = {name.lower(): _own_tiers(price) for name, price in config.models.items()}
        self._now = now
        self._known: dict[tuple[str | None, str], Tiers | None] = {}
        self._known_until = -math.inf

    def price(self, calls: Sequence[ModelCall]) -> Priced:
        """The cost of all calls of a request. Never raises."""
        cost: dict[str, float] = {}
        unpriced = 0
        priced = False
        for call in calls:
            counted = max(0, call.tokens.input or 0) + max(0, call.tokens.output or 0)
            tiers = self._tiers(call) if counted else None
            parts = (_cost(call.tokens, tiers) if tiers else None) or _reported(call)
            if parts is None:
                unpriced += counted
                continue
            priced = True
            for kind, dollars in parts.items():
                cost[kind] = cost.get(kind, 0.0) + dollars
        return Priced(cost if priced else None, unpriced)

    def _tiers(self, call: ModelCall) -> Tiers | None:
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

    def _look_up(self, provider: str | None, model: str, now: float) -> Tiers | None:
        if model in self._own:
            return self._own[model]
        for pattern, own in self._own.items():
            if fnmatch.fnmatchcase(model, pattern):
                return own
        own_name = next((name for name in _shorter(model) if name in self._own), None)
        return self._own[own_name] if own_name else listed(provider, model, now)


def _shorter(model: str) -> Iterator[str]:
    """A model's name without its date, without what a gateway puts before it, and without both."""
    for name in (model, model.rpartition("/")[2]):
        yield name
        yield _DATE.sub("", name)


def _own_tiers(price: ModelPrice) -> Tiers:
    rates = Rates(
        input=price.input / 1e6,
        cached_input=(price.input if price.cached_input is None else price.cached_input) / 1e6,
        cache_write=(price.input if price.cache_write is None else price.cache_write) / 1e6,
        output=price.output / 1e6,
        reasoning=price.output / 1e6,
    )
    return Tiers((-1,), (rates,))


def _reported(call: ModelCall) -> dict[str, float] | None:
    """What the source says; 0 may mean that it does not know either, and nobody pays thousands for a call."""
    dollars = call.reported_cost_usd or 0.0
    return {"reported": dollars} if 0 < dollars <= _MOST_REPORTED_USD else None


def _cost(tokens: Tokens, tiers: Tiers) -> dict[str, float] | None:
    """Dollars by type; None where one side was not counted and has a price. Counts are inclusive: input holds cached and written tokens, output holds
    reasoning."""
    if tokens.input is None and any(one.input for one in tiers.rates):
        return None
    if tokens.output is None and any(one.output for one in tiers.rates):
        return None
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

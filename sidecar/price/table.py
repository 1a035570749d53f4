"""The price list of genai-prices (inside that package; nothing is downloaded), as rates by the size of a call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from genai_prices import Usage, calc_price
from genai_prices.types import ModelPrice as ListedPrice
from genai_prices.types import TieredPrices

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
_BEDROCK = "aws"
_VENDORS_OF_BEDROCK = frozenset({"amazon", "anthropic"})
_REGIONS = frozenset({"us", "us-gov", "eu", "apac", "au", "jp", "in", "ca", "global"})
# "ft:gpt-4o-mini-2024-07-18:org::id"; a fine-tuned model costs more than its base.
_FINE_TUNED = "ft:"


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars per token, and per call."""

    input: float
    cached_input: float
    cache_write: float
    output: float
    reasoning: float
    request: float = 0.0


@dataclass(frozen=True, slots=True)
class Tiers:
    """Rates by the size of a call: tier i is for calls of more than `starts[i]` input tokens; the first start is -1."""

    starts: tuple[int, ...]
    rates: tuple[Rates, ...]

    def at(self, input_tokens: int) -> Rates:
        place = 0
        for n, start in enumerate(self.starts):
            if input_tokens > start:
                place = n
        return self.rates[place]


def listed(provider: str | None, model: str, now: float) -> Tiers | None:
    """The list's rates of a model at a time (seconds since the epoch); None where it has none, or the model runs on one's own machines."""
    if provider in _SELF_HOSTED:
        return None
    for candidate, name in _candidates(provider, model):
        found = _listed(candidate, name, now)
        if found is not None:
            return found
    return None


def _candidates(provider: str | None, model: str) -> list[tuple[str | None, str]]:
    """Under which names to look: as the provider's, as any provider's, and as `provider/model` of a gateway.

    Many gateways and frameworks report a provider name of their own, but the model's true name; a name that is Bedrock's is looked up there, too.
    """
    known = _PROVIDERS.get(provider or "", provider)
    found: list[tuple[str | None, str]] = [(known, model), (None, model)] if known else [(None, model)]
    prefix, slash, rest = model.partition("/")
    if slash and prefix not in _SELF_HOSTED:
        found += [(_PROVIDERS.get(prefix, prefix), rest), (None, rest)]
    bare = model.rpartition("/")[2]
    if prefix not in _SELF_HOSTED and _is_of_bedrock(bare):
        found.append((_BEDROCK, bare))
    return found


def _is_of_bedrock(model: str) -> bool:
    """Whether a name is one of Bedrock, whoever reports it: "us.anthropic.claude-sonnet-4-20250514-v1:0", "openai.gpt-oss-120b-1:0". Oracle has names with a dot as
    well, without such a version; a version as in "llama3.1:8b" is no vendor's dot."""
    region, _, rest = model.partition(".")
    vendor, dot, name = (rest if region in _REGIONS else model).partition(".")
    if not dot or not name[:1].isalpha():
        return False
    return vendor in _VENDORS_OF_BEDROCK or (name.rpartition(":")[2].isdecimal() and ":" in name)


def _listed(provider: str | None, model: str, now: float) -> Tiers | None:
    """The list's prices for a model, None where it has none."""
    try:
        moment = datetime.fromtimestamp(now, UTC)
        found = calc_price(
            Usage(input_tokens=0, output_tokens=0), model, provider_id=provider, genai_request_timestamp=moment
        )
    except (LookupError, ValueError, OverflowError):
        return None
    if model.rpartition("/")[2].startswith(_FINE_TUNED) and not found.model.id.startswith(_FINE_TUNED):
        return None
    price = found.model_price
    if price.input_mtok is None and price.output_mtok is None:
        return None
    prices = (price.input_mtok, price.cache_read_mtok, price.cache_write_mtok, price.output_mtok)
    starts = sorted({-1, *(tier.start for p in prices if isinstance(p, TieredPrices) for tier in p.tiers)})
    return Tiers(tuple(starts), tuple(_rates(price, start + 1) for start in starts))


def _rates(price: ListedPrice, input_tokens: int) -> Rates:
    """The rates for a call of so many input tokens. What has no rate of its own costs what its kind costs."""
    fresh = _per_token(price.input_mtok, input_tokens, 0.0)
    output = _per_token(price.output_mtok, input_tokens, 0.0)
    written = _per_token(price.cache_write_5m_mtok, input_tokens, fresh)
    return Rates(
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

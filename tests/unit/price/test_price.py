"""Prices: the list's own arithmetic is the reference; nothing without a price costs 0."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from genai_prices import Usage, calc_price
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.price import ModelPrice, PriceConfig, Priced, Pricer
from sidecar.record.request import ModelCall, Tokens

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
# Flat, cached, cached and written, tiered by size of the call, and with a price for each call.
MODELS = [
    ("openai", "gpt-4o-2024-08-06"),
    ("openai", "gpt-4o-mini"),
    ("openai", "o3-mini"),
    ("anthropic", "claude-sonnet-4-5"),
    ("google", "gemini-2.5-pro"),
    ("mistral", "mistral-large-latest"),
    ("perplexity", "sonar"),
    ("x-ai", "grok-4"),
]


def pricer(**models: ModelPrice) -> Pricer:
    return Pricer(PriceConfig(models=models), now=NOW.timestamp)


def one(provider: str | None, model: str | None, **tokens: int) -> ModelCall:
    return ModelCall(provider, model, Tokens(**tokens))


@settings(deadline=None)  # The first look-up reads the list.
@given(
    model=st.sampled_from(MODELS),
    fresh=st.integers(0, 400_000),
    cached=st.integers(0, 400_000),
    output=st.integers(1, 50_000),
)
def test_the_parts_add_up_to_what_the_price_list_itself_says(
    model: tuple[str, str], fresh: int, cached: int, output: int
) -> None:
    usage = Usage(input_tokens=fresh + cached, cache_read_tokens=cached, output_tokens=output)
    expected = calc_price(usage, model[1], provider_id=model[0], genai_request_timestamp=NOW)
    priced = pricer().price([one(*model, input=fresh + cached, cached_input=cached, output=output)])
    assert priced.unpriced_tokens == 0
    assert priced.cost_usd is not None
    assert sum(priced.cost_usd.values()) == pytest.approx(float(expected.total_price))
    assert priced.cost_usd["output"] == pytest.approx(float(expected.output_price))


@given(fresh=st.integers(0, 400_000), cached=st.integers(0, 400_000), written=st.integers(0, 400_000))
def test_written_tokens_cost_what_the_list_says(fresh: int, cached: int, written: int) -> None:
    usage = Usage(
        input_tokens=fresh + cached + written, cache_read_tokens=cached, cache_write_tokens=written, output_tokens=1
    )
    expected = calc_price(usage, "claude-sonnet-4-5", provider_id="anthropic", genai_request_timestamp=NOW)
    call = one(
        "anthropic",
        "claude-sonnet-4-5",
        input=fresh + cached + written,
        cached_input=cached,
        cache_write=written,
        output=1,
    )
    cost = pricer().price([call]).cost_usd
    assert cost is not None
    assert sum(cost.values()) == pytest.approx(float(expected.total_price))


def test_cached_tokens_have_their_own_part_of_the_cost() -> None:
    cost = pricer().price([one("openai", "gpt-4o", input=3000, cached_input=1000, output=100)]).cost_usd
    assert cost == pytest.approx({"input": 0.005, "cached_input": 0.00125, "output": 0.001})


def test_a_call_over_the_threshold_is_priced_at_its_tier_throughout() -> None:
    small = pricer().price([one("google", "gemini-2.5-pro", input=200_000, output=0)]).cost_usd
    large = pricer().price([one("google", "gemini-2.5-pro", input=200_001, output=0)]).cost_usd
    assert small is not None
    assert large is not None
    assert small["input"] == pytest.approx(0.25)
    assert large["input"] == pytest.approx(200_001 * 2.5e-6)


def test_reasoning_tokens_are_output_tokens_and_not_paid_twice() -> None:
    plain = pricer().price([one("openai", "o3-mini", input=10, output=100)])
    reasoned = pricer().price([one("openai", "o3-mini", input=10, output=100, reasoning=80)])
    assert reasoned.cost_usd == pytest.approx(plain.cost_usd)


def test_a_model_without_a_price_has_no_cost_and_its_tokens_are_counted_apart() -> None:
    assert pricer().price([one("openai", "no-such-model", input=70, output=7)]) == Priced(None, 77)


def test_a_request_of_a_known_and_an_unknown_model_has_the_cost_of_the_known_one() -> None:
    priced = pricer().price([one("openai", "gpt-4o", input=1000, output=0), one("acme", "acme-1", input=5, output=1)])
    assert priced.cost_usd == pytest.approx({"input": 0.0025, "output": 0.0})
    assert priced.unpriced_tokens == 6


@pytest.mark.parametrize(
    ("tokens", "unpriced"), [({"output": 7}, 7), ({"input": 70}, 70), ({"output": 7, "cached_input": 5}, 7)]
)
def test_a_call_of_which_one_side_was_not_counted_has_no_cost_unless_it_is_reported(
    tokens: dict[str, int], unpriced: int
) -> None:
    call = one("openai", "gpt-4o", **tokens)
    assert pricer().price([call]) == Priced(None, unpriced)
    assert pricer().price([replace(call, reported_cost_usd=0.5)]) == Priced({"reported": 0.5}, 0)
    free = pricer(**{"gpt-4o": ModelPrice(input=0, output=0)})
    assert free.price([call]) == Priced({"input": 0.0, "output": 0.0}, 0)


def test_an_embedding_has_no_output_and_costs_what_its_input_does() -> None:
    priced = pricer().price([one("openai", "text-embedding-3-small", input=1_000_000)])
    assert (priced.cost_usd, priced.unpriced_tokens) == ({"input": pytest.approx(0.02), "output": 0.0}, 0)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "GPT-4o"),
        ("azure.ai.openai", "gpt-4o"),
        (None, "gpt-4o"),
        (None, "gpt-4o-2024-08-06"),
        (None, "openai/gpt-4o"),
        ("litellm", "openai/gpt-4o"),
        ("our-gateway", "gpt-4o"),
    ],
)
def test_a_model_is_known_under_the_names_that_instrumentations_give_it(provider: str | None, model: str) -> None:
    cost = pricer().price([one(provider, model, input=1_000_000, output=0)]).cost_usd
    assert cost is not None
    assert cost["input"] == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("gcp.gen_ai", "gemini-2.5-pro"),
        ("gcp.vertex_ai", "gemini-2.5-flash"),
        ("x_ai", "grok-4"),
        ("mistral_ai", "mistral-large-latest"),
        ("aws.bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0"),
        ("deepseek", "deepseek-chat"),
        ("cohere", "command-r-08-2024"),
        ("groq", "llama-3.3-70b-versatile"),
    ],
)
def test_provider_names_of_the_conventions_find_their_prices(provider: str, model: str) -> None:
    priced = pricer().price([one(provider, model, input=1000, output=1000)])
    assert priced.cost_usd is not None
    assert sum(priced.cost_usd.values()) > 0


@pytest.mark.parametrize("provider", [None, "langchain", "aws.bedrock"])
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", 3.0),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", 3.0),
        ("litellm_proxy/us.anthropic.claude-3-5-sonnet-20241022-v2:0", 3.0),
        ("us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3),
        ("amazon.nova-lite-v1:0", 0.06),
        ("meta.llama3-1-70b-instruct-v1:0", 0.72),
        ("mistral.mistral-large-2402-v1:0", 4.0),
        ("openai.gpt-oss-120b-1:0", 0.15),
    ],
)
def test_names_of_bedrock_have_its_prices_whoever_reports_them(
    provider: str | None, model: str, expected: float
) -> None:
    cost = pricer().price([one(provider, model, input=1_000_000, output=0)]).cost_usd
    assert cost is not None
    assert cost["input"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("provider", "model"),
    [("oci", "meta.llama-3.1-70b-instruct"), (None, "llama3.1:8b"), (None, "ollama/meta.llama3-1-70b-instruct-v1:0")],
)
def test_names_that_are_like_those_of_bedrock_have_no_price_of_it(provider: str | None, model: str) -> None:
    assert pricer().price([one(provider, model, input=10, output=5)]) == Priced(None, 15)


@pytest.mark.parametrize("provider", [None, "openai", "aws.bedrock"])
@pytest.mark.parametrize("model", ["ft:gpt-4-0613:org::id", "openai/ft:gpt-4-0613:org::id", "ft:gpt-4.1:org::id"])
def test_a_fine_tuned_model_never_has_the_price_of_its_base(provider: str | None, model: str) -> None:
    assert pricer().price([one(provider, model, input=10, output=5)]) == Priced(None, 15)
    own = pricer(**{"gpt-4*": ModelPrice(input=3.0, output=6.0)})
    assert own.price([one(provider, model, input=10, output=5)]) == Priced(None, 15)


def test_a_fine_tuned_model_costs_what_the_list_has_for_it_as_such() -> None:
    # OpenAI asks twice the price of gpt-4o-mini for its fine-tuned ones.
    [base, tuned] = [
        pricer().price([one("openai", model, input=1_000_000, output=0)]).cost_usd
        for model in ("gpt-4o-mini-2024-07-18", "ft:gpt-4o-mini-2024-07-18:org::id")
    ]
    assert base is not None
    assert tuned is not None
    assert tuned["input"] == pytest.approx(2 * base["input"])
    without = pricer().price([one(None, "ft:gpt-4o-mini-2024-07-18:org::id", input=10, output=5)])
    assert without == Priced(None, 15)


def test_a_model_on_ones_own_machine_has_no_list_price() -> None:
    assert pricer().price([one("ollama", "gpt-4o", input=10)]) == Priced(None, 10)
    assert pricer().price([one("vllm", "meta-llama/llama-3.3-70b-instruct", input=10)]) == Priced(None, 10)


def test_a_price_of_ones_own_comes_before_the_list() -> None:
    own = pricer(**{"GPT-4o": ModelPrice(input=1, output=2, cached_input=0.5)})
    cost = own.price([one("openai", "gpt-4o", input=1_000_000, cached_input=200_000, output=1_000_000)]).cost_usd
    assert cost == pytest.approx({"input": 0.8, "cached_input": 0.1, "output": 2.0})


def test_a_price_of_ones_own_may_be_for_a_family_and_may_be_nothing() -> None:
    own = pricer(**{"llama3*": ModelPrice(input=0, output=0)})
    assert own.price([one("ollama", "llama3.1:8b", input=10, output=5)]) == Priced({"input": 0.0, "output": 0.0}, 0)


def test_a_price_by_a_whole_name_comes_before_one_by_a_pattern_wherever_it_stands() -> None:
    family, mini = ModelPrice(input=1, output=1), ModelPrice(input=0.1, output=0.1)
    priced = pricer(**{"gpt-4o*": family, "GPT-4o-mini": mini})
    million = Tokens(10**6, 0)
    assert priced.price([ModelCall("openai", "gpt-4o-mini", million)]).cost_usd == {
        "input": pytest.approx(0.1),
        "output": 0,
    }
    assert priced.price([ModelCall("openai", "gpt-4o-2024", million)]).cost_usd == {
        "input": pytest.approx(1),
        "output": 0,
    }


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("gpt-4o-2024-08-06", 7.0),
        ("openai/gpt-4o", 7.0),
        ("openrouter/openai/GPT-4o-2024-08-06", 7.0),
        ("gpt-4o-20240806", 7.0),
        ("gpt-4o@20240806", 7.0),
        ("gpt-4o-latest", 7.0),
        ("gpt-4o-2024-05-13", 9.0),
        ("gpt-4o-mini-2024-07-18", 0.15),
        ("gpt-4-0613", 30.0),
    ],
)
def test_a_price_of_ones_own_is_that_of_the_models_dated_versions_and_behind_a_prefix(
    model: str, dollars: float
) -> None:
    own = pricer(**{"gpt-4o": ModelPrice(input=7, output=7), "gpt-4o-2024-05-13": ModelPrice(input=9, output=9)})
    cost = own.price([ModelCall("openai", model, Tokens(10**6, 0))]).cost_usd
    assert cost is not None
    assert cost["input"] == pytest.approx(dollars)


def test_prices_of_the_time_of_the_call_are_taken_and_looked_up_again_later() -> None:
    clock = [NOW.timestamp()]
    current = Pricer(PriceConfig(), now=lambda: clock[0])
    first = current.price([one("openai", "gpt-4o", input=1000, output=0)])
    clock[0] += 3600
    assert current.price([one("openai", "gpt-4o", input=1000, output=0)]) == first


@pytest.mark.parametrize(
    "tokens",
    [
        {},
        {"input": 0, "output": 0},
        {"input": -5, "output": -7},
        {"cached_input": 10},
    ],
)
def test_without_tokens_there_is_neither_cost_nor_a_gap(tokens: dict[str, int]) -> None:
    assert pricer().price([one("openai", "gpt-4o", **tokens)]) == Priced(None, 0)


def test_a_call_without_a_model_name_is_a_gap() -> None:
    assert pricer().price([one("openai", None, input=3, output=4)]) == Priced(None, 7)
    assert pricer().price([one(None, "  ", input=3)]) == Priced(None, 3)


@given(
    st.lists(
        st.builds(
            ModelCall,
            st.none() | st.text() | st.sampled_from(["openai", "litellm"]),
            st.none() | st.text() | st.sampled_from(["gpt-4o", "openai/", "/gpt-4o"]),
            st.builds(Tokens, *[st.none() | st.integers(-(10**6), 10**12)] * 5),
        ),
        max_size=3,
    )
)
def test_no_call_makes_it_raise_or_answer_with_a_negative_cost(calls: list[ModelCall]) -> None:
    priced = pricer().price(calls)
    assert priced.unpriced_tokens >= 0
    assert all(dollars >= 0 for dollars in (priced.cost_usd or {}).values())


@pytest.mark.parametrize(
    ("reported", "cost"), [(0.25, {"reported": 0.25}), (0.0, None), (None, None), (1e9, None), (-1.0, None)]
)
def test_a_model_without_a_price_costs_what_its_trace_reports(
    reported: float | None, cost: dict[str, float] | None
) -> None:
    call = replace(one("me", "my-own-model", input=100, output=10), reported_cost_usd=reported)
    assert pricer().price([call]) == Priced(cost, 0 if cost else 110)


def test_a_price_goes_before_what_is_reported() -> None:
    call = replace(one("openai", "gpt-4o", input=1_000_000, output=0), reported_cost_usd=9.0)
    priced = pricer().price([call, ModelCall("me", "my-own-model", Tokens(), reported_cost_usd=0.5)])
    assert priced.cost_usd == {"input": pytest.approx(2.5), "output": 0.0, "reported": 0.5}

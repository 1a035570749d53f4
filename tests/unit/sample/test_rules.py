"""The sampler: the same choice everywhere, unbiased, and with the probability that was used."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import AttributeValue
from sidecar.record.request import RagTrace
from sidecar.sample.budget import BudgetConfig
from sidecar.sample.rules import KeepRule, RateRule, SampleConfig, Sampler


def _trace(
    number: int = 0, *, service: str = "kb", error: str | None = None, feedback: float | None = None
) -> RagTrace:
    return RagTrace(
        trace_id=f"{number:032x}",
        service=service,
        convention="native",
        timestamp=0.0,
        error_class=error,
        feedback=feedback,
    )


def _sampler(config: SampleConfig) -> Sampler:
    return Sampler(config, Telemetry())


def test_two_replicas_choose_the_same_requests() -> None:
    config = SampleConfig(rate=0.3)
    one, two = _sampler(config), _sampler(config)
    assert [one.decide(_trace(n)).keep for n in range(500)] == [two.decide(_trace(n)).keep for n in range(500)]


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9])
def test_the_share_kept_is_the_rate(rate: float) -> None:
    sampler = _sampler(SampleConfig(rate=rate))
    count = 20_000
    kept = sum(sampler.decide(_trace(n)).keep for n in range(count))
    assert abs(kept / count - rate) < 4 * (rate * (1 - rate) / count) ** 0.5


def test_weighting_by_the_inverse_probability_gives_back_the_total_when_rates_differ_by_service() -> None:
    sampler = _sampler(SampleConfig(rate=0.5, rules=(RateRule(service="busy-*", rate=0.1),)))
    decisions = [sampler.decide(_trace(n, service="busy-bot" if n % 2 else "quiet")) for n in range(20_000)]
    estimate = sum(1 / d.probability for d in decisions if d.keep)
    assert estimate == pytest.approx(20_000, rel=0.05)


def test_another_salt_chooses_other_requests() -> None:
    one, two = _sampler(SampleConfig(rate=0.5, salt="a")), _sampler(SampleConfig(rate=0.5, salt="b"))
    same = sum(one.decide(_trace(n)).keep == two.decide(_trace(n)).keep for n in range(2000))
    assert 800 < same < 1200


def test_the_first_rule_that_matches_the_service_gives_the_rate() -> None:
    rules = (RateRule(service="shop-*", rate=0.0), RateRule(service="*", rate=1.0))
    sampler = _sampler(SampleConfig(rate=0.5, rules=rules))
    assert not sampler.decide(_trace(service="shop-eu")).keep
    decision = sampler.decide(_trace(service="other"))
    assert (decision.keep, decision.probability, decision.rule) == (True, 1.0, "*")


def test_a_keep_rule_keeps_with_probability_one_and_says_so() -> None:
    sampler = _sampler(SampleConfig(rate=0.0, always_keep=(KeepRule(name="failed", error=True),)))
    assert sampler.decide(_trace(error="timeout")) == sampler.decide(_trace(1, error="timeout"))
    decision = sampler.decide(_trace(error="timeout"))
    assert (decision.keep, decision.probability, decision.rule) == (True, 1.0, "failed")
    assert not sampler.decide(_trace()).keep


@pytest.mark.parametrize(
    ("rule", "said"),
    [({"name": "empty"}, "without a condition"), ({"name": "eq", "equals": "foo"}, "equals needs attribute")],
)
def test_a_keep_rule_that_could_never_keep_anything_is_refused(rule: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        KeepRule.model_validate(rule)


@pytest.mark.parametrize(
    ("value", "equals", "same"),
    [
        (True, "true", True), (True, "True", True), (True, True, True), (False, "true", False), (False, False, True), (True, 1, False),
        ("true", True, True), ("True", True, True), ("yes", True, False),
        (3, "3", True), (3, 3, True), (1.0, "1", True), (1.0, 1, True), (3, "4", False), (3, "three", False), ("3", 3, True), ("03", "3", False),
        ("gold", "gold", True), ("Gold", "gold", False), (["gold", "vip"], "vip", True), (["gold"], "vip", False), (None, "None", False),
    ],
)  # fmt: skip
def test_an_attribute_is_compared_as_what_it_is(value: AttributeValue, equals: str | float, same: bool) -> None:
    rule = KeepRule.model_validate({"name": "r", "attribute": "app.x", "equals": equals})
    assert rule.matches(replace(_trace(), attributes={"app.x": value})) is same


def test_an_attribute_without_a_value_to_have_must_only_be_there() -> None:
    rule = KeepRule(name="r", attribute="app.x")
    assert rule.matches(replace(_trace(), attributes={"app.x": False}))
    assert not rule.matches(_trace())


def test_every_condition_of_a_keep_rule_must_hold() -> None:
    rule = KeepRule(name="bad", error=False, feedback_below=0.5)
    assert rule.matches(_trace(feedback=0.0))
    assert not rule.matches(_trace(feedback=0.0, error="timeout"))
    assert not rule.matches(_trace())


def test_a_budget_that_is_off_changes_nothing() -> None:
    sampler = _sampler(SampleConfig(rate=0.4, budget=BudgetConfig(enabled=False)))
    for _ in range(3):
        sampler.decide(_trace())
        sampler.relieve(seconds=2, open_seconds=2, scored=1, fill=5.0)
    assert sampler.decide(_trace()).probability == 0.4


def test_no_rate_falls_below_its_floor_and_the_gauge_shows_it() -> None:
    telemetry = Telemetry()
    sampler = Sampler(SampleConfig(rate=1.0, min_rate=0.05), telemetry)
    for _ in range(20):
        for _ in range(1000):
            sampler.decide(_trace())
        sampler.relieve(seconds=2, open_seconds=2, scored=1, fill=1.0)
    assert sampler.decide(_trace()).probability == 0.05
    assert telemetry.value("rag_sidecar_sampling_probability", rag_service="kb") == 0.05


@given(st.text(max_size=64), st.floats(0, 1), st.floats(0, 1))
def test_text_is_never_dropped_of_a_request_that_is_kept(trace_id: str, default: float, special: float) -> None:
    sampler = _sampler(SampleConfig(rate=default, rules=(RateRule(service="special", rate=special),)))
    for service in ("special", "other"):
        trace = RagTrace(trace_id=trace_id, service=service, convention="native", timestamp=0.0)
        if sampler.decide(trace).keep:
            assert sampler.may_keep(trace_id, "any")


def test_a_rate_that_rises_keeps_no_request_whose_texts_were_let_go_until_no_trace_of_then_is_open() -> None:
    sampler = _sampler(SampleConfig(rate=0.1, min_rate=0.0))
    let_go = [n for n in range(2000) if not sampler.may_keep(f"{n:032x}", "kb")]
    sampler.reconfigure(SampleConfig(rate=0.5, min_rate=0.0), open_seconds=120)
    assert sum(sampler.may_keep(f"{n:032x}", "kb") for n in range(2000)) == pytest.approx(1000, rel=0.1)
    decisions = {n: sampler.decide(_trace(n)) for n in range(2000)}
    assert {decision.probability for decision in decisions.values()} == {0.1}
    assert not any(decisions[n].keep for n in let_go)
    for _ in range(60):
        sampler.relieve(seconds=2, open_seconds=2, scored=1, fill=0.0)
    assert sampler.decide(_trace()).probability == 0.5


def test_a_rule_that_keeps_all_is_held_to_the_texts_that_are_there_and_a_rate_that_falls_counts_at_once() -> None:
    sampler = _sampler(SampleConfig(rate=0.1))
    sampler.reconfigure(SampleConfig(rate=0.1, always_keep=(KeepRule(name="errors", error=True),)), open_seconds=120)
    failed = [sampler.decide(_trace(n, error="E")) for n in range(2000)]
    assert {one.probability for one in failed} == {0.1}
    assert sum(one.keep for one in failed) == pytest.approx(200, rel=0.25)
    sampler.reconfigure(SampleConfig(rate=0.05), open_seconds=120)
    assert sampler.decide(_trace()).probability == 0.05


def test_a_budget_that_is_switched_off_gives_the_rates_back() -> None:
    sampler = _sampler(SampleConfig(rate=1.0))
    for _ in range(20):
        sampler.decide(_trace())
        sampler.relieve(seconds=2, open_seconds=2, scored=1, fill=5.0)
    lowered = sampler.decide(_trace()).probability
    sampler.reconfigure(SampleConfig(rate=1.0, budget=BudgetConfig(enabled=False)), open_seconds=120)
    assert (lowered < 1.0, sampler.decide(_trace()).probability) == (True, 1.0)


def test_the_gauge_names_a_service_as_the_series_of_its_requests_do() -> None:
    telemetry = Telemetry()
    sampler = Sampler(SampleConfig(rate=0.5), telemetry)
    sampler.decide(_trace(service="s" * 200))
    sampler.relieve(seconds=1, open_seconds=1, scored=1, fill=0)
    [(labels, _)] = telemetry.values("rag_sidecar_sampling_probability")
    assert labels == {"rag_service": "s" * 128}

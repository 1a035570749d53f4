"""The estimate on the page is that of the rules, and says on what it rests."""

from __future__ import annotations

import numpy as np
import pytest

from dashboards import objectives
from exporters.result import Outcome, Verdict
from exporters.verdicts import identity_of
from sidecar.evaluate.estimate import (
    COVERED,
    LEAST_ANCHORS,
    RATES_DRIFT,
    STATED_ERROR,
    Estimate,
    Judged,
    Scored,
    anchored,
    by_labels,
    wilson,
    within_error,
)
from sidecar.inference.grounding.detector import Anchor, Detector
from sidecar.observe.telemetry import Telemetry
from sidecar.page.estimates import Estimator
from sidecar.page.numbers import SPANS
from sidecar.page.overview import Overview
from sidecar.record.clock import ManualClock
from tests.unit.page.answers import feed, result, watch

BAD, GOOD = Verdict.HALLUCINATED, Verdict.GROUNDED
PLAIN = Estimator(None)


def test_the_constants_are_those_of_the_rules() -> None:
    ours, rules = (STATED_ERROR, LEAST_ANCHORS, RATES_DRIFT, COVERED), objectives
    assert ours == (rules.JUDGE_ERROR, rules.LEAST_ANCHORS, rules.RATES_DRIFT, rules.COVERED)


def test_without_a_judge_it_is_the_weighted_share_and_called_uncalibrated() -> None:
    seen = watch()
    feed(seen, *(result(n, BAD if n < 10 else GOOD, inclusion_probability=0.5 if n < 10 else 1.0) for n in range(40)))
    numbers = seen.services["support-bot"]
    basis = PLAIN.basis(numbers, seen.now())
    found = PLAIN.headline(numbers, seen.now(), basis)
    n = 50.0**2 / (10 * 4 + 30)
    low, high = wilson(np.asarray(0.4), np.asarray(n))
    assert basis.word == "uncalibrated"
    assert "no hallucination ratio" in basis.text
    assert found == pytest.approx({"share": 0.4, "low": float(low), "high": float(high), "samples": n, "local": 0.4})


def test_with_a_judge_it_is_the_anchored_estimate_over_the_same_sums() -> None:
    seen = watch()
    judges = {n: (BAD if n % 10 < 2 else GOOD) for n in range(0, 200, 2)}
    feed(seen, *(result(n, BAD if n % 10 < 3 else GOOD, judge=judges.get(n)) for n in range(200)))
    numbers = seen.services["support-bot"]
    basis = PLAIN.basis(numbers, seen.now())
    local = {n: n % 10 < 3 for n in range(200)}
    v = 2.0
    said = {n: verdict is BAD for n, verdict in judges.items()}
    wanted = within_error(
        anchored(
            Scored(weight=np.asarray(200.0), local=np.asarray(float(sum(local.values()))), squared=np.asarray(200.0)),
            Judged(
                weight=np.asarray(v * 100), judge=np.asarray(v * sum(said.values())), local=np.asarray(v * sum(local[n] for n in said)),
                squared=np.asarray(v * v * 100), squared_judge=np.asarray(v * v * sum(said.values())),
                squared_local=np.asarray(v * v * sum(local[n] for n in said)),
                squared_both=np.asarray(v * v * sum(local[n] and said[n] for n in said)),
            ),
        ),
        STATED_ERROR,
    )  # fmt: skip
    found = PLAIN.headline(numbers, seen.now(), basis)
    assert basis.word == "anchored"
    assert "100 answers" in basis.text
    assert [found[name] for name in ("share", "low", "high")] == pytest.approx(
        [float(wanted.share), float(wanted.lower), float(wanted.upper)]
    )
    measured = Detector(sensitivity=0.9, specificity=0.95, hallucinated=200, grounded=200)
    assert Estimator(measured).headline(numbers, seen.now(), basis)["share"] != found["share"]


def labelled(**more: object) -> Anchor:
    """What labels say of the verdict of the results of these tests."""
    [own] = (one for one in result(1, GOOD).evaluations if one.decides_verdict)
    rates = {"sensitivity": 0.8, "hallucinated": 80, "specificity": 0.9, "grounded": 300, "identity": identity_of(own)}
    return Anchor.model_validate({**rates, **more})


def test_labels_anchor_a_service_that_no_judge_looks_at_as_in_the_rules() -> None:
    anchor = labelled()
    seen = watch(anchors={"support-bot": anchor})
    feed(seen, *(result(n, BAD if n % 10 < 4 else GOOD) for n in range(200)))
    numbers = seen.services["support-bot"]
    basis = PLAIN.basis(numbers, seen.now())
    share, n = np.asarray(0.4), np.asarray(200.0)
    wanted = by_labels(Estimate(share, *wilson(share, n), n), anchor, drift=RATES_DRIFT)
    found = PLAIN.headline(numbers, seen.now(), basis)
    assert basis.word == "anchored"
    assert "people labelled 380 of its answers" in basis.text
    assert [found[name] for name in ("share", "low", "high", "local")] == pytest.approx(
        [float(wanted.share), float(wanted.lower), float(wanted.upper), 0.4]
    )
    assert PLAIN.points(numbers, SPANS[0], seen.now(), basis)["share"][-1] == pytest.approx(float(wanted.share))  # type: ignore[index]


def test_labels_do_not_vouch_for_a_judges_few_answers() -> None:
    seen = watch(anchors={"support-bot": labelled()})
    feed(seen, *(result(n, BAD if n % 10 < 4 else GOOD, judge=BAD if n < 3 else None) for n in range(200)))
    basis = PLAIN.basis(seen.services["support-bot"], seen.now())
    assert basis.word == "uncalibrated"
    assert "A judge has seen 3 of its answers, and 30 are wanted" in basis.text


@pytest.mark.parametrize(
    ("anchor", "wanted"),
    [
        (labelled(labelled="2023-08-17"), "anchored"),
        (labelled(labelled="2023-08-16"), "uncalibrated"),
        (labelled(identity="00000000"), "uncalibrated"),
    ],
    ids=["90 days ago less one", "90 days ago", "of another verdict"],
)
def test_labels_that_are_too_old_or_of_another_verdict_anchor_nothing(anchor: Anchor, wanted: str) -> None:
    seen = watch(ManualClock(1_700_000_000.0), anchors={"support-bot": anchor})  # 2023-11-14
    feed(seen, *(result(n, GOOD) for n in range(100)))
    assert Estimator(None, anchor_days=90).basis(seen.services["support-bot"], seen.now()).word == wanted


def test_three_days_of_one_model_are_a_baseline_and_another_threshold_ends_it() -> None:
    clock = ManualClock()
    seen = watch(clock)
    for hour in range(80):
        feed(seen, result(hour, GOOD))
        clock.advance(3600)
    assert PLAIN.basis(seen.services["support-bot"], seen.now()).word == "baseline"
    other = result(100, GOOD)
    changed = tuple(
        one
        if not one.decides_verdict
        else type(one)(**{**{f: getattr(one, f) for f in one.__slots__}, "threshold": 0.5})
        for one in other.evaluations
    )
    feed(seen, result(101, GOOD, evaluations=changed))
    assert PLAIN.basis(seen.services["support-bot"], seen.now()).word == "uncalibrated"


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
def test_a_line_has_a_point_a_bin_and_none_where_nothing_was(span: object) -> None:
    clock = ManualClock()
    seen = watch(clock)
    for n in range(120):
        feed(seen, result(n, BAD if n % 4 == 0 else GOOD))
        clock.advance(2)
    chosen = next(one for one in SPANS if one is span)
    numbers = seen.services["support-bot"]
    points = PLAIN.points(numbers, chosen, seen.now(), PLAIN.basis(numbers, seen.now()))
    assert {len(values) for values in points.values() if isinstance(values, list)} == {chosen.bins}
    shares = points["share"]
    assert isinstance(shares, list)
    assert shares[-1] == pytest.approx(0.25, abs=0.1)
    assert shares[0] is None


def test_the_funnel_adds_up_and_what_is_long_ago_is_not_in_it() -> None:
    clock = ManualClock()
    seen = watch(clock)
    feed(
        seen,
        result(1),
        result(2, None, outcome=Outcome.SAMPLED_OUT),
        result(3, None, outcome=Outcome.UNSCORABLE, reason="no_context"),
    )
    page = Overview(seen, Telemetry(), PLAIN, labels=False)
    service = page.page(None, SPANS[0])["service"]
    assert isinstance(service, dict)
    assert service["funnel"] == {"scored": 1, "sampled_out": 1, "shed": 0, "unscorable": 1, "failed": 0}
    assert service["reasons"] == [{"outcome": "unscorable", "reason": "no_context", "count": 1}]
    assert service["usd"] == pytest.approx(0.003)
    clock.advance(2000)
    later = page.page("support-bot", SPANS[0])["service"]
    assert isinstance(later, dict)
    assert later["requests"] == 0

"""The number on the status page is that of the rules: the same results through the series and Prometheus's own evaluator, and through the page."""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboards import estimate, generate, recording
from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import Evaluation, Outcome, Result, Verdict
from exporters.verdicts import identity_of
from sidecar.evaluate.anchors import show_anchors
from sidecar.inference.grounding.detector import Anchor, Detector
from sidecar.observe.telemetry import Telemetry
from sidecar.page.estimates import Estimator
from sidecar.page.numbers import SPANS
from sidecar.page.overview import Overview
from sidecar.record.clock import ManualClock
from tests.parts import paths
from tests.unit.page.answers import feed, result, watch

pytestmark = pytest.mark.real
HOUR, MINUTES, DAYS = "1h", 30, 90
BAD, GOOD = Verdict.HALLUCINATED, Verdict.GROUNDED
DECIDER = result(1).evaluations[1]
IDENTITY = identity_of(DECIDER)
OTHER = replace(DECIDER, threshold=0.6)
ANCHOR = Anchor(sensitivity=0.7, hallucinated=25, specificity=0.9, grounded=220, identity=IDENTITY)
ANCHORS = {
    "labelled": ANCHOR,
    "labelled, many of another model": ANCHOR,
    "labelled, some of another model": ANCHOR,
    "labelled of another model": ANCHOR.model_copy(update={"identity": "0a1b2c3d"}),
    "labelled and judged": ANCHOR,
    "labelled and judged too little": ANCHOR,
    "labelled of late": ANCHOR.model_copy(update={"labelled": date(1969, 12, 1)}),
    "labels too old": ANCHOR.model_copy(update={"labelled": date(1969, 9, 1)}),
    "labels no better than chance": ANCHOR.model_copy(update={"sensitivity": 0.05, "specificity": 0.6}),
}
RATES = Detector(sensitivity=0.93, specificity=0.95, hallucinated=150, grounded=250)
SHARE_JUDGED = {
    "judged": 0.5,
    "labelled and judged": 0.5,
    "judged too little": 0.03,
    "labelled and judged too little": 0.03,
}
OTHERS = {"labelled, many of another model": 0.2, "labelled, some of another model": 0.02}
JUDGED_ALONE = {"judged alone": 0.5, "judged alone and too little": 0.02}
SERVICES = (*ANCHORS, "judged", "judged too little", *JUDGED_ALONE, "plain")


def results() -> list[Result]:
    """Of each service some hundred, sampled and judged at rates of their own, with abstentions, undecided ones and failures between."""
    chance, found = random.Random(7), []
    for number, service in enumerate(SERVICES):
        for n in range(400):
            verdict = chance.choices((BAD, GOOD, Verdict.ABSTAINED, None), (3, 12, 1, 1))[0]
            made = result(1000 * number + n, verdict, service=service, inclusion_probability=chance.choice((1.0, 0.25)))
            evaluations = list(made.evaluations)
            if verdict in (None, Verdict.ABSTAINED):
                evaluations[1] = replace(DECIDER, label="undecided" if verdict is None else None)
            elif chance.random() < OTHERS.get(service, 0):
                evaluations[1] = replace(OTHER, label=str(verdict))
            elif chance.random() < SHARE_JUDGED.get(service, 0):
                evaluations.append(judged(made, SHARE_JUDGED[service], chance))
            if service in JUDGED_ALONE:
                # Whom the judge does not see has no verdict.
                seen = verdict in (BAD, GOOD) and chance.random() < JUDGED_ALONE[service]
                evaluations = [replace(judged(made, JUDGED_ALONE[service], chance), label=str(verdict))] if seen else []
                made = made if seen else replace(made, verdict=None)
            found.append(replace(made, evaluations=tuple(evaluations)))
    return found


def judged(made: Result, rate: float, chance: random.Random) -> Evaluation:
    agrees = chance.random() < 0.8
    label = made.verdict if agrees else (GOOD if made.verdict is BAD else BAD)
    return Evaluation(
        evaluator="groundedness_judge", outcome=Outcome.SCORED, score=0.5, label=str(label), judged=True, decides_verdict=True,
        inclusion_probability=made.inclusion_probability * rate,
    )  # fmt: skip


def series(telemetry: Telemetry) -> list[dict[str, str]]:
    """Every series at 0 for some minutes, and since then as it is, so that its increase is the value itself."""
    found = []
    for family in telemetry.registry.collect():
        if family.name.startswith(("rag_verdict", "rag_judged", "rag_sidecar_label", "rag_sidecar_judge_detector")):
            before = "0x4 " if family.type == "counter" else ""
            for one in family.samples:
                said = ",".join(f'{name}="{value}"' for name, value in one.labels.items())
                found.append({"series": f"{one.name}{{{said}}}", "values": f"{before}{one.value!r}x{MINUTES}"})
    return found


def recorded(folder: Path, telemetry: Telemetry) -> dict[str, dict[str, Any]]:
    """What the rules say, by name and service: promtool prints what it gets where a test expects nothing."""
    groups = {group["name"]: group["rules"] for group in yaml.safe_load(generate.rules_yaml())["groups"]}
    wanted = [f"rag-sidecar.recording.{name}" for name in ("judge", HOUR, "1d", "basis")]
    rules = [rule for name in wanted for rule in groups[name]]
    (folder / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}), encoding="utf-8")
    asked = [{"expr": name, "eval_time": f"{MINUTES}m", "exp_samples": []} for name in NAMES.values()]
    test = {"interval": "1m", "input_series": series(telemetry), "promql_expr_test": asked}
    tests = {"rule_files": ["rules.yml"], "evaluation_interval": f"{MINUTES}m", "tests": [test]}
    (folder / "tests.yml").write_text(yaml.safe_dump(tests, width=1000), encoding="utf-8")
    command = [str(paths.find("promtool")), "test", "rules", str(folder / "tests.yml")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    found: dict[str, dict[str, Any]] = {name: {} for name in NAMES}
    by_expression = {name: word for word, name in NAMES.items()}
    for name, got in re.findall(r'expr: "([^"]+)".*?got: (.*?)(?=\n +expr|\Z)', done.stdout + done.stderr, re.DOTALL):
        for labels, value in re.findall(r"\{([^}]*)\} ([-+.\dE]+)", got):
            own = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            found[by_expression[name]][own["rag_service"]] = own.get("basis", float(value))
    return found


@pytest.fixture(scope="module", params=[None, RATES], ids=["stated error", "measured errors"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What page and rules say, by service."""
    # promtool's time begins in 1970.
    telemetry, clock, detector = Telemetry(), ManualClock(60.0 * MINUTES), request.param
    estimator = Estimator(detector, anchor_days=DAYS)
    seen = watch(clock, most_services=50, anchors=ANCHORS)
    exporter = PrometheusExporter(PrometheusConfig(), telemetry.registry, evaluators=["groundedness"])
    made = results()
    feed(seen, *made)
    asyncio.run(exporter.export(made))
    show_anchors(ANCHORS, telemetry, expire_days=DAYS, now=clock.now())
    if detector is not None:
        for rate in ("sensitivity", "specificity"):
            telemetry.set("rag_sidecar_judge_detector_rate", getattr(detector, rate), rate=rate)
        for label in ("hallucinated", "grounded"):
            telemetry.set("rag_sidecar_judge_detector_labelled", getattr(detector, label), label=label)
    page = Overview(seen, telemetry, estimator, labels=False)
    pages = {service: page.page(service, SPANS[1])["service"] for service in SERVICES}
    return {"pages": pages, "rules": recorded(tmp_path_factory.mktemp("page"), telemetry)}


NAMES = {
    "basis": recording.BASIS,
    "share": estimate.ratio(HOUR),
    "low": estimate.bound(HOUR, upper=False),
    "high": estimate.bound(HOUR, upper=True),
    "plain share": recording.ratio(HOUR),
    "plain low": recording.lower_bound(HOUR),
    "plain high": recording.upper_bound(HOUR),
}


@pytest.mark.parametrize("service", SERVICES)
def test_page_and_series_say_the_same(told: dict[str, Any], service: str) -> None:
    page, rules = told["pages"][service], told["rules"]
    assert page["basis"] == rules["basis"][service]
    words = ("share", "low", "high")
    names = words if page["basis"] == "anchored" else [f"plain {word}" for word in words]
    expected = [rules[name].get(service) for name in names]
    found = [page["headline"][word] for word in words]
    if service == "labels no better than chance":
        # An upper bound of 1 says nothing.
        assert (expected, found) == ([None, None, 1.0], [None] * 3)
        return
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_every_basis_is_among_them(told: dict[str, Any]) -> None:
    found = {service: (one["basis"], one["basis_by"]) for service, one in told["pages"].items()}
    assert found == {
        "labelled": ("anchored", "labels"),
        "labelled, some of another model": ("anchored", "labels"),
        "labelled, many of another model": ("uncalibrated", None),
        "labelled of another model": ("uncalibrated", None),
        "labelled and judged": ("anchored", "judge"),
        "labels no better than chance": ("anchored", "labels"),
        "labelled and judged too little": ("uncalibrated", None),
        "labelled of late": ("anchored", "labels"),
        "labels too old": ("uncalibrated", None),
        "judged": ("anchored", "judge"),
        "judged too little": ("uncalibrated", None),
        "judged alone": ("anchored", "judge"),
        "judged alone and too little": ("uncalibrated", None),
        "plain": ("uncalibrated", None),
    }

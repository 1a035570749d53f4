"""Rounds against a service over HTTP, scored by the real local models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar import config
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.record import Source
from sidecar.probe.cases import Question
from sidecar.probe.round import Round
from sidecar.probe.series import SERIES
from sidecar.probe.settings import ProbeConfig
from sidecar.record.errors import ConfigError
from tests.parts.rag_server import Asked, Said, answer, serving
from tests.unit.probe.test_send import RESPONSE

CASES = {
    "How long are backups kept?": "Backups are kept for 14 days.",
    "What does a library card cost?": "A library card costs 20 euros a year.",
    "When is the museum closed?": "The museum is closed on Mondays.",
    "Who won the chess tournament?": "",
}
GATE = {"metrics": {"context_recall": 0.9, "faithfulness": 0.8}, "defaults": False, "negatives": 1.0}


class Hands:
    """A clock whose wall time a test sets."""

    def __init__(self) -> None:
        self.at = 1000.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


def questions() -> list[Question]:
    made = []
    for n, (text, reference) in enumerate(CASES.items()):
        kind = "simple" if reference else "negative"
        row = {"request_id": f"c{n}", "question": text, "reference": reference or "Not said.", "kind": kind}
        made.append(Question({"question": text}, row))
    return made


def build(url: str, **more: Any) -> tuple[Round, Telemetry, Hands]:
    request = {"url": url, "body": {"q": "{question}"}, **more.pop("request", {})}
    settings = config.build(more.pop("settings", {}), kafka=False)
    given = {"service": "kb", "cases": Path("c"), "gate": GATE, "request": request, "response": RESPONSE, **more}
    telemetry, clock = Telemetry(series=SERIES), Hands()
    source = Source(name="cases.jsonl", sha256="")
    return (
        Round(ProbeConfig.model_validate(given), settings, source, questions(), telemetry=telemetry, clock=clock),
        telemetry,
        clock,
    )


def shown(telemetry: Telemetry, name: str) -> dict[str, float]:
    """The values of a series by its label beside the service."""
    return {
        next((v for k, v in labels.items() if k != "rag_service"), ""): value
        for labels, value in telemetry.values(name)
    }


async def test_a_round_that_passes_shows_scores_limits_and_when() -> None:
    with serving() as server:
        made, telemetry, clock = build(server.url)
        assert list(telemetry.values("rag_probe_last_round_timestamp_seconds")) == [], "none has ended"
        clock.at = 2000
        report = await made.make()
    assert report.gate is not None
    assert report.gate.passed, report.gate
    assert [one.metric for one in report.gate.checks] == [
        "answered",
        "context_recall",
        "faithfulness",
        "negatives_declined",
    ]
    assert report.negatives is not None
    assert (report.negatives.cases, report.negatives.abstained) == (1, 1)
    scores = shown(telemetry, "rag_probe_score")
    assert scores["context_recall"] == 1.0
    assert scores["faithfulness"] == pytest.approx(
        1.0, abs=1e-3
    )  # doubt counts in part, and the model is not always sure
    assert shown(telemetry, "rag_probe_limit") == {
        "answered": 0.95, "context_recall": 0.9, "faithfulness": 0.8, "negatives_declined": 1.0
    }  # fmt: skip
    assert set(shown(telemetry, "rag_probe_check_passed").values()) == {1.0}
    assert shown(telemetry, "rag_probe_cases") == {"answered": 4, "unanswered": 0}
    assert shown(telemetry, "rag_probe_passed") == {"": 1}
    assert telemetry.value("rag_probe_last_success_timestamp_seconds") == 2000
    assert telemetry.value("rag_probe_last_round_timestamp_seconds") == 2000
    assert telemetry.value("rag_probe_rounds_total", outcome="passed") == 1
    assert telemetry.value("rag_probe_interval_seconds") == 900


async def test_a_service_that_begins_to_make_things_up_fails_the_gate_and_the_rounds_are_counted() -> None:
    broken = False

    def says(asked: Asked) -> object:
        good: Any = answer(asked)
        return {"data": {**good["data"], "text": "Seven dogs built it in Paris."}} if broken else good

    with serving(says) as server:
        made, telemetry, clock = build(server.url)
        await made.make()
        broken = True
        for at in (3000.0, 4000.0):
            clock.at = at
            report = await made.make()
        assert report.gate is not None
        assert {one.metric for one in report.gate.checks if one.status == "failed"} == {
            "faithfulness",
            "negatives_declined",
        }
        assert shown(telemetry, "rag_probe_failed_rounds") == {"": 2}
        assert shown(telemetry, "rag_probe_passed") == {"": 0}
        assert telemetry.value("rag_probe_last_round_timestamp_seconds") == 4000
        assert telemetry.value("rag_probe_last_success_timestamp_seconds") == 1000
        broken = False
        await made.make()
    assert shown(telemetry, "rag_probe_failed_rounds") == {"": 0}


async def test_a_service_that_answers_one_case_well_does_not_pass_by_it() -> None:
    def says(asked: Asked) -> object:
        return answer(asked) if "backups" in asked.body["q"] else Said("no", status=500)

    with serving(says) as server:
        made, telemetry, _ = build(server.url, gate={"metrics": {"context_recall": 0.9}, "defaults": False})
        report = await made.make()
    assert report.gate is not None
    checks = {one.metric: one for one in report.gate.checks}
    assert (checks["context_recall"].status, checks["answered"].status) == ("passed", "failed")
    assert checks["answered"].value == 0.25
    assert "http_5xx" in checks["answered"].why
    assert not report.gate.passed
    assert telemetry.value("rag_probe_failures_total", reason="http_5xx") == 3
    assert shown(telemetry, "rag_probe_cases") == {"answered": 1, "unanswered": 3}


async def test_where_nothing_is_answered_old_scores_are_gone() -> None:
    down = False
    with serving(lambda asked: Said("no", status=503) if down else answer(asked)) as server:
        made, telemetry, _ = build(server.url)
        await made.make()
        down = True
        report = await made.make()
    assert report.gate is not None
    assert not report.gate.passed
    why = {one.metric: one.why for one in report.gate.checks}
    assert why == {
        "answered": f"share of the cases that were answered; {server.url}: http_5xx 4 (status 503)",
        **dict.fromkeys(("context_recall", "faithfulness", "negatives_declined"), "no case was answered"),
    }
    assert shown(telemetry, "rag_probe_score") == {}
    assert shown(telemetry, "rag_probe_check_passed")["answered"] == 0


async def test_a_mapping_of_fields_of_production_is_not_applied_to_what_the_probe_puts_together() -> None:
    with serving() as server:
        made, _, _ = build(server.url, settings={"decode": {"mapping": {"reference": "response"}}})
        report = await made.make()
    assert [one.reference for one in report.results] == [text or "Not said." for text in CASES.values()]


async def test_a_round_that_breaks_did_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server:
        made, telemetry, _ = build(server.url, request={"headers": {"authorization": {"env": "NO_SUCH_TOKEN"}}})
        with pytest.raises(ConfigError, match="NO_SUCH_TOKEN"):
            await made.make()
        assert server.asked == []
    assert telemetry.value("rag_probe_rounds_total", outcome="broken") == 1
    assert shown(telemetry, "rag_probe_failed_rounds") == {"": 1}


@pytest.mark.parametrize(("day", "every", "expected"), [("10", 8640, 1.0), ("10", 86400 * 2, 10.0)])
def test_a_round_has_its_part_of_the_judges_day(
    day: str, every: float, expected: float, monkeypatch: pytest.MonkeyPatch, build_at: Callable[..., Round]
) -> None:
    monkeypatch.setenv("RAG_SIDECAR_JUDGE__BUDGET_USD_PER_DAY", day)
    found = build_at(every)._most_usd()
    assert found == pytest.approx(expected)


@pytest.fixture
def build_at() -> Callable[..., Round]:
    return lambda every: build("http://127.0.0.1:9/", every_seconds=every)[0]

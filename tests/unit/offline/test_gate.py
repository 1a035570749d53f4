"""The gate: what passes, what fails, and what is not asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.offline.gate import DEFAULTS, NEGATIVES, GateFile, Limit, check, load_gate, refuse_senseless
from sidecar.offline.record import CaseRecord, Check, Effort, Report, Source
from sidecar.offline.report import report_of
from sidecar.record.errors import ConfigError
from tests.unit.offline.records import record, said


def report(*records: CaseRecord) -> Report:
    source = Source(name="cases.jsonl", sha256="0" * 64)
    return report_of(records, source=source, settings="me", created="2026-01-01T00:00:00Z", effort=Effort(seconds=1.0))


def scores(metric: str, *values: float) -> list[CaseRecord]:
    return [record(f"{metric}{n}", said(metric, value)) for n, value in enumerate(values)]


def only(gate: GateFile, *records: CaseRecord) -> Check:
    """The answer to the only question of a gate without the usual four."""
    [found] = check(report(*records), gate.model_copy(update={"defaults": False})).checks
    return found


@pytest.mark.parametrize(("limit", "status"), [(0.7, "passed"), (0.75, "passed"), (0.7501, "failed")])
def test_a_value_at_the_limit_passes(limit: float, status: str) -> None:
    found = only(GateFile(metrics={"f": Limit(limit=limit)}), *scores("f", 0.5, 1.0))
    assert (found.value, found.status) == (0.75, status)


def test_rounding_fails_nobody() -> None:
    # Three times 0.85 has a mean of 0.8499999999999999 where it is added one by one.
    found = only(GateFile(metrics={"f": Limit(limit=0.85)}), *scores("f", 0.85, 0.85, 0.85))
    assert found.status == "passed"


def test_a_metric_that_is_named_and_has_no_value_fails() -> None:
    gate = GateFile(metrics={"f": Limit(limit=0.0)})
    assert only(gate, record("a", said("f", None, "no_reference"))).status == "failed"
    assert "no_reference 1" in only(gate, record("a", said("f", None, "no_reference"))).why
    assert only(gate, record("a", said("g", 1.0))).why == "no evaluator of this name ran on a case that is not negative"


def test_of_the_usual_four_those_are_asked_that_the_cases_can_answer() -> None:
    records = [
        record(
            str(n),
            said("faithfulness", 0.9),
            said("answer_relevancy", None, "no_question"),
            said("context_precision", None, "no_claims"),
        )
        for n in range(3)
    ]
    found = check(report(*records), GateFile())
    assert {one.metric: one.status for one in found.checks} == {
        "faithfulness": "passed",
        "answer_relevancy": "not_asked",
        "context_precision": "failed",  # it was asked, and said nothing of any case
        "context_recall": "not_asked",
    }
    assert [one.why for one in found.checks if one.status == "not_asked"] == [
        "no case has what it needs: no_question 3",
        "no evaluator of this name ran on a case that is not negative: none is on, or no case has what it needs",
    ]
    assert not found.passed


def test_where_nothing_was_asked_nothing_has_passed() -> None:
    found = check(report(record("a", said("f", 1.0))), GateFile())
    assert {one.status for one in found.checks} == {"not_asked"}
    assert not found.passed
    assert not check(report(), GateFile(defaults=False)).passed


def test_the_usual_limits_are_for_the_judge_where_it_was_asked() -> None:
    records = [
        record(str(n), said("faithfulness", 0.1), said("faithfulness_judge", 0.9, judged=True)) for n in range(3)
    ]
    [found] = [one for one in check(report(*records), GateFile()).checks if one.status != "not_asked"]
    assert (found.metric, found.status) == ("faithfulness_judge", "passed")


def test_a_default_that_the_file_names_holds_as_it_is_named_there() -> None:
    records = scores("faithfulness", 0.6, 0.6)
    [lower] = [
        c for c in check(report(*records), GateFile(metrics={"faithfulness": Limit(limit=0.5)})).checks if c.value
    ]
    assert (lower.limit, lower.status) == (0.5, "passed")
    none = check(report(*records), GateFile(metrics={"faithfulness": None}))
    assert "faithfulness" not in {one.metric for one in none.checks}


def test_the_lower_end_of_the_interval_may_be_what_counts() -> None:
    values = [1.0] * 9 + [0.0]
    for gate in (
        GateFile(metrics={"f": Limit(limit=0.7)}, bound="lower"),
        GateFile(metrics={"f": Limit(limit=0.7, bound="lower")}),
    ):
        found = only(gate, *scores("f", *values))
        assert (found.bound, found.status) == ("lower", "failed")
        assert found.value == pytest.approx(0.5550, abs=0.005)  # Clopper and Pearson
    assert only(GateFile(metrics={"f": Limit(limit=0.1)}, bound="lower"), *scores("f", 1.0)).why == (
        "an interval takes two cases"
    )


def test_of_two_runs_the_one_without_a_worse_case_passes_by_its_lower_end_too() -> None:
    gate = GateFile(metrics={"f": Limit(limit=0.9, bound="lower")})
    best, worse = (only(gate, *scores("f", *[1.0] * 19, last)) for last in (1.0, 0.98))
    assert best.value is not None
    assert worse.value is not None
    assert best.value >= worse.value
    assert (best.status, worse.status) == ("failed", "failed")  # twenty cases do not show 0.9


@pytest.mark.parametrize("other", [{"method": "claims_llm"}, {"model": "hhem"}, {"version": "9"}])
def test_a_limit_belongs_to_who_it_was_made_for(other: dict[str, str]) -> None:
    limit = Limit.model_validate({"limit": 0.1, **other})
    found = only(GateFile(metrics={"f": limit}), *scores("f", 1.0, 1.0))
    assert found.status == "failed"
    assert f"the limit is for {next(iter(other.values()))}" in found.why
    same = Limit(limit=0.1, method="local", model="embedded", version="1")
    assert only(GateFile(metrics={"f": same}), *scores("f", 1.0, 1.0)).status == "passed"


def test_a_metric_that_failed_in_many_cases_fails_whatever_the_others_say() -> None:
    failed = [record(f"x{n}", said("f", None, "judge_timeout")) for n in range(3)]
    found = only(GateFile(metrics={"f": Limit(limit=0.1)}), *scores("f", 1.0), *failed)
    assert found.why == "failed in 3 of 4 cases: judge_timeout 3"
    assert (
        only(GateFile(metrics={"f": Limit(limit=0.1)}, most_failed=0.8), *scores("f", 1.0), *failed).status == "passed"
    )
    few = GateFile(metrics={"f": Limit(limit=0.1)}, least_scored=5)
    assert only(few, *scores("f", 1.0)).why == "1 of the 5 cases with a value that are wanted"


@pytest.mark.parametrize("reason", ["no_answer", "no_context"])
def test_a_system_that_answers_one_case_well_passes_no_gate(reason: str) -> None:
    silent = [record(f"x{n}", said("f", None, reason)) for n in range(9)]
    gate = GateFile(metrics={"f": Limit(limit=0.85)})
    found = only(gate, *scores("f", 1.0), *silent)
    assert (found.value, found.status) == (1.0, "failed")
    assert found.why == f"without an answer or documents in 9 of 10 cases: {reason} 9"
    assert only(gate.model_copy(update={"most_unanswered": 0.9}), *scores("f", 1.0), *silent).status == "passed"
    # One of twenty is within the five percent; what is said of the answer itself is no silence.
    assert only(gate, *scores("f", *[1.0] * 19), silent[0]).status == "passed"
    assert (
        only(gate, *scores("f", 1.0), *(record(f"y{n}", said("f", None, "abstained")) for n in range(9))).value == 1.0
    )


def test_negatives_that_were_declined() -> None:
    declined = record("a", said("f", None, "abstained"), kind="negative", abstention="full")
    answered = record("b", said("f", 0.0), kind="negative", abstention="none")
    gate = GateFile(negatives=0.5)
    assert (only(gate, declined, answered).value, only(gate, declined, answered).status) == (0.5, "passed")
    assert only(gate, answered).status == "failed"
    assert only(gate, record("c", said("f", 1.0))).why == "there is no negative case"


def test_a_file_may_be_short_and_is_refused_by_the_name_of_the_field(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text("metrics:\n  f: 0.5\n  g: {limit: 0.7, bound: lower, method: m}\n  faithfulness: null\n")
    gate = load_gate(path)
    assert gate.metrics["f"] == Limit(limit=0.5)
    assert gate.metrics["faithfulness"] is None
    for text, place in (
        (
            "metrics: {f: 2}\nbond: mean",
            r"(?s)metrics\.f\.limit: must be at most 1.*bond: no such setting \(did you mean bound\?\)",
        ),
        ("metrics: {f: high}", "metrics.f: must be a number, or a map with limit"),
        ("defaults: true\nbound: 2026-13-45", "line 2: a value"),
        ("metric: {}", "metric"),
        ("- a", "the top level"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=place):
            load_gate(path)
    path.write_text("")
    assert load_gate(path) == GateFile()
    with pytest.raises(ConfigError, match=r"none\.yaml: No such file or directory"):
        load_gate(tmp_path / "none.yaml")


def test_a_system_that_says_nothing_passes_no_gate() -> None:
    silent = [record(str(n), said("faithfulness", None, "no_answer"), said("context_precision", 0.9)) for n in range(3)]
    statuses = {one.metric: one.status for one in check(report(*silent), GateFile()).checks}
    assert (statuses["faithfulness"], statuses["context_precision"]) == ("failed", "passed")


def test_of_negatives_alone_no_mean_is_asked_for() -> None:
    declined = record("a", said("faithfulness", 0.0), kind="negative", abstention="full")
    found = check(report(declined), GateFile(negatives=1.0))
    assert found.passed
    assert {one.metric: one.status for one in found.checks} == {
        **dict.fromkeys(DEFAULTS, "not_asked"),
        NEGATIVES: "passed",
    }
    assert not check(report(declined), GateFile(metrics={"faithfulness": Limit(limit=0.0)}, negatives=1.0)).passed


def test_negatives_that_nobody_could_read_are_no_declined_ones() -> None:
    own = [record("a", said("f", None, "abstained"), kind="negative", abstention="full")]
    own += [record(str(n), said("f", None, "no_context"), kind="negative") for n in range(9)]
    [found] = [
        one for one in check(report(*own), GateFile(defaults=False, negatives=0.9)).checks if one.metric == NEGATIVES
    ]
    assert (found.value, found.status) == (1.0, "failed")
    assert "9 of 10" in found.why


def test_a_metric_that_nothing_is_called_is_an_error_with_the_name_that_is_near() -> None:
    for name, mend in (("groundednes", "did you mean groundedness?"), ("my_ton", "did you mean my_tone?")):
        with pytest.raises(ConfigError) as raised:
            refuse_senseless(GateFile(metrics={"rouge": Limit(limit=0.1), name: None}), ["my_tone"], "gate")
        assert str(raised.value) == f"gate: metrics: no metric is called {name!r} ({mend})"


@pytest.mark.parametrize(
    "name",
    ["faithfulness", "faithfulness_judge", "context_recall_ids", "answer_accuracy", "sql_equivalence_judge", "my_tone"],
)
def test_metrics_of_every_kind_may_be_named(name: str) -> None:
    refuse_senseless(GateFile(metrics={name: Limit(limit=0.5)}), ["my_tone"])


def test_a_gate_that_asks_nothing_is_an_error() -> None:
    nothing = (
        GateFile(defaults=False),
        GateFile(defaults=False, metrics={"rouge": None}),
        GateFile(metrics=dict.fromkeys(DEFAULTS)),
    )
    for gate in nothing:
        with pytest.raises(ConfigError, match="gate: nothing is asked, so that nothing could pass"):
            refuse_senseless(gate, (), "gate")
    for gate in (GateFile(), GateFile(defaults=False, negatives=0.9), GateFile(metrics={"faithfulness": None})):
        refuse_senseless(gate, (), "gate")

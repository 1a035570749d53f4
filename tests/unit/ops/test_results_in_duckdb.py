"""examples/results/duckdb.sql: it asks each result once, the more complete one, and its three answers are those of the product."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from exporters.result import Verdict
from sidecar.commands.results.read import Collected, worst
from sidecar.statistics.interval import Interval, share_interval
from tests.unit.commands.label.answers import result
from tests.unit.ops.stored import CASES, EXAMPLES, kept, many, told

DAY = date(2026, 1, 7)
DECIDED = ("grounded", "hallucinated")


class Asked:
    """The file, run over lines; `answers` are the rows of its three questions."""

    def __init__(self, folder: Path, lines: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "results.jsonl").write_text("".join(one + "\n" for one in lines), encoding="utf-8")
        monkeypatch.chdir(folder)
        self.database = duckdb.connect()
        self.answers: list[list[dict[str, Any]]] = []
        self.day: date | None = None
        for one in self.database.extract_statements((EXAMPLES / "duckdb.sql").read_text(encoding="utf-8")):
            done = self.database.execute(one)
            if one.type.name == "SET":
                [(self.day,)] = self.database.execute("SELECT getvariable('day')").fetchall()
                self.database.execute(f"SET VARIABLE day = DATE '{DAY}'")
            if one.type.name == "SELECT":
                names = [str(column[0]) for column in done.description or ()]
                self.answers.append([dict(zip(names, row, strict=True)) for row in done.fetchall()])


def stream(seed: int, count: int = 400) -> list[str]:
    """Results of two services over three days, of some requests twice, some of them judged."""
    dice, lines = random.Random(seed), []
    for number in range(count):
        p = dice.choice((1.0, 0.5, 0.2))
        row = result(number, dice.choice([*Verdict, Verdict.GROUNDED]), p=p, service=dice.choice(("shop", "support")))
        row |= {"model": dice.choice(("mini", "large", None)), "upstream_adjusted_count": dice.choice((None, 2.0))}
        noon = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC)
        ended = noon + timedelta(seconds=dice.randrange(-130_000, 130_000))
        row["timestamp"] = ended.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        own = row["evaluations"][1]
        if own["score"] is not None:
            own["score"] = dice.randrange(1000) / 1000
        if dice.random() < 0.3:
            label = dice.choice(DECIDED)
            row["evaluations"].append({**own, "evaluator": "groundedness_judge", "outcome": "scored", "reason": None, "score": 0.5,
                                       "label": label, "judged": True, "inclusion_probability": p * 0.3})  # fmt: skip
            if own["label"] is None:
                row["verdict"] = label
        lines += [json.dumps(row)] * dice.choice((1, 1, 2))
    dice.shuffle(lines)
    return lines


@pytest.mark.parametrize(
    "lines", [*(pytest.param(lines, id=case) for case, lines in CASES), pytest.param(many(1, 30_000), id="many")]
)
def test_the_more_complete_is_asked_once(lines: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(tmp_path, lines, monkeypatch)
    scored = "len(list_filter(evaluations, lambda one: one.outcome = 'scored'))"
    fields = f"coalesce(trace.root_seen, false), coalesce(trace.spans, 0), {scored}, durations.total, verdict, service"
    rows = asked.database.execute(f"SELECT id, {fields} FROM results").fetchall()
    found = {name: ((root, spans, count), *rest) for name, root, spans, count, *rest in rows}
    assert len(rows) == len(found)
    assert found == {name: told(record) for name, record in kept(lines).items()}


def test_the_worst_of_a_day_are_those_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = stream(1)
    found, _, _ = Asked(tmp_path, lines, monkeypatch).answers
    rows = [row for row in Collected().read([one.encode() for one in lines]) if row.timestamp.date() == DAY]
    expected = worst(rows, 20)
    assert len(rows) > len(expected) == 20
    assert [one["id"] for one in found] == [row.record.id for row in expected]
    assert [one["score"] for one in found] == [row.score(None) for row in expected]
    assert {one["unsupported_claims"] for one in found} == {1}


def test_the_share_by_service_and_model_is_weighted_and_has_wilsons_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = stream(2)
    _, found, _ = Asked(tmp_path, lines, monkeypatch).answers
    groups: dict[tuple[str, str | None], list[tuple[float, bool]]] = {}
    for one in kept(lines).values():
        if str(one.verdict) in DECIDED:
            decider = next(said for said in one.evaluations if said.evaluator.startswith("groundedness") and said.label)
            weight = (one.upstream_adjusted_count or 1) / (decider.inclusion_probability or one.inclusion_probability)
            groups.setdefault((one.service, one.model), []).append((weight, one.verdict is Verdict.HALLUCINATED))
    assert len(groups) == 6
    assert {(row["service"], row["model"]): row["answers"] for row in found} == {
        key: len(of) for key, of in groups.items()
    }
    for row in found:
        answers = groups[row["service"], row["model"]]
        share, interval = shares(answers)
        assert row["requests"] == pytest.approx(sum(weight for weight, _ in answers))
        assert (row["share"], row["lower"], row["upper"]) == pytest.approx(
            (share, interval.lower, interval.upper), abs=1e-4
        )
    assert [row["lower"] for row in found] == sorted((row["lower"] for row in found), reverse=True)


def test_agreement_of_judge_and_local_verdict_is_weighted_by_the_judges_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = stream(3)
    _, _, found = Asked(tmp_path, lines, monkeypatch).answers
    groups: dict[str, list[tuple[float, bool, bool]]] = {}
    for one in kept(lines).values():
        local, judge = one.evaluation("groundedness"), one.evaluation("groundedness_judge")
        if local is not None and local.label and judge is not None:
            weight = (one.upstream_adjusted_count or 1) / (judge.inclusion_probability or 1)
            pair = (weight, local.label == "hallucinated", judge.label == "hallucinated")
            groups.setdefault(one.service, []).append(pair)
    assert {row["service"] for row in found} == set(groups) == {"shop", "support"}
    for row in found:
        pairs = groups[row["service"]]
        share, interval = shares([(weight, ours == theirs) for weight, ours, theirs in pairs])
        (a, _), (b, _) = shares([(w, ours) for w, ours, _ in pairs]), shares([(w, theirs) for w, _, theirs in pairs])
        chance = a * b + (1 - a) * (1 - b)
        said = (row["agreement"], row["lower"], row["upper"], row["kappa"])
        assert said == pytest.approx((share, interval.lower, interval.upper, (share - chance) / (1 - chance)), abs=1e-4)
        assert row["answers"] == len(pairs)
        assert row["local_alone_alarms"] == sum(ours and not theirs for _, ours, theirs in pairs)
        assert row["judge_alone_alarms"] == sum(theirs and not ours for _, ours, theirs in pairs)


def shares(answers: Sequence[tuple[float, bool]]) -> tuple[float, Interval]:
    """The weighted share, and its interval by the effective number of answers."""
    whole = sum(weight for weight, _ in answers)
    share = sum(weight for weight, hit in answers if hit) / whole
    effective = whole**2 / sum(weight**2 for weight, _ in answers)
    return share, share_interval(share * effective, effective)


def test_yesterday_is_that_of_utc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = datetime.now(UTC).date()
    asked = Asked(tmp_path, stream(1, 3), monkeypatch)
    assert asked.day in {before - timedelta(days=1), datetime.now(UTC).date() - timedelta(days=1)}

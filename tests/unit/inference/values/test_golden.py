"""What is read out of texts, and what becomes of claims, as written down by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.grounding.han import missing_values, read
from sidecar.inference.values.dates import WEEKDAYS
from sidecar.inference.values.match import Outcome, match
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import stated
from sidecar.inference.values.value import Date, Hedge, Kind, Value

FOLDER = Path(__file__).parents[3] / "golden/values"
_BOUNDS = {Hedge.NONE: "", Hedge.ABOUT: "~", Hedge.LEAST: ">=", Hedge.MOST: "<="}
_WORST_FIRST = (Outcome.DISAGREES, Outcome.ABSENT, Outcome.FOLLOWS, Outcome.AGREES)


def lines(name: str) -> list[str]:
    return [line for line in (FOLDER / name).read_text(encoding="utf-8").splitlines() if line]


def readings() -> Iterator[tuple[str, str]]:
    for line in lines("read.txt"):
        if not line.startswith("# "):
            text, _, values = line.rpartition("=>")
            yield text.strip(), values.strip()


def pairs() -> Iterator[tuple[str, str, str]]:
    heading = ""
    for line in lines("pairs.txt"):
        if line.startswith("# "):
            heading = line[2:]
        else:
            claim, _, document = line.partition(" | ")
            yield heading, claim, document


def shown(value: Value) -> str:
    bound, unit = _BOUNDS[value.hedge], f" {value.unit}" if value.unit else ""
    per = f"/{value.per}" if value.per else ""
    match value.kind:
        case Kind.NAME:
            return f'{bound}"{value.name}"'
        case Kind.DATE:
            return " or ".join(_date(one) for one in value.dates)
        case Kind.TIME:
            minutes = round(value.amount * 60)
            return f"{minutes // 60:02}:{minutes % 60:02}"
        case Kind.ORDINAL:
            return f"#{value.amount:g}"
        case Kind.PERCENT:
            return f"{bound}{value.amount:g} %{per}"
        case Kind.POINTS:
            return f"{bound}{value.amount:g} points"
    return f"{bound}{value.amount:g}{unit}{per}"


def _date(date: Date) -> str:
    if date.weekday is not None:
        return WEEKDAYS[date.weekday]
    if date.decade:
        return f"{date.decade}s"
    if date.quarter:
        return f"Q{date.quarter} {date.year or ''}".strip()
    parts = [f"{date.year or ''}", *(f"{part:02}" for part in (date.month, date.day) if part)]
    return "-".join(parts)


def outcome(claim: str, document: str) -> str:
    found = match(stated(claim, content_stem), [stated(document, content_stem)], lambda _: 5.0)
    assert found, claim
    return next(str(one) for one in _WORST_FIRST if any(finding.outcome is one for finding in found))


@pytest.mark.parametrize(("text", "values"), list(readings()))
def test_a_text_states_the_values_that_a_person_reads_in_it(text: str, values: str) -> None:
    assert "; ".join(shown(value) for value in read_values(text)) == values


@pytest.mark.parametrize(("expected", "claim", "document"), list(pairs()))
def test_a_claim_fares_as_a_person_would_say(expected: str, claim: str, document: str) -> None:
    assert outcome(claim, document) == expected


@pytest.mark.parametrize("line", lines("chinese.txt"))
def test_a_chinese_claim_has_its_values_in_a_sentence_where_a_reader_finds_them(line: str) -> None:
    says, claim, document = line.split(" | ")
    missing = missing_values(read(claim).values, read(document).values, bounds=True)
    assert (missing == 0) == (says == "=")


@pytest.mark.parametrize(
    "text", ["3" + "多" * 3000, "十" + "余" * 3000, "两" * 5000, "3万" * 3000, "至少不超过" * 2000]
)
def test_what_repeats_is_read(text: str) -> None:
    assert len(read_values(text)) <= 6000


def test_there_are_enough_of_each() -> None:
    assert len(list(readings())) > 130
    assert len(list(pairs())) > 80

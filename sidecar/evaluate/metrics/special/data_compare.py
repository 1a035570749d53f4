"""Data compare: do two tables, as CSV, hold the same?"""

from __future__ import annotations

import asyncio
import csv
import io
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.record.errors import PermanentInferenceError

_FENCE = re.compile(r"```[^`\n]*\n(?P<inside>.*?)(?:```|\Z)", re.DOTALL)
# As many digits as a number of any use has: hashing one with an exponent without bounds would take for ever.
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d{0,99})(?:\.\d{0,99})?|\.\d{1,99})(?:[eE][+-]?\d{1,3})?")


class DataCompareSettings(Section):
    """Tables that are equal."""

    by: Literal["rows", "columns"] = Field(
        default="rows", description="What is counted: equal rows, or columns without an unequal cell."
    )
    measure: Literal["precision", "recall", "f1"] = Field(default="f1", description="Which of the three is the score.")
    keys: tuple[str, ...] = Field(
        default=(), description="Columns that rows are paired by; without any, by their place."
    )
    tolerance: float = Field(default=0.0, ge=0, description="Absolute difference up to which two numbers are equal.")


def f1_of(precision: float, recall: float) -> float:
    """Their harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class DataCompare:
    """Equal rows (or columns) / those of the answer, / those of the reference, and F1. An answer that is no table scores 0."""

    name = "data_compare"
    version = "2"
    method = "rows_f1"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "F1 (or precision, recall) of equal rows, or of columns without an unequal cell; answer and reference are CSV",
        "Ragas DataCompyScore",
        Cost.TEXT,
    )

    def __init__(self, settings: DataCompareSettings, dependencies: Dependencies) -> None:
        self._settings = settings
        self.method = f"{settings.by}_{settings.measure}"

    def languages(self, case: Case) -> None:
        """Any."""

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises PermanentInferenceError: bad_reference."""
        return await asyncio.to_thread(self._compare, case.answer, case.reference)

    def _compare(self, answer: str, reference: str) -> Evaluation:
        wanted = self._table(reference)
        if wanted is None:
            raise PermanentInferenceError("bad_reference")
        given = self._table(answer)
        found = Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=0.0, label="invalid_csv")
        if given is None:
            return found
        equal = self._equal(given, wanted)
        sizes = [len(one.rows) if self._settings.by == "rows" else len(one.names) for one in (given, wanted)]
        precision, recall = equal / sizes[0], equal / sizes[1]
        parts = {"precision": precision, "recall": recall, "f1": f1_of(precision, recall), "equal": equal}
        score = parts[self._settings.measure]
        return Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=score, parts=parts)

    def _table(self, text: str) -> Table | None:
        """A table with a row at least, and with the keys; None of anything else."""
        table = read_table(text, [key.lower() for key in self._settings.keys])
        sound = table is not None and len(set(table.by_key)) == len(table.rows)
        return table if sound else None

    def _equal(self, given: Table, wanted: Table) -> int:
        others = dict(zip(wanted.by_key, wanted.rows, strict=True))
        pairs = [(row, others[key]) for key, row in zip(given.by_key, given.rows, strict=True) if key in others]
        common = set(given.names) & set(wanted.names)
        if self._settings.by == "rows":
            alike = len(common) == len(given.names) == len(wanted.names)
            return sum(alike and all(self._same(one[n], other[n]) for n in common) for one, other in pairs)
        if not len(given.rows) == len(wanted.rows) == len(pairs):
            return 0
        return sum(all(self._same(one[n], other[n]) for one, other in pairs) for n in common)

    def _same(self, one: str, other: str) -> bool:
        """The same number, or the same text: 00123 is a text, and so is what is written for nothing."""
        if one == other:
            return True
        if not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
            return False
        near = self._settings.tolerance and abs(float(one) - float(other)) <= self._settings.tolerance
        return bool(near) or Decimal(one) == Decimal(other)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as texts by the names of their columns; `by_key` says by what each is paired: its keys, or its place."""

    names: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    by_key: tuple[object, ...]


def read_table(text: str, keys: Sequence[str]) -> Table | None:
    """A table out of CSV, that of a Markdown fence where there is one; None where there is none, or no row, or not the keys. Commas behind the last cell are none."""
    fence = _FENCE.search(text)
    lines = io.StringIO((fence["inside"] if fence else text).strip(), newline="")
    try:
        found = [[cell.strip() for cell in row] for row in csv.reader(lines, skipinitialspace=True)]
    except csv.Error:
        return None
    head, *rest = [_without_end(row) for row in found if any(row)] or [[]]
    names = tuple(name.lower() for name in head)
    if not rest or len(set(names)) < len(names) or not set(keys) <= set(names) or max(map(len, rest)) > len(names):
        return None
    rows = tuple(dict(itertools.zip_longest(names, row, fillvalue="")) for row in rest)
    by_key = tuple(tuple(_key(row[key]) for key in keys) for row in rows) if keys else tuple(range(len(rows)))
    return Table(names, rows, by_key)


def _without_end(row: Sequence[str]) -> Sequence[str]:
    last = max(n for n, cell in enumerate(row) if cell)
    return row[: last + 1]


def _key(cell: str) -> object:
    return Decimal(cell) if _NUMBER.fullmatch(cell) else cell

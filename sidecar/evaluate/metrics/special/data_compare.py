"""Data compare: do two tables, as CSV, hold the same?"""

from __future__ import annotations

import asyncio
import io
from typing import Any, Literal

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.record.errors import PermanentInferenceError


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
    version = "1"
    method = "rows_f1"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "F1 (or precision, recall) of equal rows, or of columns without an unequal cell; answer and reference are CSV",
        "Ragas DataCompyScore; datacompy",
        Cost.TEXT,
        libraries=("datacompy", "pandas"),
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
        sizes = [len(one) if self._settings.by == "rows" else len(one.columns) for one in (given, wanted)]
        precision, recall = equal / sizes[0], equal / sizes[1]
        parts = {"precision": precision, "recall": recall, "f1": f1_of(precision, recall), "equal": equal}
        score = parts[self._settings.measure]
        return Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=score, parts=parts)

    def _table(self, text: str) -> Any:
        """A table with a row at least, and with the keys; None of anything else."""
        import pandas

        try:
            table = pandas.read_csv(io.StringIO(text), skipinitialspace=True)
        except (ValueError, pandas.errors.ParserError):
            return None
        table.columns = [str(name).strip().lower() for name in table.columns]
        keys = [key.lower() for key in self._settings.keys]
        sound = len(table) and table.columns.is_unique and set(keys) <= set(table.columns)
        return table if sound and not (keys and table.duplicated(subset=keys).any()) else None

    def _equal(self, given: Any, wanted: Any) -> int:
        from datacompy import PandasCompare

        keys = [key.lower() for key in self._settings.keys]
        pairing: dict[str, Any] = {"join_columns": keys} if keys else {"on_index": True}
        compared = PandasCompare(given, wanted, abs_tol=self._settings.tolerance, **pairing)
        if self._settings.by == "rows":
            same = set(given.columns) == set(wanted.columns)
            return int(compared.count_matching_rows()) if same else 0
        paired = len(given) == len(wanted) == len(compared.intersect_rows)
        return sum(paired and not one["unequal_cnt"] for one in compared.column_stats)

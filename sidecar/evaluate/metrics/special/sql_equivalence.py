"""SQL equivalence: would the answer's query return what the reference's does? Parsing decides where it can, else only a judge may."""

from __future__ import annotations

import asyncio
import enum

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Settings
from sidecar.evaluate.case import Case
from sidecar.record.errors import PermanentInferenceError, Unscorable

SOURCE = "Ragas LLMSQLEquivalence; trees by sqlglot"
LIBRARIES = ("sqlglot",)


class Trees(enum.StrEnum):
    """What the syntax trees of two queries say. Different trees prove nothing."""

    EQUAL = "equal_trees"
    DIFFERENT = "different_trees"
    INVALID = "invalid_sql"


class SqlEquivalenceSettings(Settings):
    """Queries of one meaning."""

    dialect: str = Field(
        default="", description="Dialect of both queries, by its name in sqlglot, as postgres; empty: what is common."
    )


def compare_trees(answer: str, reference: str, dialect: str = "") -> Trees:
    """Of the answer that does not parse: INVALID. Raises PermanentInferenceError(bad_reference) where the reference does not."""
    wanted = _canonical(reference, dialect)
    if wanted is None:
        raise PermanentInferenceError("bad_reference")
    given = _canonical(answer, dialect)
    if given is None:
        return Trees.INVALID
    return Trees.EQUAL if given == wanted else Trees.DIFFERENT


def _canonical(sql: str, dialect: str) -> str | None:
    """One query, qualified and normalised, as text; None where it is none."""
    from sqlglot import exp, parse
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.normalize import normalize
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.optimizer.simplify import simplify

    try:
        trees = [tree for tree in parse(_unfenced(sql), read=dialect or None) if tree is not None]
        if len(trees) != 1 or not isinstance(trees[0], exp.Query | exp.DML | exp.DDL):
            return None
        qualified = qualify(trees[0], validate_qualify_columns=False)
        return str(simplify(normalize(qualified)).sql())
    except (SqlglotError, RecursionError):
        return None


def _unfenced(sql: str) -> str:
    """Without the code fence that a model puts around it."""
    text = sql.strip()
    if text.startswith("```"):
        text = text.partition("\n")[2].rpartition("```")[0]
    return text.strip()


class SqlEquivalence:
    """1 where both have the same tree, 0 where the answer is no SQL; else undecided. Schema lines travel as reference contexts."""

    name = "sql_equivalence"
    version = "1"
    method = "trees"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "1 where both queries have one normalised tree, 0 where the answer does not parse, else undecided",
        SOURCE,
        Cost.TEXT,
        libraries=LIBRARIES,
    )

    def __init__(self, settings: SqlEquivalenceSettings, dependencies: Dependencies) -> None:
        self._dialect = settings.dialect

    def languages(self, case: Case) -> None:
        """Any."""

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: undecided; PermanentInferenceError: bad_reference."""
        found = await asyncio.to_thread(compare_trees, case.answer, case.reference, self._dialect)
        if found is Trees.DIFFERENT:
            raise Unscorable("undecided")
        return Evaluation(
            evaluator=self.name, outcome=Outcome.SCORED, score=float(found is Trees.EQUAL), label=str(found)
        )

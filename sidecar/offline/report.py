"""The report of a run, and how it is read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from sidecar import __version__
from sidecar.decode.wire.parse import load_json
from sidecar.offline.aggregate import answerable, groups_of, metrics_of, negatives_of, spread_of, spreads_of
from sidecar.offline.case import Unread
from sidecar.offline.record import SCHEMA, CaseRecord, Effort, Report, Source, UnreadRow
from sidecar.offline.sessions import sessions_of
from sidecar.record.errors import DecodeError
from sidecar.settings.input_file import read_file, refusal


def report_of(
    records: Sequence[CaseRecord],
    *,
    source: Source,
    settings: str,
    created: str,
    effort: Effort,
    unread: Sequence[Unread] = (),
    reused: int = 0,
) -> Report:
    """What these records come to. `created` is RFC 3339, `settings` identifies who judged."""
    return Report(
        schema=SCHEMA,
        version=__version__,
        created=created,
        source=source,
        settings=settings,
        cases=len(records),
        reused=reused,
        unread=tuple(UnreadRow(row=one.row, line=one.line, reason=one.reason, detail=one.detail) for one in unread),
        metrics=metrics_of(records),
        by_kind=groups_of(records, lambda one: one.kind),
        by_origin=groups_of(answerable(records), lambda one: one.origin),
        verdicts=dict(Counter(one.verdict or "none" for one in records).most_common()),
        negatives=negatives_of(records),
        sessions=sessions_of(records),
        durations=spreads_of(records, "durations"),
        tokens=spreads_of(records, "tokens"),
        cost_usd=spread_of(one.cost_usd for one in records),
        effort=effort,
        results=tuple(records),
    )


def is_report(content: bytes) -> bool:
    """Whether these are the bytes of a report, however much of it can be read."""
    try:
        found = load_json(content)
    except DecodeError:
        return False
    return isinstance(found, dict) and found.get("schema") == SCHEMA


def load(path: Path, option: str = "") -> Report:
    """A report that was written as JSON. Raises ConfigError naming it, and the option that gave it."""
    content = read_file(path, "give a readable file", option)
    try:
        report = Report.model_validate_json(content)
    except ValidationError as error:
        mend = "give the JSON that `rag-sidecar evaluate -o` wrote"
        raise refusal(path, "no report", mend, option) from error
    if report.schema_ != SCHEMA:
        raise refusal(path, f"its schema is {report.schema_!r}", f"give a file of {SCHEMA}", option)
    return report

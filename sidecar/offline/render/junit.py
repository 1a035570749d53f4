"""A report as JUnit XML: a test for each metric, each question of the gate and each metric of the regression check; one that fails where rows could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from sidecar.offline.record import Check, Comparison, Metric, Report
from sidecar.offline.render import words

# What XML 1.0 has no way to say.
_UNSAYABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class _Test:
    """`fault` and `skipped` say why; both None: passed."""

    name: str
    fault: str | None = None
    skipped: str | None = None
    said: str = ""


def junit(report: Report) -> str:
    """The document. `time` is that of the whole run, in its first suite."""
    suites = [("metrics", [_metric(one) for one in report.metrics])]
    if report.unread:
        suites.append(("cases", [_Test("every row is a case", fault=words.unread(report))]))
    if report.gate is not None:
        suites.append(("gate", [_check(one) for one in report.gate.checks]))
    if report.regression is not None:
        suites.append(("regression", [_compared(one) for one in report.regression]))
    whole = [test for _, tests in suites for test in tests]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="rag-sidecar" {_counts(whole)}>']
    for name, tests in suites:
        lines += _suite(name, tests, report)
    return "\n".join([*lines, "</testsuites>", ""])


def _suite(name: str, tests: Iterable[_Test], report: Report) -> Iterable[str]:
    own = list(tests)
    seconds = report.effort.seconds if name == "metrics" else 0.0
    yield f'<testsuite name="{name}" {_counts(own)} time="{seconds:.3f}" timestamp="{_said(report.created)}">'
    for test in own:
        yield f'<testcase classname="rag-sidecar.{name}" name="{_said(test.name)}" time="0">'
        if test.fault is not None:
            yield f'<failure message="{_said(test.fault)}"/>'
        if test.skipped is not None:
            yield f'<skipped message="{_said(test.skipped)}"/>'
        if test.said:
            yield f"<system-out>{_said(test.said)}</system-out>"
        yield "</testcase>"
    yield "</testsuite>"


def _metric(one: Metric) -> _Test:
    failed = f"failed in {words.many(sum(one.failed.values()), 'case')}: {words.counts(one.failed)}"
    mean = f"mean {words.score(one.mean)}, 95 % interval {words.interval(one.lower, one.upper)}, {one.scored} scored"
    left_out = words.not_scored(one)
    return _Test(one.metric, fault=failed if one.failed else None, said=mean + (f"; {left_out}" if left_out else ""))


def _check(one: Check) -> _Test:
    name = f"{one.metric} >= {one.limit:g}" + (" (lower bound)" if one.bound == "lower" else "")
    return _Test(
        name,
        fault=one.why if one.status == "failed" else None,
        skipped=one.why if one.status == "not_asked" else None,
        said=f"value {words.score(one.value)}",
    )


def _compared(one: Comparison) -> _Test:
    delta = "-" if one.delta is None else f"{one.delta:+.4f}"
    said = f"{delta}, 95 % interval {words.interval(one.lower, one.upper)}, {words.sample(one)} pairs: {one.says}"
    worse = one.stands == "worse"
    return _Test(
        one.metric,
        fault=said if worse else None,
        skipped=one.says if one.delta is None and not worse else None,
        said=said,
    )


def _counts(tests: Iterable[_Test]) -> str:
    own = list(tests)
    failures, skipped = sum(one.fault is not None for one in own), sum(one.skipped is not None for one in own)
    return f'tests="{len(own)}" failures="{failures}" errors="0" skipped="{skipped}"'


def _said(text: str) -> str:
    return escape(_UNSAYABLE.sub("\ufffd", text))

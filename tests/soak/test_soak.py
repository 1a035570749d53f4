"""The short form of `make soak`: a day in half a minute, with bounds that only a leak passes."""

from __future__ import annotations

import pytest

from tests.soak.run import Plan, Soak
from tests.soak.traffic import Traffic

pytestmark = pytest.mark.alone

_SUBJECTS = 20
# docs/metrics.md says what a combination costs; the rest are our own series.
_MOST_SERIES = 250 * _SUBJECTS + 2_000


async def test_a_day_of_changing_services_leaves_no_task_no_descriptor_and_no_series_behind() -> None:
    plan = Plan(traffic=Traffic(1_500), step=20.0, look=3_600.0, most_subjects=_SUBJECTS)
    report = await Soak(plan).run()
    half, last = report.looks[len(report.looks) // 2], report.looks[-1]
    assert len(report.looks) == 24
    assert report.unread == 0
    assert report.outcomes["scored"] == report.exported > 500, str(report)
    assert last.tasks <= half.tasks + 2, str(report)
    assert last.descriptors <= half.descriptors + 2, str(report)
    assert max(look.series for look in report.looks) < _MOST_SERIES, str(report)
    assert last.buffers < 1_000_000, str(report)
    assert last.rss - half.rss < 40e6, str(report)

"""Lines about items are said once an interval for each kind of trouble, and those left out are counted."""

from __future__ import annotations

import logging

import pytest

from sidecar.observe.said import RateLimited
from sidecar.record.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def said(clock: ManualClock) -> RateLimited:
    return RateLimited(logging.getLogger("sidecar.tests.said"), clock, interval_seconds=60.0)


def test_the_same_trouble_is_said_once_an_interval(
    said: RateLimited, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(10):
        said.warn(("a",), "trouble on %s", "spans")
    clock.advance(59.0)
    said.warn(("a",), "trouble on %s", "spans")
    assert caplog.messages == ["trouble on spans"]
    clock.advance(1.0)
    said.warn(("a",), "trouble on %s", "spans")
    assert caplog.messages[1:] == ["trouble on spans; 10 more like it in the last 60 s"]
    clock.advance(60.0)
    said.warn(("a",), "trouble on %s", "spans")
    assert caplog.messages[2:] == ["trouble on spans"]


def test_another_trouble_has_a_line_of_its_own(said: RateLimited, caplog: pytest.LogCaptureFixture) -> None:
    said.warn(("a",), "one")
    said.warn(("b",), "two")
    assert caplog.messages == ["one", "two"]


def test_troubles_without_end_share_a_line(said: RateLimited, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(1000):
        said.warn((str(number),), "trouble %d", number)
    assert len(caplog.messages) == 257

"""What labels say of the verdict is shown as series, with the time until which it anchors."""

from __future__ import annotations

import logging
from datetime import date

import pytest

from sidecar.evaluate.anchors import show_anchors
from sidecar.inference.grounding.detector import Anchor
from sidecar.observe.telemetry import Telemetry

DAY = 86_400.0
_EXPIRY = "rag_sidecar_labels_expiry_timestamp_seconds"


def anchor(labelled: date | None) -> Anchor:
    return Anchor(
        sensitivity=0.8, specificity=0.9, hallucinated=8, grounded=192, identity="0a1b2c3d", labelled=labelled
    )


def test_labels_with_a_date_have_an_end_and_those_without_have_none(caplog: pytest.LogCaptureFixture) -> None:
    telemetry = Telemetry()
    given = {"dated": anchor(date(1970, 1, 11)), "undated": anchor(None)}
    with caplog.at_level(logging.WARNING):
        show_anchors(given, telemetry, expire_days=90, now=99 * DAY)
    assert list(telemetry.values(_EXPIRY)) == [({"rag_service": "dated", "identity": "0a1b2c3d"}, 100 * DAY)]
    assert {own["rag_service"] for own, _ in telemetry.values("rag_sidecar_label_rate")} == set(given)
    assert not caplog.records


def test_labels_that_are_too_old_at_the_start_are_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    given = {"old": anchor(date(1970, 1, 11)), "young": anchor(date(1970, 2, 11)), "undated": anchor(None)}
    with caplog.at_level(logging.WARNING):
        show_anchors(given, Telemetry(), expire_days=90, now=100 * DAY)
    assert [one.getMessage() for one in caplog.records] == [
        "1 of 3 entries of evaluate.anchors are labelled more than 90 days ago and anchor nothing: label anew (docs/labels.md)"
    ]


def test_labels_are_good_for_ever_where_the_setting_says_so() -> None:
    telemetry = Telemetry()
    show_anchors({"dated": anchor(date(1970, 1, 11))}, telemetry, expire_days=0, now=1e9)
    assert not list(telemetry.values(_EXPIRY))

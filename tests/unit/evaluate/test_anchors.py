"""What labels say of the verdict is shown as series, with the time until which it anchors."""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime

import pytest

from sidecar import config
from sidecar.evaluate.anchors import show_anchors
from sidecar.inference.grounding.detector import Anchor
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError

DAY = 86_400.0
START = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
_EXPIRY = "rag_sidecar_labels_expiry_timestamp_seconds"


def anchor(labelled: date | None) -> Anchor:
    return Anchor(
        sensitivity=0.8, specificity=0.9, hallucinated=8, grounded=192, identity="0a1b2c3d", labelled=labelled
    )


def test_labels_with_a_date_have_an_end_and_those_without_have_none(caplog: pytest.LogCaptureFixture) -> None:
    telemetry = Telemetry()
    given = {"dated": anchor(date(2020, 1, 11)), "undated": anchor(None)}
    with caplog.at_level(logging.WARNING):
        show_anchors(given, telemetry, expire_days=90, now=START + 99 * DAY)
    assert list(telemetry.values(_EXPIRY)) == [({"rag_service": "dated", "identity": "0a1b2c3d"}, START + 100 * DAY)]
    assert {own["rag_service"] for own, _ in telemetry.values("rag_sidecar_label_rate")} == set(given)
    assert not caplog.records


def test_labels_that_are_too_old_at_the_start_are_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    given = {"old": anchor(date(2020, 1, 11)), "young": anchor(date(2020, 2, 11)), "undated": anchor(None)}
    with caplog.at_level(logging.WARNING):
        show_anchors(given, Telemetry(), expire_days=90, now=START + 100 * DAY)
    assert [one.getMessage() for one in caplog.records] == [
        "1 of 3 entries of evaluate.anchors are labelled more than 90 days ago and anchor nothing: label anew (docs/labels.md)"
    ]


def test_labels_are_good_for_ever_where_the_setting_says_so() -> None:
    telemetry = Telemetry()
    show_anchors({"dated": anchor(date(2020, 1, 11))}, telemetry, expire_days=0, now=START + 1e9)
    assert not list(telemetry.values(_EXPIRY))


@pytest.mark.parametrize("labelled", ["9999-12-31", "2100-01-02", "1999-12-31", "0001-01-01"])
def test_a_date_that_is_none_of_our_time_is_refused_by_the_name_of_its_setting(labelled: str) -> None:
    anchors = {"kb": {**anchor(None).model_dump(), "labelled": labelled}}
    receive = {"bootstrap_servers": "kafka:9092", "topics": ["t"]}
    with pytest.raises(
        ConfigError, match=r"evaluate\.anchors\.kb\.labelled: must be a date from 2000-01-01 to 2100-01-01"
    ):
        config.build({"receive": receive, "evaluate": {"anchors": anchors}})


@pytest.mark.parametrize("labelled", [date(2000, 1, 1), date(2100, 1, 1)])
def test_the_first_and_the_last_date_have_an_end(labelled: date) -> None:
    assert anchor(labelled).expiry(3650) == datetime(labelled.year, 1, 1, tzinfo=UTC).timestamp() + 3650 * DAY

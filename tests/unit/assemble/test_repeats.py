"""Whole requests under an id that is remembered: a replay is a silent duplicate, other content is counted and told."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from sidecar.record.request import Document, RagTrace
from tests.unit.assemble.test_buffer import Setting

FIRST = RagTrace(
    trace_id="conversation-7",
    service="kb",
    convention="native",
    timestamp=100.0,
    question="How long?",
    answer="Two years.",
    documents=(Document(1, "The warranty is two years.", "d1"),),
)


def taken(setting: Setting, *requests: RagTrace) -> list[RagTrace]:
    return [one for ended in setting.assembler.take(requests) for one in ended.requests]


def counts(setting: Setting) -> tuple[float, float]:
    names = ("rag_sidecar_duplicate_spans_total", "rag_sidecar_conflicting_requests_total")
    return setting.telemetry.value(names[0]), setting.telemetry.value(names[1])


def test_other_content_under_a_remembered_id_is_counted_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    setting = Setting(remember_seconds=600)
    corrected, next_turn = replace(FIRST, answer="Three years."), replace(FIRST, question="And for lamps?")
    with caplog.at_level(logging.WARNING, logger="sidecar.assemble"):
        assert taken(setting, FIRST, corrected, next_turn) == [FIRST]
    assert counts(setting) == (0, 2)
    [said] = [record.getMessage() for record in caplog.records]
    assert "ids must be unique" in said
    assert "decode.mapping" in said
    assert not any(text in said for text in ("conversation-7", "kb", "years", "lamps"))


def test_a_replay_is_a_silent_duplicate_also_where_kafka_gives_it_another_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    setting = Setting()
    assert taken(setting, FIRST, FIRST, replace(FIRST, timestamp=200.0)) == [FIRST]
    assert (counts(setting), caplog.records) == ((2, 0), [])


def test_what_lost_its_texts_is_taken_for_a_replay() -> None:
    setting = Setting()
    assert taken(setting, FIRST.without_text(), FIRST, replace(FIRST, answer="Three years.").without_text()) == [
        FIRST.without_text()
    ]
    assert counts(setting) == (2, 0)


def test_an_id_is_free_again_when_it_is_forgotten_and_in_another_service() -> None:
    setting = Setting(remember_seconds=600)
    other, later = replace(FIRST, service="shop", answer="Other."), replace(FIRST, answer="Three years.")
    assert taken(setting, FIRST, other) == [FIRST, other]
    setting.after(601)
    assert taken(setting, later) == [later]
    assert counts(setting) == (0, 0)

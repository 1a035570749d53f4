"""Patterns and terms of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pytest
from pydantic import ValidationError

from sidecar import config
from sidecar.record.errors import ConfigError
from sidecar.redact.presidio import Presidio, open_presidio
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import PresidioConfig, RedactConfig
from tests.cpu import within_cpu
from tests.unit.redact.test_builtin import redact

EMPLOYEE = {"name": "employee", "pattern": r"\bE-\d{6}\b"}


def test_own_patterns_and_terms_are_replaced_by_their_names() -> None:
    text = "E-123456 and E-654321 of project  falcon (PROJECT FALCON), not projects falcons, wrote 猎鹰计划书 about E-123456."
    found = redact(text, patterns=[EMPLOYEE], terms=["Project Falcon", "猎鹰计划"])
    assert (
        found
        == "<employee-1> and <employee-2> of <term-1> (<term-1>), not projects falcons, wrote <term-2>书 about <employee-1>."
    )


def test_a_lone_surrogate_moves_nothing() -> None:
    assert redact("\ud800 é E-123456 \udfff", patterns=[EMPLOYEE]) == "\ud800 é <employee-1> \udfff"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"patterns": [{"name": "x", "pattern": "("}]}, "no pattern that RE2 takes"),
        ({"patterns": [{"name": "x", "pattern": "(?=a)b"}]}, "no pattern that RE2 takes"),
        ({"patterns": [{"name": "x", "pattern": r"(a)\1"}]}, "no pattern that RE2 takes"),
        ({"patterns": [{"name": "x", "pattern": "((a{100}){100}){100}"}]}, "no pattern that RE2 takes"),
        ({"patterns": [{"name": "x", "pattern": "a*"}]}, "matches the empty text"),
        ({"patterns": [{"name": "email", "pattern": "a"}]}, "choose another"),
        ({"patterns": [{"name": "Upper", "pattern": "a"}]}, "String should match"),
        ({"patterns": [EMPLOYEE, EMPLOYEE]}, "the same name"),
        ({"terms": [" "]}, "2 to 200 characters"),
        ({"off": ["emial"]}, "Input should be"),
    ],
)
def test_what_cannot_be_used_is_refused_at_the_start(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        RedactConfig.model_validate(wrong)


def test_the_error_names_the_setting() -> None:
    with pytest.raises(
        ConfigError, match=r"redact\.patterns\.0\.pattern: '\(' is no pattern that RE2 takes: missing \)"
    ):
        config.build(
            {
                "receive": {"bootstrap_servers": "b:1", "topics": ["t"]},
                "redact": {"patterns": [{"name": "x", "pattern": "("}]},
            }
        )


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)+b", "(.*)(.*)(.*)=", r"\d+\s*\d+\s*x", "(a?){50}a{50}"])
def test_no_pattern_of_a_user_runs_away(pattern: str) -> None:
    redactor = Redactor(RedactConfig.model_validate({"patterns": [{"name": "own", "pattern": pattern + "|zzz"}]}))
    for run in ("a", "1 ", "=", "aab"):
        text = run * (200_000 // len(run)) + "!"
        within_cpu(2.0, f"{pattern} over a run of {run!r}", partial(_redact, redactor, text))


def _redact(redactor: Redactor, text: str) -> object:
    return redactor.session([text]).redact(text)


@dataclass
class Part:
    entity_type: str
    start: int
    end: int
    score: float = 0.9


class FakeAnalyzer:
    """Knows one name; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, str, list[str] | None, float | None]] = []

    def analyze(
        self, text: str, language: str, *, entities: list[str] | None = None, score_threshold: float | None = None
    ) -> Sequence[Part]:
        self.asked.append((len(text), language, entities, score_threshold))
        place = text.find("Arthur Dent")
        return [Part("PERSON", place, place + 11)] if place >= 0 else []


def test_presidio_finds_names_with_the_rest() -> None:
    analyzer = FakeAnalyzer()
    redactor = Redactor(RedactConfig(), more=[Presidio(PresidioConfig(), analyzer)])
    text = "Ask Arthur Dent, a.dent@example.com. " + "x " * 60_000
    made = redactor.session([text])
    assert made.redact(text).text.startswith("Ask <person-1>, <email-1>. x")
    assert analyzer.asked[:2] == [
        (100_000, "en", ["PERSON", "LOCATION"], 0.6),
        (20_037, "en", ["PERSON", "LOCATION"], 0.6),
    ]


def test_presidio_that_is_not_there_is_named_with_the_mend() -> None:
    with pytest.raises(ConfigError, match=r"redact\.presidio\.(enabled|model): .* is not installed \("):
        open_presidio(PresidioConfig(model="no_such_model"))

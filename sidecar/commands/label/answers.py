"""The answers that were scored, out of results; and the requests that they were given to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import ValidationError

from exporters.result import SCHEMA, standing
from sidecar.commands.requests import Made, Requests, Texts, texts_of
from sidecar.labels.facts import facts_of
from sidecar.labels.record import Draw, Facts
from sidecar.record.errors import ConfigError
from sidecar.redact.redactor import Redactor


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the answer; `evidence` is (index of the document, start, end), None where there is none."""

    text: str | None
    evidence: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that evaluators looked at. `redacted`: its claims were, and places point into redacted texts. `others` counts results of its id that it
    was taken before."""

    facts: Facts
    timestamp: str | None
    claims: tuple[Claim, ...]
    redacted: bool
    digest: str | None = None
    others: int = 0

    @property
    def made(self) -> Made:
        """Which request it was given to."""
        return Made(self.facts.result, self.facts.trace_id, self.digest, redacted=self.redacted)


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer with its texts, as a person is shown it."""

    answer: Answer
    texts: Texts

    def claims(self) -> list[tuple[str, str | None]]:
        """Each claim with the sentence of the documents that is nearest to it."""
        return [
            (one.text or "", None if one.evidence is None else self.texts.quote(*one.evidence))
            for one in self.answer.claims
        ]


def read_answers(lines: Iterable[bytes], source: str) -> list[Answer]:
    """The answers of results, one JSON object a line; of two results of one request the more complete one (docs/results.md). Requests that no
    deciding evaluator looked at, such as those without an answer, are passed over. Raises ConfigError naming the line."""
    found: dict[str, tuple[tuple[bool, int, int], Answer]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _object(line, source, number)
        try:
            answer = _answer(row)
        except (KeyError, TypeError, ValueError) as error:
            problem, mend = f"cannot be read ({_what(error)})", "give results as `score` or the results topic have them"
            raise ConfigError(f"{source}, line {number}", problem, mend) from error
        if answer is not None:
            mine = (_completeness(row), answer)
            known = found.get(answer.facts.result)
            best = mine if known is None or mine[0] >= known[0] else known
            others = 0 if known is None else known[1].others + 1
            found[answer.facts.result] = (best[0], replace(best[1], others=others))
    return [answer for _, answer in found.values()]


def drawn(answers: Sequence[Answer], draw: Draw) -> list[Answer]:
    """The answers that a draw takes, in an order that is random too: whoever stops early has labelled a random part."""
    taken = [one for one in answers if draw.takes(one.facts.result)]
    return [
        replace(one, facts=one.facts.model_copy(update={"draw": draw}))
        for one in sorted(taken, key=lambda one: draw.number(one.facts.result))
    ]


def shown(answer: Answer, requests: Requests, redactor: Callable[[], Redactor]) -> Shown | None:
    """An answer with its texts, redacted where its result was; None where its request or its texts are not there."""
    trace = requests.of(answer.made)
    if trace is None or not trace.answer:
        return None
    return Shown(answer, texts_of(trace, redactor if answer.redacted else None))


def _answer(row: Mapping[str, Any]) -> Answer | None:
    facts, evaluations = facts_of(row), row["evaluations"]
    if facts is None:
        return None
    claims: list[Mapping[str, Any]] = next(
        (one["claims"] for one in evaluations if one["claims"] and one["evaluator"] == "faithfulness"), []
    )
    return Answer(
        facts,
        row.get("timestamp"),
        tuple(_claim(one) for one in claims),
        redacted=row.get("redacted") is not None,
        digest=row.get("request_digest"),
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    evidence = row.get("evidence")
    place = None if evidence is None else (evidence["document"], evidence["start"], evidence["end"])
    return Claim(row.get("text"), place)


def _completeness(row: Mapping[str, Any]) -> tuple[bool, int, int]:
    trace = row.get("trace") or {}
    scored = sum(one["outcome"] == "scored" for one in row["evaluations"])
    return standing(root_seen=bool(trace.get("root_seen")), spans=trace.get("spans") or 0, scored=scored)


def _object(line: bytes, source: str, number: int) -> Mapping[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{source}, line {number}", "no JSON", "one result a line") from error
    if not isinstance(row, dict) or row.get("schema") != SCHEMA:
        raise ConfigError(f"{source}, line {number}", "no result", f"the schema of each is {SCHEMA}")
    return row


def _what(error: Exception) -> str:
    """Where a result is wrong, without what stands there."""
    if isinstance(error, ValidationError):
        return ".".join(map(str, error.errors()[0]["loc"]))
    return str(error) if isinstance(error, KeyError) else type(error).__name__

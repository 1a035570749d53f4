"""The review queue as a file: one answer a line with room for a verdict, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from exporters.text import clean
from sidecar.commands.label.answers import Shown
from sidecar.commands.label.terminal import WORDS, wrong_claims
from sidecar.commands.output import lines_to
from sidecar.labels.record import Facts, Label, label
from sidecar.labels.store import told
from sidecar.record.errors import ConfigError

SCHEMA = "rag-sidecar.review.v1"
_MEND = "verdict is good, hallucinated, abstained, skip or null; leave `about` as it was exported"


def export(queue: Sequence[Shown], target: Path) -> None:
    """Write the queue. Raises ConfigError, OutputError."""
    with lines_to(target) as write:
        for one in queue:
            write(orjson.dumps(_row(one)))


def import_reviews(path: Path, *, who: str | None, at: datetime) -> list[Label]:
    """The labels of a reviewed export: lines without a verdict are passed over. Raises ConfigError naming the line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError("--import", f"{path}: {error.strerror}", "give a file that --export wrote") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            made = _label(orjson.loads(line), who=who, at=at)
        except ValueError as error:
            what = told(error) if isinstance(error, ValidationError) else str(error)
            raise ConfigError("--import", f"{path}, line {number}: {what}", _MEND) from error
        if made is not None:
            found.append(made)
    return found


def not_yet(labels: Iterable[Label], known: Iterable[Label]) -> list[Label]:
    """The labels that say something new: a file that is imported twice says it once."""
    there = {_content(one) for one in known}
    return [one for one in labels if _content(one) not in there]


def _content(one: Label) -> tuple[object, ...]:
    return (one.about.result, one.about.draw, one.verdict, one.wrong_claims, one.who)


def _row(one: Shown) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "verdict": None,
        "wrong_claims": [],
        "question": clean(one.texts.question),
        "answer": clean(one.texts.answer),
        "claims": [
            {"number": number, "text": clean(text), "nearest": None if nearest is None else clean(nearest)}
            for number, (text, nearest) in enumerate(one.claims(), 1)
        ],
        "documents": [
            {"number": number, "id": clean(name), "text": clean(text)}
            for number, (name, text) in enumerate(one.texts.documents, 1)
        ],
        "about": one.answer.facts.model_dump(),
    }


def _label(row: object, *, who: str | None, at: datetime) -> Label | None:
    if not isinstance(row, dict) or row.get("schema") != SCHEMA:
        raise ValueError(f"no line of an export: its schema is not {SCHEMA}")
    given = row.get("verdict")
    if given is None or given == "":
        return None
    said = WORDS.get(str(given).strip().lower())
    if said is None:
        raise ValueError("verdict is not one that is known")
    claims, numbers = row.get("claims"), row.get("wrong_claims") or []
    if not isinstance(numbers, list) or not isinstance(claims, list):
        raise ValueError("wrong_claims and claims are lists")
    if numbers and said != "hallucinated":
        raise ValueError("wrong_claims go with hallucinated only")
    own = row.get("who") or who
    wrong = wrong_claims(numbers, len(claims))
    return label(Facts.model_validate(row.get("about")), said, wrong=wrong, who=own, at=at)

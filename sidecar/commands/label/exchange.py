"""The review queue as a file: one answer a line with room for a verdict, and back.

What the evaluators said goes along where nobody reads it by the way: seen first it is followed, and the labels say too much good of the verdict.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
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
from sidecar.settings.input_file import read_file

SCHEMA = "rag-sidecar.review.v1"
_MEND = "verdict is good, hallucinated, abstained, skip or null; leave `about` as it was exported"
_IN_THE_OPEN = ("result", "trace_id", "request_id", "service")
_MOST_FACTS = 1024 * 1024


def export(queue: Sequence[Shown], target: Path) -> None:
    """Write the queue. Raises ConfigError, OutputError."""
    with lines_to(target) as write:
        for one in queue:
            write(orjson.dumps(_row(one)))


def import_reviews(path: Path, *, who: str | None, at: datetime) -> list[Label]:
    """The labels of a reviewed export: lines without a verdict are passed over. Raises ConfigError naming the line."""
    lines = read_file(path, "give a file that --export wrote", "--import").splitlines()
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
        "about": _closed(one.answer.facts),
    }


def _closed(facts: Facts) -> dict[str, Any]:
    """Which answer it is, and all that is known of it in one field that does not read as words."""
    named: dict[str, Any] = {name: getattr(facts, name) for name in _IN_THE_OPEN}
    return {**named, "sealed": b64encode(zlib.compress(facts.model_dump_json().encode())).decode()}


def _opened(about: object) -> Facts:
    """The facts of an exported answer; exports of earlier versions have all of them in the open. Raises ValueError where they were changed."""
    if not isinstance(about, dict) or "sealed" not in about:
        return Facts.model_validate(about)
    facts = Facts.model_validate_json(_unpacked(about["sealed"]))
    for name in _IN_THE_OPEN:
        if about.get(name) != getattr(facts, name):
            raise ValueError(f"about.{name} is not as it was exported")
    return facts


def _unpacked(sealed: object) -> bytes:
    """Bounded, for a few bytes may say that they are many. The end has a checksum."""
    stream = zlib.decompressobj()
    try:
        facts = stream.decompress(b64decode(str(sealed), validate=True), _MOST_FACTS)
    except (ValueError, zlib.error):
        facts = b""
    if not stream.eof:
        raise ValueError("about.sealed is not as it was exported")
    return facts


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
    return label(_opened(row.get("about")), said, wrong=wrong, who=own, at=at)

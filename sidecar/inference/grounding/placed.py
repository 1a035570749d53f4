"""Values where they stand: below a heading or behind a label, beside the sentence that goes on, under a rule that the claim tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.embedding.minilm import EncodedDocument
from sidecar.inference.values.cases import Case
from sidecar.inference.values.labelled import Label
from sidecar.inference.values.match import Finding, Outcome
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.value import Hedge

FOLLOWS = 0.5
_OF_ITS_HEADING = 0.9  # how much the words of a heading are those of a value below it


def with_next(text: str, document: EncodedDocument, n: int) -> str:
    """A sentence with the one behind it, which may go on with "others" or "heavier bags"."""
    spans = document.spans
    return text[spans[n].start : spans[min(n + 1, len(spans) - 1)].end]


def of_value(one: Finding, ruled: Sequence[Case]) -> list[Case]:
    return [case for case in ruled if (case.value.start, case.value.end) == (one.value.start, one.value.end)]


def by_its_rule(one: Finding, ruled: Sequence[Case]) -> Finding:
    """What became of a value that the evidence has no equal of, where the claim tells a rule of it."""
    mine = of_value(one, ruled)
    if not mine or one.outcome is Outcome.AGREES:
        return one
    if any(case.falls for case in mine):
        another = one.outcome is Outcome.DISAGREES and one.other is not None and one.other.hedge is Hedge.NONE
        return one if another else Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
    return Finding(Outcome.DISAGREES, one.value, 1.0, mine[0].rule.bound, mine[0].piece, certain=True)


def labelled_as(values: tuple[Stated, ...], label: Label | None) -> tuple[Stated, ...]:
    """The values of a line that is labelled, as of a row of a table."""
    if label is None:
        return values
    about = dict.fromkeys(label.row | label.head, _OF_ITS_HEADING)
    return tuple(
        replace(one, words={**about, **one.words}, row=label.row, head=label.head)
        if one.value.start >= label.begins
        else one
        for one in values
    )

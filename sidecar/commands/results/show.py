"""Results on a terminal: a table, and an answer claim by claim. Every colour has a word beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from exporters.record import ClaimRecord, EvaluationRecord, EvidenceRecord, ResultRecord
from exporters.result import ClaimLabel
from exporters.text import safe
from sidecar.commands.requests import Texts

_STYLES = {"supported": "green", "contradicted": "bold red", "not said": "yellow", "not supported": "yellow"}
_VERDICTS = {"grounded": "green", "hallucinated": "bold red", "abstained": "blue"}
_SCORES = ("groundedness", "faithfulness")
_SHORT_ID = 8


@dataclass(frozen=True, slots=True)
class Quoted:
    """A claim with its texts, where they are known. `said` is a word of _STYLES, `conflicts` are (value of the claim, that of the document)."""

    said: str
    support: float
    text: str | None
    evidence: str | None
    unsupported: tuple[str, ...]
    conflicts: tuple[tuple[str, str | None], ...]


def quoted(claim: ClaimRecord, texts: Texts | None) -> Quoted:
    """A claim as it can be shown: its own text, else that of its place in the answer."""
    text, whole = claim.text, claim.text
    if text is None and texts is not None and claim.start is not None and claim.end is not None:
        text = texts.answer[claim.start : claim.end] or None
    # Marks are places in the claim's text as the evaluator had it, which may hold more than its place in the answer.
    marked = [] if whole is None else [whole[one.start : one.end] for one in claim.unsupported or ()]
    conflicts = [
        ("" if whole is None else whole[one.start : one.end], _quote(one.evidence, texts)) for one in claim.conflicts
    ]
    return Quoted(
        said_of(claim),
        claim.support,
        text,
        _quote(claim.evidence, texts),
        tuple(filter(None, marked)),
        tuple(conflicts),
    )


def said_of(claim: ClaimRecord) -> str:
    """What the documents say of a claim, in a word or two."""
    if claim.label is ClaimLabel.SUPPORTED or (claim.label is None and claim.supported):
        return "supported"
    if claim.label is None:
        return "not supported"
    return "contradicted" if claim.label is ClaimLabel.CONTRADICTED else "not said"


def table(records: Sequence[ResultRecord], by: str | None = None) -> Table:
    """One line a result, with the scores of its answer and those of `by`."""
    made = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name in ("id", "time", "service", "model", "variant", "verdict"):
        made.add_column(name, overflow="fold", no_wrap=name in ("id", "time", "verdict"))
    scores = list(dict.fromkeys((*_SCORES, by) if by else _SCORES))
    for name in scores:
        made.add_column(name.replace("_", " "), justify="right", no_wrap=name in _SCORES)
    made.add_column("claims", min_width=15, overflow="fold")
    for one in records:
        cells = [one.service, one.model or "", one.variant or ""]
        told = (_score(one.evaluation(name)) for name in scores)
        made.add_row(
            safe(one.id[:_SHORT_ID]), _time(one), *map(safe, cells), _verdict(one), *told, _counts(one), style=None
        )
    return made


def answer(record: ResultRecord, texts: Texts | None) -> RenderableType:
    """One answer: what was asked and said, and each claim with the sentence that it was held against."""
    parts: list[RenderableType] = [_head(record)]
    if texts is not None:
        parts += [
            _part("question", texts.question or "(none)"),
            _part("answer", _coloured(record.claims, texts.answer)),
        ]
    if record.of_claims and record.of_claims.threshold is not None:
        parts.append(Text(f"claims  (supported from {record.of_claims.threshold:.2f} on)", "dim"))
    for number, claim in enumerate(record.claims, 1):
        parts.append(_claim(number, claim, texts))
    return Group(*parts)


def whole(record: ResultRecord, texts: Texts | None) -> RenderableType:
    """One answer, and below it every evaluation and document."""
    parts: list[RenderableType] = [answer(record, texts), Text(), _evaluations(record.evaluations)]
    for number, (name, text) in enumerate(texts.documents if texts else (), 1):
        parts += [Text(), _part(f"document {number}", f"{name}\n{text}" if name else text)]
    return Group(*parts)


def new_console(*, least: int = 160) -> Console:
    """A console that cuts nothing where it is no terminal."""
    console = Console(highlight=False, markup=False)
    return console if console.is_terminal else Console(highlight=False, markup=False, width=max(least, console.width))


def _head(record: ResultRecord) -> Text:
    facts = (record.id, _time(record), record.service, record.model, record.variant)
    line = Text(safe("  ".join(one for one in facts if one)) + "  ", "dim")
    return Text.assemble(line, _verdict(record), Text(safe(f"  trace {record.trace_id}"), "dim"))


def _claim(number: int, claim: ClaimRecord, texts: Texts | None) -> Text:
    own = quoted(claim, texts)
    style = _STYLES[own.said]
    line = Text(f"  [{number}] ")
    line.append(f"{own.said} {own.support:.2f}", style)
    line.append("  ")
    line.append(safe(own.text) if own.text else _place("answer, ", claim.start, claim.end), "" if own.text else "dim")
    if own.unsupported:
        line.append("\n      no document says: ", "dim")
        line.append(safe(" · ".join(own.unsupported)), "underline")
    for value, other in own.conflicts:
        negated = value and other and value.casefold() == other.casefold()
        line.append("\n      negated on one side alone: " if negated else "\n      differs: ", "dim")
        line.append(safe(value if negated else f"{value or 'a value'} against {other or 'another one'}"), "red")
    if claim.evidence is not None:
        place = claim.evidence
        line.append(f"\n      nearest, document {place.document + 1}: ", "dim")
        line.append(f"“{safe(own.evidence)}”" if own.evidence else _place("", place.start, place.end), "dim")
    return line


def _coloured(claims: Iterable[ClaimRecord], text: str) -> Text:
    """The answer with each claim in its colour and its number behind it."""
    made, end = Text(), 0
    placed = [(one.start, one.end, number, one) for number, one in enumerate(claims, 1) if one.start is not None]
    for start, stop, number, one in sorted(placed, key=lambda each: (each[0] or 0, each[2])):
        begin, stop = max(end, start or 0), stop or 0
        if stop <= begin:
            continue
        made.append(safe(text[end:begin]))
        made.append(safe(text[begin:stop]), _STYLES[said_of(one)])
        made.append(f"[{number}]", "dim")
        end = stop
    made.append(safe(text[end:]))
    return made


def _evaluations(evaluations: Sequence[EvaluationRecord]) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("evaluator", "score", "label", "reason", "model", "threshold"):
        made.add_column(name, justify="right" if name in ("score", "threshold") else "left")
    for one in evaluations:
        score = "" if one.score is None else f"{one.score:.3f}"
        threshold = "" if one.threshold is None else f"{one.threshold:.3f}"
        words = (one.evaluator, score, one.label, one.reason, one.model.name if one.model else None, threshold)
        made.add_row(*(safe(word or "") for word in words))
        if one.explanation:
            made.add_row("", "", "", Text(safe(one.explanation), "dim"))
    return made


def _part(name: str, text: str | Text) -> Text:
    return Text.assemble((f"{name}  ", "bold"), safe(text) if isinstance(text, str) else text)


def _counts(record: ResultRecord) -> Text:
    """How many claims are what: "3 supported, 1 contradicted"."""
    told: dict[str, int] = {}
    for claim in record.claims:
        told[said_of(claim)] = told.get(said_of(claim), 0) + 1
    shown = [(f"{told[said]} {said}", style) for said, style in _STYLES.items() if said in told]
    return Text(", ").join(Text(word, style) for word, style in shown)


def _verdict(record: ResultRecord) -> Text:
    word = record.verdict.value if record.verdict else record.reason or record.outcome
    return Text(safe(word), _VERDICTS.get(word, "dim"))


def _score(said: EvaluationRecord | None) -> str:
    return "" if said is None or said.score is None else f"{said.score:.2f}"


def _time(record: ResultRecord) -> str:
    return f"{record.timestamp:%Y-%m-%d %H:%M:%S}" if record.timestamp else "-"


def _place(where: str, start: int | None, end: int | None) -> str:
    return f"({where}characters {start} to {end})" if start is not None else "(its text is not in the result)"


def _quote(evidence: EvidenceRecord | None, texts: Texts | None) -> str | None:
    return texts.quote(evidence.document, evidence.start, evidence.end) if evidence and texts else None

"""Cases as HTML: what was asked and said, with the claims of the answer in the colours of what the documents say of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from exporters.record import ClaimRecord
from sidecar.offline.case import NEGATIVE
from sidecar.offline.record import CaseRecord, Evaluation
from sidecar.offline.render import words

_MARKS = {"supported": "✓", "contradicted": "✗", "not_said": "?"}
_TOLD = {"supported": "supported", "contradicted": "contradicted", "not_said": "not said"}
_MOST_ROWS = 1000
# Others have claims of the reference.
_OF_ANSWER = ("faithfulness", "faithfulness_judge")
# What a case is ranked by, where it has one: strings that differ from the reference may be as right.
_TELLING = frozenset(
    {"faithfulness", "groundedness", "answer_relevancy", "answer_correctness", "context_recall", "context_precision"}
)
_DECIDED = {"grounded": "good", "hallucinated": "poor"}
LEGEND = (
    '<div class="legend small">'
    + "".join(
        f'<span><mark class="{name}">{_TOLD[name]}<sup>{mark}</sup></mark></span>' for name, mark in _MARKS.items()
    )
    + '<span class="soft">what the retrieved documents say of each claim of the answer</span></div>'
)


def worst(records: Sequence[CaseRecord], most: int) -> list[CaseRecord]:
    """The worst first: questions without an answer that were answered, hallucinated answers, then by the mean of the scores. Cases without a fault
    worth a look (a mean of 0.9 or more) are none of them."""
    rated = [(_badness(one), place, one) for place, one in enumerate(records)]
    return [one for bad, _, one in sorted(rated, key=lambda item: item[:2])[:most] if bad < 0.9]


def _badness(one: CaseRecord) -> float:
    if one.kind == NEGATIVE:
        return 1.0 if one.abstention in ("full", "clarification", None) else -2.0
    said = [said for said in one.evaluations if said.score is not None]
    telling = [one for one in said if one.evaluator.removesuffix("_judge") in _TELLING] or said
    scores = [one.score for one in telling if one.score is not None]
    mean = math.fsum(scores) / len(scores) if scores else 1.0
    return mean - 1.0 if one.verdict == "hallucinated" else mean


def case_of(one: CaseRecord, *, opened: bool = False) -> str:
    """One case, to be unfolded."""
    bad = one.verdict == "hallucinated"
    tags = [
        f'<span class="chip {"bad" if bad else "well" if one.verdict == "grounded" else ""}">{escape(one.verdict or "no verdict")}</span>'
    ]
    if one.kind:
        tags.append(f'<span class="chip">{escape(one.kind)}</span>')
    parts = [
        f'<details class="case"{" open" if opened else ""}><summary><span class="question">{escape(one.question or one.id)}</span>',
        f'<span>{"".join(tags)}</span></summary><div class="inside">',
        _labelled("Answer", _answer(one)),
        f'<div class="label">Scores</div><div>{"".join(_score(said, one) for said in one.evaluations)}</div>',
        _labelled("Reference", escape(one.reference)) if one.reference else "",
        _contexts(one),
        f'<p class="soft small">case {escape(one.id)}, service {escape(one.service)}</p></div></details>',
    ]
    return "".join(parts)


def every_case(records: Sequence[CaseRecord]) -> str:
    """A line a case."""
    names = list(dict.fromkeys(said.evaluator for one in records for said in one.evaluations))
    head = "".join(f"<th>{escape(name)}</th>" for name in ("case", "kind", "verdict", *names))
    rows = "".join(_row(one, names) for one in records[:_MOST_ROWS])
    more = (
        ""
        if len(records) <= _MOST_ROWS
        else f'<p class="soft small">the first {_MOST_ROWS:,}; the JSON report has all</p>'
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{more}'


def _row(one: CaseRecord, names: Sequence[str]) -> str:
    said = {evaluation.evaluator: evaluation for evaluation in one.evaluations}
    told = f'<td title="{escape(one.question or "")}">{escape(one.id)}</td><td>{escape(one.kind or "")}</td><td>{escape(one.verdict or "-")}</td>'
    return f"<tr>{told}{''.join(_small(said.get(name), one) for name in names)}</tr>"


def _small(said: Evaluation | None, case: CaseRecord) -> str:
    if said is None or said.score is None:
        return f'<td class="soft small">{escape("" if said is None else said.reason or "-")}</td>'
    return f'<td class="number {_band(said, case)}"{_threshold(said)}>{said.score:.2f}</td>'


def _score(said: Evaluation, case: CaseRecord) -> str:
    if said.score is None:
        return f'<span class="chip soft">{escape(said.evaluator)}: {escape(said.reason or "-")}</span>'
    shown = f'<b class="{_band(said, case)}">{said.score:.2f}</b>'
    return f'<span class="chip"{_threshold(said)}>{escape(said.evaluator)} {shown}</span>'


def _band(said: Evaluation, case: CaseRecord) -> str:
    """What a score is coloured by: its verdict where it gives one, else its band. Of a case that cannot be answered low scores are no fault."""
    if said.score is None:
        return ""
    band = "" if case.kind == NEGATIVE else words.band(said.evaluator, said.score)
    return _DECIDED.get(said.label or "", band)


def _threshold(said: Evaluation) -> str:
    """The threshold of what decides a verdict, as the attribute that a pointer shows."""
    decides = said.label in _DECIDED and said.threshold is not None
    return f' title="threshold {said.threshold:g}"' if decides else ""


def _answer(one: CaseRecord) -> str:
    """The answer with its claims marked where they stand; those that stand nowhere, as a judge's, below it."""
    answer = one.answer or ""
    claims = next((said.claims for said in one.evaluations if said.claims and said.evaluator in _OF_ANSWER), ())
    placed = [claim for claim in claims if claim.start is not None and claim.end is not None]
    others = [claim for claim in claims if claim.start is None and claim.text]
    body = "".join(_marked(answer, placed)) or '<span class="soft">none</span>'
    below = "".join(f'<div class="small">{_mark(claim, escape(claim.text or ""))}</div>' for claim in others)
    return body + below


def _marked(answer: str, claims: Sequence[ClaimRecord]) -> Iterator[str]:
    at = 0
    for claim in sorted(claims, key=lambda claim: (claim.start or 0, claim.end or 0)):
        start, end = max(at, claim.start or 0), min(len(answer), claim.end or 0)
        if start < end:
            yield escape(answer[at:start])
            yield _mark(claim, escape(answer[start:end]))
            at = end
    yield escape(answer[at:])


def _mark(claim: ClaimRecord, said: str) -> str:
    label = claim.label or ("supported" if claim.supported else "not_said")
    told = f"{_TOLD[label]}, support {claim.support:.2f}"
    return f'<mark class="{label}" title="{told}">{said}<sup>{_MARKS[label]}</sup></mark>'


def _contexts(one: CaseRecord) -> str:
    known = [document for document in one.documents if document.text]
    if not known:
        return ""
    items = "".join(f'<li><span class="text">{escape(document.text or "")}</span></li>' for document in known)
    return (
        f'<details><summary class="label">Contexts ({len(known)})</summary><ol class="contexts">{items}</ol></details>'
    )


def _labelled(label: str, html: str) -> str:
    return f'<div class="label">{label}</div><div class="text">{html}</div>'

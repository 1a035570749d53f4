"""Kept answers as JSON: the rows of a list, and one answer with everything that is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from exporters.result import ClaimLabel, ClaimResult, Evaluation, Outcome, Result, Verdict
from exporters.serialize import Json, result_to_json, rfc3339
from exporters.text import clean
from sidecar.page.shelf import Kept, deciding_score

_SNIPPET = 240
MOST_ROWS = 500
# What claims are taken from, in the order of who is asked first.
_CLAIMS_OF = ("faithfulness", "faithfulness_judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a list is filtered by; None is: whatever. `text` is looked for in texts and ids, without regard to case, and `replica` is one that scored, "" for us."""

    service: str | None = None
    replica: str | None = None
    model: str | None = None
    variant: str | None = None
    verdict: str | None = None
    text: str | None = None
    since: float | None = None

    def takes(self, kept: Kept) -> bool:
        """Whether an answer is wanted."""
        result = kept.result
        return (
            (self.service is None or result.service == self.service)
            and (self.replica is None or (kept.replica or "") == self.replica)
            and (self.model is None or (result.model or "") == self.model)
            and (self.variant is None or (result.variant or "") == self.variant)
            and (self.verdict is None or verdict_of(result) == self.verdict)
            and (self.since is None or kept.at >= self.since)
            and (not self.text or _holds(kept, self.text.casefold()))
        )


# What `verdict_of` may say of an answer that is kept.
VERDICTS = (*map(str, Verdict), str(Outcome.UNSCORABLE), str(Outcome.FAILED), "none")


def verdict_of(result: Result) -> str:
    """The verdict as one filters by it; what has none goes by its outcome, or is `none`."""
    if result.verdict is not None:
        return str(result.verdict)
    return "none" if str(result.outcome) == "scored" else str(result.outcome)


def worst_of(kept: Iterable[Kept]) -> str | None:
    """The id of the worst of some answers, as the list of the worst has it; None where none has a score."""
    scored = [(key, one.result.id) for one in kept if (key := one.key("worst")) is not None]
    return min(scored)[1] if scored else None


def rows(kept: Iterable[Kept], wanted: Wanted, *, most: int) -> dict[str, Json]:
    """The answers that are wanted, at most so many, and how many there are."""
    found = [one for one in kept if wanted.takes(one)]
    return {"found": len(found), "answers": [_row(one) for one in found[:most]]}


def whole(kept: Kept, *, trace_url: str | None) -> dict[str, Json]:
    """Everything about an answer. Texts are null where they are not kept."""
    result, texts = kept.result, kept.texts
    row = result_to_json(result, with_text=True)  # Where texts are not shown, none is kept.
    evaluations = result.evaluations
    return {
        **{name: row[name] for name in _TAKEN_OVER},
        **_row(kept),
        "question": None if texts is None else texts.question,
        "answer": None if texts is None else texts.answer,
        "documents": documents(kept),
        "cut": _cut(kept),
        "claims": [claim(one) for one in claims_of(evaluations)],
        "evaluations": [{name: one[name] for name in _OF_EVALUATION} for one in _objects(row["evaluations"])],
        "trace_url": trace_link(result, trace_url),
    }


_TAKEN_OVER = (
    "span_id", "provider", "reason", "abstention", "error_class", "inclusion_probability", "tokens", "cost_usd", "durations",
    "redacted", "trace", "retrieved_documents",
)  # fmt: skip
_OF_EVALUATION = (
    "evaluator", "outcome", "reason", "score", "label", "explanation", "model", "threshold", "method", "judged",
)  # fmt: skip


def claims_of(evaluations: Sequence[Evaluation]) -> tuple[ClaimResult, ...]:
    """The claims of an answer."""
    return next((one.claims for name in _CLAIMS_OF for one in evaluations if one.evaluator == name and one.claims), ())


def said_of(one: ClaimResult) -> str:
    """What the documents say of a claim: a ClaimLabel, or `unsupported` where the model does not tell the contrary from nothing."""
    return str(one.label or (ClaimLabel.SUPPORTED if one.supported else "unsupported"))


def claim(one: ClaimResult, *, said: bool = True) -> dict[str, Json]:
    """A claim; without `said` as one is shown it who is to judge it."""
    evidence = one.evidence
    found: dict[str, Json] = {
        "text": clean(one.text) or None,
        "start": one.start,
        "end": one.end,
        "evidence": None
        if evidence is None
        else {"document": evidence.document, "start": evidence.start, "end": evidence.end},
    }
    if said:
        conflicts: list[Json] = [
            {"start": each.start, "end": each.end, "document": each.evidence.document,
             "from": each.evidence.start, "to": each.evidence.end}
            for each in one.conflicts
        ]  # fmt: skip
        unsupported: list[Json] = [[start, end] for start, end in one.unsupported or ()]
        found |= {"said": said_of(one), "support": one.support, "conflicts": conflicts, "unsupported": unsupported}
    return found


def documents(kept: Kept, *, said: bool = True) -> list[Json]:
    """The documents in rank order, each with its relevance to the question where that was looked at."""
    judged = {each.rank: each for one in kept.result.evaluations if said for each in reversed(one.documents)}
    texts = kept.texts.documents if kept.texts is not None else ()
    ranks = range(1, max([len(texts), *judged]) + 1) if texts or judged else ()
    found: list[Json] = []
    for rank in ranks:
        name, text = texts[rank - 1] if rank <= len(texts) else (None, None)
        known = judged.get(rank)
        own: dict[str, Json] = {
            "rank": rank,
            "id": name if name is not None or known is None else known.id,
            "text": text,
        }
        if said:
            own |= {
                "score": None if known is None else known.score,
                "relevant": None if known is None else known.relevant,
            }
        found.append(own)
    return found


def trace_link(result: Result, template: str | None) -> str | None:
    """Where the trace is shown."""
    if template is None:
        return None
    parts = {"trace_id": result.trace_id, "span_id": result.span_id or "", "service": result.service}
    return template.format(**{name: quote(clean(value), safe="") for name, value in parts.items()})


def _row(kept: Kept) -> dict[str, Json]:
    result, texts = kept.result, kept.texts
    said = [said_of(one) for one in claims_of(result.evaluations)]
    return {
        "id": clean(result.id),
        "trace_id": clean(result.trace_id),
        "service": clean(result.service),
        "model": None if result.model is None else clean(result.model),
        "variant": None if result.variant is None else clean(result.variant),
        "session": None if result.session is None else clean(result.session),
        "replica": kept.replica,
        "timestamp": rfc3339(result.timestamp),
        "at": kept.at,
        "outcome": str(result.outcome),
        "verdict": verdict_of(result),
        "score": deciding_score(result),
        "claims_said": {name: said.count(name) for name in dict.fromkeys(said)},
        "question_start": _start(None if texts is None else texts.question),
        "answer_start": _start(None if texts is None else texts.answer),
    }


def _cut(kept: Kept) -> Json:
    """How much of the texts is not kept, in characters; null where all is."""
    cut = kept.cut
    if cut is None:
        return None
    return {
        "question": cut.question,
        "answer": cut.answer,
        "texts": list[Json](cut.texts),
        "documents": cut.documents,
    }


def _start(text: str | None) -> str | None:
    return None if text is None else text[:_SNIPPET] + ("\N{HORIZONTAL ELLIPSIS}" if len(text) > _SNIPPET else "")


def _holds(kept: Kept, text: str) -> bool:
    result = kept.result
    there: list[str | None] = [result.id, result.trace_id, result.session, result.model, result.variant]
    if kept.texts is not None:
        there += [kept.texts.question, kept.texts.answer]
        there += [part for document in kept.texts.documents for part in document]
    return any(text in one.casefold() for one in there if one)


def _objects(value: Json) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

"""What an evaluator may look at: the one place where a request is turned away before an evaluator sees it."""

from __future__ import annotations

from sidecar.evaluate.base import Evaluator, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.record.errors import Unscorable


def admit(case: Case, evaluator: Evaluator, limits: EvaluateConfig) -> None:
    """Raise Unscorable where the request lacks what the evaluator needs, has too much of it, or is in a language that the
    evaluator does not read. Language is that of the whole request: each evaluator sees the same gate."""
    if case.trace.text_dropped:
        raise Unscorable("no_text")
    needs = evaluator.needs
    if Needs.ANSWER in needs and len(case.answer) > limits.most_answer_chars:
        raise Unscorable("too_long")
    if Needs.ANSWER in needs and Needs.CONTEXT in needs and case.abstained:
        raise Unscorable("abstained")  # also where nothing was retrieved, which is when a good service abstains
    _require(case, needs)
    if Needs.QUESTION in needs and len(case.question) > limits.most_answer_chars:
        raise Unscorable("too_long")
    if Needs.CONTEXT in needs and _too_many(case, limits):
        raise Unscorable("too_long")
    read = evaluator.languages(case)
    if read is not None and not case.languages <= read:
        raise Unscorable("language")


def _require(case: Case, needs: tuple[Needs, ...]) -> None:
    has = {Needs.QUESTION: bool(case.question), Needs.ANSWER: bool(case.answer), Needs.CONTEXT: bool(case.documents)}
    for need in needs:
        if not has[need]:
            raise Unscorable(f"no_{need}")


def _too_many(case: Case, limits: EvaluateConfig) -> bool:
    return len(case.documents) > limits.most_documents or sum(map(len, case.texts)) > limits.most_document_chars

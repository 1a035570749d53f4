"""What an evaluator may look at: the one place where a request is turned away before an evaluator sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sidecar.evaluate.base import AUTHORED, Evaluator, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.languages import UNKNOWN
from sidecar.record.authored import Authored
from sidecar.record.errors import Unscorable
from sidecar.record.request import RagTrace

_NOTHING = Authored()
# A request has these by its trace alone; of an empty list of reference contexts or topics nothing can be said.
_BROUGHT: Mapping[Needs, Callable[[RagTrace, Authored], bool]] = {
    Needs.RETRIEVAL: lambda trace, _: bool(trace.documents) or trace.retrieved is True,
    Needs.MESSAGES: lambda trace, _: bool(trace.messages),
    Needs.REFERENCE: lambda trace, _: bool((trace.reference or "").strip()),
    Needs.REFERENCE_CONTEXTS: lambda _, authored: bool(authored.contexts),
    Needs.REFERENCE_CONTEXT_IDS: lambda _, authored: bool(authored.context_ids),
    Needs.TOOL_CALLS: lambda _, authored: authored.tool_calls is not None,
    Needs.TOPICS: lambda _, authored: bool(authored.topics),
    Needs.RUBRIC: lambda _, authored: bool(authored.rubric),
}


def brings(trace: RagTrace, needs: Iterable[Needs]) -> bool:
    """Whether a request has what its author has to write for evaluators of these needs, and a conversation for those that look at one."""
    authored = trace.authored or _NOTHING
    return all(_BROUGHT[need](trace, authored) for need in needs if need in AUTHORED or need is Needs.MESSAGES)


def admit(case: Case, evaluator: Evaluator, limits: EvaluateConfig) -> None:
    """Raise Unscorable where the request lacks what the evaluator needs, has too much of it, or is in a language that the
    evaluator does not read. Language is that of the whole request: each evaluator sees the same gate."""
    if case.trace.text_dropped:
        raise Unscorable("no_text")
    needs = evaluator.needs
    if Needs.ANSWER in needs:
        admit_answer(case, limits)
    if Needs.ANSWER in needs and Needs.CONTEXT in needs and case.abstained:
        raise Unscorable("abstained")  # also where nothing was retrieved, which is when a good service abstains
    _require(case, needs)
    if _too_long(case, needs, limits):
        raise Unscorable("too_long")
    if not understood(case, evaluator):
        raise Unscorable("language")


def understood(case: Case, evaluator: Evaluator) -> bool:
    """Whether the evaluator reads the languages of what it looks at."""
    read = evaluator.languages(case)
    return read is None or _languages(case, evaluator.needs) <= read


def asks_how_far_it_answers(needs: Iterable[Needs]) -> bool:
    """Whether to evaluators of these needs it matters how far the answer declines: not where an author's words say what is right, unless documents
    are looked at too."""
    found = frozenset(needs)
    return Needs.ANSWER in found and (Needs.CONTEXT in found or not AUTHORED & found)


def admit_answer(case: Case, limits: EvaluateConfig) -> None:
    """Raise Unscorable where the answer may not be looked at."""
    if case.trace.text_dropped:
        raise Unscorable("no_text")
    if len(case.answer) > limits.most_answer_chars:
        raise Unscorable("too_long")


def _require(case: Case, needs: tuple[Needs, ...]) -> None:
    has = {Needs.QUESTION: bool(case.question), Needs.ANSWER: bool(case.answer), Needs.CONTEXT: bool(case.documents)}
    for need in needs:
        found = has[need] if need in has else _BROUGHT[need](case.trace, case.authored)
        if not found:
            raise Unscorable(need.reason)


def _languages(case: Case, needs: tuple[Needs, ...]) -> frozenset[str]:
    """Those of what is looked at. A reference that cannot be told by itself takes the language of the request where it goes with it ("14 euros"), else
    it is in one that nobody reads; of a request that cannot be told the reference says the language."""
    found = case.languages
    if AUTHORED.intersection(needs):
        found |= case.reference_languages
    if Needs.REFERENCE in needs and not case.reference_goes_along:
        return found | {UNKNOWN}
    if Needs.MESSAGES in needs:
        found |= case.message_languages
    return found - {UNKNOWN} or found


def _too_long(case: Case, needs: tuple[Needs, ...], limits: EvaluateConfig) -> bool:
    most, longest = limits.most_document_chars, limits.most_answer_chars
    sizes = {
        Needs.QUESTION: len(case.question) > longest,
        Needs.REFERENCE: len(case.reference) > longest,
        Needs.CONTEXT: _too_many(case, limits),
        Needs.RETRIEVAL: _too_many(case, limits),
        Needs.REFERENCE_CONTEXTS: sum(map(len, case.authored.contexts or ())) > most,
        Needs.MESSAGES: sum(len(one.text or "") for one in case.trace.messages) > most,
    }
    return any(sizes.get(need, False) for need in needs)


def _too_many(case: Case, limits: EvaluateConfig) -> bool:
    return len(case.documents) > limits.most_documents or sum(map(len, case.texts)) > limits.most_document_chars

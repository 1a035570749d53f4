"""The model call that made the answer, and the question in its prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidecar.assemble.contexts import folded_texts, holds_any
from sidecar.assemble.tree import Node

_MOST_PROMPTS = 20
# Of what was shown; less may stand there by chance, as a grader's "no" does in "know".
_LEAST_SHARE = 0.2
_WHOSE = r"(?:(?i:here is|the|my|this|following|users?|user['’]s|human|customer|current|original|final|latest|follow[- ]?up|input|search)[^\S\n]++)"
# At the start of a line; in the middle of one at the end of an instruction ("answer the question: ") or after the end of a sentence alone, since a user may
# ask of a "slow query: SELECT 1".
_LABEL = re.compile(
    rf"(?:(?m:^)[^\w\n]*+{_WHOSE}{{0,3}}+(?i:question|query)"
    rf"|(?i:\banswer(?:ing)?(?<!\bI answer)(?<!\bwe answer)(?<!\byou answer)[^\S\n]++{_WHOSE}{{0,3}}+(?:question|query))(?=[^\S\n]*+:\s*+\S)"
    r"|(?<=[.!?:;)\]\"'>] )(?:Question|QUESTION|Query|QUERY))[^\S\n]*+:[^\S\n*]*+\**+"
)
_NEXT_LABEL = re.compile(
    r"^[^\w\n]*+(?:(?:helpful|final|your)[^\S\n]++)?+(?:answer|response|contexts?|documents|passages|sources)[^\S\n]*+:|(?<=\s)(?:Helpful )?Answer:\s*+\Z",
    re.MULTILINE | re.IGNORECASE,
)


def generation_of(models: Sequence[Node], retrievals: Sequence[Node], shown: str | None) -> Node | None:
    """Of the model calls after the last retrieval the one whose answer is a good part of what the root shows, else the last that was given a document, else
    the last with an answer: a title or a guess of the next question is no answer. Without an answer the last of them."""
    if not models:
        return None
    ended = max((n.span.end_ns for n in retrievals), default=0)
    after = [n for n in models if n.span.start_ns >= ended] or list(models)
    answered = [n for n in after if n.said.answer]
    if len(answered) < 2:
        return answered[0] if answered else after[-1]
    told = [n for n in answered if shown and n.said.answer and _is_part(n.said.answer, shown)]
    if told:
        return max(reversed(told), key=lambda n: len(n.said.answer or ""))
    texts = folded_texts([document for n in retrievals for document in n.said.documents])
    given = (n for n in reversed(answered[-_MOST_PROMPTS:]) if holds_any(n.said.prompt, texts))
    return next(given, answered[-1])


def _is_part(answer: str, shown: str) -> bool:
    return len(answer) >= _LEAST_SHARE * len(shown) and answer in shown


def after_label(text: str) -> str:
    """What stands after the last `Question:` or `Query:` of a prompt, up to the next label (`Answer:`, `Context:`)."""
    label = None
    for label in _LABEL.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    if label is None:
        return text
    after = _NEXT_LABEL.search(text, label.end())
    return text[label.end() : after.start() if after else len(text)].strip() or text
